import { craft, emptyWords, figures } from './wordLists';
import { baseName } from './formats';

/**
 * Words of the craft, as the caller cuts terms: they name the subject of a rule, and set work apart from small talk. Programmers of all languages
 * use most of them as they are. They are cut when one is first asked for: most programs never ask.
 */
export function craftStems(stemOf: (word: string) => string): Pick<ReadonlySet<string>, 'has'> {
  let stems: ReadonlySet<string> | undefined;
  const cut = (): ReadonlySet<string> => new Set(craft().flatMap((word) => [stemOf(word), stemOf(`${word}s`)]));
  return { has: (stem) => (stems ??= cut()).has(stem) };
}

/** What a term is worth beside a plain word: what is meant to the letter tells most. */
export const CLASS_WEIGHTS: Readonly<Record<TermClass, number>> = {
  word: 1,
  craft: 2,
  gram: 0.5,
  number: 1.5,
  name: 2,
  path: 2.2,
  quoted: 1.6,
};
type TermClass = 'word' | 'craft' | 'gram' | 'number' | 'name' | 'path' | 'quoted';

/** Chunks of a text between white space and brackets: words, names, paths, numbers, addresses, flags. */
const CHUNK = /(?:(?<![^\s`([{'"])--?(?=[a-z]))?[\p{L}\p{N}_@$#~/][\p{L}\p{N}\p{M}_@$#~/.:+%&=?’'-]*/gu;
const TRAILING = /(?<![.:+%&=?’'~/-])[.:+%&=?’'~/-]+$/;
/** Scripts that put no spaces between words. */
const UNSPACED = /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]/;
const UNSPACED_RUN = /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]+/g;
const PATH = /^(?:https?:\/\/|~?\/|\.{1,2}\/)?[^/]*(?:\/[^/]+)+\/?$/;
const FILE_NAME = /^[\p{L}\p{N}_.@-]*\.[a-z][a-z0-9]{0,5}$/iu;
const NAME = /^-|[_$#@]|\p{L}:\d|\p{Ll}\p{Lu}|\p{L}\d|\d\p{L}|^\p{Lu}{2,}$|\p{L}[.:]{1,2}\p{L}|\p{L}-\p{L}.*-\p{L}/u;
const QUOTED =
  /`([^`\n]{1,200})`|"([^"\n]{1,80})"|(?<![\p{L}\p{N}])'([^'\n]{1,60})'(?![\p{L}\p{N}])|“([^”\n]{1,80})”|«([^»\n]{1,80})»|「([^」\n]{1,80})」/gu;
const STEM_LENGTH = 6;
const LONGEST_CHUNK = 200;
/** More terms than this tell nothing more about a piece, and cost time. */
const MOST_TERMS = 120;

const EMPTY_WORDS = new Set(emptyWords());
const FIGURES = new Set(figures());

const CRAFT = craftStems((word) => word.slice(0, STEM_LENGTH));

/** One term as it stands in a text. */
interface FoundTerm {
  readonly key: string;
  readonly class: TermClass;
}

/** The terms of a session, numbered, with how often each stands in how many pieces. Only grows. */
export class TermTable {
  private readonly ids = new Map<string, number>();
  private readonly classes: number[] = [];
  private readonly pieces: number[] = [];

  /** How specific each term is: rare ones tell more, those that stand everywhere nothing. `pieces` is how many there are of them. */
  weights(pieces: number): Float64Array {
    const all = Math.log(2 + pieces);
    return Float64Array.from(this.classes, (weight, term) => {
      const rarity = Math.log(1 + (1 + pieces) / ((this.pieces[term] ?? 0) + 1)) / all;
      return weight * rarity;
    });
  }

  /** Whether a term is more than a word: a name, a number, a path, something quoted, a word of the craft. */
  isSpecific(term: number): boolean {
    return (this.classes[term] ?? 0) > CLASS_WEIGHTS.word;
  }

  /** The distinct terms of a piece, which is counted. */
  add(text: string): number[] {
    const terms = new Set<number>();
    for (const found of findTerms(text)) {
      terms.add(this.id(found));
      if (terms.size >= MOST_TERMS) break;
    }
    for (const term of terms) this.pieces[term] = (this.pieces[term] ?? 0) + 1;
    return [...terms];
  }

  /** Those of the known terms that stand in a text, which is not counted. */
  termsIn(text: string): number[] {
    return [...findTerms(text)].flatMap(({ key }) => this.ids.get(key) ?? []);
  }

  private id({ key, class: termClass }: FoundTerm): number {
    const weight = CLASS_WEIGHTS[termClass];
    const known = this.ids.get(key);
    if (known !== undefined) {
      // A name at the beginning of a sentence looks like any other word there.
      if (weight > (this.classes[known] ?? 0)) this.classes[known] = weight;
      return known;
    }
    const id = this.classes.length;
    this.ids.set(key, id);
    this.classes.push(weight);
    this.pieces.push(0);
    return id;
  }
}

/** The terms of a text, in order, without empty words; words are cut to a stem that most languages agree with. */
export function* findTerms(text: string): Generator<FoundTerm> {
  for (const value of quotedValues(text)) yield { key: value.toLowerCase(), class: 'quoted' };
  for (const { 0: match, index } of text.matchAll(CHUNK)) {
    const chunk = match.length > LONGEST_CHUNK ? match.slice(0, LONGEST_CHUNK) : match.replace(TRAILING, '');
    if (isProper(chunk, text, index)) for (const { key } of chunkTerms(chunk)) yield { key, class: 'name' };
    else if (chunk !== '') yield* chunkTerms(chunk);
  }
}

/** Whether a word has a capital letter of its own, and not because a sentence begins with it. */
function isProper(chunk: string, text: string, index: number): boolean {
  return (
    /^\p{Lu}\p{Ll}/u.test(chunk) &&
    /[^\s.!?:…"“'‘(*_-]["“'‘(*_]*\s["“'‘(*_]*$/u.test(text.slice(Math.max(0, index - 6), index))
  );
}

/** What stands in quotation marks or backticks: short values that are meant literally. */
export function quotedValues(text: string): string[] {
  const values: string[] = [];
  for (const match of text.matchAll(QUOTED)) {
    const value = match.slice(1).find(Boolean)?.trim() ?? '';
    if (value !== '') values.push(value);
  }
  return values;
}

function* chunkTerms(chunk: string): Generator<FoundTerm> {
  if (UNSPACED.test(chunk)) yield* unspacedTerms(chunk);
  else if (/^[\d.,:%+-]+$/.test(chunk)) yield { key: chunk, class: 'number' };
  else if (chunk.includes('/') && PATH.test(chunk)) {
    yield { key: chunk.toLowerCase(), class: 'path' };
    const base = baseName(chunk);
    if (base !== '') yield { key: base.toLowerCase(), class: 'name' };
  } else if (FILE_NAME.test(chunk)) yield { key: chunk.toLowerCase(), class: 'path' };
  else if (NAME.test(chunk)) yield { key: chunk.toLowerCase(), class: 'name' };
  else yield* wordTerms(chunk);
}

function* wordTerms(chunk: string): Generator<FoundTerm> {
  for (const part of chunk.split(/[^\p{L}\p{M}\p{N}]+/u)) {
    const word = part.toLowerCase().replace(/^ال(?=\p{L}{3})/u, '');
    if (word.length < 2 || EMPTY_WORDS.has(word)) continue;
    const key = word.slice(0, STEM_LENGTH);
    yield { key, class: FIGURES.has(word) ? 'number' : CRAFT.has(key) ? 'craft' : 'word' };
  }
}

/** Pairs of characters for scripts without spaces, and what stands between such runs. */
function* unspacedTerms(chunk: string): Generator<FoundTerm> {
  for (const [run] of chunk.matchAll(UNSPACED_RUN)) {
    const characters = Array.from(run);
    if (characters.length === 1) yield { key: run, class: 'gram' };
    for (let at = 0; at + 1 < characters.length; at++) {
      const pair = `${characters[at] ?? ''}${characters[at + 1] ?? ''}`;
      // Pairs of kana alone are endings and particles.
      if (!/^[\u3040-\u309f]+$/.test(pair)) yield { key: pair, class: 'gram' };
    }
  }
  for (const rest of chunk.split(UNSPACED_RUN)) if (rest.length > 1) yield* chunkTerms(rest);
}
