import { craftStems } from '../compression/local/craftWords';
import { wordsOf } from '../compression/facts/words';
import { bareText } from '../compression/facts/saidText';

const MOST_KEYWORDS = 8;
const MAX_TEXT = 20_000;
const LONGEST = 40;

const stemOf = (word: string): string => wordsOf(word)[0]?.stem ?? word;
const CRAFT = craftStems(stemOf);

/** Stems of words by which requests are put, and not what they are about. */
export const MANNER = new Set(
  wordsOf(
    'please can could would you like want need help make sure let look have think should hey hi hello claude thank thanks great good nice fine ok yes sorry ' +
      'fix fixed add added update updated change changed create created remove removed implement implemented write run use using get set put try work working works show ' +
      'see check find found go going do does done new now first next last same other more also just only really actually still already back way thing things something ' +
      'bit lot all both each every one two here there this that time line lines while without having during rather include including including correctly above below enough fair ever new ask asked tell say said maybe  file files code user bug issue problem error ' +
      'пожалуйста можешь нужно надо сделай добавь исправь почини проверь посмотри ' +
      'bitte mach füge prüfe corrige ajoute vérifie arregla añade corrige revisa por favor',
  ).map(({ stem }) => stem),
);

const SPACED = /[\p{L}_$][\p{L}\p{N}\p{M}_$]*(?:[-.'’][\p{L}\p{N}_$]+)*/gu;
/** `didn't`, `let's`: what is meant stands beside them. */
const CONTRACTION = /['’]/;
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });

/** One word as it stands in a text. */
interface Surface {
  readonly text: string;
  readonly key: string;
  /** Names tell more than words. */
  readonly weight: number;
}

/** The words of a text that say what it is about, in order, in any script. */
function* contentWords(text: string): Generator<Surface | undefined> {
  for (const [raw] of text.slice(0, MAX_TEXT).matchAll(SPACED)) {
    const pieces = UNSPACED.test(raw)
      ? [...segmenter.segment(raw)].flatMap(({ segment, isWordLike }) => (isWordLike === true ? [segment] : []))
      : [raw];
    for (const piece of pieces) yield surface(piece);
  }
}

/** Undefined for a word that says nothing about the subject: it parts phrases. */
function surface(text: string): Surface | undefined {
  const isUnspaced = UNSPACED.test(text);
  if (CONTRACTION.test(text)) return undefined;
  if (text.length > LONGEST || text.length < (isUnspaced ? 2 : 3)) return undefined;
  const words = wordsOf(text);
  const [first] = words;
  if (first === undefined || words.every(({ weight }) => weight === 0)) return undefined;
  if (!isUnspaced && MANNER.has(first.stem)) return undefined;
  if (isUnspaced && /^[\p{Script=Hiragana}]+$/u.test(text)) return undefined;
  const key = words.map(({ stem }) => stem).join(' ');
  const isName = words.some(({ weight }) => weight === 2) || /[_$.]/.test(text);
  return { text, key, weight: isName ? 2 : CRAFT.has(first.stem) ? 1.5 : 1 };
}

/** What an exchange is about: the words that are said most, the human's first; as they were written. */
export function keywordsOf(human: string, assistant: string): string[] {
  const tally = new Map<string, { text: string; score: number }>();
  const add = (text: string, factor: number): void => {
    for (const word of contentWords(withoutCode(text))) {
      if (word === undefined) continue;
      const known = tally.get(word.key);
      const score = word.weight * factor;
      if (known === undefined) tally.set(word.key, { text: word.text, score });
      else known.score += score / 2;
    }
  };
  add(human, 3);
  add(assistant, 1);
  return [...tally.values()]
    .sort((a, b) => b.score - a.score)
    .slice(0, MOST_KEYWORDS)
    .map(({ text }) => text);
}

/** The words that best name a request: neighbours that are all about its subject. '' when it names none. */
export function topicOf(request: string): string {
  let best: Surface[] = [];
  let run: Surface[] = [];
  const scoreOf = (words: readonly Surface[]): number => words.reduce((sum, { weight }) => sum + weight, 0);
  const words = contentWords(withoutCode(request).slice(0, 600));
  for (const word of [...words, undefined]) {
    if (word !== undefined) run.push(word);
    else run = [];
    if (run.length > 3) run = run.slice(1);
    if (run.length > 0 && scoreOf(run) > scoreOf(best)) best = [...run];
  }
  return best.map(({ text }) => text).join(best.some(({ text }) => UNSPACED.test(text)) ? '' : ' ');
}

function withoutCode(text: string): string {
  return bareText(text)
    .replace(/```[\s\S]*?(?:```|$)/g, ' ')
    .replace(/https?:\/\/\S+/g, ' ')
    .replace(/(?:@|(?<![\p{L}\p{N}])[~.]?\/)?(?:[\p{L}\p{N}_.@~-]+\/)+/gu, '');
}

/** Equal for all forms of a keyword. */
export function keywordKey(keyword: string): string {
  return wordsOf(keyword)
    .map(({ stem }) => stem)
    .join(' ');
}
