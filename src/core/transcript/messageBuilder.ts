import type { ChainTable } from './chainTable';
import type { AssistantEntry, Entry, HumanEntry, RecordBase, ToolAnswer, ToolCall } from './entry';
import { uuidOf } from './entryReader';
import { timeOf } from './factsCollector';
import { planMessages, type MessagePlan, type PlannedMessage } from './messagePlan';
import type { Steps } from './steps';
import type { Message, MessageBlock, ToolResult, ToolStep, Turn, Usage } from './types';
import { UsageSum } from './usageSum';

/** The entries of a transcript by their node in the chain; what says nothing is not kept. */
export type NodeEntries = readonly (Entry | undefined)[];

const MESSAGES_PER_STEP = 200;
const ENTRIES_PER_STEP = 8000;

interface FoundAnswer {
  readonly answer: ToolAnswer;
  readonly base: RecordBase;
}

/** Messages and turns of a run of nodes. */
export interface BuiltThread {
  readonly messages: readonly Message[];
  readonly turns: readonly Turn[];
  readonly plan: MessagePlan;
}

/** Makes messages of planned nodes. Tool calls find their results by id, wherever in the file those stand. */
export class MessageBuilder {
  private readonly answers = new Map<string, FoundAnswer>();

  constructor(
    private readonly chain: ChainTable,
    private readonly entries: NodeEntries,
  ) {}

  /** Finds all tool results. To be run once, before anything is built. */
  *prepare(): Steps<void> {
    for (let node = 0; node < this.entries.length; node++) {
      if (node % ENTRIES_PER_STEP === 0) yield;
      const entry = this.entries[node];
      if (entry?.kind !== 'toolResult' && entry?.kind !== 'human') continue;
      for (const answer of entry.results) {
        if (!this.answers.has(answer.toolUseId)) this.answers.set(answer.toolUseId, { answer, base: entry.base });
      }
    }
  }

  /** The messages and turns of a thread, in order. */
  *build(nodes: readonly number[]): Steps<BuiltThread> {
    const plan = planMessages(this.chain, nodes);
    if (nodes.length > ENTRIES_PER_STEP) yield;
    const messages: Message[] = [];
    for (const planned of plan.messages) {
      messages.push(this.message(planned, messages.length));
      if (messages.length % MESSAGES_PER_STEP === 0) yield;
    }
    const turns: Turn[] = [];
    for (const { opener, from, to } of plan.turns) {
      turns.push(this.turn(turns.length, opener, messages.slice(from, to)));
      if (turns.length % MESSAGES_PER_STEP === 0) yield;
    }
    yield;
    return { messages, turns, plan };
  }

  private turn(index: number, opener: number, messages: readonly Message[]): Turn {
    const human = this.entries[opener]?.kind === 'human' ? messages[0] : undefined;
    const times = messages.flatMap((message) => (message.timestamp === undefined ? [] : [message.timestamp]));
    const ends = messages
      .flatMap((message) => message.tools.flatMap((tool) => tool.result?.timestamp ?? []))
      .concat(times);
    const startedAt = earliest(times);
    const endedAt = latest(ends);
    return {
      index,
      ...(human !== undefined && { human }),
      messages,
      ...(startedAt !== undefined && { startedAt }),
      ...(endedAt !== undefined && { endedAt }),
    };
  }

  private message(planned: PlannedMessage, index: number): Message {
    const first = this.entries[planned.nodes[0] ?? -1];
    if (first?.kind === 'human') return humanMessage(first, index);
    const lines = planned.nodes.flatMap((node) => {
      const entry = this.entries[node];
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
    const model = lines.find((line) => line.model !== undefined)?.model;
    const stopReason = lines.findLast((line) => line.stopReason !== undefined)?.stopReason;
    const usage = usageOf(lines);
    return {
      ...place(lines, index),
      role: 'assistant',
      origin: 'assistant',
      blocks,
      text: textOf(blocks),
      tools,
      ...(model !== undefined && { model }),
      ...(usage !== undefined && { usage }),
      ...(stopReason !== undefined && { stopReason }),
      tokens,
      resultTokens: tools.reduce((sum, tool) => sum + (tool.result?.tokens ?? 0), 0),
    };
  }

  private step(call: ToolCall, base: RecordBase, blocksBefore: number): ToolStep {
    const found = this.answers.get(call.id);
    const { id, name, target, input, tokens } = call;
    const afterBlock = blocksBefore + call.afterBlock;
    const result = found === undefined ? undefined : resultOf(found);
    const timestamp = timeOf(base);
    return {
      id,
      name,
      target,
      input,
      ...(result !== undefined && { result }),
      tokens,
      uuid: uuidOf(base),
      line: base.line,
      ...(timestamp !== undefined && { timestamp }),
      afterBlock,
    };
  }
}

function humanMessage(entry: HumanEntry, index: number): Message {
  const { origin, blocks, tokens } = entry;
  return {
    ...place([entry], index),
    role: 'user',
    origin,
    blocks,
    text: textOf(blocks),
    tools: [],
    tokens,
    resultTokens: 0,
  };
}

type Place = Pick<Message, 'index' | 'uuid' | 'lineUuids' | 'timestamp' | 'line' | 'offset'>;

function place(lines: readonly (AssistantEntry | HumanEntry)[], index: number): Place {
  const first = lines[0]?.base;
  const timestamp = lines.map((line) => timeOf(line.base)).find((time) => time !== undefined);
  const lineUuids = lines.map((line) => uuidOf(line.base));
  return {
    index,
    uuid: lineUuids[0] ?? '',
    lineUuids,
    ...(timestamp !== undefined && { timestamp }),
    line: first?.line ?? 0,
    offset: first?.offset ?? 0,
  };
}

function resultOf({ answer, base }: FoundAnswer): ToolResult {
  const { isError, range, preview, images, tokens, agentId } = answer;
  const timestamp = timeOf(base);
  return {
    isError,
    bytes: range.length,
    range,
    preview,
    images,
    tokens,
    uuid: uuidOf(base),
    line: base.line,
    ...(timestamp !== undefined && { timestamp }),
    ...(agentId !== undefined && { agentId }),
  };
}

function textOf(blocks: readonly MessageBlock[]): string {
  return blocks.flatMap((block) => (block.kind === 'text' ? [block.text] : [])).join('\n\n');
}

function usageOf(lines: readonly AssistantEntry[]): Usage | undefined {
  const sum = new UsageSum();
  const told = lines.filter(({ usage }) => usage !== undefined);
  for (const { base, messageId = uuidOf(base), usage } of told) sum.add(messageId, usage);
  return told.length === 0 ? undefined : sum.total();
}

function earliest(times: readonly string[]): string | undefined {
  return pick(times, (a, b) => Date.parse(a) < Date.parse(b));
}

function latest(times: readonly string[]): string | undefined {
  return pick(times, (a, b) => Date.parse(a) > Date.parse(b));
}

function pick(times: readonly string[], isBetter: (a: string, b: string) => boolean): string | undefined {
  let best: string | undefined;
  for (const time of times) if (best === undefined || isBetter(time, best)) best = time;
  return best;
}
