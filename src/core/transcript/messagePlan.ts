import { NodeKind, type ChainTable } from './chainTable';

/** A message as the nodes that it is made of. */
export interface PlannedMessage {
  readonly isHuman: boolean;
  /** A human's: one. An assistant's: the lines of its API messages, in order. */
  readonly nodes: readonly number[];
}

/** A turn as a run of messages. */
export interface PlannedTurn {
  /** The human message that opens it; -1 for a leading fragment. */
  readonly opener: number;
  /** Messages `[from, to)` of the plan; never empty. */
  readonly from: number;
  readonly to: number;
}

/** Which messages and turns a thread has. */
export interface MessagePlan {
  readonly messages: readonly PlannedMessage[];
  readonly turns: readonly PlannedTurn[];
}

interface ApiMessage {
  readonly nodes: number[];
  isSaid: boolean;
}

interface OpenTurn {
  readonly opener: number;
  readonly isHuman: boolean;
  readonly answers: ApiMessage[];
}

/**
 * Decides what is a message. Every human record is one. An API message of the assistant is one if it says something;
 * one that only calls tools joins the message before it in the same turn, else the one after it, and only a turn in
 * which nothing is said keeps its tool calls as a message of their own.
 */
export function planMessages(table: ChainTable, nodes: Iterable<number>): MessagePlan {
  const messages: PlannedMessage[] = [];
  const turns: PlannedTurn[] = [];
  for (const turn of collectTurns(table, nodes)) {
    const from = messages.length;
    if (turn.isHuman) messages.push({ isHuman: true, nodes: [turn.opener] });
    addAnswers(turn.answers, messages);
    if (messages.length > from) turns.push({ opener: turn.opener, from, to: messages.length });
  }
  return { messages, turns };
}

function collectTurns(table: ChainTable, nodes: Iterable<number>): OpenTurn[] {
  let turn: OpenTurn = { opener: -1, isHuman: false, answers: [] };
  const turns = [turn];
  const byGroup = new Map<number, ApiMessage>();
  for (const node of nodes) {
    const kind = table.at(node).kind;
    if (kind === NodeKind.human) {
      turn = { opener: node, isHuman: true, answers: [] };
      turns.push(turn);
    } else if (kind === NodeKind.assistant) {
      const group = table.at(node).group;
      let message = byGroup.get(group);
      if (message === undefined) {
        message = { nodes: [], isSaid: false };
        byGroup.set(group, message);
        turn.answers.push(message);
      }
      message.nodes.push(node);
      message.isSaid ||= table.at(node).isSaid;
    }
  }
  return turns;
}

function addAnswers(answers: readonly ApiMessage[], messages: PlannedMessage[]): void {
  let silent: number[] = [];
  let current: number[] | undefined;
  for (const answer of answers) {
    if (answer.isSaid) {
      current = silent.concat(answer.nodes);
      silent = [];
      messages.push({ isHuman: false, nodes: current });
    } else append(current ?? silent, answer.nodes);
  }
  if (silent.length > 0) messages.push({ isHuman: false, nodes: silent });
}

function append(target: number[], nodes: readonly number[]): void {
  for (const node of nodes) target.push(node);
}
