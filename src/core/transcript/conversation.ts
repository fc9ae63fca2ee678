import { type ChainTable, NodeKind } from './chainTable';
import {
  uuidOf,
  type AssistantEntry,
  type Entry,
  type HumanEntry,
  type QueueEntry,
  type RecordBase,
  type ToolAnswer,
  type ToolCall,
} from './entry';
import { previewOf } from './previewText';
import type { BranchNodes, SplitThreads } from './threads';
import type {
  AbandonedBranch,
  Conversation,
  ConversationEvent,
  InlineAgent,
  Message,
  MessageBlock,
  ToolResult,
  ToolStep,
  Turn,
} from './types';

/** By so much of its beginning a sub-agent's task is recognized. */
const TASK_CHARS = 60;

/** What a conversation is made of. */
interface ConversationParts {
  readonly chain: ChainTable;
  /** By node; what says nothing is not kept. */
  readonly entries: readonly (Entry | undefined)[];
  readonly split: SplitThreads;
  /** Prompts that were typed, but never sent. */
  readonly unsent: readonly QueueEntry[];
}

/** What is said in a transcript, of everybody. */
export function buildConversation(
  parts: ConversationParts,
): Pick<Conversation, 'messages' | 'turns' | 'abandoned' | 'events' | 'agents'> {
  const builder = new ConversationBuilder(parts);
  const { messages, turns, plan } = builder.thread(parts.split.main.live);
  return {
    messages,
    turns,
    abandoned: builder.branches(parts.split.main.abandoned),
    events: builder.events(plan),
    agents: builder.agents(),
  };
}

interface FoundAnswer {
  readonly answer: ToolAnswer;
  readonly base: RecordBase;
}

/** Makes messages of nodes. Tool calls find their results by id, wherever in the file those stand. */
class ConversationBuilder {
  private readonly answers = new Map<string, FoundAnswer>();

  constructor(private readonly parts: ConversationParts) {
    for (const entry of parts.entries) {
      if (entry?.kind !== 'toolResult' && entry?.kind !== 'human') continue;
      for (const answer of entry.results) {
        if (!this.answers.has(answer.toolUseId)) this.answers.set(answer.toolUseId, { answer, base: entry.base });
      }
    }
  }

  /** The messages and turns of a thread, in order. */
  thread(nodes: readonly number[]): { messages: Message[]; turns: Turn[]; plan: MessagePlan } {
    const plan = planMessages(this.parts.chain, nodes);
    const messages = plan.messages.map((planned, index) => this.message(planned, index));
    const turns = plan.turns.map(({ opener, from, to }, index) => this.turn(index, opener, messages.slice(from, to)));
    return { messages, turns, plan };
  }

  branches(branches: readonly BranchNodes[]): AbandonedBranch[] {
    return branches.flatMap(({ fork, nodes }) => {
      const { messages } = this.thread(nodes);
      if (messages.length === 0) return [];
      const above = this.entryAbove(fork);
      return [{ forkUuid: above && uuidOf(above.base), messages }];
    });
  }

  /** The sub-agents in the session's own file. */
  agents(): InlineAgent[] {
    const { agents } = this.parts.split;
    const prompts = agents.length === 0 ? undefined : this.agentPrompts();
    return agents.map(({ live, abandoned }) => {
      const { messages, turns } = this.thread(live);
      const first = this.parts.entries[live[0] ?? -1]?.base;
      // Agents with the same task are started one after the other; each call is used once.
      const call = prompts?.get(previewOf(messages[0]?.text ?? '', TASK_CHARS))?.shift();
      return {
        id: first?.agentId ?? (first === undefined ? '' : uuidOf(first)),
        toolUseId: call?.id,
        description: call?.description,
        messages,
        turns,
        abandoned: this.branches(abandoned),
      };
    });
  }

  /** What stands between the messages, in file order as far as the thread's order is file order. */
  events({ messages }: MessagePlan): ConversationEvent[] {
    const { entries, split, unsent } = this.parts;
    const events: ConversationEvent[] = [];
    let next = 0;
    for (const node of split.path.order) {
      if (messages[next]?.nodes[0] === node) next++;
      const entry = entries[node];
      const event = entry && eventOf(entry);
      if (entry === undefined || event === undefined) continue;
      events.push({ ...event, ...placeOf(entry.base), beforeMessage: next, isLive: split.path.isLive[node] === 1 });
    }
    for (const { base, text } of unsent) {
      const event = { kind: 'unsentPrompt', text, beforeMessage: messages.length, isLive: false } as const;
      events.push({ ...event, ...placeOf(base) });
    }
    return events;
  }

  /** The nearest entry at or above a node: links that say nothing are not kept. */
  private entryAbove(node: number): Entry | undefined {
    const { chain, entries } = this.parts;
    for (let at = node, steps = 0; at >= 0 && steps < entries.length; at = chain.at(at).parent, steps++) {
      if (entries[at] !== undefined) return entries[at];
    }
    return undefined;
  }

