import type { ReadingAccount, ReadingEnd, SessionMeta, SessionTitles } from './sessionStats';

/**
 * What reading a transcript yields, as plain data. Everything here is readonly for its users and safe to pass on:
 * no object refers back into the file's bytes, large payloads stay in the file and are named by a {@link ByteRange}.
 */

/** A piece of the transcript file, in bytes from its beginning. */
export interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

/** Who said a message. */
export type Role = 'user' | 'assistant';

/** Words of the human or the assistant. Keepit spans live inside one such block and never cross it. */
export interface TextBlock {
  readonly kind: 'text';
  /** The words, without what Claude Code's harness wrote around or between them. */
  readonly text: string;
  /** The uuid of the transcript line that holds the block. */
  readonly uuid: string;
  readonly line: number;
  /** The JSON string literal in the file, quotes included. */
  readonly range: ByteRange;
  /** True when harness blocks were cut out, so that offsets in `text` are not offsets in the literal. */
  readonly stripped: boolean;
}

/** Something in a message that is not text; its content stays in the file. Thinking is never shown as said. */
export interface OpaqueBlock {
  readonly kind: 'thinking' | 'image' | 'document' | 'other';
  readonly uuid: string;
  readonly line: number;
  /** The whole block, a JSON object. */
  readonly range: ByteRange;
}

/** One block of a message, in the order in which the transcript has them. */
export type MessageBlock = TextBlock | OpaqueBlock;

/** The answer to a tool call. */
export interface ToolResult {
  readonly isError: boolean;
  /** Size of the result's JSON text in the transcript. */
  readonly bytes: number;
  /** The JSON value of the result's content (a string, or a list of blocks). */
  readonly range: ByteRange;
  /** The first words of the result, one line, at most 200 characters; '' when it starts with an image. */
  readonly preview: string;
  readonly images: number;
  readonly tokens: number;
  readonly uuid: string;
  readonly line: number;
  readonly timestamp?: string | undefined;
  /** The sub-agent that did the work, when the result names it. */
  readonly agentId?: string | undefined;
}

/** One tool call of the assistant, with its answer when there is one. */
export interface ToolStep {
  /** The `tool_use` id; unique in a session. */
  readonly id: string;
  readonly name: string;
  /** What the call is about, in one line: file, command, pattern, url, description; '' when nothing is known. */
  readonly target: string;
  /** The JSON object of the call's input. */
  readonly input: ByteRange;
  readonly result?: ToolResult | undefined;
  /** Tokens of the call without its result. */
  readonly tokens: number;
  readonly uuid: string;
  readonly line: number;
  readonly timestamp?: string | undefined;
  /** How many blocks of the message that holds this step come before it: where to show it. */
  readonly afterBlock: number;
}

/** How a human's words got into the transcript. */
export type MessageOrigin = 'prompt' | 'queued' | 'command' | 'answer' | 'assistant';

/** What a person or the assistant said, with the tool steps that belong to it. */
export interface Message {
  /** 0-based position in the list that holds the message; for the live conversation this is what the CLI calls index. */
  readonly index: number;
  /** The uuid of its first line. Stable as the session grows. */
  readonly uuid: string;
  /** The uuids of all lines that it is made of: text, thinking, tool calls; tool results are in {@link ToolStep.result}. */
  readonly lineUuids: readonly string[];
  readonly role: Role;
  /**
   * `prompt` typed, `queued` typed while the assistant worked, `command` a slash command that the assistant answers or that carries
   * words, `answer` in a tool result: why a call was refused, or what was answered to a question, which is quoted (`> `).
   */
  readonly origin: MessageOrigin;
  /** As in the transcript; absent when it is missing there or not a date. */
  readonly timestamp?: string | undefined;
  readonly blocks: readonly MessageBlock[];
  /** The text blocks joined by a blank line; '' for an assistant that only used tools in its whole turn. */
  readonly text: string;
  readonly tools: readonly ToolStep[];
  readonly model?: string | undefined;
  readonly stopReason?: string | undefined;
  /** Where its first line is. */
  readonly line: number;
  readonly offset: number;
  /** Estimated tokens of text, images and tool calls, without tool results. */
  readonly tokens: number;
  /** Estimated tokens of its tools' results. */
  readonly resultTokens: number;
}

/** A human prompt with everything that follows up to the next one. */
export interface Turn {
  readonly index: number;
  /** The human message that opens it; absent for a leading fragment. */
  readonly human?: Message | undefined;
  /** All messages of the turn, the human's included; never empty. */
  readonly messages: readonly Message[];
  readonly startedAt?: string | undefined;
  readonly endedAt?: string | undefined;
}

/** What stands in a transcript between the messages and is worth showing or looking for, but was not said by anybody. */
export interface ConversationEvent {
  readonly kind:
    | 'command' // a slash command that the client answered itself, as typed: `/model opus`
    | 'commandOutput'
    | 'bashInput' // `!cmd` typed by the human
    | 'bashOutput'
    | 'interrupted'
    | 'apiError' // the client's own error text, model `<synthetic>`
    | 'compaction'
    | 'compactSummary'
    | 'hookContext' // hook_additional_context and hook_success: what a hook handed to the model
    | 'system'
    | 'unsentPrompt' // typed while the assistant worked, and never sent
    | 'meta'; // written by the harness under the user's name
  /** `hookContext` is whole, everything else is cut at 2,000 characters. */
  readonly text: string;
  /** For hooks: the event and hook name, `SessionStart SessionStart:startup`. */
  readonly source?: string | undefined;
  readonly uuid: string;
  readonly line: number;
  readonly offset: number;
  readonly length: number;
  readonly timestamp?: string | undefined;
  /** The index of the first live message that comes after it (= number of messages when none does). */
  readonly beforeMessage: number;
  readonly isLive: boolean;
}

/** Messages of one thread: the session's own, or a sub-agent's. */
export interface Thread {
  readonly messages: readonly Message[];
  readonly turns: readonly Turn[];
  /** Branches left behind by a rewind, each in its own order. */
  readonly abandoned: readonly AbandonedBranch[];
}

/** What was said before a rewind made the session take another way. */
export interface AbandonedBranch {
  /** The line after which the ways part. */
  readonly forkUuid?: string | undefined;
  readonly messages: readonly Message[];
}

/** A sub-agent's dialogue inside the session's own file (Claude Code ≤ 1.0.x). */
export interface InlineAgent extends Thread {
  /** The agent id where the lines carry one, else the uuid of the first line. */
  readonly id: string;
  /** The id of the tool call that started it, when it can be told. */
  readonly toolUseId?: string | undefined;
  readonly description?: string | undefined;
}

/**
 * Markers of the assistant that are none, because what they mark stands in what it had been told: for text blocks, by `placeKey`, where
 * those markers begin.
 */
export type CopiedMarkers = ReadonlyMap<string, readonly number[]>;

/** A whole transcript. */
export interface Conversation extends Thread {
  readonly events: readonly ConversationEvent[];
  readonly agents: readonly InlineAgent[];
  readonly titles: SessionTitles;
  readonly meta: SessionMeta;
  readonly account: ReadingAccount;
  readonly end: ReadingEnd;
  /** Absent where nobody looked for them, and where there are none. */
  readonly copiedMarkers?: CopiedMarkers;
}
