import { parseKeepits } from '../../keepits/markerParser';
import { isProse } from '../../material/statements';
import type { SourceMessage } from '../../material/types';
import type { Evidence } from '../../model/layers';
import { hasPhrase, isMadeOf, phrasesIn } from '../../text/phrases';
import { withoutSecrets } from '../../text/secrets/cleanText';
import { withoutPrivate } from '../../text/secrets/privateText';
import { QUESTION, sentencesOf } from '../../text/sentences';
import { wordsOf, bareText } from '../../text/words';
import { ownWords } from './ownWords';
import { statementScore } from './statementModel';

/** Where in a session something was found. */
export type FactEvidence = Pick<Evidence, 'messageUuid' | 'excerpt' | 'ts'>;

type Spoken = Pick<SourceMessage, 'uuid' | 'timestamp'>;

/** What a person stated to hold from then on: one quote, never other words for it. */
export interface StatedRule {
  readonly content: string;
  readonly key: string;
  /** `kept`: marked with a keepit; `explicit`: `remember`, `from now on`, `always` and their like; `noted`: by a model that the user trusts with that. */
  readonly trigger: 'kept' | 'explicit' | 'noted';
  readonly evidence: FactEvidence;
}

/** What is marked below this is not worth remembering for long. */
const LEAST_WEIGHT = 0.5;
const MAX_CONTENT = 320;
/** Nobody types so many characters: most of it is a document or a log, and its orders are somebody else's. */
const PASTED = 2_500;
/** `Remember this.` says nothing by itself; what stands before or after it does. */
const LEAST_WORDS = 2;
const LONG = 160;

/** The rules that a human's message states. Nobody else's words make any. */
export function statedIn(message: SourceMessage): StatedRule[] {
  if (message.role !== 'user') return [];
  return message.texts.flatMap(({ text }) => {
    const { kept, rest } = keptIn(withoutPrivate(text));
    const marked = kept.flatMap((quote) => stated(quote, 'kept', message));
    if (rest.length > PASTED) return marked;
    const sentences = ownSentences(rest);
    const said = sentences.flatMap((sentence, at) => (isExplicit(sentence) ? quoteAt(at, sentences) : []));
    return [...marked, ...said.flatMap((quote) => stated(quote, 'explicit', message))];
  });
}

/** What a person says in words of their own, sentence by sentence; nothing that is private. */
export function ownSentences(text: string): string[] {
  return sentencesOf(withoutSecrets(ownWords(bareText(withoutPrivate(text)))));
}

/** The sentences in which a person says that something is decided. */
export function decidedIn({ text }: { readonly text: string }): string[] {
  return ownSentences(text).filter((one) => isProse(one) && hasPhrase('decides', one) && !isVetoed(one));
}

/** Equal for the same words in other forms; '' when there is nothing in them. */
export function wordsKey(content: string): string {
  return wordsOf(content)
    .filter(({ weight }) => weight > 0)
    .map(({ stem }) => stem)
    .join(' ');
}

/** What is asked, supposed, told of the past or of somewhere else, or meant for once, lays nothing down. */
function isVetoed(sentence: string): boolean {
  return QUESTION.test(sentence) || isSaidOfElse(sentence);
}

/** Whether a sentence is of the past, of another project, of what could be, or of one time or file alone. */
export function isSaidOfElse(sentence: string): boolean {
  if ((['maybe', 'past', 'once', 'elsewhere'] as const).some((kind) => hasPhrase(kind, sentence))) return true;
  // `Remember the old one?` asks for nothing to be kept; `Remember: the new one is kept` does.
  return phrasesIn('recalls', sentence).some(({ start, end }) => !/[:：,]/u.test(sentence.slice(start, end)));
}

/** Hardly any statement reads so. */
const UNLIKELY = 0.2;
/** One word for an order of steps may stand in any sentence. */
const LEAST_STEPS = 2;
/** A quote of more sentences is no statement. */
const MOST_SENTENCES = 4;

/** Whether a quote is whole sentences of a text: half of one may say the opposite. */
export function isWhole(quote: string, said: string): boolean {
  const sentences = sentencesOf(said).map(lettersOf);
  const words = lettersOf(quote);
  return sentences.some((_, from) => {
    for (let count = 1; count <= MOST_SENTENCES; count++)
      if (sentences.slice(from, from + count).join('') === words) return true;
    return false;
  });
}

function lettersOf(sentence: string): string {
  return sentence.replace(/[^\p{L}\p{N}]+/gu, '').toLowerCase();
}

