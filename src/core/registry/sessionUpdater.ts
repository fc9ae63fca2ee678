import { collectKeepits } from '../keepit/collectKeepits';
import { withHistory } from '../keepit/effectiveKeepits';
import { isMarkerWeight } from '../keepit/markerParser';
import type { KeepitMarker } from '../model/keepit';
import type { NewProject, SessionManifestEntry } from '../model/manifest';
import { projectSettingsFrom } from '../model/manifestDocument';
import type { ClaudeFolder, Clock, KeptFile, MemoryStore, SummaryCache, TranscriptFile } from '../ports';
import type { TokenEstimator } from '../transcript/types';
import type { ConversationLoader } from './conversationLoader';
import { titleOf } from './discoveredSession';
import type { DigestReader, DigestReading } from './digestReader';
import { commonCwd, projectNames } from './projectNames';
import type { SessionSource } from './sessionSources';
import type { TranscriptDigest } from './transcriptDigest';

export interface SessionUpdate {
  entry: SessionManifestEntry;
  /** The store had all of this already: nothing was written. */
  isUnchanged: boolean;
}

export interface SessionUpdaterParts {
  claude: ClaudeFolder;
  store: MemoryStore;
  cache: SummaryCache;
  clock: Clock;
  digests: DigestReader;
  loader: ConversationLoader;
}

/** For reading words whose tokens nobody asks for. */
export const uncounted: TokenEstimator = { estimate: () => 0, estimateBytes: () => 0 };

/** Brings the store in line with a session's transcript: the one way in which sessions are registered and synced. */
export class SessionUpdater {
  constructor(private readonly parts: SessionUpdaterParts) {}

  /**
   * Registers the session, or takes in what is new of it, in one step: the original is kept and the manifest names it,
   * or neither. Throws `TranscriptUnreadableError`, `StoreError`.
   */
  async update(source: SessionSource, signal?: AbortSignal): Promise<SessionUpdate> {
    const { ref, file, entry: before } = source;
    const reading = await this.parts.digests.read(ref.projectId, file, 'exact', signal);
    if (before !== undefined && (await this.isCurrent(before, reading.digest, source))) {
      return { entry: before, isUnchanged: true };
    }
    const markers = await this.markers(source, reading, signal);
    const project = await this.newProject(ref.projectId, reading.digest);
    const manifest = await this.parts.store.updateManifest(project, async (current) => {
      const kept = await this.keep(source, signal);
      const known = Object.hasOwn(current.sessions, ref.sessionId) ? current.sessions[ref.sessionId] : undefined;
      const entry = this.entryOf({ source, known, markers, kept, reading });
      entry.metadata.projectName = current.displayName;
      return { ...current, sessions: { ...current.sessions, [ref.sessionId]: entry } };
    });
    const entry = manifest.sessions[ref.sessionId];
    if (entry === undefined) throw new TypeError(`The store lost ${ref.sessionId}`);
    return { entry, isUnchanged: false };
  }

  private async isCurrent(
    entry: SessionManifestEntry,
    digest: TranscriptDigest,
    { ref, agents }: SessionSource,
  ): Promise<boolean> {
    const { store, claude } = this.parts;
    if (entry.kept?.syncedBytes !== digest.end.offset || entry.originalMessages !== digest.messages) return false;
    if (entry.originalTokens !== digest.tokens) return false;
    const path = await store.originalPath(ref.projectId, ref.sessionId);
    const original = path === undefined ? undefined : await claude.stat(path);
    if (original === undefined || original.bytes < entry.kept.bytes) return false;
    const kept = await store.keptSubAgents(ref.projectId, ref.sessionId);
    return bytesOf(kept) >= bytesOf(agents);
  }

  private async keep({ ref, file, agents, isKept, entry }: SessionSource, signal?: AbortSignal): Promise<KeptFile> {
    const { store } = this.parts;
    const { projectId, sessionId } = ref;
    const path = isKept ? (entry?.originalFile ?? file.path) : file.path;
    const kept = await store.keepOriginal(projectId, sessionId, path, signal);
    const agentPaths = agents.map((agent) => agent.path);
    if (!isKept && agentPaths.length > 0) await store.keepSubAgents(projectId, sessionId, agentPaths, signal);
    return kept;
  }

  /** The session's keepits. Reads only the new bytes where those cannot have changed what was found before. */
  private async markers(
    { file, entry }: SessionSource,
    { digest, isContinued }: DigestReading,
    signal?: AbortSignal,
  ): Promise<KeepitMarker[]> {
    if (!Object.keys(digest.keepitCandidates).some(isMarkerWeight)) return [];
    const { loader } = this.parts;
    const before = entry?.keepitMarkers ?? [];
    if (entry?.kept !== undefined && isContinued === true) {
      const { messages } = await loader.load(
        file.path,
        { estimator: uncounted, start: entry.kept.syncedBytes },
        signal,
      );
      // With less than there was and came, a rewind has left something behind: only the whole conversation tells what.
      if (entry.originalMessages + messages.length === digest.messages) {
        return [...before, ...collectKeepits(messages).markers];
      }
    }
    const { messages } = await loader.load(file.path, { estimator: uncounted }, signal);
    return collectKeepits(messages).markers;
  }

  /** What a manifest is made from; named by all that is known of the project's sessions. */
  private async newProject(projectId: string, digest: TranscriptDigest): Promise<NewProject> {
    const { cache, store } = this.parts;
    const { transcripts } = await cache.load(projectId);
    const names = projectNames(projectId, [digest, ...Object.values(transcripts).map((known) => known.digest)]);
    return { projectId, ...names, settings: projectSettingsFrom(await store.readConfig()) };
  }

  private entryOf(facts: {
    source: SessionSource;
    known: SessionManifestEntry | undefined;
    reading: DigestReading;
    markers: KeepitMarker[];
    kept: KeptFile;
  }): SessionManifestEntry {
    const { source, known, markers, kept } = facts;
    const { digest } = facts.reading;
    const now = this.parts.clock.now().toISOString();
    return {
      ...known,
      sessionId: source.ref.sessionId,
      originalFile: source.isKept ? (known?.originalFile ?? source.file.path) : source.file.path,
      originalTokens: digest.tokens,
      originalMessages: digest.messages,
      firstTimestamp: digest.firstTimestamp ?? '',
      lastTimestamp: digest.lastTimestamp ?? '',
      registeredAt: known?.registeredAt ?? now,
      lastAccessed: known?.lastAccessed ?? now,
      metadata: { ...known?.metadata, ...metadataOf(facts.reading) },
      keepitMarkers: withHistory(markers, known?.keepitMarkers ?? []),
      compressions: known?.compressions ?? [],
      kept: { ...kept, syncedBytes: digest.end.offset, syncedLines: digest.end.line },
    };
  }
}

function metadataOf({ digest, foreignTitle }: DigestReading): SessionManifestEntry['metadata'] {
  const { gitBranch, versions, models, copiedFrom } = digest;
  const claudeVersion = versions.at(-1);
  return {
    title: titleOf(digest, foreignTitle),
    cwd: commonCwd(digest),
    ...(gitBranch !== undefined && { gitBranch }),
    ...(claudeVersion !== undefined && { claudeVersion }),
    models,
    ...(copiedFrom.length > 0 && { copiedFrom }),
  };
}

function bytesOf(files: readonly TranscriptFile[]): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}
