import { hasPhrase, isMadeOf, phrasesIn } from '../text/phrases';
import { withoutSecrets } from '../text/secrets/cleanText';
import { QUESTION, sentencesOf } from '../text/sentences';
import { wordsOf, bareText } from '../text/words';
import type { SourceMessage } from './types';
import type { Mention } from './checkpointTally';
import { sumOf } from '../text/ownValue';

/** All that a message says, without secrets. */
export function saidIn({ texts }: Pick<SourceMessage, 'texts'>): string {
  return withoutSecrets(texts.map(({ text }) => text).join('\n\n'));
}

/** The same without marks and what is wrapped around words; '' for no message. */
export function bareSaidIn(message: Pick<SourceMessage, 'texts'> | undefined): string {
  return withoutSecrets((message?.texts ?? []).map(({ text }) => bareText(text)).join('\n\n')).trim();
}

/** Says what will be done next: it has been done by the time that anybody reads it. */
export function isAnnouncement(text: string): boolean {
  const [found] = phrasesIn('announces', text);
  return found !== undefined && isMadeOf(text.slice(0, found.start), ['opener', 'agrees']);
}

const LONGEST_AFTER_COURTESY = 30;

/** What a sentence says after thanks, a greeting, praise or consent that it begins with. */
export function withoutCourtesy(sentence: string): string {
  const [found] = phrasesIn('courtesy', sentence);
  return found?.start === 0 ? sentence.slice(found.end) : sentence;
}

/** Whether a sentence is a courtesy, and hardly anything else. */
export function isCourtesy(sentence: string): boolean {
  const rest = withoutCourtesy(sentence);
  return rest !== sentence && rest.length < LONGEST_AFTER_COURTESY;
}

/** So many sentences of one message count in full; a pasted document counts as much, and not more because it is long. */
const FULL_SENTENCES = 12;
/** Less is an acknowledgement: `yes, please`. */
const MIN_CONTENT = 2;
/** Less is a log, a table or a formula. */
const MIN_LETTERS = 0.6;
/** Programs begin their lines with a time, a prompt or an arrow, and people do not. */
const PROGRAM_LINE =
  /^(?:\[?\d{1,4}[-:./]\d\d[-:./]\d\d|[➜❯$%>~]\s|\w{1,200}@\w|\[\w{1,200}\]\s|(?:GET|POST|PUT|DELETE|HEAD) \S{0,200}\/)|\\n\s|<\/?\w{1,200}[^>]{0,200}>.{0,200}<\/?\w/;

const weights = { rule: 2, decision: 2, request: 1, question: 0.6, finding: 1, choice: 1.5 } as const;

/** What a message's sentences ask for or settle: the human's are instructions unless they decide something, of the assistant's only decisions and reasons count. */
export function statementsOf(message: SourceMessage): Mention[] {
  const said = message.texts.map(({ text }) => ({ text: bareText(text), isHuman: message.role === 'user' }));
  const mentions = said.flatMap(({ text, isHuman }) =>
    sentencesOf(text).flatMap((sentence) => statementIn(sentence, isHuman)),
  );
  const share = Math.min(1, FULL_SENTENCES / Math.max(1, mentions.length));
  return mentions.map((mention) => ({ ...mention, weight: mention.weight * share }));
}

function statementIn(sentence: string, isHuman: boolean): Mention[] {
  if (!isProse(sentence)) return [];
  const found = isHuman ? humanStatement(sentence) : assistantStatement(sentence);
  if (found === undefined) return [];
  const words = wordsOf(sentence).filter(({ weight }) => weight > 0);
  const isRule = found.weight === weights.rule;
  if (sumOf(words, ({ weight }) => weight) < (isRule ? 1 : MIN_CONTENT)) return [];
  return [{ ...found, key: words.map(({ stem }) => stem).join(' '), text: sentence }];
}

type Statement = Pick<Mention, 'kind' | 'weight'>;

function humanStatement(sentence: string): Statement {
  if (QUESTION.test(sentence)) return { kind: 'instruction', weight: weights.question };
  if (hasPhrase('decides', sentence)) return { kind: 'decision', weight: weights.decision };
  return { kind: 'instruction', weight: hasPhrase('rules', sentence) ? weights.rule : weights.request };
}

function assistantStatement(sentence: string): Statement | undefined {
  if (QUESTION.test(sentence) || isAnnouncement(sentence)) return undefined;
  if (hasPhrase('decides', sentence)) return { kind: 'decision', weight: weights.choice };
  const isReason = hasPhrase('reasons', sentence) || hasPhrase('contrasts', sentence);
  return isReason ? { kind: 'decision', weight: weights.finding } : undefined;
}

/** Somebody's words, rather than a log, a table or a formula. */
export function isProse(sentence: string): boolean {
  if (PROGRAM_LINE.test(sentence)) return false;
  const letters = sentence.match(/[\p{L}\p{M}]/gu)?.length ?? 0;
  const signs = sentence.match(/\S/gu)?.length ?? 0;
  return letters >= MIN_LETTERS * signs;
}
