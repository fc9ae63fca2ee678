import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { readManifestDocument } from '../../core/model/manifestDocument';
import { ownValue, parsedJson, withoutKey } from '../../core/text/ownValue';
import { createManifest, type NewProject, type ProjectManifest } from '../../core/model/manifest';
import type { OnProgress } from '../../core/sessions/results';
import {
  TransferError,
  type Exported,
  type ExportRequest,
  type Imported,
  type ImportedProject,
  type ImportRequest,
  type TransferStore,
} from '../../core/memoryPorts';
import { unlessGone, storing } from '../files/errorCode';
import { ensurePrivateFolder, removeEmpty, sweepKilled, writeFileAtomic } from '../files/atomicFile';
import { isWithin } from '../files/links';
import { type BegunImport, readBegun } from '../store/begunImport';
import type { FileChange } from '../store/manifestTransaction';
import { Trash } from '../store/trash';
import { jsonText } from '../store/storedJson';
import { ProjectLayout, StoreLayout } from '../store/storeLayout';
import { exportArchive, type Contents } from './exportArchive';
import { unpackArchive } from './unpackArchive';
import { type TransferParts, Whereabouts } from './whereabouts';
import { applyImport, planImport, type ImportPlan, type UnpackedProject } from './importProject';

/** A project of an archive, with what it is here. */
interface PlannedProject {
  readonly place: NewProject;
  readonly incoming: ProjectManifest;
  readonly plan: (manifest: ProjectManifest) => Promise<ImportPlan>;
  /** It lies where nothing is remembered. */
  readonly isNever: boolean;
  /** As it would be now. */
  readonly told: ImportedProject;
}

/** Memory to and from archives. */
export class FileTransfer implements TransferStore {
  readonly #layout: StoreLayout;

  constructor(private readonly parts: TransferParts) {
    this.#layout = new StoreLayout(parts.store.dir);
  }

  async export(request: ExportRequest, onProgress?: OnProgress, signal?: AbortSignal): Promise<Exported> {
    return exportArchive(this.parts, request, onProgress, signal);
  }

