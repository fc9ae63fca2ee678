import { failureText, onlyExpected } from '../text/keepitError';
import {
  effectiveKeepits,
  knownKeepits,
  withHistory,
  type EffectiveKeepit,
  type FoundKeepits,
  findKeepits,
} from '../keepits/effectiveKeepits';
import type { SessionManifestEntry } from '../model/manifest';
import { entryOf, manifestsIn, type MemoryStore } from '../model/host';
import type { Conversation } from '../transcript/types';
import { mapLimited } from '../text/mapLimited';
import { SessionLookupError } from './sessionLookupError';
import type { KeepitListing, OnProgress, SessionRef, SessionSource } from './results';
import type { SessionIndex } from './sessionIndex';

interface KeepitReaderParts {
  store: MemoryStore;
  sources: SessionIndex;
}

/** A session whose keepits have been found. */
export interface OpenedSession {
  ref: SessionRef;
  found: FoundKeepits;
  /** Present for a registered session. */
  entry?: SessionManifestEntry;
  /** Absent when nothing is left of the transcript. */
  conversation?: Conversation;
}

/** Whole conversations are held while their keepits are looked for. */
const PARALLEL_READINGS = 4;

/** Reads keepits where they stand, in the transcripts, and puts what people changed about them on top. Writes nothing. */
export class KeepitReader {
  constructor(private readonly parts: KeepitReaderParts) {}

  /** A session, registered or not, from Claude Code's file, else from the kept original, else from the manifest alone. */
  async open(ref: SessionRef, signal?: AbortSignal): Promise<OpenedSession> {
    const [source] = await this.parts.sources.locateAll([ref], signal);
    if (source !== undefined) return this.read(source, signal);
    const entry = await entryOf(this.parts.store, ref);
    if (entry === undefined) throw new SessionLookupError('not-found', ref.sessionId);
    return { ref, entry, found: knownKeepits(entry.keepitMarkers) };
  }

  /** The keepits of one session. */
  async list(ref: SessionRef, signal?: AbortSignal): Promise<KeepitListing> {
    return listingOf([await this.open(ref, signal)]);
  }

  /** The keepits of one session whose transcript has been read already. */
  async listFound({ projectId, sessionId }: SessionRef, found: FoundKeepits): Promise<KeepitListing> {
    const ref = { projectId, sessionId };
    const entry = await entryOf(this.parts.store, ref);
    return listingOf([entry === undefined ? { ref, found } : { ref, entry, found: withKnown(found, entry) }]);
  }

  /**
   * The keepits of all registered sessions, of all projects when `projectId` is absent. Those without a marker are not opened; one that fails
   * does not stop the others.
   */
  async listProjects(projectId?: string, onProgress?: OnProgress, signal?: AbortSignal): Promise<KeepitListing> {
    const entries = await this.entries(projectId);
    const sources = await this.parts.sources.locateAll(
      entries.map(({ ref }) => ref),
      signal,
    );
    const failed: KeepitListing['failed'] = [];
    let done = 0;
    const located = entries.map((known, index) => ({ ...known, source: sources[index] }));
    const opened = await mapLimited(located, PARALLEL_READINGS, async ({ ref, entry, source }) => {
      signal?.throwIfAborted();
      try {
        return await this.openIfMarked({ ref, entry, source }, signal);
      } catch (error) {
        onlyExpected(error);
        failed.push({ session: ref.sessionId, error: failureText(error) });
        return { ref, entry, found: knownKeepits(entry.keepitMarkers) };
      } finally {
        onProgress?.({ step: 'keepits', done: ++done, total: entries.length, label: entry.metadata.title ?? '' });
      }
    });
    return { ...listingOf(opened.filter((session) => session !== undefined)), failed };
  }

  /** Registered sessions, newest first; of all projects when `only` is absent. */
  async entries(only?: string): Promise<{ ref: SessionRef; entry: SessionManifestEntry }[]> {
    const all = (await manifestsIn(this.parts.store, only)).flatMap(({ projectId, sessions }) =>
      Object.values(sessions).map((entry) => ({ ref: { projectId, sessionId: entry.sessionId }, entry })),
    );
    return all.sort((a, b) => (a.entry.lastTimestamp < b.entry.lastTimestamp ? 1 : -1));
  }

  private async openIfMarked(
    { ref, entry, source }: { ref: SessionRef; entry: SessionManifestEntry; source: SessionSource | undefined },
    signal?: AbortSignal,
  ): Promise<OpenedSession | undefined> {
    if (source === undefined) return { ref, entry, found: knownKeepits(entry.keepitMarkers) };
    if (entry.keepitMarkers.length === 0 && entry.keepitOverlay === undefined) {
      const { stats } = await this.parts.sources.stats(source, 'estimate', signal);
      if (Object.keys(stats.keepitCandidates).length === 0) return undefined;
    }
    return this.read(source, signal);
  }

  private async read(source: SessionSource, signal?: AbortSignal): Promise<OpenedSession> {
    const { ref, entry } = source;
    const conversation = await this.parts.sources.open(source, {}, signal);
    const found = findKeepits(conversation);
    if (entry === undefined) return { ref, conversation, found };
    return { ref, entry, conversation, found: withKnown(found, entry) };
  }
}

/** What was found, with the survival that the manifest has recorded of it. */
export function withKnown(found: FoundKeepits, { keepitMarkers }: SessionManifestEntry): FoundKeepits {
  return {
    ...found,
    markers: withHistory(found.markers, keepitMarkers),
    abandoned: withHistory(found.abandoned, keepitMarkers),
  };
}

/** The keepits of a session that was opened, with what people changed about them. */
export function keepitsOf({ ref, found, entry }: OpenedSession): EffectiveKeepit[] {
  return effectiveKeepits(ref, found, entry?.keepitOverlay);
}

function listingOf(sessions: readonly OpenedSession[]): KeepitListing {
  const all = sessions.flatMap(keepitsOf);
  return {
    keepits: all.filter(({ state }) => state === 'live'),
    inactive: all.filter(({ state }) => state !== 'live'),
    diagnostics: sessions.flatMap(({ ref, found }) => found.diagnostics.map((one) => ({ ...one, ...ref }))),
    failed: [],
  };
}
