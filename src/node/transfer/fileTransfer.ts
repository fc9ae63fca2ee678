import { mkdtemp, readdir, readFile, rename, rm, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { readManifestDocument } from '../../core/model/manifestDocument';
import { parsedJson } from '../../core/text/parsedJson';
import { ownValue } from '../../core/text/ownValue';
import { createManifest, type ProjectManifest } from '../../core/model/manifest';
import { nameOfNever } from '../../core/model/forgotten';
import { projectFolderName } from '../../core/sessions/projectNames';
import type {
  Exported,
  ExportRequest,
  Imported,
  ImportedProject,
  ImportRequest,
  TransferStore,
} from '../../core/transferPort';
import { TransferError } from '../../core/transferError';
import { unlessGone } from '../files/errorCode';
import { isRunning } from '../files/isRunning';
import { ensurePrivateFolder, FOLDER_MODE } from '../files/privateFolder';
import { copyErased } from '../forgetting/copyErased';
import { ErasedRuns } from '../forgetting/erasedRuns';
import { runsInRecords } from '../forgetting/forgottenFile';
import { filesOf, isOriginal } from '../forgetting/rewriteFiles';
import { storing } from '../files/storeFailure';
import { ProjectLayout, StoreLayout } from '../store/storeLayout';
import { exportArchive, remoteOf, type Contents, type ExporterParts, CONTENTS, contentsSchema } from './exportArchive';
import {
  applyImport,
  isFolder,
  planImport,
  unpackedManifest,
  type ImportPlan,
  type UnpackedProject,
} from './importProject';
import { createHash } from 'node:crypto';
import { isSafeSegment } from '../../core/model/ids';
import { SCHEMA_VERSION } from '../../core/model/schemaVersion';
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

/** Memory to and from archives. */
export class FileTransfer implements TransferStore {
  readonly #layout: StoreLayout;

  constructor(private readonly parts: ExporterParts) {
    this.#layout = new StoreLayout(parts.store.dir);
  }

  async export(request: ExportRequest, signal?: AbortSignal): Promise<Exported> {
    return exportArchive(this.parts, request, signal);
  }

  async import({ file, isDryRun = false, replaces = false }: ImportRequest, signal?: AbortSignal): Promise<Imported> {
    const { dir } = this.#layout;
    return storing(dir, async () => {
      await ensurePrivateFolder(dir, dir);
      for (const left of await deadImports(dir)) await rm(left, { recursive: true, force: true });
      const folder = await mkdtemp(path.join(dir, `${STAGING}${process.pid}-`));
      try {
        const contents = await unpackArchive(file, folder, signal);
        await this.forget(folder);
        const projects: ImportedProject[] = [];
        for (const listed of contents.projects)
          projects.push(await this.importProject(folder, listed, { isDryRun, replaces }));
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

  private async importProject(
    folder: string,
    listed: ListedProject,
    { isDryRun, replaces }: { isDryRun: boolean; replaces: boolean },
  ): Promise<ImportedProject> {
    const unpacked = await this.unpacked(folder, listed);
    const { projectId, originalPath } = await this.placeOf(listed);
    const layout = this.#layout.project(projectId);
    const { displayName } = listed;
    const { never = [] } = (await this.parts.store.forgotten.read()) ?? {};
    const names = new Set(never.map(nameOfNever));
    const plan = (manifest: ProjectManifest): Promise<ImportPlan> =>
      planImport(unpacked, { layout, manifest }, (sessionId) => names.has(sessionId) || names.has(originalPath));
    const empty = createManifest({ projectId, originalPath, displayName }, this.parts.clock.now().toISOString());
    const before = await plan((await this.parts.store.readManifest(projectId)) ?? empty);
    if (isDryRun) return before.told;
    if (replaces) await this.makeRoom(projectId, before.told, unpacked.manifest);
    let told = before.told;
    await this.parts.store.changeFiles(
      projectId,
      async (_layout, manifest, change) => {
        const planned = await plan(manifest);
        told = planned.told;
        return planned.files.length === 0 ? manifest : applyImport(planned, layout, change);
      },
      { projectId, originalPath, displayName },
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

  /** The project here that one of an archive is: by its folder, else by what git calls its origin, else by a name that only one has. */
  private async placeOf({
    projectId,
    originalPath,
    displayName,
    remote,
  }: ListedProject): Promise<{ projectId: string; originalPath: string }> {
    const { store } = this.parts;
    const own = { projectId, originalPath };
    const known = await store.listProjects();
    if (known.includes(projectId) || (await isFolder(originalPath))) return own;
    const here: { projectId: string; originalPath: string; displayName: string }[] = [];
    for (const id of known) {
      const manifest = await store.readManifest(id);
      if (manifest !== undefined)
        here.push({ projectId: id, originalPath: manifest.originalPath, displayName: manifest.displayName });
    }
    for (const one of remote === undefined ? [] : here)
      if ((await remoteOf(one.originalPath)).remote === remote) return one;
    if (remote !== undefined && (await remoteOf(process.cwd())).remote === remote)
      return { projectId: projectFolderName(process.cwd()), originalPath: process.cwd() };
    const named = here.filter((one) => one.displayName === displayName);
    return named.length === 1 ? (named[0] ?? own) : own;
  }

  /** What is in the way goes to the trash. */
  private async makeRoom(
    projectId: string,
    { sessions, compositions }: ImportedProject,
    incoming: ProjectManifest,
  ): Promise<void> {
    const { store } = this.parts;
    for (const { name } of sessions.conflicts) {
      const there = ownValue((await store.readManifest(projectId))?.sessions, name);
      if (there !== undefined && ownValue(incoming.sessions, name) !== undefined)
        await store.discardSession(projectId, name);
    }
    const manifest = await store.readManifest(projectId);
    if (manifest === undefined || compositions.conflicts.length === 0) return;
    await store.updateManifest(manifest, async (current) => {
      const left = { ...current.compositions };
      for (const { name } of compositions.conflicts) {
        const record = ownValue(left, name);
        if (record === undefined) continue;
        await store.compositions.discard(projectId, record);
        Reflect.deleteProperty(left, name);
      }
      return { ...current, compositions: left };
    });
  }
}

/** Unpacks an archive into a folder, and verifies all of it. Throws `TransferError`. */
export async function unpackArchive(file: string, folder: string, signal?: AbortSignal): Promise<Contents> {
  const found = new Map<string, { bytes: number; sha256: string }>();
  try {
    for await (const entry of readEntries(file, signal)) {
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
