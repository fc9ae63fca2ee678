import type { ArmedContext } from './model/armedContext';
import type { ComposedContextRecord } from './model/composition';
import type { CompressionRecord, SessionVersions } from './model/compression';
import type { Config } from './model/config';
import type { LedgerEntry } from './model/ledger';
import type { NewProject, ProjectManifest, SessionManifestEntry } from './model/manifest';
import type { ProjectCache, ScanState } from './registry/projectCache';
import type { Counting, TranscriptDigest } from './registry/transcriptDigest';
import type { SliceableTokenCounter } from './tokens/tokenCounter';
import type { IdList } from './transcript/hashIndex';

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
}

/** A session's transcript and the files of its sub-agents that lie in its own folder. */
export interface SessionFile extends TranscriptFile {
  sessionId: string;
  /** `<session>/subagents/agent-*.jsonl`. */
  subAgents: TranscriptFile[];
}

/** Something that is not read, though it lies where transcripts do. */
export interface SkippedFile {
  path: string;
  /** Why, in one sentence that names it. */
  problem: string;
}

/** One of Claude Code's project folders, read from directory entries alone. */
export interface ProjectFolder {
  projectId: string;
  sessions: SessionFile[];
  /** `agent-<hex>.jsonl` beside the sessions: whose they are is written inside. */
  strayAgents: TranscriptFile[];
  /** Symbolic links that lead out of Claude Code's folder. Absent where there are none. */
  skipped?: SkippedFile[];
  /** Why the folder could not be listed; sessions are then empty. */
  problem?: string;
}

/** Claude Code's folder, for reading. */
export interface ClaudeFolder {
  /** `CLAUDE_CONFIG_DIR`, else `~/.claude`. */
  readonly dir: string;
  /** Called by every discovery. Opens no transcript. A missing folder is an empty list; `only` narrows to some project ids. */
  list(only?: readonly string[], signal?: AbortSignal): Promise<ProjectFolder[]>;
  /** The names of the project folders. A missing folder is an empty list. */
  projectIds(): Promise<string[]>;
  /** The path that a file or folder really has: absolute, symbolic links resolved as far as it exists. */
  realPath(path: string): Promise<string>;
  /** The size and date now; undefined when the file is gone. */
  stat(path: string): Promise<TranscriptFile | undefined>;
  /** Chunks of at most 1 MB from `start` to `end` (exclusive; default: the end of the file now). The buffer of a chunk is reused: copy what is kept. */
  read(path: string, range?: { start?: number; end?: number }, signal?: AbortSignal): AsyncIterable<Uint8Array>;
  /** `cleanupPeriodDays` of Claude Code's settings, 30 when unset. Read before each discovery. */
  cleanupPeriodDays(): Promise<number>;
}

/** One reading of a transcript. */
export interface Scan {
  digest: TranscriptDigest;
  /** For the next reading, once the file has grown; only where it was asked for, and where the reading can go on from there. */
  state?: ScanState;
  /** The ids of the file's records; absent where there is a state, which tells them as well. */
  ids?: IdList;
  /** What was read this time. */
  bytesRead: number;
  /** Whether the reading went on from `prior`, rather than anew from the beginning. */
  isContinued: boolean;
}

/** Four characters of a transcript that are to become four others. */
export interface WeightOverwrite {
  /** The file as it was when the edit was prepared: one that has changed since is left alone. */
  readonly seen: { readonly bytes: number; readonly mtimeMs: number };
  /** The JSON string that holds the marker, byte for byte as it was read, and where it begins in the file. */
  readonly literal: { readonly offset: number; readonly bytes: Uint8Array };
  /** Where in the literal the weight begins. */
  readonly weightAt: number;
  /** Both of the form `0.50`. */
  readonly before: string;
  readonly after: string;
}

/**
 * The one writer below Claude Code's folder: it changes the weight of a marker, in place, after a person has asked for that
 * by name (seed 000, 5.4).
 */
