import {
  layerSettingsSchema,
  type Concept,
  type Exchange,
  type FactsDocument,
  type L1Entry,
  type LayerSettings,
} from '../model/layers';
import type { MemoryStore } from '../model/host';
import type { SessionReading } from '../model/sessionReading';
import type { DiscoveryService } from '../sessions/discovery';
import type { OnProgress, SessionRef, SessionSource } from '../sessions/results';
import type { SessionIndex } from '../sessions/sessionIndex';
import { changedFacts, undoOf, undone, withoutSession, type FactUndo } from './facts/factChanges';
import { type FactChange, proposed, type Proposal, type ProposalOutcome } from './facts/proposals';
import {
  factViews,
  isAskedFor,
  reportedViews,
  type FactFilter,
  type FactView,
  factReasons,
  type FactReasons,
} from './facts/factViews';
import { checkAnchors, FILES, LayerDocuments, NOTEBOOK_FILES } from './layerDocuments';
import { LayerBuilder, type LayerBuilderParts, type BuildResult } from './layerBuilder';
import { acceptRaw, archiveOld, dedupeL1, rawFiles, type Moved } from './layerUpkeep';
import { foreignFiles, NOTHING_FOREIGN, type ForeignFound } from './foreignFiles';
import { noteTopics } from './concepts';
import { type LayerFiles, type LayerPlace, type LayerStore, type PlaceReport, LayersError } from './layerStore';

export interface LayersServiceParts extends LayerBuilderParts {
  readonly layerStore: LayerStore;
  readonly store: MemoryStore;
  readonly discovery: Pick<DiscoveryService, 'discover'>;
  readonly sources: SessionIndex;
}

export interface EnableOptions {
  /** Default: in the project. */
  readonly location?: LayerPlace['location'] | undefined;
  /** Whether git is to see the files. */
  readonly shared?: boolean | undefined;
  /** Where the project lies, while no session of it says so. */
  readonly folder?: string | undefined;
}

/** What enabling would do, or has done. */
export interface LayersStatus extends PlaceReport {
  readonly projectId: string;
  readonly isEnabled: boolean;
  readonly location: LayerPlace['location'];
  readonly isShared: boolean;
  /** What is, or would be, written in `dir`. */
  readonly files: readonly string[];
  /** Where the notebook is, or would be, and what is written there. */
  readonly notebook: PlaceReport & { readonly files: readonly string[] };
}

/** A fact that was changed, and what takes that back. */
interface ChangedFact {
  readonly fact: FactView;
  readonly undo: FactUndo;
}

/** What is known of a project, as it was last built. */
export interface LayersOverview {
  readonly status: LayersStatus;
  /** All of them, also history; those that were stated last first. */
  readonly facts: readonly FactView[];
  readonly concepts: readonly Concept[];
  /** Those that were layered, the one that was last written in first; their transcripts as they were then. */
  readonly sessions: readonly {
    readonly sessionId: string;
    readonly file: string;
    readonly sourceBytes: number;
    readonly sourceMtimeMs: number;
  }[];
}

/** One of the four layers, as far as it was asked for. */
type LayerContent =
  | {
      readonly layer: 'l1';
      readonly sessions: readonly { sessionId: string; file: string; entries: readonly L1Entry[] }[];
    }
  | {
      readonly layer: 'l2';
      readonly sessions: readonly { sessionId: string; exchanges: readonly Exchange[] }[];
    }
  | { readonly layer: 'l3'; readonly concepts: readonly Concept[] }
  | { readonly layer: 'l4'; readonly facts: FactsDocument };

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * What a project knows, in four layers (seed 003), built by code alone from what was said. Nothing is written for a project before it
 * was enabled. Throws `LayersError` and `StoreError`.
 */
export class LayersService {
  constructor(private readonly parts: LayersServiceParts) {}

  /** Where the layers of a project are, or would be with these options; writes nothing. */
  async status(projectId: string, options: EnableOptions = {}): Promise<LayersStatus> {
    const settings = await this.settings(projectId);
    const location = options.location ?? settings.layersLocation ?? 'project';
    const place = await this.place(projectId, location, options.folder);
    const { layerStore } = this.parts;
    const report = await layerStore.examine(place);
    const notebook = { ...(await layerStore.examine({ ...place, room: 'notebook' })), files: NOTEBOOK_FILES };
    const isShared = options.shared ?? settings.layersShared ?? false;
    const isEnabled = settings.layersEnabled === true;
    return { ...report, projectId, isEnabled, location, isShared, files: FILES, notebook };
  }

