import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat, type FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import * as z from 'zod/mini';
import path from 'node:path';
import type { LayerFiles, LayerPlace, LayerStore } from '../../core/knowledge/layerStore';
import type { Clock } from '../../core/model/host';
import type { ProjectManifest } from '../../core/model/manifest';
import { schemaVersionSchema, SCHEMA_VERSION } from '../../core/model/fields';
import type { OnProgress } from '../../core/sessions/results';
import { TransferError, type Exported, type ExportRequest } from '../../core/memoryPorts';
import { createFile, placeNew } from '../files/atomicFile';
import { errorCode, unlessGone } from '../files/errorCode';
import { filesOf } from '../forgetting/rewriteFiles';
import type { FileMemoryStore } from '../store/fileMemoryStore';
import { jsonText } from '../store/storedJson';
import { StoreLayout, type ProjectLayout } from '../store/storeLayout';
import { runGit } from '../runGit';
import { encrypted } from './passphrase';
import { tarOf, type TarEntry } from './tarFile';

/** The last file of an archive: what is in it. */
export const CONTENTS = 'keepit-archive.json';

export const contentsSchema = z.object({
  version: schemaVersionSchema,
  createdAt: z.string(),
  projects: z.array(
    z.object({
      projectId: z.string(),
      originalPath: z.string(),
      displayName: z.string(),
      /** What git calls `origin` there. */
      remote: z.optional(z.string()),
      /** Its folder in that repository; none for all of it. */
      below: z.optional(z.string()),
    }),
  ),
  files: z.array(z.object({ name: z.string(), bytes: z.number(), sha256: z.string() })),
});
export type Contents = z.infer<typeof contentsSchema>;

/** What of a project's part of the store is memory, and not of this machine alone. */
const MEMORY = new Set(['originals', 'summaries', 'composed', 'layers', 'notebook']);
const MOST_DEPTH = 5;

export interface ExporterParts {
  readonly store: FileMemoryStore;
  readonly layerStore: LayerStore;
  readonly clock: Clock;
}

/** A file that goes into an archive: where it lies, or what it says. */
interface Source {
  readonly name: string;
  readonly file?: string;
  readonly text?: string;
}

/** What goes into an archive of a project. */
interface ExportedProject {
  readonly manifest: ProjectManifest;
  readonly sources: readonly Source[];
}

/** Writes projects into one file. */
export async function exportArchive(
  parts: ExporterParts,
  { file, passphrase, ...request }: ExportRequest,
  onProgress?: OnProgress,
  signal?: AbortSignal,
): Promise<Exported> {
  const folder = path.dirname(path.resolve(file));
  if ((await unlessGone(stat(folder)))?.isDirectory() !== true) throw new TransferError('no-export-folder', folder);
  const projects = await projectsOf(parts, request);
  const contents: Contents = { version: SCHEMA_VERSION, createdAt: '', projects: [], files: [] };
  const plain = tarOf(entriesOf(projects, contents, parts.clock.now(), onProgress));
  let bytes = 0;
  const write = async (to: FileHandle): Promise<void> => {
    for await (const chunk of passphrase === undefined ? plain : await encrypted(plain, passphrase)) {
      signal?.throwIfAborted();
      await to.writeFile(chunk);
    }
    await to.sync();
    bytes = (await to.stat()).size;
  };
  await placeNew(file, (temporary) => createFile(temporary, write)).catch((error: unknown) => {
    throw errorCode(error) === 'EEXIST' ? new TransferError('file-there', file) : error;
  });
  return {
    file,
    bytes,
    files: contents.files.length,
    projects: projects.map(({ manifest: { projectId, sessions, compositions } }) => ({
      projectId,
      sessions: Object.keys(sessions).length,
      compositions: Object.keys(compositions).length,
    })),
  };
}

async function projectsOf(
  { store, layerStore }: ExporterParts,
  { projectId, sessionIds }: Pick<ExportRequest, 'projectId' | 'sessionIds'>,
): Promise<ExportedProject[]> {
  const layout = new StoreLayout(store.dir);
  const projects: ExportedProject[] = [];
  for (const id of projectId === undefined ? await store.listProjects() : [projectId]) {
    const whole = await store.readManifest(id);
    const manifest = whole === undefined ? undefined : narrowed(whole, sessionIds);
    if (manifest === undefined) continue;
    const own = await sourcesOf(layout.project(id), manifest, sessionIds);
    const knowledge = sessionIds === undefined ? await knowledgeOf(layerStore, manifest) : [];
    const first = { name: `projects/${id}/manifest.json`, text: jsonText(manifest) };
    projects.push({ manifest, sources: [first, ...own, ...knowledge] });
  }
  if (projects.length === 0) throw new TransferError('nothing-to-export', projectId ?? 'any project');
  return projects;
}

