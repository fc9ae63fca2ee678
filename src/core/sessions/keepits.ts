import { KeepitMarkError } from '../keepits/keepitMarkError';
import {
  judgeSurvival,
  levelForRatio,
  survivalReach,
  survivalThreshold,
  type DecayLevel,
  usualCompression,
  sessionDistance,
} from '../keepits/decay';
import {
  effectiveKeepits,
  type EffectiveKeepit,
  withAddition,
  withRemoval,
  withRestoration,
  withWeight,
  type Overlay,
} from '../keepits/effectiveKeepits';
import { findSpans, type MarkRequest } from '../keepits/markSpan';
import { settingsOf, type SessionManifestEntry } from '../model/manifest';
import { ownValue } from '../text/ownValue';
import { entryOf, type Clock, type MemoryStore } from '../model/host';
import { SessionLookupError } from './sessionLookupError';
import { keepitsOf, withKnown, type KeepitReader, type OpenedSession } from './keepitReader';
import type { DecayContext, DecayPreview, KeepitRef, SessionRef } from './results';
import type { SessionIndex } from './sessionIndex';

interface KeepitServiceParts {
  store: MemoryStore;
  clock: Clock;
  sources: SessionIndex;
  reader: KeepitReader;
}

/** Where a keepit is looked for. */
interface KeepitScope {
  /** All projects when absent. */
  projectId?: string | undefined;
  /** Only this session. */
  session?: SessionRef | undefined;
}

/** A compression that is thought of. */
interface DecayRequest {
  /** 30 for 30:1; at least 1. */
  ratio: number;
  /** Follows from the ratio when absent. */
  level?: DecayLevel | undefined;
  /** The session's rank by recency when absent. */
  distance?: number | undefined;
}

/** What a change starts from, and what it is made with. */
interface ChangeState {
  overlay: Overlay;
  keepits: readonly EffectiveKeepit[];
  nowIso: string;
}

const MIN_PREFIX = 4;

/** Changes what counts as a keepit, in the manifest, never in a transcript. */
export class KeepitService {
  constructor(private readonly parts: KeepitServiceParts) {}

  /**
   * The keepit that an id, or a unique beginning of one, means: once for every session in memory that holds it (a resumed session
   * repeats the words of the one before), newest first. Throws `KeepitMarkError`.
   */
  async find(id: string, scope: KeepitScope = {}, signal?: AbortSignal): Promise<KeepitRef[]> {
    const word = id.toLowerCase();
    if (word.length < MIN_PREFIX) throw new KeepitMarkError('too-short', id);
    if (scope.session !== undefined) {
      const session = await this.parts.reader.open(scope.session, signal);
      return chosen(word, refsOf(session.ref, keepitsOf(session), word));
    }
    const entries = await this.parts.reader.entries(scope.projectId);
    const stored = entries.flatMap(({ ref, entry }) => refsOf(ref, storedMarkers(entry), word));
    return chosen(word, stored.length > 0 ? stored : await this.findInGrown(entries, word, signal));
  }

  /** Marks words of a registered session; one keepit for each text block that they are in. Throws `KeepitMarkError`, `SessionLookupError`. */
  async add(
    ref: SessionRef,
    { weight, ...request }: MarkRequest & { weight: number },
    signal?: AbortSignal,
  ): Promise<EffectiveKeepit[]> {
    const session = await this.openRegistered(ref, signal);
    if (session.conversation === undefined) throw new SessionLookupError('not-found', ref.sessionId);
    const spans = findSpans(session.conversation, request);
    const ids = new Set<string>();
    const keepits = await this.change(session, ({ overlay, keepits: all, nowIso }) => {
      let changed = overlay;
      for (const span of spans) {
        const added = withAddition(changed, span, { weight, all, nowIso });
        changed = added.overlay;
        ids.add(added.markerId);
      }
      return changed;
    });
    return keepits.filter(({ markerId }) => ids.has(markerId));
  }

