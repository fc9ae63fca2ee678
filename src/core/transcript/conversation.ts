import { pushTo, sumOf } from '../text/ownValue';
import type { BranchNodes, SplitThreads, ChainNode } from './threads';
import {
  textsOf,
  uuidOf,
  type AssistantEntry,
  type Entry,
  type HumanEntry,
  type QueueEntry,
  type RecordBase,
  type ToolAnswer,
  type ToolCall,
} from './entry';
import { previewOf } from '../text/secrets/cleanText';
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
  readonly nodes: readonly ChainNode[];
  readonly split: SplitThreads;
  /** Prompts that were typed, but never sent. */
  readonly unsent: readonly QueueEntry[];
}

/** What is said in a transcript, of everybody. */
export function buildConversation(
  parts: ConversationParts,
): Pick<Conversation, 'messages' | 'turns' | 'abandoned' | 'events' | 'agents'> {
  const builder = new ConversationBuilder(parts);
  const { messages, turns } = builder.thread(parts.split.main.live);
  return {
    messages,
    turns,
    abandoned: builder.branches(parts.split.main.abandoned),
    events: builder.events(messages),
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
    for (const { entry } of parts.nodes) {
      if (entry?.kind !== 'toolResult' && entry?.kind !== 'human') continue;
      for (const answer of entry.results) {
        if (!this.answers.has(answer.toolUseId)) this.answers.set(answer.toolUseId, { answer, base: entry.base });
      }
    }
  }

  /** The messages and turns of a thread, in order. */
  thread(nodes: readonly ChainNode[]): { messages: Message[]; turns: Turn[] } {
    let count = 0;
    const turns = planTurns(nodes).map((planned, index) =>
      turnOf(
        index,
        planned.map((lines) => this.message(lines, count++)),
      ),
    );
    return { messages: turns.flatMap(({ messages }) => messages), turns };
  }

  branches(branches: readonly BranchNodes[]): AbandonedBranch[] {
    return branches.flatMap(({ fork, nodes }) => {
      const { messages } = this.thread(nodes);
      if (messages.length === 0) return [];
      let above = fork;
      while (above !== undefined && above.entry === undefined) above = above.parent; // links that say nothing are not kept
      return [{ forkUuid: above?.entry && uuidOf(above.entry.base), messages }];
    });
  }

  /** The sub-agents in the session's own file. */
  agents(): InlineAgent[] {
    const { agents } = this.parts.split;
    const prompts = agents.length === 0 ? undefined : this.agentPrompts();
    return agents.map(({ live, abandoned }) => {
      const { messages, turns } = this.thread(live);
      const first = live[0]?.entry?.base;
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
  events(messages: readonly Message[]): ConversationEvent[] {
    const { split, unsent } = this.parts;
    const events: ConversationEvent[] = [];
    let next = 0;
    for (const { entry, isLive } of split.order) {
      if (entry === undefined) continue;
      if (messages[next]?.uuid === uuidOf(entry.base)) next++;
      const event = eventOf(entry);
      if (event !== undefined) events.push({ ...event, ...placeOf(entry.base), beforeMessage: next, isLive });
    }
    for (const { base, text } of unsent) {
      const event = { kind: 'unsentPrompt', text, beforeMessage: messages.length, isLive: false } as const;
      events.push({ ...event, ...placeOf(base) });
    }
    return events;
  }

  /** The calls that started sub-agents, by the beginning of what they asked. */
  private agentPrompts(): Map<string, ToolCall[]> {
    const prompts = new Map<string, ToolCall[]>();
    for (const { entry } of this.parts.nodes) {
      if (entry?.kind !== 'assistant') continue;
      for (const tool of entry.tools) {
        if (tool.prompt === undefined) continue;
        const task = previewOf(tool.prompt, TASK_CHARS);
        pushTo(prompts, task, tool);
      }
    }
    return prompts;
  }

  private message(nodes: readonly ChainNode[], index: number): Message {
    const first = nodes[0]?.entry;
    if (first?.kind === 'human') {
      const { origin, blocks, tokens } = first;
      return { ...messageOf([first], index), role: 'user', origin, blocks, text: saidIn(blocks), tokens };
    }
    return this.assistantMessage(
      nodes.flatMap(({ entry }) => (entry?.kind === 'assistant' ? [entry] : [])),
      index,
    );
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
      text: saidIn(blocks),
      tools,
      model: lines.find((line) => line.model !== undefined)?.model,
      stopReason: lines.findLast((line) => line.stopReason !== undefined)?.stopReason,
      tokens,
      resultTokens: sumOf(tools, (tool) => tool.result?.tokens ?? 0),
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

function turnOf(index: number, messages: readonly Message[]): Turn {
  const starts = messages.flatMap(({ timestamp }) => timestamp ?? []);
  const ends = messages.flatMap(({ tools }) => tools.flatMap(({ result }) => result?.timestamp ?? []));
  return {
    index,
    human: messages.find(({ role }) => role === 'user'),
    messages,
    startedAt: pick(starts, (a, b) => a < b),
    endedAt: pick([...ends, ...starts], (a, b) => a > b),
  };
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

function saidIn(blocks: readonly MessageBlock[]): string {
  return textsOf(blocks).join('\n\n');
}

function pick(times: readonly string[], isBetter: (a: number, b: number) => boolean): string | undefined {
  let best: string | undefined;
  for (const time of times) {
    if (best === undefined || isBetter(Date.parse(time), Date.parse(best))) best = time;
  }
  return best;
}

/** What of a turn was said: the human's words, and the lines of the assistant's API messages. */
interface OpenTurn {
  readonly human?: ChainNode;
  readonly answers: ChainNode[][];
}

/**
 * Decides what is a message: for each turn its messages, for each of these its nodes. Every human record is one. An API message of the
 * assistant is one if it says something; one that only calls tools joins the message before it in the same turn, else the one after it,
 * and only a turn in which nothing is said keeps its tool calls as a message of their own.
 */
export function planTurns(nodes: Iterable<ChainNode>): ChainNode[][][] {
  let turn: OpenTurn = { answers: [] };
  const turns = [turn];
  const byMessage = new Map<string | undefined, ChainNode[]>();
  for (const node of nodes) {
    if (node.kind === 'human') {
      turn = { human: node, answers: [] };
      turns.push(turn);
    } else if (node.kind === 'assistant') {
      const lines = byMessage.get(node.message) ?? [];
      if (lines.length === 0) turn.answers.push(lines);
      lines.push(node);
      byMessage.set(node.message, lines);
    }
  }
  const planned = turns.map(({ human, answers }) => [...(human === undefined ? [] : [[human]]), ...joined(answers)]);
  return planned.filter((messages) => messages.length > 0);
}

function joined(answers: readonly ChainNode[][]): ChainNode[][] {
  const messages: ChainNode[][] = [];
  let silent: ChainNode[] = [];
  for (const lines of answers) {
    if (lines.some(({ isSaid }) => isSaid)) {
      messages.push([...silent, ...lines]);
      silent = [];
    } else {
      const target = messages.at(-1) ?? silent;
      for (const line of lines) target.push(line);
    }
  }
  return silent.length > 0 ? [...messages, silent] : messages;
}