/** All files, and last what they are, which is entered into `contents` meanwhile. */
async function* entriesOf(
  projects: readonly ExportedProject[],
  contents: Contents,
  now: Date,
  onProgress?: OnProgress,
): AsyncGenerator<TarEntry & { modified: Date }> {
  const total = projects.reduce((sum, { sources }) => sum + sources.length, 0);
  for (const { manifest, sources } of projects) {
    const { projectId, originalPath, displayName } = manifest;
    const { remote, below } = (await repositoryOf(originalPath)) ?? {};
    contents.projects.push({ projectId, originalPath, displayName, remote, below });
    for (const source of sources) {
      onProgress?.({ step: 'export', done: contents.files.length, total, label: displayName });
      const hash = createHash('sha256');
      const entry = await entryOf(source, now);
      yield { ...entry, content: hashed(entry.content, hash) };
      contents.files.push({ name: entry.name, bytes: entry.bytes, sha256: hash.digest('hex') });
    }
  }
  contents.createdAt = now.toISOString();
  yield entryOf({ name: CONTENTS, text: jsonText(contents) }, now);
}

function narrowed(manifest: ProjectManifest, sessionIds: readonly string[] | undefined): ProjectManifest | undefined {
  if (sessionIds === undefined) return manifest;
  const sessions = Object.fromEntries(Object.entries(manifest.sessions).filter(([id]) => sessionIds.includes(id)));
  return Object.keys(sessions).length === 0 ? undefined : { ...manifest, sessions, compositions: {} };
}

async function sourcesOf(
  layout: ProjectLayout,
  manifest: ProjectManifest,
  sessionIds: readonly string[] | undefined,
): Promise<Source[]> {
  const sources: Source[] = [];
  for (const file of await filesOf(layout.dir)) {
    const name = layout.relative(file);
    const [folder = '', item = ''] = name.split('/');
    if (!MEMORY.has(folder)) continue;
    const isOfSession = folder === 'originals' || folder === 'summaries';
    const isOwn = Object.keys(manifest.sessions).some((id) => item === id || item.startsWith(`${id}.`));
    if (isOfSession ? isOwn : sessionIds === undefined)
      sources.push({ name: `projects/${layout.projectId}/${name}`, file });
  }
  return sources;
}

/** Layers and notes that lie in the project's own folder. */
async function knowledgeOf(layerStore: LayerStore, manifest: ProjectManifest): Promise<Source[]> {
  const { projectId, originalPath: projectPath, settings } = manifest;
  if (settings['layersEnabled'] !== true || settings['layersLocation'] === 'home' || projectPath === '') return [];
  const place: LayerPlace = { projectId, projectPath, location: 'project' };
  const sources: Source[] = [];
  for (const [room, files] of [
    ['layers', layerStore.files(place)],
    ['notebook', layerStore.files({ ...place, room: 'notebook' })],
  ] as const) {
    for (const name of await namesIn(files))
      sources.push({ name: `projects/${projectId}/${room}/${name}`, text: (await files.read(name)) ?? '' });
  }
  return sources;
}

async function namesIn(files: LayerFiles, folder = '', depth = 0): Promise<string[]> {
  const found: string[] = [];
  for (const one of depth > MOST_DEPTH ? [] : await files.names(folder)) {
    if (one.startsWith('.')) continue;
    const name = folder === '' ? one : `${folder}/${one}`;
    if ((await files.stat(name)) === undefined) found.push(...(await namesIn(files, name, depth + 1)));
    else found.push(name);
  }
  return found;
}

async function entryOf({ name, file, text = '' }: Source, now: Date): Promise<TarEntry & { modified: Date }> {
  if (file === undefined) {
    const content = Buffer.from(text, 'utf8');
    return { name, bytes: content.length, modified: now, content: Readable.from([content]) };
  }
  const { size: bytes, mtime: modified } = await stat(file);
  const content = bytes === 0 ? Readable.from([]) : createReadStream(file, { end: bytes - 1 });
  return { name, bytes, modified, content };
}

async function* hashed(content: AsyncIterable<Buffer>, hash: Hash): AsyncGenerator<Buffer> {
  for await (const chunk of content) {
    hash.update(chunk);
    yield chunk;
  }
}

/** What git calls a folder's `origin`, and where in the repository it is; undefined where there is none. */
export async function repositoryOf(
  folder: string,
): Promise<{ root: string; remote: string; below: string } | undefined> {
  if (folder === '' || !path.isAbsolute(folder)) return undefined;
  const ask = async (...args: string[]): Promise<string> => {
    const answer = await runGit({ folder, args, env: process.env });
    return 'stdout' in answer ? answer.stdout.trim() : '';
  };
  const remote = (await ask('remote', 'get-url', 'origin')).replace(/^(\w+:\/\/)[^@/]*@/, '$1'); // it may hold a password
  if (remote === '') return undefined;
  const root = path.resolve(await ask('rev-parse', '--show-toplevel'));
  return { root, remote, below: (await ask('rev-parse', '--show-prefix')).replace(/\/$/, '') };
}

const REMOTES = [
  /^(?:https?|ssh|git):\/\/(?:[^@/]*@)?([^:/]+)(?::\d+)?\/+([^/].*)$/i,
  /^(?:[^@/:]+@)?([^@/:]{2,}):(?!\/\/)\/*([^/].*)$/, // as scp names it; one letter is a disk of Windows
];

/** The same for one repository, whether it is asked for by HTTPS or by SSH: `example.org/ada/app`. */
export function repositoryName(remote: string): string {
  for (const pattern of REMOTES) {
    const [, host, where] = pattern.exec(remote) ?? [];
    if (host === undefined || where === undefined) continue;
    const names = where.split('/').filter((name) => name !== '');
    return `${host.toLowerCase()}/${names.join('/').replace(/\.git$/, '')}`;
  }
  return remote;
}
