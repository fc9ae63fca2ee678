import type { NotedItem, SessionReading } from '../../model/sessionReading';
import { ANSWERED } from '../facts/decisions';
import type { NotedFact } from '../facts/factBook';
import { holdsOn, wordsKey, type FactEvidence } from '../facts/stated';
import { wordsOf } from '../../text/words';
import type { SessionBooks, SessionLayers } from '../layerSession';

const KINDS = {
  rule: 'rules',
  preference: 'rules',
  decision: 'core_logic',
  fact: 'core_logic',
  solution: 'solutions',
} as const satisfies Partial<Record<NotedItem['kind'], NotedFact['kind']>>;

/** A session's layers with what a model noted of it: words for its requests, by which concepts are called, and what is proposed or stated. */
export function withNotes(
  { entries, exchanges }: SessionLayers,
  { sessionId, items, requests, review }: SessionReading,
  { facts, nowIso }: Pick<SessionBooks, 'facts' | 'nowIso'>,
  isTrusted: boolean,
): SessionLayers {
  for (const item of items) {
    const noted = factOf(item);
    if (noted === undefined) continue;
    // Only a person's words state anything, only where they say it by themselves, and not for the moment.
    const isStated = isTrusted && item.alone && holdsOn(item.quote, item.to !== undefined);
    facts.note(noted, { isStated }, { sessionId, nowIso });
  }
  for (const { id, verdict, quote } of review) facts.advise(id, quote === '' ? verdict : `${verdict}: “${quote}”`);
  const told = new Map(requests.map((request) => [request.uuid, request]));
  return {
    entries,
    exchanges: exchanges.map((exchange) => {
      const request = told.get(exchange.uuid ?? '');
      return request === undefined ? exchange : { ...exchange, topic: request.topic, summary: request.summary };
    }),
  };
}

/** What is open is told where the work stands, and is no fact. */
function factOf({ kind, quote, to, ...place }: NotedItem): NotedFact | undefined {
  if (kind === 'open') return undefined;
  const isAnswer = to !== undefined && kind !== 'solution' && (isAsked(to.quote) || saysLittle(quote));
  const content = isAnswer ? `${to.quote}${ANSWERED}${quote}` : quote;
  return {
    kind: KINDS[kind],
    content,
    key: wordsKey(content),
    about: isAnswer || kind === 'solution' ? (to?.quote ?? '') : quote,
    evidence: evidenceOf({ ...place, quote }),
    asked: to === undefined ? [] : [evidenceOf(to)],
  };
}

/** What Claude only said is told with the user's words where they need it: beside a sentence of theirs it would seem agreed to. */
function isAsked(quote: string): boolean {
  return /[?？؟][\s"'”»)]*$/u.test(quote);
}

const LEAST_WORDS = 2;

function saysLittle(quote: string): boolean {
  return wordsOf(quote).filter(({ weight }) => weight > 0).length < LEAST_WORDS;
}

function evidenceOf({ messageUuid, quote, ts }: Pick<NotedItem, 'messageUuid' | 'quote' | 'ts'>): FactEvidence {
  return { messageUuid, excerpt: quote, ...(ts !== undefined && { ts }) };
}
