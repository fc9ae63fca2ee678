import { openCompositions, type CompositionServices } from './compositions/openCompositions';
import { CompressionService } from './versions/compressionService';
import type { CompressionEstimate, CompressionRequest } from './versions/types';
import type { VersionDiff } from './versions/diff/types';
import type { CompressionResult, VersionDeletion, VersionListing } from './versions/versionListing';
import { VersionService } from './versions/versionService';
import type { EffectiveKeepit, FoundKeepits } from './keepits/effectiveKeepits';
import type { MarkRequest } from './keepits/markSpan';
import type { CompressionRecord } from './model/compression';
import type { Config } from './model/config';
import type { HooksService } from './claude/hooks/hooksService';
import { foreignTextIn } from './knowledge/foreignFiles';
import type { LayersService } from './knowledge/layersService';
import type { RefinementService } from './knowledge/refinement/refinementService';
import type { RollingService } from './knowledge/rolling/rollingService';
import type { NotebookService } from './knowledge/notes/notebookService';
import type { LedgerEntry } from './model/ledger';
import type { ProjectSettings, SessionManifestEntry } from './model/manifest';
import type { MemoryPorts } from './memoryPorts';
import { openKnowledge } from './openKnowledge';
import { withSetting, changeProjectSetting, readProjectSettings } from './sessions/configSettings';
import { DiscoveryService, type DiscoverRequest } from './sessions/discovery';
import { examineMemory, type DoctorParts } from './sessions/doctor';
import { countExactly, SessionViews, type MessageRange, measureMemory } from './sessions/sessionViews';
import { KeepitReader } from './sessions/keepitReader';
import { KeepitService, type DecayRequest, type KeepitScope } from './sessions/keepits';
import { calibrateFromCache } from './sessions/projectCalibration';
import { RegistrationService } from './sessions/registration';
import type {
  DecayContext,
  DecayPreview,
  Discovery,
  DoctorCheck,
  KeepitListing,
  KeepitRef,
  MemoryStats,
  MessageRow,
  OnProgress,
  RegisterResult,
  RegistrationPreview,
  SessionDetails,
  SessionRef,
  SubAgentConversation,
  SyncResult,
  TokenFigure,
  UnregisterPreview,
  UnregisterResult,
} from './sessions/results';
import { SessionIndex } from './sessions/sessionIndex';
import { SessionUpdater } from './sessions/sessionUpdater';
import { TrashService } from './sessions/trashService';
import type { SearchService } from './search/searchService';
import type { Calibration } from './transcript/calibration';
import { EstimatingTokenCounter } from './text/tokens/estimatingTokenCounter';
import type { Conversation } from './transcript/types';

/**
 * The one facade that every host calls (seed 000, 1.3). Expected failures are `KeepitError`s; an abort rejects with the signal's reason and
 * leaves whole what was done until then. Below Claude Code's folder nothing is written.
 */
export class MemoryService {
  /** Contexts composed from many sessions: made, kept, handed over, and seen to arrive. */
  readonly compositions: CompositionServices;
  /** What projects know: what was said, about what, and which rules hold. */
  readonly layers: LayersService;
  /** Summaries of sessions, and what they say together. */
  readonly notebook: NotebookService;
  /** What grows with every session, and rotates. */
  readonly rolling: RollingService;
  /** Has models put what the layers say into better words. */
  readonly refinement: RefinementService;
  /** What Claude Code's hooks gave to sessions, and took in. */
  readonly hooks: HooksService;
  /** Finds words in all of it. */
  readonly search: SearchService;
  /** What was taken out of all that, and can be brought back. */
  readonly trash: TrashService;
  private readonly discovery: DiscoveryService;
  private readonly sources: SessionIndex;
  private readonly views: SessionViews;
  private readonly registration: RegistrationService;
  private readonly doctorParts: DoctorParts;
  private readonly keepitReader: KeepitReader;
  private readonly keepitService: KeepitService;
  private readonly compressions: CompressionService;
  private readonly versionService: VersionService;

