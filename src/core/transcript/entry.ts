import type { ByteRange, ConversationEvent, MessageBlock, MessageOrigin, ToolResult, ToolStep } from './types';

/** How much of a record is decoded: `counts` leaves out where things are, and what tool steps are about. */
export type EntryDetail = 'full' | 'counts';

/** What every record of a transcript may carry, and where it stands. */
export interface RecordBase extends ByteRange {
  readonly line: number;
  /** Absent on records outside the chain (titles, queue operations …). */
  readonly uuid?: string | undefined;
  readonly parent?: string | undefined;
  /** As it was written; absent when it is no date. */
  readonly timestamp?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly cwd?: string | undefined;
  readonly version?: string | undefined;
  readonly gitBranch?: string | undefined;
  readonly agentId?: string | undefined;
  readonly isSidechain: boolean;
}

/** A tool call inside an assistant record; `afterBlock` counts the blocks of the record. */
export interface ToolCall extends Pick<ToolStep, 'id' | 'name' | 'target' | 'input' | 'tokens' | 'afterBlock'> {
  /** The beginning of what a sub-agent was asked, for finding its thread. */
  readonly prompt?: string | undefined;
  readonly description?: string | undefined;
}

/** A tool result inside a user record. */
export interface ToolAnswer extends Omit<ToolResult, 'bytes' | 'uuid' | 'line' | 'timestamp'> {
  readonly toolUseId: string;
}

/** Something to show or look for that nobody said. */
export interface Note {
  readonly kind: ConversationEvent['kind'];
  readonly text: string;
  readonly source?: string;
}

/** What a human said, without where and when. */
export interface HumanWords {
  readonly blocks: readonly MessageBlock[];
  readonly tokens: number;
}

/** A human's words. */
export interface HumanEntry {
  readonly kind: 'human';
  readonly base: RecordBase;
  readonly origin: MessageOrigin;
  readonly blocks: readonly MessageBlock[];
  readonly results: readonly ToolAnswer[];
  readonly tokens: number;
  /** Which prompt of the queue it was. */
  readonly command?: string | undefined;
}

/** One line of an API message of the assistant: often a single block of it. */
export interface AssistantEntry {
  readonly kind: 'assistant';
  readonly base: RecordBase;
  /** Lines with the same id are one message; without an id a line is a message of its own. */
  readonly messageId?: string | undefined;
  readonly model?: string | undefined;
  /** What the model read for this answer, as the API reported it. */
  readonly contextTokens?: number | undefined;
  readonly stopReason?: string | undefined;
  readonly blocks: readonly MessageBlock[];
  readonly tools: readonly ToolCall[];
  readonly tokens: number;
}

/** Answers to tool calls, and nothing that a human said. */
export interface ToolResultEntry {
  readonly kind: 'toolResult';
  readonly base: RecordBase;
  readonly results: readonly ToolAnswer[];
  readonly note?: Note | undefined;
  /** A sentence that a person may have said: what Claude says next decides. */
  readonly bare?: HumanWords | undefined;
}

/** The line where Claude Code compacted the conversation. The parent in its base is the logical one. */
interface BoundaryEntry {
  readonly kind: 'boundary';
  readonly base: RecordBase;
  readonly trigger?: string | undefined;
  readonly preTokens?: number | undefined;
  readonly postTokens?: number | undefined;
}

/** Anything else that is worth showing: commands, hook output, the client's errors. */
export interface NoteEntry {
  readonly kind: 'note';
  readonly base: RecordBase;
  readonly note: Note;
  /** Which prompt of the queue it was. */
  readonly command?: string | undefined;
}

/** A name for this session, or for the one that owns the leaf. */
export interface TitleEntry {
  readonly kind: 'title';
  readonly base: RecordBase;
  readonly source: 'custom' | 'ai' | 'summary';
  readonly title: string;
  readonly leafUuid?: string | undefined;
}

/** `last-prompt`: which line the live conversation ends with. */
interface LeafEntry {
  readonly kind: 'leaf';
  readonly base: RecordBase;
  readonly leafUuid: string;
}

/** A prompt that was put into the queue, or taken out of it. */
export interface QueueEntry {
  readonly kind: 'queue';
  readonly base: RecordBase;
  readonly operation: string;
  readonly text: string;
  /** Why a prompt left the queue, and which one that was: newer clients say so. */
  readonly reason?: string | undefined;
  readonly command?: string | undefined;
  /** Of a typed prompt that was put into the queue: its base has a uuid, by which it is known if it stands nowhere else. */
  readonly words?: HumanWords | undefined;
}

/** Nothing that Keepit uses but, if it has a uuid, a link of the chain. */
interface SkippedEntry {
  readonly kind: 'skipped';
  readonly base: RecordBase;
  readonly reason: string;
}

/** One record of a transcript, read. */
export type Entry =
  | HumanEntry
  | AssistantEntry
  | ToolResultEntry
  | BoundaryEntry
  | NoteEntry
  | TitleEntry
  | LeafEntry
  | QueueEntry
  | SkippedEntry;

/** The key of a record that came without a uuid: unique in the file, and stable. */
export function uuidOf(base: RecordBase): string {
  return base.uuid ?? `line-${String(base.line)}-${String(base.offset)}`;
}

/** The words of blocks, without what is not text. */
export function textsOf(blocks: readonly MessageBlock[]): string[] {
  return blocks.flatMap((block) => (block.kind === 'text' ? block.text : []));
}