export interface TranscriptEditor {
  /**
   * Verifies what is there, writes, and verifies what it wrote. The file's date becomes a millisecond later than it was: Claude
   * Code's clean-up goes by dates, and so does everybody who has read the file and is to notice. Throws `TranscriptEditError`: nothing was written then, unless the disk itself failed.
   */
  overwriteWeight(path: string, edit: WeightOverwrite): Promise<void>;
}

/** Reads a transcript into its digest, in the background where the host has threads. */
export interface TranscriptScanner {
  /**
   * Continues from `prior` when the file has only grown, so that just the new bytes are read; starts anew when it
   * shrank or was rewritten. A last line that is not whole yet is left for the next time.
   * `bytes` is the size that the caller has seen: it tells how much work is to be expected.
   * `exact` counts with the exact counter, anew if `prior` was an estimate; a prior that is exact is always continued so.
   * `wantsState` asks for the state to go on from: making it takes a fifth of the time.
   * Throws `TranscriptUnreadableError` when the file vanishes or cannot be opened.
   */
  scan(
    path: string,
    request: { prior?: ScanState | undefined; counting: Counting; bytes?: number; wantsState?: boolean },
    signal?: AbortSignal,
  ): Promise<Scan>;
}

/** What is remembered of transcripts between runs, so that an unchanged file is not opened again. Losing it costs time only: nothing here throws. */
export interface SummaryCache {
  /** All that is known of a project's files. A damaged cache is empty. Every call gives new records, which the caller may change; the entries in them it may not. */
  load(projectId: string): Promise<ProjectCache>;
  /**
   * Loads, changes and saves while nobody else does, and gives back what is known then. `change` gets what other processes
   * have saved meanwhile, and is to keep what of it still holds; it may be called more than once.
   */
  update(projectId: string, change: (cache: ProjectCache) => ProjectCache): Promise<ProjectCache>;
  /** The state of one transcript's last scan, if it was kept: read only when that file has grown. */
  loadState(projectId: string, path: string): Promise<ScanState | undefined>;
  saveState(projectId: string, path: string, state: ScanState): Promise<void>;
}

