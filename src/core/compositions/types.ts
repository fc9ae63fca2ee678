import type { DecayConfig } from '../keepits/decay';
import type { CompressionRecord, CompressionSettings } from '../model/compression';
import type { KeepitMarker } from '../model/keepit';
import type { SessionRef } from '../sessions/results';
import type { Role } from '../transcript/types';

/** What composing knows of a session without opening a transcript. */
export interface SourceSession {
  readonly ref: SessionRef;
  readonly title: string;
  /** What its project is called. */
  readonly project: string;
  readonly firstTimestamp: string;
  readonly lastTimestamp: string;
  readonly originalTokens: number;
  readonly originalMessages: number;
  readonly versions: readonly CompressionRecord[];
  /** Where the session was cut into parts, the oldest first. */
  readonly parts: readonly { readonly partNumber: number; readonly messageRange: readonly [number, number] }[];
  /** How many sessions ago, 1 = newest. */
  readonly distance: number;
  /** All that count, with the weight that counts. */
  readonly keepits: readonly KeepitMarker[];
  /** Those that are never left out. */
  readonly pinned: readonly KeepitMarker[];
  /** Where its transcript can be read again, for a link; undefined when nothing is left of it. */
  readonly transcript: string | undefined;
  /** How its keepits fade, and how its project compresses. */
  readonly decay: DecayConfig;
  readonly preset: string;
  readonly keepitMode: CompressionSettings['keepitMode'];
}

/** A version of a session, or of one of its parts, as a piece of a composition. */
export interface Piece {
  /** `original` for the session as it is, `fresh` for what was made of it for this composition, `new` for a version that is yet to be kept. */
  readonly versionId: string;
  readonly partNumber?: number | undefined;
  readonly messageRange?: readonly [number, number] | undefined;
}

/** How a session is in a composition. */
export type FormKind = 'original' | 'version' | 'parts' | 'new' | 'fresh' | 'keepits' | 'nothing';

/** A piece of what a composition says. */
export interface ContextBlock {
  readonly kind: 'heading' | 'note' | 'keepit' | 'said' | 'tool';
  readonly role: Role;
  /** In Markdown; for a tool, empty: it is written from what follows. */
  readonly text: string;
  /** The messages that it came from, by uuid. */
  readonly sources: readonly string[];
  /** For a keepit. */
  readonly markerId?: string | undefined;
  readonly tool?: ContextTool;
}

/** A tool call with its answer. */
export interface ContextTool {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly result: string;
  readonly isError: boolean;
}

/** A session of a composition as text. */
export interface ContextSection {
  readonly ref: SessionRef;
  /** Two lines: when and what, and from where. Markdown. */
  readonly heading: string;
  /** What the heading says of the title; empty when it says nothing of it. */
  readonly title: string;
  /** Where the links of the section lead to; empty when there is nothing to lead to. */
  readonly footer: string;
  /** Keepits that come before everything else. */
  readonly keepits: readonly ContextBlock[];
  /** Piece by piece. */
  readonly pieces: readonly { readonly piece: Piece; readonly blocks: readonly ContextBlock[] }[];
  /** What other sections have said already: it is left out. */
  readonly repeated: readonly ContextBlock[];
}