  /** From now on the layers of this project are written. `disable` undoes it. */
  async enable(projectId: string, options: EnableOptions = {}): Promise<LayersStatus> {
    const status = await this.status(projectId, options);
    const place = await this.place(projectId, status.location, options.folder);
    if (status.problem !== undefined) {
      throw new LayersError(status.problem, status.problem === 'no-folder' ? place.projectPath : status.dir);
    }
    const before = await this.settings(projectId);
    // Without a log, all that is there would be taken for what this memory wrote before there were any.
    if (before.layersEnabled !== true || before.layersLocation === 'home') await this.parts.layerStore.begin(place);
    await this.parts.layerStore.prepare(place, { shared: status.isShared });
    const settings = { layersEnabled: true, layersLocation: status.location, layersShared: status.isShared };
    await this.setSettings(projectId, settings, options.folder);
    return this.status(projectId);
  }

  /** Nothing more is written; what is there stays, and git sees it again. */
  async disable(projectId: string): Promise<LayersStatus> {
    const status = await this.status(projectId);
    const place = await this.place(projectId, status.location);
    await this.parts.layerStore.release(place);
    await this.parts.layerStore.release({ ...place, room: 'notebook' });
    await this.setSettings(projectId, { layersEnabled: false });
    return this.status(projectId);
  }

  /** Brings the layers up to date with all sessions of the project, or with some; reads those that have changed, or with `full` all. */
  async build(
    projectId: string,
    request: {
      readonly refs?: readonly SessionRef[] | undefined;
      readonly full?: boolean;
      readonly isAgain?: boolean;
    } = {},
    onProgress?: OnProgress,
    signal?: AbortSignal,
  ): Promise<BuildResult> {
    const place = await this.enabledPlace(projectId);
    const work = async (files: LayerFiles): Promise<{ result: BuildResult; builder: LayerBuilder }> => {
      const { isAgain, full = false } = request;
      const { trustNotes } = (await this.parts.store.readConfig()).reading;
      const scope = { root: place.projectPath, full, isAgain, trustNotes };
      const builder = await LayerBuilder.open(this.parts, files, scope);
      // What was lost is found again in all sessions alone.
      const asked = builder.isFull ? undefined : request.refs;
      const refs = asked ?? (await this.allRefs(projectId, signal));
      const sources = await this.parts.sources.locateAll(refs, signal);
      const known = sources.filter((source) => source !== undefined);
      return { result: await builder.build(known, onProgress, signal), builder };
    };
    const { result, builder } = await this.parts.layerStore.change(place, work, signal);
    await noteTopics(this.parts.store, projectId, builder.topics());
    return result;
  }

  /** Looks whether what facts name is still there: files come and go also where nothing is said. */
  async checkAnchors(projectId: string): Promise<void> {
    const { projectPath: root } = await this.enabledPlace(projectId);
    await this.change(projectId, async (documents) => {
      await checkAnchors(documents, await documents.load(), {
        probe: this.parts.projectProbe,
        root,
        nowIso: this.nowIso(),
      });
    });
  }

  /** Layers raw transcripts that another tool has kept in `sessions/` (seed 004, `refine-all`). They stay where they are; facts in them are proposed. */
  async refineAll(projectId: string, onProgress?: OnProgress, signal?: AbortSignal): Promise<BuildResult> {
    const place = await this.enabledPlace(projectId);
    const { dir } = await this.parts.layerStore.examine(place);
    const work = async (files: LayerFiles): Promise<BuildResult> => {
      await acceptRaw(files);
      const scope = { root: place.projectPath, full: false, isForeign: true };
      const builder = await LayerBuilder.open(this.parts, files, scope);
      const raw = (await rawFiles(files)).map(({ name, bytes, mtimeMs }): SessionSource => {
        const file = { path: `${dir}/sessions/${name}.raw.jsonl`, bytes, mtimeMs };
        return { ref: { projectId, sessionId: `raw-${name}` }, file, isKept: true, isInFolder: false, agents: [] };
      });
      return builder.build(raw, onProgress, signal);
    };
    return this.parts.layerStore.change(place, work, signal);
  }

  /** Moves L1 files away that hold nothing which another one does not (seed 004, `dedupe-l1`). */
  async dedupe(projectId: string): Promise<Moved[]> {
    return this.change(projectId, async (documents, files) => dedupeL1(files, (await documents.load()).state));
  }

  /** Moves what was last written so many days ago into the archive (seed 004, `compress`); it is still read. */
  async archive(projectId: string, days: number): Promise<Moved[]> {
    return this.change(projectId, async (documents, files) => {
      const { state } = await documents.load();
      const archived = await archiveOld(files, state, this.parts.clock.now().getTime() - days * DAY_MS);
      await documents.saveState(archived.state);
      return archived.moved;
    });
  }

