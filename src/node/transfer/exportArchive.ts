import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { LayerFiles, LayerPlace, LayerStore } from '../../core/knowledge/layerStore';
import { TransferError, type Exported, type ExportRequest } from '../../core/memoryPorts';
import type { Clock } from '../../core/model/host';
import type { ProjectManifest } from '../../core/model/manifest';
import type { OnProgress } from '../../core/sessions/results';
import { unlessGone } from '../files/errorCode';
import { filesOf } from '../forgetting/rewriteFiles';
import { runGit } from '../runGit';
import type { FileMemoryStore } from '../store/fileMemoryStore';
import { jsonText } from '../store/storedJson';
import { StoreLayout, type ProjectLayout } from '../store/storeLayout';
import { writeArchive, type ArchivedProject, type ArchiveSource } from './archiveFile';

/** What of a project's part of the store is memory, and not of this machine alone. */
const MEMORY = new Set(['originals', 'summaries', 'composed', 'layers', 'notebook']);
const MOST_DEPTH = 5;

export interface ExporterParts {
  readonly store: FileMemoryStore;
  readonly layerStore: LayerStore;
  readonly clock: Clock;
}

interface ExportedProject extends ArchivedProject {
  readonly manifest: ProjectManifest;
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
  const now = parts.clock.now();
  const written = await writeArchive({ file, passphrase, projects, now }, onProgress, signal);
  return {
    file,
    ...written,
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
    projects.push({ manifest, listed: await listing(manifest), sources: [first, ...own, ...knowledge] });
  }
  if (projects.length === 0) throw new TransferError('nothing-to-export', projectId ?? 'any project');
  return projects;
}

async function listing({ projectId, originalPath, displayName }: ProjectManifest): Promise<ArchivedProject['listed']> {
  const { remote, below } = (await repositoryOf(originalPath)) ?? {};
  return { projectId, originalPath, displayName, remote, below };
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
): Promise<ArchiveSource[]> {
  const sources: ArchiveSource[] = [];
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
async function knowledgeOf(layerStore: LayerStore, manifest: ProjectManifest): Promise<ArchiveSource[]> {
  const { projectId, originalPath: projectPath, settings } = manifest;
  if (settings['layersEnabled'] !== true || settings['layersLocation'] === 'home' || projectPath === '') return [];
  const place: LayerPlace = { projectId, projectPath, location: 'project' };
  const sources: ArchiveSource[] = [];
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