  async setWeight(ref: KeepitRef, weight: number, signal?: AbortSignal): Promise<EffectiveKeepit> {
    return this.changeOne(ref, (keepit, { overlay, nowIso }) => withWeight(overlay, keepit, weight, nowIso), signal);
  }

  async remove(ref: KeepitRef, signal?: AbortSignal): Promise<EffectiveKeepit> {
    return this.changeOne(ref, (keepit, { overlay, nowIso }) => withRemoval(overlay, keepit, nowIso), signal);
  }

  async restore(ref: KeepitRef, signal?: AbortSignal): Promise<EffectiveKeepit> {
    return this.changeOne(
      ref,
      (keepit, { overlay, keepits, nowIso }) => withRestoration(overlay, keepit, keepits, nowIso),
      signal,
    );
  }

  /** What would become of a session's keepits, registered or not; without a request in what is usual for its project. */
  async decayPreview(ref: SessionRef, request?: DecayRequest, signal?: AbortSignal): Promise<DecayPreview> {
    const session = await this.parts.reader.open(ref, signal);
    const { config: keepitDecay, isDecayOn, usual } = await this.decayContext(ref.projectId);
    const { ratio, level = levelForRatio(ratio), ...asked }: DecayRequest = request ?? usual;
    const distance = asked.distance ?? (await this.distance(session, keepitDecay.rehearsal));
    const settings = { ratio, level, distance };
    const live = keepitsOf(session).filter(({ state }) => state === 'live');
    return {
      ...ref,
      markers: live.map(({ markerId, effectiveWeight: weight, content }) => ({
        markerId,
        weight,
        ...judgeSurvival(weight, settings, keepitDecay),
        reach: survivalReach(weight, settings, keepitDecay),
        content,
      })),
      threshold: survivalThreshold(settings, keepitDecay),
      isDecayOn,
      ...settings,
    };
  }

  /** What the survival of keepits depends on besides their weights; without a project, by the configuration alone. */
  async decayContext(projectId?: string): Promise<DecayContext> {
    const config = await this.parts.store.readConfig();
    const manifest = projectId === undefined ? undefined : await this.parts.store.readManifest(projectId);
    const { keepitDecayEnabled, defaultCompressionPreset } = settingsOf(manifest, config);
    const facts = Object.values(manifest?.sessions ?? {}).map(
      ({ sessionId, lastTimestamp, registeredAt, lastAccessed }) => ({
        sessionId,
        lastTimestamp,
        registeredAt,
        lastAccessed,
      }),
    );
    const usual = usualCompression(defaultCompressionPreset);
    return { config: config.keepitDecay, usual, isDecayOn: keepitDecayEnabled, inMemory: facts };
  }

  private async distance({ ref, entry, conversation }: OpenedSession, rehearsal: boolean): Promise<number> {
    const manifest = await this.parts.store.readManifest(ref.projectId);
    const lastTimestamp = conversation?.meta.lastTimestamp ?? '';
    const own = entry ?? { sessionId: ref.sessionId, lastTimestamp };
    return sessionDistance(own, Object.values(manifest?.sessions ?? {}), { rehearsal });
  }

  /** Sessions that have grown since they were synced may hold markers that no manifest knows yet. */
  private async findInGrown(
    entries: readonly { ref: SessionRef; entry: SessionManifestEntry }[],
    word: string,
    signal?: AbortSignal,
  ): Promise<KeepitRef[]> {
    const refs = entries.map(({ ref }) => ref);
    const found: KeepitRef[] = [];
    for (const source of await this.parts.sources.locateAll(refs, signal)) {
      if (source === undefined || source.file.bytes === source.entry?.kept?.syncedBytes) continue;
      const session = await this.parts.reader.open(source.ref, signal);
      found.push(...refsOf(source.ref, keepitsOf(session), word));
    }
    return found;
  }

