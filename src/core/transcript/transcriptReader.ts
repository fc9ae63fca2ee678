import { ChainTable } from './chainTable';
import type { AssistantEntry, Entry, RecordBase } from './entry';
import { uuidOf } from './entryReader';
import { timeOf } from './factsCollector';
import { MessageBuilder, type BuiltThread } from './messageBuilder';
import { previewOf } from './previewText';
import { pacedBySize, runSteps, type Steps } from './steps';
import { splitThreads, type BranchNodes, type SplitThreads } from './threads';
import { TranscriptIntake, type TailMode } from './transcriptIntake';
import type { AbandonedBranch, Conversation, ConversationEvent, InlineAgent } from './types';
import type { TokenEstimator } from '../text/tokens/tokenCounter';

/** By so much of its beginning a sub-agent's task is recognized. */
const TASK_CHARS = 60;

/** How a transcript is read in full. */
export interface ReaderOptions {
  readonly estimator: TokenEstimator;
  readonly maxLineBytes?: number | undefined;
}

/**
 * Reads a whole transcript: feed it the file's chunks, then ask for the conversation. Holds what was said and a line per
 * tool step; everything large stays in the file.
 *
 * For a live session ask with `pending`, feed what was appended, and ask again.
 */
export class TranscriptReader {
  private readonly chain = new ChainTable();
  private readonly intake: TranscriptIntake;
  private readonly entries: (Entry | undefined)[] = [];

  constructor(options: ReaderOptions) {
    const { estimator, maxLineBytes } = options;
    this.intake = new TranscriptIntake({ estimator, detail: 'full', maxLineBytes }, this.chain, {
      onEntry: (entry, node) => this.keep(entry, node),
      onWords: (entry, node) => (this.entries[node] = entry),
      onWithdrawn: (node) => (this.entries[node] = undefined),
    });
  }

  /** Takes the next bytes. Chunks up to 1 MB keep every call below a few milliseconds. */
  feed(chunk: Uint8Array): void {
    this.intake.feed(chunk);
  }

  /** The conversation so far. `tail` says what to do with a last line that has no newline; only after `pending` more may be fed. */
  conversation(tail: TailMode = 'read'): Conversation {
    return runSteps(this.assemble(tail));
  }

  /** As `conversation`, for a host that must not stall. */
  *assemble(tail: TailMode = 'read'): Steps<Conversation> {
    this.intake.finish(tail);
    return yield* pacedBySize(this.chain.size, this.assembled());
  }

  private *assembled(): Steps<Conversation> {
    const { intake } = this;
    const split = yield* splitThreads(this.chain, intake.facts.isAgentFile, intake.leafHint());
    yield;
    const builder = new MessageBuilder(this.chain, this.entries);
    yield* builder.prepare();
    yield;
    const main = yield* builder.build(split.main.live);
    const abandoned = yield* this.branches(builder, split.main.abandoned);
    const agents = yield* this.inlineAgents(builder, split);
    const events = this.events(split, main);
    yield;
    const isLive = (node: number): boolean => split.path.isLive[node] === 1;
    return {
      messages: main.messages,
      turns: main.turns,
      abandoned,
      events,
      agents,
      titles: intake.titles.titles((uuid) => intake.owns(uuid), isLive),
      facts: intake.facts.facts(),
      account: intake.account.account(),
      end: intake.end,
    };
  }

  private keep(entry: Entry, node: number): void {
    if (node >= 0 && entry.kind !== 'skipped' && entry.kind !== 'queue') this.entries[node] = entry;
  }

  private *branches(builder: MessageBuilder, branches: readonly BranchNodes[]): Steps<AbandonedBranch[]> {
    const abandoned: AbandonedBranch[] = [];
    for (const { fork, nodes } of branches) {
      const { messages } = yield* builder.build(nodes);
      if (messages.length === 0) continue;
      const base = this.entryAbove(fork)?.base;
      abandoned.push(base === undefined ? { messages } : { forkUuid: uuidOf(base), messages });
    }
    return abandoned;
  }

