import { KeepitError, type ErrorText } from '../text/keepitError';
import { ownValue } from '../text/ownValue';
import type { LedgerEntry } from './models';
import type { Config } from './config';
import type { NewProject, ProjectManifest, SessionManifestEntry } from './manifest';
import type { CompressionRecord, SessionVersions } from './compression';
import type { ComposedContextRecord } from './composition';
import type { ArmedContext } from './preparedBrief';

/*
 * Everything that the core needs from a host. `src/node` implements all of it; tests use the classes in
 * `test/unit/support`. No member throws for what its comment calls an ordinary case.
 */

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
  /** What lies in the trash of a project, the oldest first. */
  trashed(projectId: string): Promise<TrashItem[]>;
  /** Deletes for good what was discarded before that time, and tells what it was. Takes the project's lock itself, like `sessions.discard`. */
  emptyTrash(projectId: string, beforeIso: string): Promise<TrashItem[]>;
  /** Looks over the whole store, and mends what can be mended when `repair` is asked for. Called by `doctor`. */
  check(options: { repair: boolean }, signal?: AbortSignal): Promise<StoreFinding[]>;
  /** What is kept of sessions. */
  readonly sessions: SessionStore;
  /** The texts of versions. */
  readonly versions: VersionStore;
  /** Compositions, and what waits for the next session. */
  readonly compositions: CompositionStore;
  /** Sizes below the project's folder. */
  measure(projectId: string): Promise<{ bytes: number; linkedBytes: number }>;
}

/** The manifests of all projects in memory, or of one. */
export async function manifestsIn(
  store: Pick<MemoryStore, 'listProjects' | 'readManifest'>,
  projectId?: string,
): Promise<ProjectManifest[]> {
  const manifests: ProjectManifest[] = [];
  for (const id of projectId === undefined ? await store.listProjects() : [projectId]) {
    const manifest = await store.readManifest(id);
    if (manifest !== undefined) manifests.push(manifest);
  }
  return manifests;
}

/** What the manifest has of a session; undefined for one that is not in memory. */
export async function entryOf(
  store: Pick<MemoryStore, 'readManifest'>,
  { projectId, sessionId }: { readonly projectId: string; readonly sessionId: string },
): Promise<SessionManifestEntry | undefined> {
  return ownValue((await store.readManifest(projectId))?.sessions, sessionId);
}

