import { mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { readManifestDocument } from '../../core/model/manifestDocument';
import { ownValue, withoutKey } from '../../core/text/ownValue';
import { createManifest, type NewProject, type ProjectManifest } from '../../core/model/manifest';
import { nameOfNever } from '../../core/model/forgotten';
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
import { isRunning } from '../files/isRunning';
import { ensurePrivateFolder } from '../files/atomicFile';
import { ErasedRuns } from '../forgetting/erasedRuns';
import { runsInRecords } from '../forgetting/forgottenFile';
import { copyErased, filesOf, isOriginal } from '../forgetting/rewriteFiles';
import type { FileChange } from '../store/manifestTransaction';
import { Trash } from '../store/trash';
import { ProjectLayout, StoreLayout } from '../store/storeLayout';
import { exportArchive, type Contents } from './exportArchive';
import { unpackArchive } from './unpackArchive';
import { type TransferParts, Whereabouts } from './whereabouts';
import { applyImport, planImport, unpackedManifest, type ImportPlan, type UnpackedProject } from './importProject';

/** Where an archive is unpacked, and by which process. */
const STAGING = '.import-';

/** What killed imports left behind: it holds everything that was said. */
async function deadImports(dir: string): Promise<string[]> {
  const names = (await unlessGone(readdir(dir))) ?? [];
  const pidOf = (name: string): number => Number(name.slice(STAGING.length).split('-', 1)[0]);
  return names
    .filter((name) => name.startsWith(STAGING) && !isRunning(pidOf(name)))
    .map((name) => path.join(dir, name));
}

type ListedProject = Contents['projects'][number];

/** A project of an archive, with what it is here. */
interface PlannedProject {
  readonly place: NewProject;
  readonly incoming: ProjectManifest;
  readonly plan: (manifest: ProjectManifest) => Promise<ImportPlan>;
  readonly isNever: (sessionId: string) => boolean;
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
      for (const left of await deadImports(dir)) await rm(left, { recursive: true, force: true });
      const folder = await mkdtemp(path.join(dir, `${STAGING}${process.pid}-`));
      try {
        const contents = await unpackArchive(request, folder, onProgress, signal);
        await this.forget(folder);
        const planned = await this.plans(folder, contents, request.folders);
        const projects = isDryRun ? planned.map(({ told }) => told) : await this.apply(planned, replaces, signal);
        return { projects, isDone: !isDryRun };
      } finally {
        // What was imported is there: a folder that cannot be removed is tried once more, and left to the next import.
        const clear = async (): Promise<void> => rm(folder, { recursive: true, force: true });
        await clear().catch(async () => clear().catch(() => undefined));
      }
    });
  }

  /** What was erased here does not come back from an archive. */
  private async forget(folder: string): Promise<void> {
    const forgotten = await this.parts.store.forgotten.read();
    if (forgotten === undefined) return;
    const finder = new ErasedRuns(forgotten);
    for (const file of finder.isEmpty ? [] : await filesOf(folder)) {
      const runs = isOriginal(file) ? await runsInRecords(file, finder) : finder.wordsIn(await readFile(file));
      if (runs.length === 0) continue;
      await copyErased(file, `${file}.allowed`, runs);
      await rename(`${file}.allowed`, file);
    }
  }

  /** What would come in, each project of the archive into another one here. */
  private async plans(
    folder: string,
    { projects }: Contents,
    folders: ImportRequest['folders'],
  ): Promise<PlannedProject[]> {
    const whereabouts = new Whereabouts(this.parts, folders);
    const { never = [] } = (await this.parts.store.forgotten.read()) ?? {};
    const names = new Set(never.map(nameOfNever));
    const places = [];
    for (const listed of projects) places.push({ listed, ...(await whereabouts.of(listed)) });
    const renamed = new Map(places.map(({ listed, projectId }) => [listed.projectId, projectId]));
    const planned: PlannedProject[] = [];
    for (const { listed, knownBy, ...place } of places) {
      const unpacked = await this.unpacked(folder, listed);
      const { projectId, originalPath } = place;
      const isNever = (sessionId: string): boolean => names.has(sessionId) || names.has(originalPath);
      const layout = this.#layout.project(projectId);
      const plan = (manifest: ProjectManifest): Promise<ImportPlan> =>
        planImport(unpacked, { layout, manifest, knownBy, names: renamed }, isNever);
      const empty = createManifest(place, this.parts.clock.now().toISOString());
      const { told } = await plan((await this.parts.store.readManifest(projectId)) ?? empty);
      planned.push({ place, incoming: unpacked.manifest, plan, isNever, told });
    }
    return planned;
  }

  /** Each project's change ends within that of the one before: none takes effect before all are on the disk. */
  private async apply(
    [first, ...others]: readonly PlannedProject[],
    replaces: boolean,
    signal?: AbortSignal,
  ): Promise<ImportedProject[]> {
    signal?.throwIfAborted();
    if (first === undefined) return [];
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

  private async unpacked(folder: string, { projectId }: ListedProject): Promise<UnpackedProject> {
    const layout = new ProjectLayout(folder, projectId);
    const nowIso = this.parts.clock.now().toISOString();
    const reading = readManifestDocument(await unpackedManifest(layout.manifest), { projectId, nowIso });
    if (reading.state === 'newer') throw new TransferError('newer-archive', reading.version);
    if (reading.state === 'damaged') throw new TransferError('damaged-archive', reading.problem);
    return { layout, manifest: reading.manifest };
  }

  /** The manifest without what is in the way, which goes to the trash as part of the same change. */
  private async makeRoom(
    { plan, incoming, isNever }: PlannedProject,
    ...[layout, manifest, change]: Parameters<FileChange>
  ): Promise<ProjectManifest> {
    const { told } = await plan(manifest);
    const trash = new Trash(this.parts.clock);
    let { sessions, compositions } = manifest;
    for (const { name } of told.sessions.conflicts) {
      const entry = ownValue(sessions, name);
      if (entry === undefined || isNever(name) || ownValue(incoming.sessions, name) === undefined) continue;
      await trash.discard(layout, { sessionId: name, entry, isReplaced: true }, change);
      sessions = withoutKey(sessions, name);
    }
    for (const { name } of told.compositions.conflicts) {
      const composition = ownValue(compositions, name);
      if (composition === undefined) continue;
      await trash.discard(layout, { sessionId: '', composition }, change);
      compositions = withoutKey(compositions, name);
    }
    return { ...manifest, sessions, compositions };
  }
}