/** The store, `~/.claude-memory`, as DESIGN section 3 lays it out. */
export interface MemoryStore {
  /** `CLAUDE_MEMORY_DIR`, else `~/.claude-memory`. */
  readonly dir: string;
  /** The defaults when there is none yet, and for what a partial one leaves out. Throws `StoreError` for a newer or a corrupt one. */
  readConfig(): Promise<Config>;
  /** Read, change, write inside the store's lock. */
  updateConfig(change: (config: Config) => Config): Promise<Config>;
  listProjects(): Promise<string[]>;
  /** Frozen. Undefined when the project has no manifest. A corrupt one is set aside and rebuilt from what is there; a newer one throws `StoreError`. */
  readManifest(projectId: string): Promise<ProjectManifest | undefined>;
  /**
   * Read, change, write inside the project's lock; the manifest is made from `create` if there is none. When `change`
   * throws, or returns what it was given, nothing is written. What it was given is not to be changed in place.
   */
  updateManifest(
    create: NewProject,
    change: (manifest: ProjectManifest) => ProjectManifest | Promise<ProjectManifest>,
  ): Promise<ProjectManifest>;
  /**
   * Keeps a transcript: copy-on-write clone, else hard link, else copy; called inside `updateManifest`. Called again it
   * appends what is new. A file that was rewritten meanwhile never replaces what was kept: the older copy stays beside it.
   * When the source is gone, what was kept before is the answer; with nothing kept, throws `TranscriptUnreadableError`.
   */
  keepOriginal(projectId: string, sessionId: string, source: string, signal?: AbortSignal): Promise<KeptFile>;
  /**
   * Puts a fresh copy in the place of a kept original that was damaged, where `source` still begins with all that was kept. Else both stay
   * as they are, and the answer says from which byte on the source is another; 0 also where it was never recorded what was kept.
   */
  renewOriginal(
    projectId: string,
    sessionId: string,
    source: string,
    signal?: AbortSignal,
  ): Promise<'renewed' | { differsFrom: number }>;
  /** Keeps the transcripts of a session's sub-agents likewise, wherever they lie; those that are gone are passed over. */
  keepSubAgents(projectId: string, sessionId: string, sources: readonly string[], signal?: AbortSignal): Promise<void>;
  /** Absolute path of the kept original, undefined when there is none. */
  originalPath(projectId: string, sessionId: string): Promise<string | undefined>;
  /**
   * Gives a kept original bytes of its own where it is a second name of another file, so that writing to that one leaves it as it is.
   * Called inside `updateManifest`. Nothing happens when there is none.
   */
  separateOriginal(projectId: string, sessionId: string, signal?: AbortSignal): Promise<void>;
  /** The kept transcripts of a session's sub-agents. */
  keptSubAgents(projectId: string, sessionId: string): Promise<TranscriptFile[]>;
  /**
   * Takes a session out of the manifest and moves its entry and all its files into the store's trash, in one step, and
   * returns the trash's name. Takes the project's lock itself: never called inside `updateManifest`.
   */
  discardSession(projectId: string, sessionId: string): Promise<string>;
  /** Undoes `discardSession`, entry included, and returns the entry; refused when the session is in memory again. */
  restoreSession(projectId: string, trash: string): Promise<SessionManifestEntry>;
  /** What lies in the trash of a project, the oldest first. */
  trashed(projectId: string): Promise<TrashItem[]>;
  /** Deletes for good what was discarded before that time, and tells what it was. Takes the project's lock itself, like `discardSession`. */
  emptyTrash(projectId: string, beforeIso: string): Promise<TrashItem[]>;
  /** Looks over the whole store, and mends what can be mended when `repair` is asked for. Called by `doctor`. */
  check(options: { repair: boolean }, signal?: AbortSignal): Promise<StoreFinding[]>;
  /**
   * Writes the files of a version; called inside `updateManifest`. They take their places together with the manifest that names them, or
   * not at all: everything is on disk before the first of them is put in its place. `index` is the session's `versions.json`.
   */
  keepVersion(projectId: string, sessionId: string, version: VersionFiles, index: SessionVersions): Promise<void>;
  /** Moves files of versions into the store's trash, and returns the trash's name; called inside `updateManifest`, like `keepVersion`. */
  discardVersions(
    projectId: string,
    sessionId: string,
    records: readonly CompressionRecord[],
    index: SessionVersions,
  ): Promise<string>;
  /** What `discardVersions` took away. Throws `StoreError` when the trash has nothing of that name. */
  discardedVersions(projectId: string, trash: string): Promise<{ sessionId: string; records: CompressionRecord[] }>;
  /** Undoes `discardVersions`; called inside `updateManifest`, like `keepVersion`. */
  takeBackVersions(projectId: string, trash: string, index: SessionVersions): Promise<void>;
  /** The absolute paths of a version's files, whether they are there or not. `file` is what its record says. */
  versionPaths(projectId: string, sessionId: string, file: string): { md: string; jsonl: string };
  /** The content of a version's file; undefined when it is gone. */
  readVersion(
    projectId: string,
    sessionId: string,
    file: string,
    format: keyof VersionFiles['texts'],
  ): Promise<string | undefined>;
  /** Compositions, and what waits for the next session. */
  readonly compositions: CompositionStore;
  /** Sizes below the project's folder. */
  measure(projectId: string): Promise<{ bytes: number; linkedBytes: number }>;
}

/** Something that was discarded. */
export interface TrashItem {
  /** What `restoreSession` and its like take. */
  name: string;
  discardedAt: string;
  bytes: number;
}

/** The files of a version. */
export interface VersionFiles {
  /** The name without the ending, as its record has it. */
  file: string;
  texts: { md: string; jsonl: string };
}

