import type { SessionSource } from './results';
import { TranscriptUnreadableError, type ClaudeFolder } from '../transcript/claudeFolder';
import { collectKeepits, KEEPIT_RULES } from '../keepits/collectKeepits';
import { withHistory } from '../keepits/effectiveKeepits';
import { isMarkerWeight } from '../keepits/markerParser';
import type { KeepitMarker } from '../model/keepit';
import type { NewProject, ProjectManifest, SessionManifestEntry } from '../model/manifest';
import { ownValue, sumOf } from '../text/ownValue';
import type { TranscriptFile, Clock, KeptFile, MemoryStore } from '../model/host';
import { mapLimited, settled } from '../text/mapLimited';
import type { StatsCache } from './statsCache';
import { commonCwd, projectNames } from './projectNames';
import type { SessionIndex } from './sessionIndex';
import type { StatsReading } from './statsReader';
import { bestTitle, type SessionStats } from '../transcript/sessionStats';

interface SessionUpdate {
  entry: SessionManifestEntry;
  /** The store had all of this already: nothing was written. */
  isUnchanged: boolean;
}

interface SessionUpdaterParts {
  claude: ClaudeFolder;
  store: MemoryStore;
  cache: StatsCache;
  clock: Clock;
  sources: SessionIndex;
}

/** A session that was read: its entry is made when the manifest is there that it goes into. */
interface SessionDraft {
  readonly source: SessionSource;
  readonly reading: StatsReading;
  readonly markers: KeepitMarker[];
}

/** How many files are looked at or kept at once. */
const PARALLEL_FILES = 8;

/** Brings the store in line with a session's transcript: the one way in which sessions are registered and synced. */
export class SessionUpdater {
  constructor(private readonly parts: SessionUpdaterParts) {}

  /**
   * Registers the session, or takes in what is new of it, in one step: the original is kept and the manifest names it,
   * or neither. Throws `TranscriptUnreadableError`, `StoreError`.
   */
  async update(source: SessionSource, signal?: AbortSignal): Promise<SessionUpdate> {
    const [outcome] = await this.updateAll(source.ref.projectId, [source], signal);
    if (outcome?.status !== 'fulfilled') throw outcome?.reason;
    return outcome.value;
  }

  /**
   * As `update`, for several sessions of a project, in their order, and with one change of the manifest for all of them.
   * What fails, fails by itself; an abort before the manifest is written leaves none of them done.
   */
  async updateAll(
    projectId: string,
    sources: readonly SessionSource[],
    signal?: AbortSignal,
  ): Promise<PromiseSettledResult<SessionUpdate>[]> {
    const files = sources.map(({ file }) => file);
    const readings = await this.parts.sources.reader.readAll(projectId, files, 'estimate', signal);
    const drafts = new Map<SessionSource, SessionDraft>();
    const outcomes = new Map<SessionSource, PromiseSettledResult<SessionUpdate>>();
    await mapLimited([...sources.entries()], PARALLEL_FILES, async ([index, source]) => {
      const reading = readings[index];
      if (reading?.status !== 'fulfilled') {
        outcomes.set(source, reading ?? lost(source));
        return;
      }
      const drafted = await settled(this.draft(source, reading.value, signal));
      if (drafted.status === 'rejected') outcomes.set(source, drafted);
      else if (drafted.value === undefined) outcomes.set(source, unchanged(source));
      else drafts.set(source, drafted.value);
    });
    signal?.throwIfAborted();
    for (const [source, outcome] of await this.keepAll(projectId, [...drafts.values()], signal)) {
      outcomes.set(source, outcome);
    }
    return sources.map((source) => outcomes.get(source) ?? lost(source));
  }

  /** What the session's entry is to be made from; undefined when the store has all of it already. */
  private async draft(
    source: SessionSource,
    reading: StatsReading,
    signal?: AbortSignal,
  ): Promise<SessionDraft | undefined> {
    const { entry } = source;
    if (entry !== undefined && (await this.isCurrent(entry, reading.stats, source))) return undefined;
    return { source, reading, markers: await this.markers(source, reading, signal) };
  }

