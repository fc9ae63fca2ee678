import { craftStems } from '../text/terms';
import { bareText, stemsOf, wordsOf } from '../text/words';
import { sumOf } from '../text/ownValue';
import { namelessWords, requestWords } from '../text/wordLists';

const MOST_KEYWORDS = 8;
const MAX_TEXT = 20_000;
const LONGEST = 40;

const stemOf = (word: string): string => wordsOf(word)[0]?.stem ?? word;
const CRAFT = craftStems(stemOf);

/** Stems of words by which requests are put, and not what they are about. */
export const REQUEST_MANNER = stemsOf(requestWords());

const SPACED = /[\p{L}_$][\p{L}\p{N}\p{M}_$]*(?:[-.'’][\p{L}\p{N}_$]+)*/gu;
/** `didn't`, `let's`: what is meant stands beside them. */
const CONTRACTION = /['’]/;
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });

/** The segmenter's time grows with the square of what it is given at once. */
const SEGMENTED = /.{1,200}/gsu;

function segmentsIn(text: string): string[] {
  return [...segmenter.segment(text)].flatMap(({ segment, isWordLike }) => (isWordLike === true ? [segment] : []));
}

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
    const pieces = UNSPACED.test(raw) ? (raw.match(SEGMENTED) ?? []).flatMap(segmentsIn) : [raw];
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
  if (!isUnspaced && REQUEST_MANNER.has(first.stem)) return undefined;
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

const NO_NAME = stemsOf(namelessWords());
/** For languages that are written without spaces, and have no stems. */
const NO_NAMES = new Set(namelessWords());
/** An id, a hash, a host: nobody calls anything by them. */
const ID = /^(?=.*\d)[0-9a-f]{7,}$|\d{4,}|^(?:www\.)?[\p{L}\p{N}-]+\.(?:com|org|net|io|dev|app)$|^.{25,}$/iu;
/** Between the words of one name. */
const WITHIN = /^(?:\s+|['’]s\s+)$/;
const MOST_WORDS = 3;
/** A request names its subject early, also below a paste. */
const LOOKED_THROUGH = 20_000;
const FILE = /\p{L}\.[a-z]{1,5}$/iu;
/** One plain word says too little. */
const LEAST_SCORE = 1.5;
/** What a name ends with is what it is. */
const ENDS_WELL = 0.5;

/** The words that best name a request: neighbours that are all about its subject, the last of them what it is. '' when it names none. */
export function topicOf(request: string): string {
  const text = withoutCode(request.slice(0, LOOKED_THROUGH)).slice(0, 600);
  const isUnspaced = UNSPACED.test(text);
  let best: readonly Surface[] = [];
  for (const run of isUnspaced ? unspacedNamesIn(text) : namesIn(text)) {
    for (let length = Math.min(MOST_WORDS, run.length); length > 0; length--) {
      for (let at = 0; at + length <= run.length; at++) {
        const words = run.slice(at, at + length);
        if (scoreOf(words, isUnspaced) > scoreOf(best, isUnspaced)) best = words;
      }
    }
  }
  if (!isUnspaced && scoreOf(best, false) < LEAST_SCORE) return '';
  return best.map(({ text: word }) => word).join(isUnspaced ? '' : ' ');
}

function scoreOf(words: readonly Surface[], isUnspaced: boolean): number {
  const last = words.at(-1);
  if (last === undefined) return 0;
  return sumOf(words, ({ weight }) => weight) + (last.weight > 1 && !isUnspaced ? ENDS_WELL : 0);
}

/** Words that stand side by side in one sentence, and may all be parts of a name. */
function namesIn(text: string): Surface[][] {
  const runs: Surface[][] = [];
  let end = -1;
  let isOpen = false;
  for (const { 0: raw, index } of text.matchAll(SPACED)) {
    const word = surface(raw);
    const isName = word !== undefined && !NO_NAME.has(word.key) && !ID.test(raw);
    if (isName) {
      const run = isOpen && WITHIN.test(text.slice(end, index)) ? runs.at(-1) : undefined;
      if (run === undefined) runs.push([word]);
      else run.push(word);
    }
    // What stands after a file is about something else.
    isOpen = isName && !FILE.test(raw);
    end = index + raw.length;
  }
  return runs;
}

function unspacedNamesIn(text: string): Surface[][] {
  const runs: Surface[][] = [[]];
  for (const word of contentWords(text)) {
    if (word === undefined || NO_NAMES.has(word.text)) {
      runs.push([]);
      continue;
    }
    const last = runs.at(-1)?.at(-1);
    if (last !== undefined && UNSPACED.test(last.text) !== UNSPACED.test(word.text)) runs.push([]);
    runs.at(-1)?.push(word);
  }
  return runs;
}

function withoutCode(text: string): string {
  return bareText(text)
    .replace(/```[\s\S]*?(?:```|$)/g, ' ')
    .replace(/https?:\/\/\S+/g, ' ')
    .replace(/(?:(?<![\p{L}\p{N}])\/|(?<![\p{L}\p{N}_.@~-]))(?:[\p{L}\p{N}_.@~-]+\/)+/gu, '');
}
