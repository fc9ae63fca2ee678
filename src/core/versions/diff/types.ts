import type { Fidelity, ReceiptEntry } from '../../model/compression';
import type { Role } from '../../transcript/types';
import type { CheckpointKind } from '../../material/types';

/** How the uncompressed session is called among the versions. */
export const ORIGINAL = 'original';

/** One of the two that are compared: the original, a part's version, a whole version. */
export interface DiffEnd {
  /** `original`, or the version's id. */
  readonly versionId: string;
  readonly tokens: number;
  /** First and last message that it covers, as indexes of the session. */
  readonly messageRange: readonly [number, number];
  /** The original has neither. */
  readonly fidelity?: Fidelity;
  readonly receipt?: readonly ReceiptEntry[];
}

/** A piece of one end, aligned by the messages that it came from. */
export interface DiffBlock {
  /** A message of the original, or what a version made of messages. */
  readonly kind: 'message' | 'heading' | 'note' | 'keepit';
  readonly role: Role;
  /** The first and the last message that it came from, as indexes of the session. */
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

export type Change = 'kept' | 'removed' | 'added';

/** Words that are in both, or in one only. Whole characters; all parts of a hunk in order are its text. */
export interface DiffPart {
  readonly change: Change;
  /** As the second has it where both have it. */
  readonly text: string;
  /** As the first has it, where only its white space is another. */
  readonly textOfA?: string | undefined;
  /** Which of the hunk's blocks the words are in; each side has one or not, as the change says. */
  readonly a?: number | undefined;
  readonly b?: number | undefined;
}

/** What became of some messages: they belong together because both ends begin something with the first of them. */
export interface DiffHunk {
  /** Indexes of the session; both included. */
  readonly from: number;
  readonly to: number;
  /** The first of these messages. */
  readonly messageUuid: string;
  readonly a: readonly Omit<DiffBlock, 'text'>[];
  readonly b: readonly Omit<DiffBlock, 'text'>[];
  readonly parts: readonly DiffPart[];
  /** So many characters of long blocks were not compared; 0 nearly always. */
  readonly cutCharacters: number;
}

/** Something that the first holds and the second does not. */
export interface LostFact {
  readonly kind: 'keepit' | CheckpointKind;
  /** One line; for a keepit all that was marked. */
  readonly text: string;
  /** The message that says it last. */
  readonly messageUuid: string;
  readonly messageIndex: number;
  readonly weight: number;
  /** For a keepit that faded: `0.25 < 0.65`. */
  readonly reason?: string | undefined;
}

/** Two versions of a session, side by side. */
export interface VersionDiff {
  readonly a: DiffEnd;
  readonly b: DiffEnd;
  /** Words only in the second, only in the first, and in both. */
  readonly added: number;
  readonly removed: number;
  readonly kept: number;
  /** By kind, keepits first; of each kind what weighs most first. */
  readonly lost: readonly LostFact[];
  /** In the order of the session. */
  readonly hunks: readonly DiffHunk[];
}