/** The files of compositions, `composed/<name>/`, and `armed.json`. What changes a composition is called inside `updateManifest`, and takes effect with it. */
export interface CompositionStore {
  /** Writes files of a composition, by their names in its folder; those that are there already are replaced. */
  keep(projectId: string, name: string, files: Readonly<Record<string, string>>): Promise<void>;
  /** Gives all files of a composition another folder. */
  move(projectId: string, from: string, to: string): Promise<void>;
  /** Moves a composition's files into the store's trash, and returns the trash's name. */
  discard(projectId: string, record: ComposedContextRecord): Promise<string>;
  /** What `discard` took away. Throws `StoreError` when the trash has nothing of that name. */
  discarded(projectId: string, trash: string): Promise<ComposedContextRecord>;
  /** Undoes `discard`. */
  takeBack(projectId: string, trash: string): Promise<void>;
  /** The absolute path of a file of a composition, whether it is there or not. */
  path(projectId: string, name: string, file: string): string;
  /** Undefined when it is gone. */
  read(projectId: string, name: string, file: string): Promise<string | undefined>;
  /** Puts a context in wait for the next session, instead of one that waits already: together with the manifest, as `keep` does. */
  arm(projectId: string, armed: ArmedContext): Promise<void>;
  /** What waits; undefined when nothing does, or nothing that can be read. */
  armed(projectId: string): Promise<ArmedContext | undefined>;
  /** Hands what waits to one session: to no other one from then on, and to that one as often as it asks. Takes no lock: called by hooks. */
  takeArmed(projectId: string, sessionId: string): Promise<ArmedContext | undefined>;
  /** Whether something was waiting. */
  disarm(projectId: string): Promise<boolean>;
}

/** Something in the store that is not as it should be. A healthy store has none. */
export interface StoreFinding {
  kind:
    | 'not-writable'
    | 'config'
    /** A manifest that cannot be used as it is, or is missing although there are sessions. */
    | 'manifest'
    /** Text that still holds secrets: an older Keepit wrote it. */
    | 'secret'
    /** A version's file that is gone or that no manifest names, or a `versions.json` that says something else than the manifest. */
    | 'version'
    /** A composition's file that is gone, or a folder of one that no manifest names: a crash left it. */
    | 'composition'
    /** An original that the manifest names and that is not there, was cut short, or is a symbolic link. */
    | 'original'
    /** An original that holds something else than was kept. */
    | 'damaged-original'
    /** A folder or file that other users may read or write. */
    | 'open-mode'
    /** A symbolic link in the store, which is not followed. */
    | 'link'
    /** A lock that a dead process left behind. */
    | 'stale-lock'
    /** A temporary file that a killed process left behind. */
    | 'leftover'
    /** A damaged file that was set aside for a person to look at; never touched again. */
    | 'set-aside';
  /** Absent for what belongs to the whole store. */
  projectId?: string;
  path: string;
  /** What is wrong, in one sentence. */
  problem: string;
  /** What to do about it, where that is not the same for all of its kind. */
  hint?: string;
  /** Whether `repair` mends it; after a repair, whether it still could not. */
  isRepairable: boolean;
  isRepaired: boolean;
}

export interface KeptFile {
  /** Relative to the project's folder in the store. */
  file: string;
  method: 'clone' | 'link' | 'copy';
  bytes: number;
  /** Of that content, so that damage shows. */
  hashes?: string[] | undefined;
}

/** The exact counter, loaded on first use: its data is large, and activation must not pay for it. */
export interface TokenCounters {
  exact(): Promise<SliceableTokenCounter>;
}

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

/** Lets the host do other work between two slices of long work; called every few milliseconds. */
export interface Pause {
  (): Promise<void>;
}

/** The host's log. Never given secrets or whole messages. */
export interface Log {
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string, cause?: unknown): void;
}