  /** Keeps the originals and writes the manifest, once. Where one session cannot be kept, nothing is: then the others alone. */
  private async keepAll(
    projectId: string,
    drafts: readonly SessionDraft[],
    signal?: AbortSignal,
  ): Promise<Map<SessionSource, PromiseSettledResult<SessionUpdate>>> {
    const outcomes = new Map<SessionSource, PromiseSettledResult<SessionUpdate>>();
    for (let rest = drafts; rest.length > 0;) {
      const failed: SessionDraft[] = [];
      try {
        const { sessions } = await this.writeEntries(projectId, rest, (draft) => failed.push(draft), signal);
        for (const { source } of rest) {
          const entry = ownValue(sessions, source.ref.sessionId);
          const value = entry && { entry, isUnchanged: false };
          outcomes.set(source, value === undefined ? lost(source) : { status: 'fulfilled', value });
        }
        return outcomes;
      } catch (reason) {
        signal?.throwIfAborted();
        const culprits = failed.length > 0 ? failed : rest;
        for (const { source } of culprits) outcomes.set(source, { status: 'rejected', reason });
        rest = rest.filter((draft) => !culprits.includes(draft));
      }
    }
    return outcomes;
  }

  private async writeEntries(
    projectId: string,
    drafts: readonly SessionDraft[],
    onFailed: (draft: SessionDraft) => void,
    signal?: AbortSignal,
  ): Promise<ProjectManifest> {
    const project = await this.newProject(projectId, drafts);
    return this.parts.store.updateManifest(project, async (current) => {
      const entries = await mapLimited(drafts, PARALLEL_FILES, async (draft) => {
        try {
          const kept = await this.keep(draft.source, signal);
          const entry = this.entryOf(draft, current.sessions, kept);
          entry.metadata.projectName = current.displayName;
          return [entry.sessionId, entry] as const;
        } catch (error) {
          onFailed(draft);
          throw error;
        }
      });
      return { ...current, sessions: { ...current.sessions, ...Object.fromEntries(entries) } };
    });
  }

  private async isCurrent(
    entry: SessionManifestEntry,
    stats: SessionStats,
    { ref, file, agents, isKept }: SessionSource,
  ): Promise<boolean> {
    const { store, claude } = this.parts;
    if (entry.kept?.syncedBytes !== stats.end.offset || entry.originalMessages !== stats.messages) return false;
    if (originalTokensOf(entry, stats).originalTokens !== entry.originalTokens || entry.keepitRules !== KEEPIT_RULES)
      return false;
    const path = await store.sessions.path(ref.projectId, ref.sessionId).catch(unlessUnreadable);
    const original = path === undefined ? undefined : await claude.stat(path);
    if (original === undefined || original.bytes < entry.kept.bytes) return false;
    // A copy has the date of what it was made from: an edit of the same length shows there alone.
    if (!isKept && Math.abs(original.mtimeMs - file.mtimeMs) >= 1) return false;
    const isLink = entry.kept.method === 'link' || isSameFile(original, file);
    if (!isKept && isLink && (await store.readConfig()).storage.originals !== 'link') return false;
    const kept = await store.sessions.subAgents(ref.projectId, ref.sessionId);
    return bytesOf(kept) >= bytesOf(agents);
  }

  private async keep({ ref, file, agents, isKept, entry }: SessionSource, signal?: AbortSignal): Promise<KeptFile> {
    const { store } = this.parts;
    const { projectId, sessionId } = ref;
    const path = isKept ? (entry?.originalFile ?? file.path) : file.path;
    const kept = await store.sessions.keep(projectId, sessionId, path, signal);
    const agentPaths = agents.map((agent) => agent.path);
    if (!isKept && agentPaths.length > 0) await store.sessions.keepSubAgents(projectId, sessionId, agentPaths, signal);
    return kept;
  }

