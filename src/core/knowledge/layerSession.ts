import { bareText } from '../material/saidText';
import { exchangeSchema, type Exchange, type L1Entry, type OpenProblem } from '../model/layers';
import type { Steps } from '../transcript/steps';
import { coreLogicIn } from './facts/coreLogic';
import type { FactBook } from './facts/factBook';
import { ordersIn, rulesIn } from './facts/ruleFinder';
import { SolutionFinder } from './facts/solutionFinder';
import type { ConceptBook } from './concepts';
import { draftExchange, entriesOf, rangesOf, turnsOf, type ExchangeDraft, type Turn, refine } from './exchanges';
import type { LayerReading, SpokenMessage } from './spokenMessage';

/** What there was of a session's layers, as far as it is settled. */
export interface PriorLayers {
  readonly settledLines: number;
  readonly settledExchanges: number;
  /** Also those that are not settled: they keep their ids. */
  readonly exchanges: readonly Exchange[];
  readonly problems: readonly OpenProblem[];
}

/** The layers of the whole project, which a session adds to. */
export interface ProjectBooks {
  readonly concepts: ConceptBook;
  readonly facts: FactBook;
  readonly keywords: KeywordIndex;
  readonly nextExchangeId: () => string;
  readonly nowIso: string;
}

interface LayeredSessionPart {
  /** What follows on the settled lines. */
  readonly entries: readonly L1Entry[];
  /** All of the session. */
  readonly exchanges: readonly Exchange[];
  readonly settledLines: number;
  readonly settledExchanges: number;
  /** As they stood where the last request begins. */
  readonly problems: readonly OpenProblem[];
  /** The last request: from there on the transcript is read again next time. */
  readonly open?: SpokenMessage | undefined;
}

export const NOTHING: PriorLayers = { settledLines: 0, settledExchanges: 0, exchanges: [], problems: [] };

/**
 * Layers what was read of a session, from the beginning or from its last request on. The same reading twice adds nothing the second
 * time. The last request stays open: what comes of it may not have been said yet.
 */
export function* layerSession(
  reading: LayerReading,
  prior: PriorLayers,
  books: ProjectBooks,
): Steps<LayeredSessionPart> {
  const { live, aside, events } = reading;
  const placed = refine([...live, ...aside], events);
  const open = live.findLast(({ message }) => message.role === 'user');
  const openLine = open?.message.line ?? 0;
  const turns = allTurns(reading);
  const ranges = rangesOf(turns, placed, prior.settledLines);
  const settled = prior.exchanges.slice(0, prior.settledExchanges);
  const finder = new SolutionFinder(prior.problems);
  let problems = finder.problems();
  const following = followingTurns(turns);
  const knownByUuid = new Map(prior.exchanges.map((exchange) => [exchange.uuid, exchange]));
  const added: { exchange: Exchange; isSettled: boolean }[] = [];
  for (const [index, turn] of turns.entries()) {
    yield;
    const { first } = turn;
    const isSettled = first.message.line < openLine;
    if (isSettled || first === open) problems = finder.problems();
    const draft = draftExchange(turn, following[index]);
    const known = knownByUuid.get(draft.uuid);
    const id = known?.id ?? books.nextExchangeId();
    // As it will be read again, so that the two can be compared.
    const kept = known?.refined && { refined: known.refined };
    const exchange = exchangeSchema.parse({ id, ...draft, l1_range: ranges[index], ...kept });
    if (first.via === undefined) {
      addTurn(turn, draft, { reading, books, finder, isSettled });
      if (!reading.foreign.has(draft.uuid)) fileExchange(exchange, known, books);
    }
    added.push({ exchange, isSettled });
  }
  return {
    entries: entriesOf(placed),
    exchanges: [...settled, ...added.map(({ exchange }) => exchange)],
    settledLines: prior.settledLines + placed.filter(({ line }) => line < openLine).length,
    settledExchanges: settled.length + added.filter(({ isSettled }) => isSettled).length,
    problems,
    open,
  };
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

function addTurn(
  turn: Turn,
  draft: ExchangeDraft,
  {
    reading,
    books,
    finder,
    isSettled,
  }: { reading: LayerReading; books: ProjectBooks; finder: SolutionFinder; isSettled: boolean },
): void {
  const { facts, nowIso } = books;
  const origin = { sessionId: reading.sessionId, nowIso };
  const messages = turn.messages.map(({ source }) => source);
  for (const message of messages) {
    for (const rule of rulesIn(message)) facts.addRule(rule, origin);
    for (const order of ordersIn(message)) facts.addHeard(order, origin);
    facts.observe(message, nowIso);
  }
  for (const found of coreLogicIn(messages, draft)) facts.addCoreLogic(found, origin);
  const [, result = ''] = draft.summary.split(' → ');
  const request = bareText(turn.human?.source.texts.map(({ text }) => text).join('\n') ?? '');
  const solved = { messages, outcome: draft.outcome ?? 'done', request, result, isSettled };
  for (const found of finder.read(solved)) facts.addSolution(found, origin);
}

/** Puts an exchange into its concept, and its keywords into the index; `known` is what it was before. */
export function fileExchange(
  exchange: Exchange,
  known: Exchange | undefined,
  { concepts, keywords }: ProjectBooks,
): void {
  concepts.put(exchange, known);
  if (known !== undefined) keywords.take(known);
  keywords.add(exchange, concepts.conceptOf(exchange.id));
}

const MOST_PER_KEYWORD = 40;

/** Which concepts and exchanges speak of a keyword, as `facts.json` has it. */
export class KeywordIndex {
  private readonly entries: Map<string, string[]>;

  constructor(keywords: Readonly<Record<string, readonly string[]>>) {
    this.entries = new Map(Object.entries(keywords).map(([keyword, ids]) => [keyword, [...ids]]));
  }

  add({ id, keywords }: Exchange, conceptId: string | undefined): void {
    for (const keyword of keywords) {
      const known = this.entries.get(keyword) ?? [];
      const ids = new Set([...(conceptId === undefined ? [] : [conceptId]), ...known, id]);
      this.entries.set(keyword, [...ids].slice(-MOST_PER_KEYWORD));
    }
  }

  /** What an exchange was said to be about, before it went on. */
  take({ id, keywords }: Exchange): void {
    for (const keyword of keywords) {
      const left = (this.entries.get(keyword) ?? []).filter((one) => one !== id);
      if (left.some((one) => one.startsWith('e'))) this.entries.set(keyword, left);
      else this.entries.delete(keyword);
    }
  }

  /** Without concepts that have become part of others. */
  record(conceptIds: ReadonlySet<string>): Record<string, string[]> {
    const whole = [...this.entries].map(
      ([keyword, ids]) => [keyword, ids.filter((id) => !id.startsWith('c') || conceptIds.has(id))] as const,
    );
    return Object.fromEntries(whole.filter(([, ids]) => ids.length > 0));
  }
}
