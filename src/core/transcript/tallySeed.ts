import { NodeKind, type ChainTable } from './chainTable';
import { keyOf, type IdHash } from './hashIndex';
import { isSaying, type LeafHint } from './livePath';
import { MAX_ENDS, MAX_MISSING_PARENTS, MAX_OPEN_MESSAGES, messagesOf, type LiveFigures } from './liveTally';
import { lastTurn } from './messagePlan';
import type { TallyState } from './readingState';
import type { SplitThreads } from './threads';

/** A chain that was looked at as a whole. */
export interface CountedThreads {
  readonly split: SplitThreads;
  readonly hint: LeafHint | undefined;
  readonly figures: LiveFigures;
}

/**
 * Where a tally goes on from when the whole chain was looked at; undefined where it could not. `watched` are the nodes of
 * which it will be asked whether they are live.
 */
export function tallyOf(table: ChainTable, counted: CountedThreads, watched: Iterable<number>): TallyState | undefined {
  const { split, hint, figures } = counted;
  const isWhole = split.agents.length === 0 && split.path.order.length === table.size;
  if (!isWhole || table.size === 0 || table.hasLateParents) return undefined;
  const last = lastSaying(table);
  if (last < 0 || split.path.isLive[last] !== 1) return undefined;
  const ends = endsFrom(table, last);
  if (hint !== undefined && last < hint.knownNodes && !ends.includes(hint.leaf)) return undefined;
  const missing = table.missingParents.map(keyOf);
  if (missing.length > MAX_MISSING_PARENTS || ends.length > MAX_ENDS) return undefined;
  const isLine = table.kind(last) === NodeKind.assistant;
  const end = keyOf(table.id(last));
  return {
    count: table.size,
    lastSaying: last,
    isSidechain: table.isSidechain(last),
    ends: ends.map((node) => keyOf(table.id(node))),
    lines: isLine ? [end] : [],
    ...(isLine && { message: messageKey(table.message(last), end) }),
    missing,
    ...turnOf(table, split, figures),
    abandonedNodes: [...new Set(watched)].filter((node) => split.path.isLive[node] !== 1),
  };
}

function lastSaying(table: ChainTable): number {
  let node = table.size - 1;
  while (node >= 0 && !isSaying(table, node)) node--;
  return node;
}

/** The last node that says something, and what hangs on it. */
function endsFrom(table: ChainTable, last: number): number[] {
  const ends = [last];
  for (let node = last + 1; node < table.size; node++) if (ends.includes(table.parent(node))) ends.push(node);
  return ends;
}

function turnOf(table: ChainTable, split: SplitThreads, figures: LiveFigures): Pick<TallyState, 'settled' | 'turn'> {
  const { isHuman, answers } = lastTurn(table, split.main.live);
  const said = answers.filter(({ isSaid }) => isSaid).length;
  const hasAnswers = answers.length > 0;
  const inTurn = messagesOf({ isHuman, said, hasAnswers });
  const { toolSteps, abandonedMessages, tokens, resultTokens } = figures;
  return {
    settled: {
      messages: figures.messages - inTurn,
      humanMessages: figures.humanMessages - (isHuman ? 1 : 0),
      turns: figures.turns - (inTurn > 0 ? 1 : 0),
      toolSteps,
      abandonedMessages,
      tokens,
      resultTokens,
    },
    turn: {
      isHuman,
      said,
      hasAnswers,
      open: answers.slice(-MAX_OPEN_MESSAGES).map(({ group, isSaid }) => [keyOf(table.messageAt(group)), isSaid]),
    },
  };
}

function messageKey(message: IdHash | undefined, id: number): number {
  return message === undefined ? id : keyOf(message);
}