  constructor(private readonly ports: MemoryPorts) {
    const { claude, store, cache, clock, log, pause } = ports;
    this.trash = new TrashService(ports);
    this.sources = new SessionIndex(ports);
    this.discovery = new DiscoveryService(ports, this.sources);
    const { sources, discovery } = this;
    const estimator = new EstimatingTokenCounter();
    this.views = new SessionViews({ claude, cache, clock, sources, estimator });
    const updater = new SessionUpdater({ claude, store, cache, clock, sources });
    this.registration = new RegistrationService({ store, claude, log, sources, updater });
    this.keepitReader = new KeepitReader({ store, sources });
    this.keepitService = new KeepitService({ store, clock, sources, reader: this.keepitReader });
    this.compressions = new CompressionService({ store, claude, clock, sources, updater, work: ports.compression });
    this.versionService = new VersionService({ store, sources, pause, work: ports.compression });
    this.compositions = openCompositions({ ...ports, makeVersion: (...request) => this.compress(...request) });
    const { registration, keepitService: keepits, compositions } = this;
    const inner = { discovery, sources, registration, keepits, compositions };
    const knowledge = openKnowledge({ ...ports, ...inner });
    ({ layers: this.layers, notebook: this.notebook, rolling: this.rolling } = knowledge);
    ({ hooks: this.hooks, search: this.search, refinement: this.refinement } = knowledge);
    const foreignIn = foreignTextIn.bind(undefined, this.layers);
    this.doctorParts = { ...ports, discovery, sources, updater, foreignIn };
  }

  /** All projects and sessions, registered or not. A second call opens only the transcripts that have changed. */
  async discover(request?: DiscoverRequest, signal?: AbortSignal): Promise<Discovery> {
    return this.discovery.discover(request, signal);
  }

  /** A session by its id, a unique prefix of at least four characters, or the path of a transcript. Throws `SessionLookupError`. */
  async resolve(ref: string, request?: { projectId?: string }, signal?: AbortSignal): Promise<SessionRef> {
    return this.sources.resolve(ref, request, signal);
  }

  /** The project of a working directory, or the one with that id; undefined when there is none. */
  async resolveProject(pathOrId: string): Promise<string | undefined> {
    return this.sources.resolveProject(pathOrId);
  }

  /** What would be registered; writes nothing. */
  async previewRegistration(ref: SessionRef, signal?: AbortSignal): Promise<RegistrationPreview> {
    return this.registration.preview(ref, signal);
  }

  /** Takes sessions into memory, each in whole or not at all. One that fails does not stop the others. */
  async register(refs: readonly SessionRef[], onProgress?: OnProgress, signal?: AbortSignal): Promise<RegisterResult> {
    return this.registration.register(refs, onProgress, signal);
  }

  /** What would be lost; writes nothing. */
  async previewUnregister(ref: SessionRef): Promise<UnregisterPreview> {
    return this.registration.previewUnregister(ref);
  }

  /** Moves what the store has of a session into its trash. */
  async unregister(ref: SessionRef): Promise<UnregisterResult> {
    return this.registration.unregister(ref);
  }

  /** Undoes `unregister`. */
  async restore(projectId: string, trash: string): Promise<SessionManifestEntry> {
    return this.ports.store.restoreSession(projectId, trash);
  }

  /** Takes in what is new of registered sessions, of all when `refs` is absent; reads only the new bytes. */
  async sync(refs?: readonly SessionRef[], onProgress?: OnProgress, signal?: AbortSignal): Promise<SyncResult> {
    return this.registration.sync(refs ?? (await this.registeredRefs()), onProgress, signal);
  }

  /** Registered sessions, of all projects when `projectId` is absent, newest first. */
  async sessions(projectId?: string): Promise<SessionManifestEntry[]> {
    const entries: SessionManifestEntry[] = [];
    for (const id of await this.projectIds(projectId)) {
      entries.push(...Object.values((await this.ports.store.readManifest(id))?.sessions ?? {}));
    }
    return entries.sort((a, b) => (a.lastTimestamp < b.lastTimestamp ? 1 : -1));
  }

  async show(ref: SessionRef, signal?: AbortSignal): Promise<SessionDetails> {
    return this.views.show(ref, signal);
  }

