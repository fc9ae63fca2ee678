import { rename } from 'node:fs/promises';
import path from 'node:path';
import type { CompressionRecord } from '../../core/model/compression';
import type { ProjectManifest, SessionManifestEntry, MemoryLink } from '../../core/model/manifest';
import { ownValue, setOwnValue } from '../../core/text/ownValue';
import type { KeepitChange } from '../../core/model/keepit';
import { linkIdOf } from '../../core/sessions/links';
import { partsOf } from '../../core/sessions/sessionParts';
import { versionsIndex, withVersions } from '../../core/versions/versionEntries';
import type { ImportedProject, Merged } from '../../core/memoryPorts';
import { writeFileAtomic } from '../files/atomicFile';
import { jsonText } from '../store/storedJson';
import type { ProjectLayout } from '../store/storeLayout';
import { versionFileNames } from '../store/versionFiles';
import { isKeptAlready, renewed, unpackedFiles, type UnpackedProject } from './unpackedProject';

/** What goes where: worked out without a change, then done in one. */
export interface ImportPlan {
  readonly told: ImportedProject;
  /** Unpacked files by the places that they get. */
  readonly files: readonly { readonly source: string; readonly target: string }[];
  readonly manifest: ProjectManifest;
}

/** Where a project of an archive comes to, and what there is of it. */
export interface ImportTarget extends Pick<ImportedProject, 'knownBy'> {
  readonly layout: ProjectLayout;
  readonly manifest: ProjectManifest;
  /** What projects are called here, by what they were called where they were exported. */
  readonly names: ReadonlyMap<string, string>;
}

/** What importing a project comes to beside what is there. `isNever` names sessions of which nothing may be taken; without one, the project. */
export async function planImport(
  { layout: from, manifest: incoming }: UnpackedProject,
  { layout: to, manifest: known, knownBy, names }: ImportTarget,
  isNever: (sessionId?: string) => boolean,
): Promise<ImportPlan> {
  const nothing = (): Merged => ({ added: [], same: [], conflicts: [] });
  const told = {
    projectId: to.projectId,
    from: incoming.projectId,
    originalPath: known.originalPath,
    knownBy,
    sessions: nothing(),
    versions: nothing(),
    keepits: nothing(),
    compositions: nothing(),
    links: nothing(),
  };
  const files: { source: string; target: string }[] = [];
  const unpacked = await unpackedFiles(from);
  const take = (wanted: (name: string) => boolean): void => {
    for (const name of unpacked.filter(wanted))
      files.push({ source: path.join(from.dir, ...name.split('/')), target: path.join(to.dir, ...name.split('/')) });
  };
  const sessions = { ...known.sessions };
  for (const [sessionId, entry] of Object.entries(incoming.sessions)) {
    const there = ownValue(known.sessions, sessionId);
    if (isNever(sessionId))
      told.sessions.conflicts.push({ name: sessionId, reason: 'it is never to be remembered', isNever: true });
    else if (there === undefined) {
      take((name) => isOfSession(name, sessionId));
      setOwnValue(sessions, sessionId, await renewed(entry, from));
      told.sessions.added.push(sessionId);
      told.versions.added.push(...entry.compressions.map(({ versionId }) => `${sessionId} ${versionId}`));
    } else if (await isKeptAlready(from.original(sessionId), to.original(sessionId))) {
      told.sessions.same.push(sessionId);
      const more = newVersions(entry, there, told.versions);
      const itsFiles = new Set(versionFileNames(more).map((name) => `summaries/${sessionId}/${name}`));
      take((name) => itsFiles.has(name));
      setOwnValue(sessions, sessionId, takeKeepits(entry, withMore(entry, there, more), told.keepits));
    } else told.sessions.conflicts.push({ name: sessionId, reason: 'what is kept of it here is another, or shorter' });
  }
  const taking: Taking = { incoming, known, take, isNever };
  if (isNever()) return { told: { ...told, knowledge: 'none' }, files: [], manifest: known };
  const compositions = takeCompositions(taking, told.compositions);
  const links = takeLinks(taking, { projectId: to.projectId, names }, told.links);
  const { knowledge, settings } = takeKnowledge(taking, unpacked);
  return {
    told: { ...told, knowledge },
    files,
    manifest: { ...known, sessions, compositions, settings, ...(links.length > 0 && { links }) },
  };
}

/** What taking a part of an archive over is done with. */
interface Taking {
  readonly incoming: ProjectManifest;
  readonly known: ProjectManifest;
  readonly take: (wanted: (name: string) => boolean) => void;
  readonly isNever: (sessionId?: string) => boolean;
}

function takeCompositions({ incoming, known, take, isNever }: Taking, told: Merged): ProjectManifest['compositions'] {
  const compositions = { ...known.compositions };
  for (const [name, record] of Object.entries(incoming.compositions)) {
    const there = ownValue(known.compositions, name);
    if (record.components.some(({ sessionId }) => isNever(sessionId)))
      told.conflicts.push({ name, reason: 'a session in it is never to be remembered', isNever: true });
    else if (there === undefined) {
      take((file) => file.startsWith(`composed/${name}/`));
      setOwnValue(compositions, name, record);
      told.added.push(name);
    } else if (there.compositionId === record.compositionId && there.builtAt === record.builtAt) told.same.push(name);
    else told.conflicts.push({ name, reason: 'another composition has this name' });
  }
  return compositions;
}