  async import(request: ImportRequest, onProgress?: OnProgress, signal?: AbortSignal): Promise<Imported> {
    const { dir } = this.#layout;
    const { isDryRun = false, replaces = false } = request;
    return storing(dir, async () => {
      await ensurePrivateFolder(dir, dir);
      await this.finish();
      const folder = await mkdtemp(this.#layout.importFolder);
      try {
        const contents = await unpackArchive(request, folder, onProgress, signal);
        await this.parts.forgetting.clean(folder, signal);
        const places = await this.places(contents, request.folders);
        const planned = await this.plans(folder, places);
        if (isDryRun) return { projects: planned.map(({ told }) => told), isDone: false };
        const begun: BegunImport = { file: path.resolve(request.file), replaces, places };
        await writeFileAtomic(this.#layout.begunImport(folder), jsonText(begun));
        return { projects: await this.bringIn(planned, replaces, signal), isDone: true };
      } finally {
        await this.clear(folder);
      }
    });
  }

  /** Brings killed imports to their end; of one that had changed nothing yet, nothing stays. */
  async finish(): Promise<void> {
    for (const left of await this.#layout.deadImports()) {
      const folder = `${this.#layout.importFolder}${randomBytes(4).toString('hex')}`;
      const isOurs = await unlessGone(rename(left, folder).then(() => true));
      if (isOurs !== true) continue; // somebody else is at it
      const begun = await readBegun(this.#layout.begunImport(folder));
      if (begun !== undefined) {
        await this.parts.forgetting.clean(folder);
        await this.bringIn(await this.plans(folder, begun.places), begun.replaces);
        for (const { projectId } of begun.places) await sweepKilled(this.#layout.project(projectId).dir);
      }
      await this.clear(folder);
    }
  }

  /** What was imported is there: a folder that cannot be removed is tried once more, and left to the next change. */
  private async clear(folder: string): Promise<void> {
    const clear = async (): Promise<void> => {
      await rm(this.#layout.begunImport(folder), { force: true });
      await rm(folder, { recursive: true, force: true });
    };
    await clear().catch(async () => clear().catch(() => undefined));
  }

  private async places({ projects }: Contents, folders: ImportRequest['folders']): Promise<BegunImport['places']> {
    const whereabouts = new Whereabouts(this.parts, folders);
    const places = [];
    for (const listed of projects) places.push({ from: listed.projectId, ...(await whereabouts.of(listed)) });
    return places;
  }

  /** What would come in, each project of the archive into another one here. */
  private async plans(folder: string, places: BegunImport['places']): Promise<PlannedProject[]> {
    const { never = [] } = (await this.parts.store.forgotten.read()) ?? {};
    const renamed = new Map(places.map(({ from, projectId }) => [from, projectId]));
    const planned: PlannedProject[] = [];
    for (const { from, knownBy, ...place } of places) {
      const unpacked = await this.unpacked(folder, from);
      const { projectId, originalPath } = place;
      const isNever = (sessionId?: string): boolean =>
        never.some(({ folder: held, session }) =>
          held === undefined ? session === sessionId : originalPath !== '' && isWithin(held, originalPath),
        );
      const layout = this.#layout.project(projectId);
      const plan = (manifest: ProjectManifest): Promise<ImportPlan> =>
        planImport(unpacked, { layout, manifest, knownBy, names: renamed }, isNever);
      const empty = createManifest(place, this.parts.clock.now().toISOString());
      const { told } = await plan((await this.parts.store.readManifest(projectId)) ?? empty);
      planned.push({ place, incoming: unpacked.manifest, isNever: isNever(), plan, told });
    }
    return planned;
  }

  /** All of it, or nothing. */
  private async bringIn(
    planned: readonly PlannedProject[],
    replaces: boolean,
    signal?: AbortSignal,
  ): Promise<ImportedProject[]> {
    try {
      return await this.apply(planned, replaces, signal);
    } catch (error) {
      // The folders that were made for projects to come, to hold their locks.
      for (const { place } of planned)
        await removeEmpty(this.#layout.project(place.projectId).dir).catch(() => undefined);
      throw error;
    }
  }

  /** Each project's change ends within that of the one before: none takes effect before all are on the disk. */
  private async apply(
    [first, ...others]: readonly PlannedProject[],
    replaces: boolean,
    signal?: AbortSignal,
  ): Promise<ImportedProject[]> {
    signal?.throwIfAborted();
    if (first === undefined) return [];
    if (first.isNever) return [first.told, ...(await this.apply(others, replaces, signal))];
    let told: ImportedProject[] = [];
    await this.parts.store.changeFiles(
      first.place.projectId,
      async (layout, manifest, change) => {
        const planned = await first.plan(replaces ? await this.makeRoom(first, layout, manifest, change) : manifest);
        const isSame = planned.files.length === 0 && isDeepStrictEqual(planned.manifest, manifest);
        const changed = isSame ? manifest : await applyImport(planned, layout, change);
        told = [planned.told, ...(await this.apply(others, replaces, signal))];
        return changed;
      },
      first.place,
    );
    return told;
  }

  private async unpacked(folder: string, projectId: string): Promise<UnpackedProject> {
    const layout = new ProjectLayout(folder, projectId);
    const nowIso = this.parts.clock.now().toISOString();
    const text = await unlessGone(readFile(layout.manifest, 'utf8'));
    if (text === undefined)
      throw new TransferError('damaged-archive', `projects/${projectId}/manifest.json is missing`);
    const reading = readManifestDocument(parsedJson(text), { projectId, nowIso });
    if (reading.state === 'newer') throw new TransferError('newer-archive', reading.version);
    if (reading.state === 'damaged') throw new TransferError('damaged-archive', reading.problem);
    return { layout, manifest: reading.manifest };
  }

  /** The manifest without what is in the way, which goes to the trash as part of the same change. */
  private async makeRoom(
    { plan, incoming }: PlannedProject,
    ...[layout, manifest, change]: Parameters<FileChange>
  ): Promise<ProjectManifest> {
    const { told } = await plan(manifest);
    const trash = new Trash(this.parts.clock);
    let { sessions, compositions } = manifest;
    for (const { name } of told.sessions.conflicts.filter(isReplaced)) {
      const entry = ownValue(sessions, name);
      if (entry === undefined || ownValue(incoming.sessions, name) === undefined) continue;
      await trash.discard(layout, { sessionId: name, entry, isReplaced: true }, change);
      sessions = withoutKey(sessions, name);
    }
    for (const { name } of told.compositions.conflicts.filter(isReplaced)) {
      const composition = ownValue(compositions, name);
      if (composition === undefined) continue;
      await trash.discard(layout, { sessionId: '', composition }, change);
      compositions = withoutKey(compositions, name);
    }
    return { ...manifest, sessions, compositions };
  }
}

function isReplaced({ isNever = false }: { readonly isNever?: boolean }): boolean {
  return !isNever;
}