  /** The whole conversation, from Claude Code's file, else from the kept original. */
  async conversation(ref: SessionRef, signal?: AbortSignal): Promise<Conversation> {
    return this.views.conversation(ref, signal);
  }

  async subAgents(ref: SessionRef, signal?: AbortSignal): Promise<SubAgentConversation[]> {
    return this.views.subAgents(ref, signal);
  }

  /** Messages of the live conversation from `from` to `to`, both included. */
  async messages(ref: SessionRef, range?: MessageRange, signal?: AbortSignal): Promise<MessageRow[]> {
    return this.views.messages(ref, range, signal);
  }

  /** The keepits of a session, registered or not, as they count now: what stands in the transcript, and what people changed about it. */
  async keepits(ref: SessionRef, signal?: AbortSignal): Promise<KeepitListing> {
    return this.keepitReader.list(ref, signal);
  }

  /** As `keepits`, of a conversation that has been read, and looked through, already. */
  async keepitsIn(ref: SessionRef, found: FoundKeepits): Promise<KeepitListing> {
    return this.keepitReader.listFound(ref, found);
  }

  /** The keepits of all registered sessions, of all projects when `projectId` is absent. */
  async projectKeepits(projectId?: string, onProgress?: OnProgress, signal?: AbortSignal): Promise<KeepitListing> {
    return this.keepitReader.listProjects(await this.projectIds(projectId), onProgress, signal);
  }

  /** What an id, or a unique beginning of one, means: the keepit in every registered session that holds it. Throws `KeepitMarkError`. */
  async findKeepit(id: string, scope?: KeepitScope, signal?: AbortSignal): Promise<KeepitRef[]> {
    return this.keepitService.find(id, scope, signal);
  }

  /**
   * Marks words of a registered session, whose transcript stays as it is: a keepit for each text block that they are in. Throws
   * `KeepitMarkError` with what stands against it, and `SessionLookupError` for a session that is not in memory.
   */
  async addKeepit(
    ref: SessionRef,
    request: MarkRequest & { weight: number },
    signal?: AbortSignal,
  ): Promise<EffectiveKeepit[]> {
    return this.keepitService.add(ref, request, signal);
  }

  /** From now on another weight counts; versions that there are already stay as they are. */
  async setKeepitWeight(ref: KeepitRef, weight: number, signal?: AbortSignal): Promise<EffectiveKeepit> {
    return this.keepitService.setWeight(ref, weight, signal);
  }

  /** The keepit counts no more; `restoreKeepit` undoes that. */
  async removeKeepit(ref: KeepitRef, signal?: AbortSignal): Promise<EffectiveKeepit> {
    return this.keepitService.remove(ref, signal);
  }

  /** Brings back a removed keepit; one that is not removed gets its own weight back. */
  async restoreKeepit(ref: KeepitRef, signal?: AbortSignal): Promise<EffectiveKeepit> {
    return this.keepitService.restore(ref, signal);
  }

  /**
   * What the survival of keepits depends on besides their weights, for hosts that judge while somebody types. Without a project, what
   * the configuration alone says.
   */
  async decayContext(projectId?: string): Promise<DecayContext> {
    return this.keepitService.decayContext(projectId);
  }

  /** What would become of a session's keepits in a compression (seed 000, appendix A); writes nothing. */
  async decayPreview(ref: SessionRef, request: DecayRequest, signal?: AbortSignal): Promise<DecayPreview> {
    return this.keepitService.decayPreview(ref, request, signal);
  }

  /** What a version would be like; nothing is written, and no model is asked. Throws `CompressionError`. */
  async previewCompression(
    ref: SessionRef,
    request: CompressionRequest,
    signal?: AbortSignal,
  ): Promise<CompressionEstimate> {
    return this.compressions.preview(ref, request, signal);
  }

  /**
   * Makes a version of a registered session, and takes in what is new of the session first. The version is there in whole, with both files
   * and its record, or not at all. Throws `CompressionError`, `SummarizerError`, `StoreError`.
   */
  async compress(
    ref: SessionRef,
    request: CompressionRequest,
    onProgress?: OnProgress,
    signal?: AbortSignal,
  ): Promise<CompressionResult> {
    return this.compressions.compress(ref, request, onProgress, signal);
  }