  /** A layer as it was last built; of one session where it is named. */
  async layer(projectId: string, layer: LayerContent['layer'], sessionId?: string): Promise<LayerContent> {
    const documents = await this.documents(projectId);
    const { facts, concepts, state } = await documents.load();
    if (layer === 'l3') return { layer, concepts };
    if (layer === 'l4') return { layer, facts };
    const known = Object.entries(state.sessions).filter(([id]) => sessionId === undefined || id === sessionId);
    if (layer === 'l2') {
      const exchanges = await documents.allExchanges(Object.fromEntries(known));
      return { layer, sessions: exchanges.map(([id, own]) => ({ sessionId: id, exchanges: own })) };
    }
    return { layer, sessions: await documents.allEntries(Object.fromEntries(known)) };
  }

  /** What lies in the project's folder and was not written by this memory, also before the project is enabled; writes nothing. */
  async foreign(projectId: string, options: EnableOptions = {}): Promise<ForeignFound> {
    const { isEnabled, location, problem } = await this.status(projectId, options);
    if (location === 'home' || problem === 'no-folder') return NOTHING_FOREIGN;
    const place = await this.place(projectId, location);
    const filesOf = async (one: LayerPlace): Promise<LayerFiles> =>
      isEnabled ? this.parts.layerStore.files(one) : this.parts.layerStore.found(one);
    const [layers, notes] = await Promise.all([filesOf(place), filesOf({ ...place, room: 'notebook' })]);
    const facts = await new LayerDocuments(layers, this.parts.log, false).facts();
    const views = factViews(facts, { review: true });
    return { facts: views.filter(({ origin }) => origin === 'foreign'), ...(await foreignFiles(layers, notes)) };
  }

  /** What is known, the latest first; what is no longer valid only where it is asked for. */
  async facts(projectId: string, filter: FactFilter = {}): Promise<FactView[]> {
    const known = factViews(await (await this.documents(projectId)).facts(), filter);
    if (filter.reported !== true || filter.review === true) return known;
    const layer = await this.layer(projectId, 'l2');
    const sessions = layer.layer === 'l2' ? layer.sessions : [];
    const reported = sessions.flatMap(({ sessionId, exchanges }) => reportedViews(sessionId, exchanges));
    const asked = reported.filter((fact) => isAskedFor(fact, filter));
    return [...known, ...asked.sort((a, b) => ((a.source?.ts ?? '') < (b.source?.ts ?? '') ? 1 : -1))];
  }

  /** Why a fact is told: its words, their messages, and what it replaced. */
  async why(projectId: string, id: string): Promise<FactReasons> {
    const facts = await this.facts(projectId, { all: true, foreign: true, reported: true });
    return factReasons(facts, id, (sessionId) => this.layer(projectId, 'l1', sessionId));
  }

  /** Changes a fact; `undoFact` takes that back. The fact is as it is afterwards, one that was forgotten as it was. */
  async changeFact(projectId: string, id: string, change: FactChange): Promise<ChangedFact> {
    const { facts, undo } = await this.changeFacts(projectId, [id], change);
    const [fact] = facts;
    if (fact === undefined) throw new LayersError('unknown-fact', id);
    return { fact, undo };
  }

  /** As `changeFact`, of several at once: all of them, or none. */
  async changeFacts(
    projectId: string,
    ids: readonly string[],
    change: FactChange,
  ): Promise<{ facts: FactView[]; undo: FactUndo }> {
    return this.change(projectId, async (documents) => {
      const before = await documents.facts();
      const nowIso = this.nowIso();
      const after = ids.reduce((document, id) => changedFacts(document, id, change, nowIso), before);
      await documents.saveFacts(after);
      const views = new Map(
        [before, after].flatMap((facts) => factViews(facts, { all: true }).map((view) => [view.id, view] as const)),
      );
      return { facts: ids.flatMap((id) => views.get(id) ?? []), undo: undoOf(before, after) };
    });
  }

  /** Takes what a session that is erased showed out of patterns. */
  async forgetSession({ projectId, sessionId }: SessionRef): Promise<void> {
    if (!(await this.status(projectId)).isEnabled) return;
    await this.change(projectId, async (documents) => {
      await documents.saveFacts(withoutSession(await documents.facts(), sessionId));
    });
  }

  /** Puts what a model would like to be remembered into the review queue. It counts for nothing before a person confirms it. */
  async proposeFact(projectId: string, proposal: Proposal): Promise<{ outcome: ProposalOutcome; id: string }> {
    return this.change(projectId, async (documents) => {
      const { document, outcome, id } = proposed(await documents.facts(), proposal, this.nowIso());
      if (outcome === 'proposed') await documents.saveFacts(document);
      return { outcome, id };
    });
  }

  /** Takes one change back, also a forgetting; what others changed about other facts meanwhile stays. */
  async undoFact(projectId: string, undo: FactUndo): Promise<void> {
    await this.change(projectId, async (documents) => documents.saveFacts(undone(await documents.facts(), undo)));
  }