  /** The nearest entry at or above a node: links that say nothing are not kept. */
  private entryAbove(node: number): Entry | undefined {
    for (let at = node, steps = 0; at >= 0 && steps < this.entries.length; at = this.chain.at(at).parent, steps++) {
      if (this.entries[at] !== undefined) return this.entries[at];
    }
    return undefined;
  }

  /** The calls that started sub-agents, by the beginning of what they asked. */
  private agentPrompts(): Map<string, AssistantEntry['tools'][number][]> {
    const prompts = new Map<string, AssistantEntry['tools'][number][]>();
    for (const entry of this.entries) {
      if (entry?.kind !== 'assistant') continue;
      for (const tool of entry.tools) {
        if (tool.prompt === undefined) continue;
        const task = previewOf(tool.prompt, TASK_CHARS);
        const known = prompts.get(task);
        if (known === undefined) prompts.set(task, [tool]);
        else known.push(tool);
      }
    }
    return prompts;
  }

  private *inlineAgents(builder: MessageBuilder, split: SplitThreads): Steps<InlineAgent[]> {
    const agents: InlineAgent[] = [];
    if (split.agents.length === 0) return agents;
    const prompts = this.agentPrompts();
    for (const nodes of split.agents) {
      const { messages, turns } = yield* builder.build(nodes.live);
      const first = this.entries[nodes.live[0] ?? -1]?.base;
      // Agents with the same task are started one after the other; each call is used once.
      const call = prompts.get(previewOf(messages[0]?.text ?? '', TASK_CHARS))?.shift();
      agents.push({
        id: first?.agentId ?? (first === undefined ? '' : uuidOf(first)),
        ...(call !== undefined && { toolUseId: call.id }),
        ...(call?.description !== undefined && { description: call.description }),
        messages,
        turns,
        abandoned: yield* this.branches(builder, nodes.abandoned),
      });
    }
    return agents;
  }

  /** What stands between the messages, in file order as far as the thread's order is file order. */
  private events(split: SplitThreads, main: BuiltThread): ConversationEvent[] {
    const events: ConversationEvent[] = [];
    let next = 0;
    for (const node of split.path.order) {
      if (main.plan.messages[next]?.nodes[0] === node) next++;
      const entry = this.entries[node];
      if (entry !== undefined) addEvent(events, entry, next, split.path.isLive[node] === 1);
    }
    for (const entry of this.intake.later.unsent) {
      const event = { kind: 'unsentPrompt', text: entry.text } as const;
      events.push({ ...event, ...placeOf(entry.base), beforeMessage: main.messages.length, isLive: false });
    }
    return events;
  }
}

function addEvent(events: ConversationEvent[], entry: Entry, beforeMessage: number, isLive: boolean): void {
  const note = noteOf(entry);
  if (note !== undefined) events.push({ ...note, ...placeOf(entry.base), beforeMessage, isLive });
}

function noteOf(entry: Entry): Pick<ConversationEvent, 'kind' | 'text' | 'source'> | undefined {
  if (entry.kind === 'note') return entry.note;
  if (entry.kind === 'toolResult') return entry.note;
  if (entry.kind !== 'boundary') return undefined;
  const { trigger, preTokens, postTokens } = entry;
  const sizes = preTokens === undefined ? '' : `: ${String(preTokens)} → ${String(postTokens ?? '?')} tokens`;
  return { kind: 'compaction', text: `${trigger ?? 'compaction'}${sizes}` };
}

function placeOf(base: RecordBase): Pick<ConversationEvent, 'uuid' | 'line' | 'offset' | 'length' | 'timestamp'> {
  const { line, offset, length } = base;
  const timestamp = timeOf(base);
  return { uuid: uuidOf(base), line, offset, length, ...(timestamp !== undefined && { timestamp }) };
}