/** Links by their ends, which may be called otherwise here. */
function takeLinks(
  { incoming, known }: Taking,
  { projectId: targetProject, names }: Pick<ImportTarget, 'names'> & { readonly projectId: string },
  told: Merged,
): MemoryLink[] {
  const links = [...(known.links ?? [])];
  for (const { linkId: _there, ...link } of incoming.links ?? []) {
    const sourceProject = names.get(link.sourceProject) ?? link.sourceProject;
    const linkId = linkIdOf({ ...link, sourceProject, targetProject });
    const isThere = links.some((one) => one.linkId === linkId);
    if (!isThere) links.push({ ...link, linkId, sourceProject });
    (isThere ? told.same : told.added).push(linkId);
  }
  return links;
}

/** What people changed about keepits on the other machine. What they changed here stays. */
function takeKeepits(
  { sessionId, keepitOverlay: incoming = [] }: SessionManifestEntry,
  there: SessionManifestEntry,
  told: Merged,
): SessionManifestEntry {
  const { keepitOverlay: known = [] } = there;
  const more: KeepitChange[] = [];
  for (const change of incoming) {
    const { markerId } = change.marker;
    const own = known.find(({ marker }) => marker.markerId === markerId);
    if (own === undefined) more.push(change);
    if (own === undefined) told.added.push(`${sessionId} ${markerId}`);
    else if (own.weight === change.weight && own.removed === change.removed) told.same.push(`${sessionId} ${markerId}`);
    else told.conflicts.push({ name: `${sessionId} ${markerId}`, reason: 'this keepit was changed here too' });
  }
  return more.length === 0 ? there : { ...there, keepitOverlay: [...known, ...more] };
}

/** Layers and notes come into the store, where the project has none: nothing is written into its folder that nobody asked for. */
function takeKnowledge(
  { incoming, known, take, isNever }: Taking,
  unpacked: readonly string[],
): Pick<ImportedProject, 'knowledge'> & Pick<ProjectManifest, 'settings'> {
  const { layersEnabled: _own, layersLocation: _place, layersShared: _shared, ...others } = incoming.settings;
  const settings = { ...others, ...known.settings };
  const isKnowledge = (name: string): boolean => name.startsWith('layers/') || name.startsWith('notebook/');
  if (!unpacked.some(isKnowledge)) return { knowledge: 'none', settings };
  if (known.settings['layersEnabled'] !== undefined) return { knowledge: 'kept', settings };
  if (Object.keys(incoming.sessions).some(isNever)) return { knowledge: 'never', settings };
  take(isKnowledge);
  const own = { layersEnabled: true, layersLocation: 'home', layersShared: false };
  return { knowledge: 'added', settings: { ...settings, ...own } };
}

/** Moves everything to where it waits for its place, which `stage` names. */
export async function stageImport(
  { files, manifest }: ImportPlan,
  layout: ProjectLayout,
  stage: (target: string) => Promise<string>,
): Promise<void> {
  for (const { source, target } of files) await rename(source, await stage(target));
  const changed = new Set(files.map(({ target }) => path.basename(path.dirname(target))));
  for (const entry of Object.values(manifest.sessions)) {
    const { sessionId, compressions } = entry;
    const index = layout.versions(sessionId);
    if (!changed.has(sessionId) || compressions.length === 0 || files.some(({ target }) => target === index)) continue;
    await writeFileAtomic(await stage(index), jsonText(versionsIndex(entry)));
  }
}

function isOfSession(name: string, sessionId: string): boolean {
  const [folder, item = ''] = name.split('/');
  return (folder === 'originals' || folder === 'summaries') && (item === sessionId || item.startsWith(`${sessionId}.`));
}

/** The versions that are not here, but for those whose number or part is something else here. */
function newVersions(entry: SessionManifestEntry, there: SessionManifestEntry, told: Merged): CompressionRecord[] {
  const known = new Map(there.compressions.map((version) => [version.versionId, version]));
  const more: CompressionRecord[] = [];
  for (const version of entry.compressions) {
    const name = `${entry.sessionId} ${version.versionId}`;
    const own = known.get(version.versionId);
    const part = partsOf(there).find(({ partNumber }) => partNumber === version.partNumber);
    const isOfPart = part === undefined || String(part.messageRange) === String(version.messageRange);
    if (own === undefined && isOfPart) more.push(version);
    if (own === undefined && isOfPart) told.added.push(name);
    else if (own?.createdAt === version.createdAt && own.file === version.file) told.same.push(name);
    else
      told.conflicts.push({
        name,
        reason: isOfPart ? 'another version has this number here' : 'its part is another here',
      });
  }
  return more;
}

/** With the parts that versions are the first of here. */
function withMore(
  entry: SessionManifestEntry,
  there: SessionManifestEntry,
  more: readonly CompressionRecord[],
): SessionManifestEntry {
  const parts = partsOf(entry);
  return more.reduce(
    (known, version) =>
      withVersions(
        known,
        [version],
        parts.find(({ partNumber }) => partNumber === version.partNumber),
      ),
    there,
  );
}