  /** The versions of a registered session, its parts, and what is new since the last part. */
  async versions(ref: SessionRef, signal?: AbortSignal): Promise<VersionListing> {
    return this.versionService.list(ref, signal);
  }

  /** A version's file as it is. The version `original` is the transcript as people read it, in `md` only. */
  async versionText(ref: SessionRef, versionId: string, format: 'md' | 'jsonl', signal?: AbortSignal): Promise<string> {
    return this.versionService.text(ref, versionId, format, signal);
  }

  /**
   * What of `a` is kept in `b`, what was added, and what was lost; `original` is the session itself. Throws `CompressionError` for a
   * version that is not there, and `TranscriptUnreadableError` when the original cannot be read.
   */
  async diffVersions(ref: SessionRef, a: string, b: string, signal?: AbortSignal): Promise<VersionDiff> {
    return this.versionService.compare(ref, a, b, signal);
  }

  /** What `deleteVersions` would do; changes nothing. */
  async previewDeleteVersions(
    ref: SessionRef,
    versionIds: readonly string[],
    options?: { force?: boolean },
  ): Promise<VersionDeletion> {
    return this.versionService.previewDelete(ref, versionIds, options);
  }

  /** Moves versions into the trash. Those that compositions use are refused, unless `force` is set. */
  async deleteVersions(
    ref: SessionRef,
    versionIds: readonly string[],
    options?: { force?: boolean },
  ): Promise<VersionDeletion> {
    return this.versionService.delete(ref, versionIds, options);
  }

  /** Undoes `deleteVersions`. */
  async restoreVersions(ref: SessionRef, trash: string): Promise<CompressionRecord[]> {
    return this.versionService.restore(ref, trash);
  }

  /** Counts in the background, newest first; `onCounted` is called as each figure comes in. */
  async countExact(
    refs: readonly SessionRef[],
    onCounted: (ref: SessionRef, figure: TokenFigure) => void,
    signal?: AbortSignal,
  ): Promise<void> {
    const { log } = this.ports;
    return countExactly({ sources: this.sources, log }, refs, onCounted, signal);
  }

  async stats(projectId?: string): Promise<MemoryStats> {
    return measureMemory(this.ports, projectId);
  }

  /** Never throws for what it finds: that is in the checks. */
  async doctor(options?: { repair?: boolean }, signal?: AbortSignal): Promise<DoctorCheck[]> {
    return examineMemory(this.doctorParts, options, signal);
  }

  /** Every call of a model that is known of, oldest first, with what it cost. */
  async ledger(): Promise<LedgerEntry[]> {
    return this.ports.ledger.entries();
  }

  async readConfig(): Promise<Config> {
    return this.ports.store.readConfig();
  }

  /** Changes one setting, by its dotted key. Throws `ConfigError` with what is allowed. */
  async setConfig(key: string, value: string): Promise<Config> {
    return this.ports.store.updateConfig((config) => withSetting(config, key, value));
  }

  /** What a project decides for itself. Throws `StoreError` for one that has nothing in memory. */
  async projectSettings(projectId: string): Promise<ProjectSettings> {
    return readProjectSettings(this.ports.store, projectId);
  }

  /** As `setConfig`, for a project's own settings, whose keys begin with `project.`. */
  async setProjectSetting(projectId: string, key: string, value: string): Promise<ProjectSettings> {
    return changeProjectSetting(this.ports.store, projectId, { key, value });
  }

  /** How our token figures relate to those of each model, from the transcripts that were read so far. */
  async calibration(projectId?: string): Promise<Calibration[]> {
    return calibrateFromCache(this.ports, projectId);
  }

  private async projectIds(projectId?: string): Promise<string[]> {
    return projectId === undefined ? this.ports.store.listProjects() : [projectId];
  }

  private async registeredRefs(): Promise<SessionRef[]> {
    const refs: SessionRef[] = [];
    for (const projectId of await this.projectIds()) {
      const manifest = await this.ports.store.readManifest(projectId);
      refs.push(...Object.keys(manifest?.sessions ?? {}).map((sessionId) => ({ projectId, sessionId })));
    }
    return refs;
  }
}
