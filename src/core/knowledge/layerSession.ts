import { bareText } from '../material/saidText';
import { exchangeSchema, type Exchange, type L1Entry } from '../model/layers';
import { decisionsIn } from './facts/decisions';
import type { FactBook } from './facts/factBook';
import { ordersIn, rulesIn } from './facts/ruleFinder';
import { SolutionFinder } from './facts/solutionFinder';
import { draftExchange, entriesOf, rangesOf, turnsOf, type ExchangeDraft, refine } from './exchanges';
import type { LayerReading, Turn } from './layerReader';

/** L1 and L2 of a session. */
interface SessionLayers {
  readonly entries: readonly L1Entry[];
  readonly exchanges: readonly Exchange[];
}

/** What a session adds its facts to, and what it was before. */
export interface SessionBooks {
  readonly facts: FactBook;
  readonly nowIso: string;
  /** Exchanges keep their ids, and what a model has made of them. */
  readonly known: readonly Exchange[];
  readonly nextExchangeId: () => string;
}

/** Layers a session. The same reading twice adds nothing the second time. */
export function layerSession(reading: LayerReading, books: SessionBooks): SessionLayers {
  const { live, aside, events } = reading;
  const placed = refine([...live, ...aside], events);
  const openLine = live.findLast(({ message }) => message.role === 'user')?.message.line ?? 0;
  const turns = allTurns(reading);
  const ranges = rangesOf(turns, placed);
  const following = followingTurns(turns);
  const knownByUuid = new Map(books.known.map((exchange) => [exchange.uuid, exchange]));
  const finder = new SolutionFinder();
  let before: Turn | undefined;
  const exchanges = turns.map((turn, index) => {
    const { first } = turn;
    const draft = draftExchange(turn, following[index]);
    const known = knownByUuid.get(draft.uuid);
    const isAside = first.via !== undefined;
    if (!isAside) {
      addFacts(turn, draft, { before, reading, books, finder, isSettled: first.message.line < openLine });
      before = turn;
    }
    const refined = known?.refined;
    return exchangeSchema.parse({
      id: known?.id ?? books.nextExchangeId(),
      ...draft,
      l1_range: ranges[index],
      ...(isAside && { isAside }),
      ...(refined !== undefined && { refined }),
    });
  });
  return { entries: entriesOf(placed), exchanges };
}

/** Those of the live conversation and of the branches that rewinds have left, in the order of the transcript. */
function allTurns({ live, aside }: LayerReading): Turn[] {
  const left = aside.filter(({ via }) => via === 'abandoned');
  const lineOf = ({ first }: Turn): number => first.message.line;
  return [...turnsOf(live), ...turnsOf(left)].sort((a, b) => lineOf(a) - lineOf(b));
}

/** For each turn the next one of the same conversation: after a live turn the next live one. */
function followingTurns(turns: readonly Turn[]): (Turn | undefined)[] {
  const next = new Map<string, Turn>();
  const following: (Turn | undefined)[] = [];
  for (const turn of [...turns].reverse()) {
    const via = turn.first.via ?? '';
    following.push(next.get(via));
    next.set(via, turn);
  }
  return following.reverse();
}

function addFacts(
  turn: Turn,
  draft: ExchangeDraft,
  {
    before,
    reading,
    books,
    finder,
    isSettled,
  }: {
    before: Turn | undefined;
    reading: LayerReading;
    books: SessionBooks;
    finder: SolutionFinder;
    isSettled: boolean;
  },
): void {
  const { facts, nowIso } = books;
  const origin = { sessionId: reading.sessionId, nowIso };
  const messages = turn.messages.map(({ source }) => source);
  for (const message of messages) {
    for (const rule of rulesIn(message)) facts.addRule(rule, origin);
    for (const order of ordersIn(message)) facts.addHeard(order, origin);
    facts.observe(message, nowIso);
  }
  for (const found of decisionsIn(turn, before)) facts.addDecision(found, origin);
  const [, result = ''] = draft.summary.split(' → ');
  const request = bareText(turn.human?.source.texts.map(({ text }) => text).join('\n') ?? '');
  const solved = { messages, outcome: draft.outcome ?? 'done', request, result, isSettled };
  for (const found of finder.read(solved)) facts.addSolution(found, origin);
}
