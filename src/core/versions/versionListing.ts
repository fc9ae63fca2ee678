import type { CompressionRecord } from '../model/compression';

/** A version, and the names of the compositions that use it. */
export type ListedVersion = CompressionRecord & { usedIn: string[] };

/** A part of a session (seed 001), and its versions. */
export interface ListedPart {
  partNumber: number;
  messageRange: [number, number];
  tokens: number;
  versionIds: string[];
}

/** What came after the last part. */
export interface VersionDelta {
  newMessages: number;
  newTokens: number;
  /** The number that a part for them gets. */
  nextPart: number;
  /** Absent when there is nothing new. */
  messageRange?: [number, number];
}

export interface VersionListing {
  /** What a model would read of the session as it is now. */
  original: { tokens: number; messages: number };
  versions: ListedVersion[];
  parts: ListedPart[];
  delta: VersionDelta;
}

export interface VersionDeletion {
  deleted: string[];
  /** Versions that compositions use, and these compositions' names; `force` deletes them all the same. */
  refused: { versionId: string; usedIn: string[] }[];
  /** What undoes it; absent when nothing was deleted. */
  trash?: string;
}

/** A version that was made, and its files by their absolute paths. */
export interface CompressionResult {
  version: CompressionRecord;
  files: string[];
}
