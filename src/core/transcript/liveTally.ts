import { NodeKind, type ChainNode } from './chainTable';
import { keyOf } from './hashIndex';
import type { TallyState } from './readingState';

/** What a transcript's live conversation comes to. */
export interface LiveFigures {
  readonly messages: number;
  readonly humanMessages: number;
  readonly turns: number;
  readonly toolSteps: number;
  readonly abandonedMessages: number;
  readonly inlineAgents: number;
  readonly tokens: number;
  readonly resultTokens: number;
}

/** What the chain knows of a node's relations; a yes may be a mistake. */
export interface NodeRelations {
  readonly isParentKnown: boolean;
  readonly isMessageKnown: boolean;
}

/** Nodes that a next one may hang on; with more, the oldest are forgotten. */
export const MAX_ENDS = 1000;
/** API messages of the current turn whose lines may still come. */
export const MAX_OPEN_MESSAGES = 32;
export const MAX_MISSING_PARENTS = 200;

/**
 * Counts the live conversation node by node, without the chain, for as long as the history only grows at its end.
 *
 * It agrees with `findLivePath` and `planMessages` because of what those say of such a history. The nodes at its end
 * (`ends`) are those of one API message, the results of its tools, and links and notes below them. A result, a link or a
 * further line of that message that hangs on one of these is live, and leaves all others so, whichever of them is the
 * leaf: the lines belong to a message on the path, a result hangs on a live line, a link leads to no words. Words that
 * hang on one of them put the end there, and all the others stay as they are. A node without a parent in the file begins
 * a tree of its own, and all trees are live.
 *
 * Anything else (a rewind, a parent that came late, sub-agents in between, a line of an earlier message, words beside a
 * result, a request that was sent again) it does not judge: it is no longer exact then, until it is told where things stand.
 */
export class LiveTally {
  private count: number;
  private lastSaying: number;
  private isSidechain: boolean | undefined;
  private ends: number[];
  /** The lines of the API message among the ends, and its id. */
  private lines: number[];
  private message: number | undefined;
  private readonly missing: Set<number>;
  /** Figures up to the current turn. */
  private readonly settled: TallyState['settled'];
  private readonly turn: TallyState['turn'];
  private readonly abandonedNodes: ReadonlySet<number>;
  private exact: boolean;

  /** `stored` is absent when nothing is known of the nodes so far. */
  constructor(stored: TallyState | undefined) {
    const state = stored ?? emptyTally();
    this.exact = stored !== undefined;
    this.count = state.count;
    this.lastSaying = state.lastSaying;
    this.isSidechain = state.isSidechain;
    this.ends = [...state.ends];
    this.lines = [...state.lines];
    this.message = state.message;
    this.missing = new Set(state.missing);
    this.settled = { ...state.settled };
    this.turn = { ...state.turn, open: state.turn.open.map(([message, isSaid]) => [message, isSaid]) };
    this.abandonedNodes = new Set(state.abandonedNodes);
  }

  /** Whether all nodes so far were such as it can judge. */
  get isExact(): boolean {
    return this.exact;
  }

  /** Whether all nodes are a sub-agent's; undefined before the first. */
  get isAgents(): boolean | undefined {
    return this.isSidechain;
  }

  /** Takes the next node of the chain. */
  add(node: ChainNode, relations: NodeRelations): void {
    const position = this.count++;
    if (!this.exact) return;
    this.isSidechain ??= node.isSidechain;
    const id = keyOf(node.id);
    const isLate = this.missing.size > 0 && this.missing.has(id);
    const isPlain = !node.isResent && !(node.kind === NodeKind.human && node.isSaid);
    this.exact =
      isPlain && node.isSidechain === this.isSidechain && !isLate && this.place(node, id, relations.isParentKnown);
    if (!this.exact) return;
    if (node.kind !== NodeKind.link && node.kind !== NodeKind.note) this.lastSaying = position;
    this.settled.toolSteps += node.tools;
    this.settled.tokens += node.tokens;
    this.settled.resultTokens += node.resultTokens;
    if (node.kind === NodeKind.human) this.openTurn();
    else if (node.kind === NodeKind.assistant) this.exact = this.addAnswer(node, relations.isMessageKnown);
  }

  /** Whether `last-prompt` may name this node, when so many nodes were known, without anything being different. */
  agreesWith(hint: { readonly leaf: number; readonly knownNodes: number }): boolean {
    return this.lastSaying >= hint.knownNodes || this.ends.includes(hint.leaf);
  }

