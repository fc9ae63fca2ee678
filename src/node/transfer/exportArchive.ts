import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, rm, stat, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod/mini';
import type { LayerFiles, LayerPlace, LayerStore } from '../../core/knowledge/layerStore';
import type { Clock } from '../../core/model/host';
import type { ProjectManifest } from '../../core/model/manifest';
import { schemaVersionSchema, SCHEMA_VERSION } from '../../core/model/schemaVersion';
import type { Exported, ExportRequest } from '../../core/transferPort';
import { TransferError } from '../../core/transferError';
import { errorCode } from '../files/errorCode';
import { filesOf } from '../forgetting/rewriteFiles';
import { runGit } from '../runGit';
import type { FileMemoryStore } from '../store/fileMemoryStore';
import { jsonText } from '../store/storedJson';
import { StoreLayout, type ProjectLayout } from '../store/storeLayout';
import { writeEnd, writeEntry } from './tarFile';

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

/** Writes projects into one file. */
export async function exportArchive(
  { store, layerStore, clock }: ExporterParts,
  { file, projectId, sessionIds }: ExportRequest,
  signal?: AbortSignal,
): Promise<Exported> {
  const layout = new StoreLayout(store.dir);
  const now = clock.now();
  const contents: Contents = { version: SCHEMA_VERSION, createdAt: now.toISOString(), projects: [], files: [] };
  const projects: { projectId: string; sessions: number; compositions: number }[] = [];
  const to = await openNew(file);
  try {
    for (const id of projectId === undefined ? await store.listProjects() : [projectId]) {
      const whole = await store.readManifest(id);
      const manifest = whole === undefined ? undefined : narrowed(whole, sessionIds);
      if (manifest === undefined) continue;
      const sources = await sourcesOf(layout.project(id), manifest, sessionIds);
      const knowledge = sessionIds === undefined ? await knowledgeOf(layerStore, manifest) : [];
      for (const source of [
        { name: `projects/${id}/manifest.json`, text: jsonText(manifest) },
        ...sources,
        ...knowledge,
      ]) {
        signal?.throwIfAborted();
        contents.files.push(await add(to, source, now));
      }
      const { originalPath, displayName } = manifest;
      contents.projects.push({ projectId: id, originalPath, displayName, ...(await remoteOf(originalPath)) });
      const { sessions, compositions } = manifest;
      projects.push({
        projectId: id,
        sessions: Object.keys(sessions).length,
        compositions: Object.keys(compositions).length,
      });
    }
    if (projects.length === 0) throw new TransferError('nothing-to-export', projectId ?? 'any project');
    await add(to, { name: CONTENTS, text: jsonText(contents) }, now);
    await writeEnd(to);
    await to.sync();
    const { size: bytes } = await to.stat();
    return { file, bytes, files: contents.files.length, projects };
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  } finally {
    await to.close();
  }
}

async function openNew(file: string): Promise<FileHandle> {
  try {
    return await open(file, 'wx', 0o600);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') throw new TransferError('file-there', file);
    throw error;
  }
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

async function add(to: FileHandle, { name, file, text = '' }: Source, now: Date): Promise<Contents['files'][number]> {
  const hash = createHash('sha256');
  const stats = file === undefined ? undefined : await stat(file);
  const bytes = stats?.size ?? Buffer.byteLength(text);
  const chunks =
    file === undefined ? [Buffer.from(text, 'utf8')] : bytes === 0 ? [] : createReadStream(file, { end: bytes - 1 });
  const content = (async function* () {
    for await (const chunk of chunks) {
      const piece = Buffer.from(chunk);
      hash.update(piece);
      yield piece;
    }
  })();
  await writeEntry(to, { name, bytes, content }, stats?.mtime ?? now);
  return { name, bytes, sha256: hash.digest('hex') };
}

/** What git calls a folder's `origin`; nothing where there is none. */
export async function remoteOf(folder: string): Promise<{ remote?: string }> {
  if (folder === '' || !path.isAbsolute(folder)) return {};
  const answer = await runGit({ folder, args: ['remote', 'get-url', 'origin'], env: process.env });
  const remote = 'stdout' in answer ? withoutUser(answer.stdout.trim()) : '';
  return remote === '' ? {} : { remote };
}

/** An address may hold a password. */
function withoutUser(url: string): string {
  return url.replace(/^(\w+:\/\/)[^@/]*@/, '$1');
}
