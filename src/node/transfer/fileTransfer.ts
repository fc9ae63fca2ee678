import { isDeepStrictEqual } from 'node:util';
import { ownValue, withoutKey } from '../../core/text/ownValue';
import { createManifest, type NewProject, type ProjectManifest } from '../../core/model/manifest';
import type { OnProgress } from '../../core/sessions/results';
import {
  type Exported,
  type ExportRequest,
  type Imported,
  type ImportedProject,
  type ImportRequest,
  type TransferStore,
} from '../../core/memoryPorts';
import { storing } from '../files/errorCode';
import { ensurePrivateFolder } from '../files/atomicFile';
import type { FileChange } from '../store/manifestTransaction';
import { Trash } from '../store/trash';
import { StoreLayout } from '../store/storeLayout';
import { unpackArchive, type Contents } from './archiveFile';
import { exportArchive } from './exportArchive';
import { type TransferParts, Whereabouts } from './whereabouts';
import { stageImport, planImport, type ImportPlan } from './importProject';
import { neverTaken, readUnpacked } from './unpackedProject';

/** What a project of an archive is here. */
interface ImportPlace extends NewProject, Pick<ImportedProject, 'knownBy'> {
  /** In the archive. */
  readonly from: string;
}

/** The folder in which everything waits, and whether what is here and another goes to the trash. */
interface Into {
  readonly folder: string;
  readonly replaces: boolean;
}

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
      const { imports } = this.parts.store.changes;
      await imports.closeDead();
      const folder = await imports.open();
      try {
        const contents = await unpackArchive(request, folder, onProgress, signal);
        await this.parts.forgetting.clean(folder, signal);
        const places = await this.places(contents, request.folders);
        const planned = await this.plans(folder, places);
        if (isDryRun) return { projects: planned.map(({ told }) => told), isDone: false };
        return { projects: await this.bringIn(planned, { folder, replaces }, signal), isDone: true };
      } finally {
        await imports.close(folder);
      }
    });
  }

  private async places({ projects }: Contents, folders: ImportRequest['folders']): Promise<readonly ImportPlace[]> {
    const whereabouts = new Whereabouts(this.parts, folders);
    const places = [];
    for (const listed of projects) places.push({ from: listed.projectId, ...(await whereabouts.of(listed)) });
    return places;
  }

  /** What would come in, each project of the archive into another one here. */
  private async plans(folder: string, places: readonly ImportPlace[]): Promise<PlannedProject[]> {
    const forgotten = await this.parts.store.forgotten.read();
    const nowIso = this.parts.clock.now().toISOString();
    const renamed = new Map(places.map(({ from, projectId }) => [from, projectId]));
    const planned: PlannedProject[] = [];
    for (const { from, knownBy, ...place } of places) {
      const unpacked = await readUnpacked(folder, { projectId: from, nowIso }, forgotten);
      const { projectId, originalPath } = place;
      const isNever = neverTaken(forgotten, originalPath);
      const layout = this.#layout.project(projectId);
      const plan = (manifest: ProjectManifest): Promise<ImportPlan> =>
        planImport(unpacked, { layout, manifest, knownBy, names: renamed }, isNever);
      const empty = createManifest(place, nowIso);
      const { told } = await plan((await this.parts.store.readManifest(projectId)) ?? empty);
      planned.push({ place, incoming: unpacked.manifest, isNever: isNever(), plan, told });
    }
    return planned;
  }

  /** All of it, or nothing. Two imports at once take the locks of projects in the same order. */
  private async bringIn(
    planned: readonly PlannedProject[],
    into: Into,
    signal?: AbortSignal,
  ): Promise<ImportedProject[]> {
    const idOf = ({ place }: PlannedProject): string => place.projectId;
    const ordered = planned.toSorted((a, b) => (idOf(a) < idOf(b) ? -1 : 1));
    for (const one of ordered)
      if (!one.isNever)
        await this.parts.store.changes.imports.stage(into.folder, this.#layout.project(idOf(one)).manifest);
    return this.apply(ordered, into, signal);
  }

  /** Each project's change ends within that of the one before: all wait for their places when the last one decides. */
  private async apply(
    [first, ...others]: readonly PlannedProject[],
    { folder, replaces }: Into,
    signal?: AbortSignal,
  ): Promise<ImportedProject[]> {
    const { imports } = this.parts.store.changes;
    signal?.throwIfAborted();
    if (first === undefined) return imports.decide(folder).then(() => []);
    let told = [first.told];
    const goOn = async (): Promise<void> => {
      told = [...told, ...(await this.apply(others, { folder, replaces }, signal))];
    };
    if (first.isNever) return goOn().then(() => told);
    await this.parts.store.changes.changeFiles(
      first.place.projectId,
      async (layout, manifest, change) => {
        const planned = await first.plan(replaces ? await this.makeRoom(first, layout, manifest, change) : manifest);
        told = [planned.told];
        if (planned.files.length === 0 && isDeepStrictEqual(planned.manifest, manifest)) {
          await goOn();
          return manifest;
        }
        await stageImport(planned, layout, async (target) => imports.stage(folder, target));
        return planned.manifest;
      },
      first.place,
      async (write) => {
        await write(await imports.stage(folder, this.#layout.project(first.place.projectId).manifest));
        await goOn();
      },
    );
    return told;
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