  /** Whether a node is part of the conversation as it stands. */
  isLive(position: number): boolean {
    return !this.abandonedNodes.has(position);
  }

  figures(): LiveFigures {
    const { settled, turn } = this;
    const inTurn = messagesOf(turn);
    return {
      messages: settled.messages + inTurn,
      humanMessages: settled.humanMessages + (turn.isHuman ? 1 : 0),
      turns: settled.turns + (inTurn > 0 ? 1 : 0),
      toolSteps: settled.toolSteps,
      abandonedMessages: settled.abandonedMessages,
      inlineAgents: 0,
      tokens: settled.tokens,
      resultTokens: settled.resultTokens,
    };
  }

  state(): TallyState | undefined {
    if (!this.exact) return undefined;
    const { count, lastSaying, isSidechain, ends, lines, message, missing, settled, turn, abandonedNodes } = this;
    return {
      count,
      lastSaying,
      ...(isSidechain !== undefined && { isSidechain }),
      ends: [...ends],
      lines: [...lines],
      ...(message !== undefined && { message }),
      missing: [...missing],
      settled: { ...settled },
      turn: { ...turn, open: turn.open.map(([id, isSaid]) => [id, isSaid]) },
      abandonedNodes: [...abandonedNodes],
    };
  }

  /** Puts a node where it belongs; false when that cannot be told. */
  private place(node: ChainNode, id: number, isParentKnown: boolean): boolean {
    const parent = node.parent === undefined ? undefined : keyOf(node.parent);
    if (parent === undefined || parent === id) this.putEnd(node, id);
    else if (!this.ends.includes(parent)) {
      if (isParentKnown || this.missing.size >= MAX_MISSING_PARENTS) return false;
      this.missing.add(parent);
      this.putEnd(node, id);
    } else if (this.joins(node, parent)) {
      this.ends.push(id);
      if (node.kind === NodeKind.assistant) this.lines.push(id);
      if (this.ends.length > MAX_ENDS) this.ends.shift();
    } else this.putEnd(node, id);
    return true;
  }

  private joins(node: ChainNode, parent: number): boolean {
    if (node.kind !== NodeKind.assistant) {
      return node.kind === NodeKind.link || node.kind === NodeKind.note || node.kind === NodeKind.toolResult;
    }
    return this.message !== undefined && messageOf(node) === this.message && this.lines.includes(parent);
  }

  private putEnd(node: ChainNode, id: number): void {
    const isLine = node.kind === NodeKind.assistant;
    this.ends = [id];
    this.lines = isLine ? [id] : [];
    this.message = isLine ? messageOf(node) : undefined;
  }

  private openTurn(): void {
    const { settled, turn } = this;
    const messages = messagesOf(turn);
    settled.messages += messages;
    if (turn.isHuman) settled.humanMessages++;
    if (messages > 0) settled.turns++;
    turn.isHuman = true;
    turn.said = 0;
    turn.hasAnswers = false;
    turn.open = [];
  }

  /** False for a line of an API message that may belong to an earlier turn. */
  private addAnswer(node: ChainNode, isKnown: boolean): boolean {
    const { turn } = this;
    const id = messageOf(node);
    let open = turn.open.findLast(([message]) => message === id);
    if (open === undefined) {
      if (isKnown) return false;
      open = [id, false];
      turn.open.push(open);
      turn.hasAnswers = true;
      if (turn.open.length > MAX_OPEN_MESSAGES) turn.open.shift();
    }
    if (node.isSaid && !open[1]) {
      open[1] = true;
      turn.said++;
    }
    return true;
  }
}

/** How many messages a turn has, as `planMessages` decides: where nothing is said, the tool calls are one. */
export function messagesOf({ isHuman, said, hasAnswers }: Omit<TallyState['turn'], 'open'>): number {
  return (isHuman ? 1 : 0) + (said > 0 ? said : hasAnswers ? 1 : 0);
}

function messageOf(node: ChainNode): number {
  return keyOf(node.message ?? node.id);
}

/** The tally of no nodes. */
export function emptyTally(): TallyState {
  return {
    count: 0,
    lastSaying: -1,
    ends: [],
    lines: [],
    missing: [],
    settled: {
      messages: 0,
      humanMessages: 0,
      turns: 0,
      toolSteps: 0,
      abandonedMessages: 0,
      tokens: 0,
      resultTokens: 0,
    },
    turn: { isHuman: false, said: 0, hasAnswers: false, open: [] },
    abandonedNodes: [],
  };
}
