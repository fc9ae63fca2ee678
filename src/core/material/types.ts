import type { MessageOrigin, Role } from '../transcript/types';

/** What compressing works on, as plain data: no file is read behind it any more. All token counts here are exact. */

/** Words of a message; offsets of keepits are offsets in `text`. */
export interface SourceText {
  /** The transcript record that holds the block, and which text block of it this is. */
  readonly recordUuid: string;
  readonly blockIndex: number;
  readonly text: string;
}

/** One tool call with its answer, cut to what is worth reading again. */
export interface SourceTool {
  readonly name: string;
  /** What the call is about, in one line. */
  readonly target: string;
  /** The call's input, decoded; long strings are cut. */
  readonly input: Readonly<Record<string, unknown>>;
  /** Beginning and end of the result's text; '' when there is none. */
  readonly result: string;
  readonly isError: boolean;
  /** How many text blocks of the message come before the call. */
  readonly afterText: number;
}

/** A message of the live conversation, with everything that a model would read of it. */
export interface SourceMessage {
  /** Its position in the session. */
  readonly index: number;
  readonly uuid: string;
  readonly role: Role;
  readonly origin: MessageOrigin;
  readonly timestamp?: string | undefined;
  readonly texts: readonly SourceText[];
  readonly tools: readonly SourceTool[];
  /** Text, tool calls and tool results. */
  readonly tokens: number;
  /** How much of that is pictures, for which no words stand. */
  readonly pictureTokens?: number;
}

/** The kinds of things whose survival is measured, besides keepits. */
export type CheckpointKind = 'instruction' | 'decision' | 'path' | 'command' | 'error' | 'identifier';

/** Something in the original that a later session may need. */
export interface Checkpoint {
  readonly kind: CheckpointKind;
  /** As it stands in the original, in one line. */
  readonly text: string;
  /** The message that says it last. */
  readonly messageIndex: number;
  readonly messageUuid: string;
  /** How much it counts among those of its kind; above 0. */
  readonly weight: number;
  /** Part of the trail that work leaves: a file that was changed, a command that was run, a version, port or flag that was named. */
  readonly isArtifact: boolean;
}