  /** What a model noted of a session; undefined for one that none has read. */
  async reading({ projectId, sessionId }: SessionRef): Promise<SessionReading | undefined> {
    return (await this.documents(projectId)).readingOf(sessionId);
  }

  /** Keeps what was noted of a session that is layered; building layers works with it. */
  async saveReading({ projectId, sessionId }: SessionRef, reading: SessionReading): Promise<void> {
    await this.change(projectId, async (documents) => {
      const file = await documents.fileOf(sessionId);
      if (file !== undefined) await documents.saveReading(file, reading);
    });
  }

  /** What a list of all that is known needs, in one look; nothing but the place for a project that is not enabled. */
  async overview(projectId: string): Promise<LayersOverview> {
    const status = await this.status(projectId);
    const isThere = status.isEnabled && status.problem !== 'no-folder';
    if (!isThere) return { status, facts: [], concepts: [], sessions: [] };
    const files = this.parts.layerStore.files(await this.place(projectId, status.location));
    const { facts, concepts, state } = await new LayerDocuments(files, this.parts.log, false).load();
    const sessions = Object.entries(state.sessions).map(([sessionId, { file, sourceBytes, sourceMtimeMs }]) => {
      return { sessionId, file, sourceBytes, sourceMtimeMs };
    });
    sessions.sort((a, b) => b.sourceMtimeMs - a.sourceMtimeMs);
    return { status, facts: factViews(facts, { all: true }), concepts, sessions };
  }

  /** The place of an enabled project, for whoever keeps files beside the layers. Throws `LayersError` when it is not enabled, or cannot be written to and is not only to be read. */
  async enabledPlace(projectId: string, use: 'read' | 'write' = 'write'): Promise<LayerPlace> {
    const { layersEnabled, layersLocation = 'project' } = await this.settings(projectId);
    if (layersEnabled !== true) throw new LayersError('not-enabled', projectId);
    const place = await this.place(projectId, layersLocation);
    const { problem, dir } = await this.parts.layerStore.examine(place);
    if (problem === undefined || (problem === 'not-writable' && use === 'read')) return place;
    throw new LayersError(problem, problem === 'no-folder' ? place.projectPath : dir);
  }

  private nowIso(): string {
    return this.parts.clock.now().toISOString();
  }

  private async documents(projectId: string): Promise<LayerDocuments> {
    const files = this.parts.layerStore.files(await this.enabledPlace(projectId, 'read'));
    return new LayerDocuments(files, this.parts.log, false);
  }

  private async change<T>(
    projectId: string,
    work: (documents: LayerDocuments, files: LayerFiles) => Promise<T>,
  ): Promise<T> {
    const { layerStore, log } = this.parts;
    const place = await this.enabledPlace(projectId);
    return layerStore.change(place, async (files) => work(new LayerDocuments(files, log, true), files));
  }

  private async settings(projectId: string): Promise<LayerSettings> {
    const manifest = await this.parts.store.readManifest(projectId);
    const checked = layerSettingsSchema.safeParse(manifest?.settings ?? {});
    return checked.success ? checked.data : {};
  }

  private async setSettings(projectId: string, settings: LayerSettings, folder?: string): Promise<void> {
    const { originalPath, displayName } = await this.project(projectId, folder);
    await this.parts.store.updateManifest({ projectId, originalPath, displayName }, (manifest) => ({
      ...manifest,
      settings: { ...manifest.settings, ...settings },
    }));
  }

  private async place(projectId: string, location: LayerPlace['location'], folder?: string): Promise<LayerPlace> {
    return { projectId, projectPath: (await this.project(projectId, folder)).originalPath, location };
  }

  /** A project's folder is where its sessions were held; the manifest knows it also when they are gone. */
  private async project(projectId: string, folder = ''): Promise<{ originalPath: string; displayName: string }> {
    const manifest = await this.parts.store.readManifest(projectId);
    if (manifest !== undefined && manifest.originalPath !== '') return manifest;
    const { projects } = await this.parts.discovery.discover({ projectIds: [projectId] });
    return projects[0] ?? { originalPath: folder, displayName: folder.split(/[\\/]/).at(-1) || projectId };
  }

  /** All sessions of a project, in memory or not. */
  async allRefs(projectId: string, signal?: AbortSignal): Promise<SessionRef[]> {
    const [folder] = await this.parts.claude.list([projectId], signal);
    const manifest = await this.parts.store.readManifest(projectId);
    const listed = folder?.sessions.map(({ sessionId }) => sessionId) ?? [];
    const ids = new Set([...listed, ...Object.keys(manifest?.sessions ?? {})]);
    return [...ids].map((sessionId) => ({ projectId, sessionId }));
  }
}