  /** The calls that started sub-agents, by the beginning of what they asked. */
  private agentPrompts(): Map<string, ToolCall[]> {
    const prompts = new Map<string, ToolCall[]>();
    for (const entry of this.parts.entries) {
      if (entry?.kind !== 'assistant') continue;
      for (const tool of entry.tools) {
        if (tool.prompt === undefined) continue;
        const task = previewOf(tool.prompt, TASK_CHARS);
        prompts.set(task, [...(prompts.get(task) ?? []), tool]);
      }
    }
    return prompts;
  }

  private turn(index: number, opener: number, messages: readonly Message[]): Turn {
    const human = this.parts.entries[opener]?.kind === 'human' ? messages[0] : undefined;
    const starts = messages.flatMap(({ timestamp }) => timestamp ?? []);
    const ends = messages.flatMap(({ tools }) => tools.flatMap(({ result }) => result?.timestamp ?? []));
    return {
      index,
      human,
      messages,
      startedAt: pick(starts, (a, b) => a < b),
      endedAt: pick([...ends, ...starts], (a, b) => a > b),
    };
  }

  private message({ nodes }: PlannedMessage, index: number): Message {
    const { entries } = this.parts;
    const first = entries[nodes[0] ?? -1];
    if (first?.kind === 'human') {
      const { origin, blocks, tokens } = first;
      return { ...messageOf([first], index), role: 'user', origin, blocks, text: textOf(blocks), tokens };
    }
    const lines = nodes.flatMap((node) => {
      const entry = entries[node];
      return entry?.kind === 'assistant' ? [entry] : [];
    });
    return this.assistantMessage(lines, index);
  }

  private assistantMessage(lines: readonly AssistantEntry[], index: number): Message {
    const blocks: MessageBlock[] = [];
    const tools: ToolStep[] = [];
    let tokens = 0;
    for (const line of lines) {
      for (const call of line.tools) tools.push(this.step(call, line.base, blocks.length));
      blocks.push(...line.blocks);
      tokens += line.tokens;
    }
    return {
      ...messageOf(lines, index),
      blocks,
      text: textOf(blocks),
      tools,
      model: lines.find((line) => line.model !== undefined)?.model,
      stopReason: lines.findLast((line) => line.stopReason !== undefined)?.stopReason,
      tokens,
      resultTokens: tools.reduce((sum, tool) => sum + (tool.result?.tokens ?? 0), 0),
    };
  }

  private step(
    { prompt: _prompt, description: _description, ...call }: ToolCall,
    base: RecordBase,
    before: number,
  ): ToolStep {
    const found = this.answers.get(call.id);
    const { line, timestamp } = base;
    const afterBlock = before + call.afterBlock;
    return { ...call, result: found && resultOf(found), uuid: uuidOf(base), line, timestamp, afterBlock };
  }
}

type Unsaid = 'blocks' | 'text' | 'tokens';

/** A message without its words. */
function messageOf(lines: readonly (AssistantEntry | HumanEntry)[], index: number): Omit<Message, Unsaid> {
  const first = lines[0]?.base;
  const lineUuids = lines.map((line) => uuidOf(line.base));
  return {
    index,
    uuid: lineUuids[0] ?? '',
    lineUuids,
    role: 'assistant',
    origin: 'assistant',
    timestamp: lines.find(({ base }) => base.timestamp !== undefined)?.base.timestamp,
    tools: [],
    line: first?.line ?? 0,
    offset: first?.offset ?? 0,
    resultTokens: 0,
  };
}

function resultOf({ answer: { toolUseId: _, ...answer }, base }: FoundAnswer): ToolResult {
  const { line, timestamp } = base;
  return { ...answer, bytes: answer.range.length, uuid: uuidOf(base), line, timestamp };
}

function eventOf(entry: Entry): Pick<ConversationEvent, 'kind' | 'text' | 'source'> | undefined {
  if (entry.kind === 'note' || entry.kind === 'toolResult') return entry.note;
  if (entry.kind !== 'boundary') return undefined;
  const { trigger, preTokens, postTokens } = entry;
  const sizes = preTokens === undefined ? '' : `: ${String(preTokens)} → ${String(postTokens ?? '?')} tokens`;
  return { kind: 'compaction', text: `${trigger ?? 'compaction'}${sizes}` };
}

function placeOf(base: RecordBase): Pick<ConversationEvent, 'uuid' | 'line' | 'offset' | 'length' | 'timestamp'> {
  const { line, offset, length, timestamp } = base;
  return { uuid: uuidOf(base), line, offset, length, timestamp };
}

function textOf(blocks: readonly MessageBlock[]): string {
  return blocks.flatMap((block) => (block.kind === 'text' ? [block.text] : [])).join('\n\n');
}

function pick(times: readonly string[], isBetter: (a: number, b: number) => boolean): string | undefined {
  let best: string | undefined;
  for (const time of times) {
    if (best === undefined || isBetter(Date.parse(time), Date.parse(best))) best = time;
  }
  return best;
}

/** A message as the nodes that it is made of. */
export interface PlannedMessage {
  readonly isHuman: boolean;
  /** A human's: one. An assistant's: the lines of its API messages, in order. */
  readonly nodes: readonly number[];
}

/** A turn as a run of messages. */
interface PlannedTurn {
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