/** Something that was discarded. */
export interface TrashItem {
  /** What `takeBack` takes. */
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

/** What is kept of sessions: their transcripts, and after `discard` their entries too. */
export interface SessionStore {
  /**
   * Keeps a transcript, as `storage.originals` says; called inside `updateManifest`. Called again it
   * appends what is new. A file that was rewritten meanwhile never replaces what was kept: the older copy stays beside it.
   * When the source is gone, what was kept before is the answer; with nothing kept, throws `TranscriptUnreadableError`.
   */
  keep(projectId: string, sessionId: string, source: string, signal?: AbortSignal): Promise<KeptFile>;
  /**
   * Puts a fresh copy in the place of a kept original that was damaged, where `source` still begins with all that was kept. Else both stay
   * as they are, and the answer says from which byte on the source is another; 0 also where it was never recorded what was kept.
   */
  renew(
    projectId: string,
    sessionId: string,
    source: string,
    signal?: AbortSignal,
  ): Promise<'renewed' | { differsFrom: number }>;
  /** Keeps the transcripts of a session's sub-agents likewise, wherever they lie; those that are gone are passed over. */
  keepSubAgents(projectId: string, sessionId: string, sources: readonly string[], signal?: AbortSignal): Promise<void>;
  /** Absolute path of the kept original, undefined when there is none. */
  path(projectId: string, sessionId: string): Promise<string | undefined>;
  /** The kept transcripts of a session's sub-agents. */
  subAgents(projectId: string, sessionId: string): Promise<TranscriptFile[]>;
  /**
   * Takes a session out of the manifest and moves its entry and all its files into the store's trash, in one step, and
   * returns the trash's name. Takes the project's lock itself: never called inside `updateManifest`.
   */
  discard(projectId: string, sessionId: string): Promise<string>;
  /** Undoes `discard`, entry included, and returns the entry; refused when the session is in memory again. */
  takeBack(projectId: string, trash: string): Promise<SessionManifestEntry>;
}

/** The files of versions, `summaries/<session>/`. */
export interface VersionStore {
  /**
   * Writes the files of a version; called inside `updateManifest`. They take their places together with the manifest that names them, or
   * not at all: everything is on disk before the first of them is put in its place. `index` is its session's `versions.json`.
   */
  keep(projectId: string, version: VersionFiles, index: SessionVersions): Promise<void>;
  /** Moves files of versions into the store's trash, and returns the trash's name; called inside `updateManifest`, like `keep`. */
  discard(projectId: string, records: readonly CompressionRecord[], index: SessionVersions): Promise<string>;
  /** What `discard` took away. Throws `StoreError` when the trash has nothing of that name. */
  discarded(projectId: string, trash: string): Promise<{ sessionId: string; records: CompressionRecord[] }>;
  /** Undoes `discard`; called inside `updateManifest`, like `keep`. */
  takeBack(projectId: string, trash: string, index: SessionVersions): Promise<void>;
  /** The absolute paths of a version's files, whether they are there or not. `file` is what its record says. */
  paths(projectId: string, sessionId: string, file: string): { md: string; jsonl: string };
  /** The content of a version's file; undefined when it is gone. */
  read(
    projectId: string,
    sessionId: string,
    file: string,
    format: keyof VersionFiles['texts'],
  ): Promise<string | undefined>;
}

/** The files of compositions, `composed/<name>/`, and `armed.json`. What changes a composition is called inside `updateManifest`, and takes effect with it. */
export interface CompositionStore {
  /** Writes files of a composition, by their names in its folder; those that are there already are replaced. */
  keep(projectId: string, name: string, files: Readonly<Record<string, string>>): Promise<void>;
  /** Gives all files of a composition another folder. */
  move(projectId: string, record: ComposedContextRecord, to: string): Promise<void>;
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

export type StoreErrorReason =
  | 'newer-version'
  | 'corrupt'
  | 'locked'
  | 'disk-full'
  | 'read-only'
  | 'not-permitted'
  | 'unsafe-name'
  | 'not-found'
  | 'already-there'
  | 'link'
  | 'io';

interface StoreErrorDetails {
  /** The file, folder or name that the failure is about. */
  path: string;
  /** More about it, as part of a sentence: who holds the lock, which version was found, which value is not allowed. */
  detail?: string;
}

const storeTexts: Record<StoreErrorReason, (path: string, detail: string) => ErrorText> = {
  'newer-version': (path, detail) => ({
    message: `${path} was written by a newer Keepit${detail}.`,
    hint: 'Update Keepit; nothing was changed.',
  }),
  corrupt: (path, detail) => ({
    message: `${path} cannot be read${detail}.`,
    hint: 'Correct the file by hand, or run `keepit doctor --repair`.',
  }),
  locked: (path, detail) => ({
    message: `${path} is being written by another process${detail}.`,
    hint: 'Try again in a moment; `keepit doctor` shows locks that were left behind.',
  }),
  'disk-full': (path, detail) => ({
    message: `There is no space left to write ${path}${detail}.`,
    hint: 'Free some disk space and try again; nothing was changed.',
  }),
  'read-only': (path, detail) => ({
    message: `${path} is on a read-only file system${detail}.`,
    hint: 'Point CLAUDE_MEMORY_DIR, or the setting keepit.memoryDirectory, to a folder that can be written.',
  }),
  'not-permitted': (path, detail) => ({
    message: `${path} may not be opened by this user${detail}.`,
    hint: 'Give yourself access to the folder, or run `keepit doctor --repair`.',
  }),
  'unsafe-name': (path, detail) => ({
    message: `${JSON.stringify(path)} cannot be used as a name${detail}.`,
    hint: 'Use a plain name, without a path in it.',
  }),
  'not-found': (path, detail) => ({
    message: `${path} is not in memory${detail}.`,
    hint: '`keepit sessions` lists what is in memory.',
  }),
  'already-there': (path, detail) => ({
    message: `${path} is in memory again${detail}.`,
    hint: 'Remove it from memory first; nothing was changed.',
  }),
  link: (path, detail) => ({
    message: `${path} is a symbolic link, and Keepit follows none there${detail}.`,
    hint: 'Put a file or folder of its own in its place. Only the top folder itself (the store, Claude Code’s, the project’s) may be a link. Nothing was changed.',
  }),
  io: (path, detail) => ({
    message: `${path} could not be read or written${detail}.`,
    hint: 'Run `keepit doctor` to find out what is wrong with the folder.',
  }),
};

/** The store could not be read or written. Whatever was there before is still there. */
export class StoreError extends KeepitError {
  constructor(
    readonly reason: StoreErrorReason,
    readonly details: StoreErrorDetails,
    options?: { cause?: unknown },
  ) {
    const detail = details.detail === undefined ? '' : `: ${details.detail}`;
    super(`store-${reason}`, storeTexts[reason](details.path, detail), options);
  }
}
