import type { LedgerEntry } from './models';

/** `ledger.jsonl`: what asking models has cost. */
export interface Ledger {
  /** Adds a line, whole or not at all, also while other processes do. Throws `StoreError`. */
  append(entry: LedgerEntry): Promise<void>;
  /** Oldest first; lines that cannot be read are passed over, with a word in the log. Empty when there is none yet. */
  entries(): Promise<LedgerEntry[]>;
  /** The sum of what calls have cost that ended since then. Called before each call. */
  spentSince(start: Date): Promise<number>;
}

/** What `doctor` asks about the machine. */
export interface HostProbe {
  /** `dir` may not exist yet; the disk is then that of its nearest parent. */
  facts(dir: string): Promise<{
    nodeVersion: string;
    /** Undefined where the system does not tell. */
    freeBytes?: number;
    /** The path of the command `claude`; undefined when it is not on PATH. */
    claudeCommand?: string;
  }>;
}

/** The time, so that tests can set it. */
export interface Clock {
  now(): Date;
}

/** The host's log. Never given secrets or whole messages. */
export interface Log {
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string, cause?: unknown): void;
}

/**
 * Everything that the core needs from a host. `src/node` implements all of it; tests use the classes in
 * `test/unit/support`. No member throws for what its comment calls an ordinary case.
 */

/** A file as its directory entry shows it. */
export interface TranscriptFile {
  /** Absolute. */
  path: string;
  bytes: number;
  mtimeMs: number;
  /** Two names of one file have the same. */
  fileId?: string | undefined;
}

/** Work that one process at a time may do, for as long as it is not released. */
export interface Taken {
  release(): Promise<void>;
}