/** Whether nothing in a quote that a model noted is asked, supposed, of somewhere else, or an order for the moment. An answer may be short. */
export function holdsOn(quote: string, isAnswer = false): boolean {
  return sentencesOf(quote).every((sentence) => !isVetoed(sentence) && (isAnswer || !isForNow(sentence)));
}

/** Orders one step after the other, or reads as no statement does. */
function isForNow(sentence: string): boolean {
  if ((['henceforth', 'always', 'here'] as const).some((kind) => hasPhrase(kind, sentence))) return false;
  const steps = new Set(phrasesIn('steps', sentence).map(({ start, end }) => sentence.slice(start, end).toLowerCase()));
  return steps.size >= LEAST_STEPS || statementScore(sentence) < UNLIKELY;
}

/** Whether a sentence says of itself that it is to hold from now on. */
function isExplicit(sentence: string): boolean {
  if (isVetoed(sentence)) return false;
  if (hasPhrase('henceforth', sentence) || opens('remember', sentence)) return true;
  if (hasPhrase('idle', sentence)) return false;
  return opens('always', sentence) || (hasPhrase('always', sentence) && hasPhrase('here', sentence));
}

/** Whether a phrase begins a sentence or a part of it, after words that only lead to it; not where others are told to say it. */
function opens(kind: 'remember' | 'always', sentence: string): boolean {
  return phrasesIn(kind, sentence).some(({ start }) => {
    const before = sentence.slice(0, start);
    const at = before.search(/[,;:.!()–—][^,;:.!()–—]*$/u);
    const isReported = before[at] === ':' && hasPhrase('reports', before.slice(0, at));
    return !isReported && isMadeOf(before.slice(at + 1), ['opener']);
  });
}

/** A sentence, with the one beside it where it says nothing by itself. */
function quoteAt(at: number, sentences: readonly string[]): string[] {
  const sentence = sentences[at] ?? '';
  if (ownContent(sentence) >= LEAST_WORDS) return [fromCue(sentence)];
  const [before, after] = [sentences[at - 1], sentences[at + 1]];
  if (/[:：]$/u.test(sentence) && after !== undefined) return [`${sentence} ${after}`];
  return before === undefined || isVetoed(before) ? [] : [`${before} ${sentence}`];
}

/** Of a long sentence the part that is to be kept, where that says enough. */
function fromCue(sentence: string): string {
  const cues = [...phrasesIn('remember', sentence), ...phrasesIn('henceforth', sentence)];
  const start = Math.min(...cues.map((cue) => cue.start));
  if (sentence.length <= LONG || start === Infinity) return sentence;
  const part = sentence.slice(start);
  return start > LONG / 2 && ownContent(part) >= LEAST_WORDS ? part : sentence;
}

/** How many words of a sentence say more than that it is to be kept. */
function ownContent(sentence: string): number {
  const denials = new Set(phrasesIn('denies', sentence).map(({ start }) => start));
  const leads = phrasesIn('opener', sentence).filter(({ start }) => !denials.has(start)); // `no npm` says something
  const kinds = ['remember', 'henceforth', 'always', 'here'] as const;
  const cues = [...kinds.flatMap((kind) => phrasesIn(kind, sentence)), ...leads];
  // One may stand within another: blanks let the rest keep its place.
  let rest = sentence;
  for (const { start, end } of cues) rest = `${rest.slice(0, start)}${' '.repeat(end - start)}${rest.slice(end)}`;
  return wordsOf(rest).filter(({ weight }) => weight > 0).length;
}

/** What somebody has marked to be kept is to be remembered, whatever its words; the rest is what stands around it. */
function keptIn(text: string): { kept: string[]; rest: string } {
  const spans = parseKeepits(text).spans.filter(
    ({ weight, content }) => weight >= LEAST_WEIGHT && content.length <= MAX_CONTENT && !QUESTION.test(content),
  );
  let rest = text;
  // From the end, so that what comes before keeps its place. What goes on after a passage is no sentence by itself.
  for (const { start, end } of spans.toReversed()) rest = `${rest.slice(0, start)}\n\n${rest.slice(end)}`;
  return { kept: spans.map(({ content }) => withoutSecrets(content.replace(/\s+/g, ' ').trim())), rest };
}

function stated(content: string, trigger: StatedRule['trigger'], message: Spoken): StatedRule[] {
  const key = wordsKey(content);
  if (key === '' || content.length > MAX_CONTENT) return [];
  return [{ content, key, trigger, evidence: evidenceOf(message, content) }];
}

/** Where a message says something. */
export function evidenceOf({ uuid, timestamp }: Spoken, excerpt: string): FactEvidence {
  return { messageUuid: uuid, excerpt, ts: timestamp };
}
