import { mkdtemp, readdir, readFile, rename, rm, mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { readManifestDocument } from '../../core/model/manifestDocument';
import { parsedJson } from '../../core/text/parsedJson';
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
import { unlessGone } from '../files/errorCode';
import { isRunning } from '../files/isRunning';
import { ensurePrivateFolder, FOLDER_MODE } from '../files/privateFolder';
import { copyErased } from '../forgetting/copyErased';
import { ErasedRuns } from '../forgetting/erasedRuns';
import { runsInRecords } from '../forgetting/forgottenFile';
import { filesOf, isOriginal } from '../forgetting/rewriteFiles';
import { storing } from '../files/storeFailure';
import { ProjectLayout, StoreLayout } from '../store/storeLayout';
import { exportArchive, type Contents, CONTENTS, contentsSchema } from './exportArchive';
import { openArchive } from './passphrase';
import { type TransferParts, Whereabouts } from './whereabouts';
import { applyImport, planImport, unpackedManifest, type ImportPlan, type UnpackedProject } from './importProject';
import { createHash } from 'node:crypto';
import { isSafeSegment, SCHEMA_VERSION } from '../../core/model/fields';
import { createFile } from '../files/atomicFile';
import { errorCode } from '../files/errorCode';
import { readEntries, type TarEntry } from './tarFile';

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
        const projects = isDryRun ? planned.map(({ told }) => told) : await this.bringIn(planned, replaces, signal);
        return { projects, isDone: !isDryRun };
      } finally {
        await rm(folder, { recursive: true, force: true });
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
      planned.push({ place, incoming: unpacked.manifest, plan, told });
    }
    return planned;
  }

  /** All of it, or nothing. */
  private async bringIn(
    planned: readonly PlannedProject[],
    replaces: boolean,
    signal?: AbortSignal,
  ): Promise<ImportedProject[]> {
    const room: (() => Promise<unknown>)[] = [];
    try {
      for (const one of replaces ? planned : []) await this.makeRoom(one, room);
      return await this.apply(planned, signal);
    } catch (error) {
      for (const putBack of room.reverse()) await putBack();
      throw error;
    }
  }

  /** Each project's change ends within that of the one before: none takes effect before all are on the disk. */
  private async apply([first, ...others]: readonly PlannedProject[], signal?: AbortSignal): Promise<ImportedProject[]> {
    signal?.throwIfAborted();
    if (first === undefined) return [];
    let told: ImportedProject[] = [];
    await this.parts.store.changeFiles(
      first.place.projectId,
      async (layout, manifest, change) => {
        const planned = await first.plan(manifest);
        const isSame = planned.files.length === 0 && isDeepStrictEqual(planned.manifest, manifest);
        const changed = isSame ? manifest : await applyImport(planned, layout, change);
        told = [planned.told, ...(await this.apply(others, signal))];
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

  /** What is in the way goes to the trash, from which `room` takes it back. */
  private async makeRoom({ place, told, incoming }: PlannedProject, room: (() => Promise<unknown>)[]): Promise<void> {
    const { store } = this.parts;
    const { projectId } = place;
    for (const { name } of told.sessions.conflicts) {
      const there = ownValue((await store.readManifest(projectId))?.sessions, name);
      if (there === undefined || ownValue(incoming.sessions, name) === undefined) continue;
      const trash = await store.discardSession(projectId, name);
      room.push(() => store.restoreSession(projectId, trash));
    }
    const manifest = await store.readManifest(projectId);
    if (manifest === undefined) return;
    for (const { name } of told.compositions.conflicts) {
      const record = ownValue(manifest.compositions, name);
      if (record === undefined) continue;
      let trash = '';
      await store.updateManifest(manifest, async (current) => {
        trash = await store.compositions.discard(projectId, record);
        return { ...current, compositions: withoutKey(current.compositions, name) };
      });
      room.push(() =>
        store.updateManifest(manifest, async (current) => {
          await store.compositions.takeBack(projectId, trash);
          return { ...current, compositions: { ...current.compositions, [name]: record } };
        }),
      );
    }
  }
}

/** Unpacks an archive into a folder, and verifies all of it. Throws `TransferError`. */
async function unpackArchive(
  { file, passphrase }: ImportRequest,
  folder: string,
  onProgress?: OnProgress,
  signal?: AbortSignal,
): Promise<Contents> {
  const found = new Map<string, { bytes: number; sha256: string }>();
  let done = 0;
  try {
    const { size: total } = await stat(file);
    for await (const entry of readEntries(await openArchive(file, passphrase, signal))) {
      signal?.throwIfAborted();
      onProgress?.({ step: 'import', done, total });
      done += entry.bytes;
      if (found.has(entry.name)) throw damaged(`${entry.name} is in it twice`);
      found.set(entry.name, await unpack(entry, folder));
    }
  } catch (error) {
    if (error instanceof RangeError)
      throw found.size === 0 ? new TransferError('no-archive', file) : damaged(error.message);
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'EISDIR') throw new TransferError('no-archive', file);
    throw error;
  }
  if (!found.has(CONTENTS)) throw found.size === 0 ? new TransferError('no-archive', file) : damaged('it has no end');
  const contents = await readContents(path.join(folder, CONTENTS));
  found.delete(CONTENTS);
  compare(contents, found);
  return contents;
}

function damaged(what: string): TransferError {
  return new TransferError('damaged-archive', what);
}

/** Throws unless exactly what was put in came out. */
function compare({ files }: Contents, found: Map<string, { bytes: number; sha256: string }>): void {
  for (const { name, bytes, sha256 } of files) {
    const there = found.get(name);
    if (there === undefined) throw damaged(`${name} is missing`);
    if (there.bytes !== bytes || there.sha256 !== sha256) throw damaged(`${name} is not what was put in`);
    found.delete(name);
  }
  const [strange] = found.keys();
  if (strange !== undefined) throw damaged(`${strange} does not belong into it`);
}

async function unpack({ name, content }: TarEntry, folder: string): Promise<{ bytes: number; sha256: string }> {
  const steps = name.split('/');
  const isOwn = name === CONTENTS || (steps[0] === 'projects' && steps.length > 2);
  if (!isOwn || !steps.every(isSafeSegment)) throw damaged(`${JSON.stringify(name)} is no name of ours`);
  const target = path.join(folder, ...steps);
  await mkdir(path.dirname(target), { recursive: true, mode: FOLDER_MODE });
  const hash = createHash('sha256');
  let bytes = 0;
  await createFile(target, async (handle) => {
    for await (const chunk of content) {
      hash.update(chunk);
      bytes += chunk.length;
      await handle.writeFile(chunk);
    }
  });
  return { bytes, sha256: hash.digest('hex') };
}

async function readContents(file: string): Promise<Contents> {
  const checked = contentsSchema.safeParse(parsedJson(await readFile(file, 'utf8')));
  if (!checked.success) throw damaged('its list of contents cannot be read');
  const [major] = checked.data.version.split('.');
  if (Number(major) > Number(SCHEMA_VERSION.split('.')[0]))
    throw new TransferError('newer-archive', checked.data.version);
  return checked.data;
}