  private async changeOne(
    { markerId, ...ref }: KeepitRef,
    work: (keepit: EffectiveKeepit, state: ChangeState) => Overlay,
    signal?: AbortSignal,
  ): Promise<EffectiveKeepit> {
    const session = await this.openRegistered(ref, signal);
    const isMeant = (keepit: EffectiveKeepit): boolean => keepit.markerId === markerId;
    const keepits = await this.change(session, (state) => {
      const keepit = state.keepits.find(isMeant);
      if (keepit === undefined) throw new KeepitMarkError('unknown', markerId);
      return work(keepit, state);
    });
    const changed = keepits.find(isMeant);
    if (changed === undefined) throw new TypeError(`The change lost keepit ${markerId}`);
    return changed;
  }

  private async openRegistered(ref: SessionRef, signal?: AbortSignal): Promise<OpenedSession> {
    if ((await entryOf(this.parts.store, ref)) === undefined)
      throw new SessionLookupError('not-registered', ref.sessionId);
    const session = await this.parts.reader.open(ref, signal);
    signal?.throwIfAborted();
    return session;
  }

  /**
   * Writes what `work` makes of the overlay. It gets the overlay as it is inside the lock, so that it never sees, or
   * overwrites, half of what another window does; the transcript was read before, as nothing that was said ever changes.
   */
  private async change(
    { ref: { projectId, sessionId }, found }: OpenedSession,
    work: (state: ChangeState) => Overlay,
  ): Promise<EffectiveKeepit[]> {
    const { store, clock } = this.parts;
    const manifest = await store.readManifest(projectId);
    if (manifest === undefined) throw new SessionLookupError('not-registered', sessionId);
    let keepits: EffectiveKeepit[] = [];
    await store.updateManifest(manifest, (current) => {
      const entry = ownValue(current.sessions, sessionId);
      if (entry === undefined) throw new SessionLookupError('not-registered', sessionId);
      const known = withKnown(found, entry);
      const ref = { projectId, sessionId };
      const overlay = entry.keepitOverlay ?? [];
      const before = effectiveKeepits(ref, known, overlay);
      const changed = work({ overlay, keepits: before, nowIso: clock.now().toISOString() });
      keepits = effectiveKeepits(ref, known, changed);
      if (changed.length === 0 && overlay.length === 0) return current;
      return { ...current, sessions: { ...current.sessions, [sessionId]: withOverlay(entry, changed) } };
    });
    return keepits;
  }
}

/** An overlay that says nothing is left out, so that a session on which every change was undone is as it was before. */
function withOverlay(
  { keepitOverlay: _before, ...entry }: SessionManifestEntry,
  overlay: Overlay,
): SessionManifestEntry {
  return overlay.length === 0 ? entry : { ...entry, keepitOverlay: [...overlay] };
}

function storedMarkers({ keepitMarkers, keepitOverlay = [] }: SessionManifestEntry): { markerId: string }[] {
  const ids = [...keepitMarkers, ...keepitOverlay.map(({ marker }) => marker)].map(({ markerId }) => markerId);
  return [...new Set(ids)].map((markerId) => ({ markerId }));
}

function refsOf(ref: SessionRef, markers: readonly { markerId: string }[], word: string): KeepitRef[] {
  return markers.filter(({ markerId }) => markerId.startsWith(word)).map(({ markerId }) => ({ ...ref, markerId }));
}

/** All places of one keepit. */
function chosen(word: string, refs: readonly KeepitRef[]): KeepitRef[] {
  const exact = refs.filter(({ markerId }) => markerId === word);
  if (exact.length > 0) return exact;
  const ids = [...new Set(refs.map(({ markerId }) => markerId))];
  if (ids.length === 0) throw new KeepitMarkError('unknown', word);
  if (ids.length > 1) throw new KeepitMarkError('ambiguous', word, ids.slice(0, 10).join(', '));
  return [...refs];
}