  /** The session's keepits. */
  private async markers(source: SessionSource, { stats }: StatsReading, signal?: AbortSignal): Promise<KeepitMarker[]> {
    if (!Object.keys(stats.keepitCandidates).some(isMarkerWeight)) return [];
    const { messages, copiedMarkers } = await this.parts.sources.open(source, {}, signal);
    return collectKeepits(messages, copiedMarkers).markers;
  }

  /** What a manifest is made from; named by all that is known of the project's sessions. */
  private async newProject(projectId: string, drafts: readonly SessionDraft[]): Promise<NewProject> {
    const { transcripts } = await this.parts.cache.load(projectId);
    const known = [
      ...drafts.map(({ reading }) => reading.stats),
      ...Object.values(transcripts).map(({ stats }) => stats),
    ];
    const names = projectNames(projectId, known, await this.parts.claude.folderOf(projectId));
    return { projectId, ...names };
  }

  private entryOf(
    { source, reading, markers }: SessionDraft,
    sessions: ProjectManifest['sessions'],
    kept: KeptFile,
  ): SessionManifestEntry {
    const { sessionId } = source.ref;
    const known = ownValue(sessions, sessionId);
    const { stats } = reading;
    const now = this.parts.clock.now().toISOString();
    const { originalTokensKind: _kind, ...others }: Partial<SessionManifestEntry> = known ?? {};
    const before = known ?? { registeredAt: now, lastAccessed: now, keepitMarkers: [], compressions: [] };
    return {
      ...others,
      sessionId,
      originalFile: source.isKept ? (known?.originalFile ?? source.file.path) : source.file.path,
      ...originalTokensOf(known, stats),
      originalMessages: stats.messages,
      firstTimestamp: stats.meta.firstTimestamp ?? '',
      lastTimestamp: stats.meta.lastTimestamp ?? '',
      registeredAt: before.registeredAt,
      lastAccessed: before.lastAccessed,
      metadata: { ...known?.metadata, ...metadataOf(reading) },
      keepitMarkers: withHistory(markers, before.keepitMarkers),
      keepitRules: KEEPIT_RULES,
      compressions: before.compressions,
      kept: { ...kept, syncedBytes: stats.end.offset, syncedLines: stats.end.line },
    };
  }
}

function isSameFile(a: TranscriptFile, b: TranscriptFile): boolean {
  return a.fileId !== undefined && a.fileId === b.fileId;
}

/** A session that was counted exactly, and has not grown, keeps that count. */
function originalTokensOf(
  known: SessionManifestEntry | undefined,
  { tokens, counting, end }: SessionStats,
): Pick<SessionManifestEntry, 'originalTokens' | 'originalTokensKind'> {
  const isCounted = known?.originalTokensKind === undefined && known?.kept?.syncedBytes === end.offset;
  if (counting === 'exact') return { originalTokens: tokens };
  return isCounted
    ? { originalTokens: known.originalTokens }
    : { originalTokens: tokens, originalTokensKind: 'estimate' };
}

function unchanged({ entry, ref }: SessionSource): PromiseSettledResult<SessionUpdate> {
  return entry === undefined ? lost({ ref }) : { status: 'fulfilled', value: { entry, isUnchanged: true } };
}

function lost({ ref }: Pick<SessionSource, 'ref'>): PromiseRejectedResult {
  return { status: 'rejected', reason: new TypeError(`The store lost ${ref.sessionId}`) };
}

function metadataOf({ stats, foreignTitle }: StatsReading): SessionManifestEntry['metadata'] {
  const { gitBranch, versions, models, copiedFrom } = stats.meta;
  return {
    title: bestTitle(stats.titles, foreignTitle) ?? '',
    cwd: commonCwd(stats.meta),
    gitBranch,
    claudeVersion: versions.at(-1),
    models: Object.keys(models),
    ...(copiedFrom.length > 0 && { copiedFrom }),
  };
}

function bytesOf(files: readonly TranscriptFile[]): number {
  return sumOf(files, ({ bytes }) => bytes);
}

/** A kept original that must not be read is as good as none. */
function unlessUnreadable(error: unknown): undefined {
  if (!(error instanceof TranscriptUnreadableError)) throw error;
  return undefined;
}
