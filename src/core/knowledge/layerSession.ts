import { exchangeSchema, type Exchange, type L1Entry } from '../model/layers';
import type { NotedItem, SessionReading } from '../model/sessionReading';
import { QUESTION } from '../text/sentences';
import { wordsOf } from '../text/words';
import { candidatesIn } from './facts/candidates';
import { decisionsIn, ANSWERED } from './facts/decisions';
import type { FactBook, NotedFact } from './facts/factBook';
import { SolutionFinder } from './facts/solutions';
import { statedIn, holdsOn, wordsKey, type FactEvidence } from './facts/stated';
import { draftExchange, entriesOf, isTakenBack, rangesOf, refine } from './exchanges';
import { turnsOf } from './closing';
import type { LayerReading, Turn } from './layerReader';
import { saidIn } from '../material/statements';

const KINDS = {
  rule: 'rules',
  preference: 'rules',
  decision: 'core_logic',
  fact: 'core_logic',
  solution: 'solutions',
} as const satisfies Partial<Record<NotedItem['kind'], NotedFact['kind']>>;

const LEAST_WORDS = 2;

/** L1 and L2 of a session. */
interface SessionLayers {
  readonly entries: readonly L1Entry[];
  readonly exchanges: readonly Exchange[];
}

/** What a session adds its facts to, and what it was before. */
interface SessionBooks {
  readonly facts: FactBook;
  readonly nowIso: string;
  /** Exchanges keep their ids. */
  readonly known: readonly Exchange[];
  readonly nextExchangeId: () => string;
  /** Whether another session has this request: resuming and forking copy what was said before. */
  readonly isElsewhere: (uuid: string) => boolean;
}

/** Layers a session. The same reading twice adds nothing the second time. */
export function layerSession(whole: LayerReading, books: SessionBooks): SessionLayers {
  const { reading, copied } = withoutCopied(whole, books.isElsewhere);
  const { live, aside, events } = reading;
  const placed = refine([...live, ...aside], events);
  const turns = allTurns(reading);
  const ranges = rangesOf(turns, placed);
  const following = followingTurns(turns);
  const knownByUuid = new Map(books.known.map((exchange) => [exchange.uuid, exchange]));
  const finder = new SolutionFinder();
  for (const turn of copied) finder.read(turn.messages, '');
  let before = copied.at(-1);
  const exchanges = turns.map((turn, index) => {
    const { first } = turn;
    const draft = draftExchange(turn, (one) => following.get(one));
    const known = knownByUuid.get(draft.uuid);
    const isAside = first.via !== undefined;
    if (!isAside) {
      addFacts(turn, { before, next: following.get(turn), reading, books, finder });
      before = turn;
    }
    return exchangeSchema.parse({
      id: known?.id ?? books.nextExchangeId(),
      ...draft,
      l1_range: ranges[index],
      ...(isAside && { isAside }),
    });
  });
  return { entries: entriesOf(placed), exchanges };
}

/** A session without the history that it begins with and another session has. */
function withoutCopied(
  reading: LayerReading,
  isElsewhere: SessionBooks['isElsewhere'],
): { reading: LayerReading; copied: readonly Turn[] } {
  const turns = turnsOf(reading.live);
  const own = turns.findIndex(({ first }) => !isElsewhere(first.uuid));
  if (own === 0 || turns.length === 0) return { reading, copied: [] };
  const copied = own === -1 ? turns : turns.slice(0, own);
  const live = turns.slice(copied.length).flatMap(({ messages }) => messages);
  const begin = live[0]?.line ?? Infinity;
  const events = reading.events.filter(({ line }) => line >= begin);
  return { reading: { ...reading, live, events }, copied };
}

/** Those of the live conversation and of the branches that rewinds have left, in the order of the transcript. */
function allTurns({ live, aside }: LayerReading): Turn[] {
  const left = aside.filter(({ via }) => via === 'abandoned');
  const lineOf = ({ first }: Turn): number => first.line;
  return [...turnsOf(live), ...turnsOf(left)].sort((a, b) => lineOf(a) - lineOf(b));
}

/** For each turn the next one of the same conversation: after a live turn the next live one. */
function followingTurns(turns: readonly Turn[]): Map<Turn, Turn> {
  const last = new Map<string, Turn>();
  const following = new Map<Turn, Turn>();
  for (const turn of turns) {
    const before = last.get(turn.first.via ?? '');
    if (before !== undefined) following.set(before, turn);
    last.set(turn.first.via ?? '', turn);
  }
  return following;
}

function addFacts(
  turn: Turn,
  {
    before,
    next,
    reading,
    books,
    finder,
  }: {
    before: Turn | undefined;
    next: Turn | undefined;
    reading: LayerReading;
    books: SessionBooks;
    finder: SolutionFinder;
  },
): void {
  const { facts, nowIso } = books;
  const origin = { sessionId: reading.sessionId, nowIso };
  const { messages } = turn;
  for (const message of messages) {
    for (const rule of statedIn(message)) facts.addRule(rule, origin);
    facts.observe(message, nowIso);
    facts.addHabits(message, origin);
  }
  for (const found of decisionsIn(turn, before)) facts.addDecision(found, origin);
  for (const message of messages) for (const candidate of candidatesIn(message)) facts.propose(candidate, origin);
  const solved = finder.read(messages, next?.human === undefined ? '' : saidIn(next.human));
  if (!isTakenBack(turn, next)) for (const found of solved) facts.addSolution(found, origin);
}

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
  // What Claude only said is told with the user's words where they need it: beside a sentence of theirs it would seem agreed to.
  const isAnswer = to !== undefined && kind !== 'solution' && (QUESTION.test(to.quote) || saysLittle(quote));
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

function saysLittle(quote: string): boolean {
  return wordsOf(quote).filter(({ weight }) => weight > 0).length < LEAST_WORDS;
}

function evidenceOf({ messageUuid, quote, ts }: Pick<NotedItem, 'messageUuid' | 'quote' | 'ts'>): FactEvidence {
  return { messageUuid, excerpt: quote, ts };
}
