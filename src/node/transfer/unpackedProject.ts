import { readFile, stat } from 'node:fs/promises';
import { withoutErasedKeepits } from '../../core/keepits/effectiveKeepits';
import { TransferError } from '../../core/memoryPorts';
import type { Forgotten } from '../../core/model/forgotten';
import type { ProjectManifest, SessionManifestEntry } from '../../core/model/manifest';
import { readManifestDocument } from '../../core/model/manifestDocument';
import { parsedJson } from '../../core/text/ownValue';
import { unlessGone } from '../files/errorCode';
import { isWithin } from '../files/links';
import { beginsWith } from '../files/takeFile';
import { ErasedRuns } from '../forgetting/erasedRuns';
import { filesOf } from '../forgetting/rewriteFiles';
import { hashContent } from '../store/originalHashes';
import { ProjectLayout } from '../store/storeLayout';

/** A project of an archive, unpacked. */
export interface UnpackedProject {
  readonly layout: ProjectLayout;
  readonly manifest: ProjectManifest;
}

/** Reads what a project of an archive says that was unpacked into `folder`, without what is forgotten here. Throws `TransferError`. */
export async function readUnpacked(
  folder: string,
  { projectId, nowIso }: { readonly projectId: string; readonly nowIso: string },
  forgotten: Forgotten | undefined,
): Promise<UnpackedProject> {
  const layout = new ProjectLayout(folder, projectId);
  const text = await unlessGone(readFile(layout.manifest, 'utf8'));
  if (text === undefined) throw new TransferError('damaged-archive', `projects/${projectId}/manifest.json is missing`);
  const reading = readManifestDocument(parsedJson(text), { projectId, nowIso });
  if (reading.state === 'newer') throw new TransferError('newer-archive', reading.version);
  if (reading.state === 'damaged') throw new TransferError('damaged-archive', reading.problem);
  const erased = forgotten && new ErasedRuns(forgotten);
  return { layout, manifest: withoutErasedKeepits(reading.manifest, (uuid) => erased?.hasRecord(uuid) === true) };
}

/** Tells of which sessions of a project, which is in `folder` here, nothing may be taken; without one, of the project. */
export function neverTaken(forgotten: Forgotten | undefined, folder: string): (sessionId?: string) => boolean {
  return (sessionId) =>
    (forgotten?.never ?? []).some(({ folder: held, session }) =>
      held === undefined ? session === sessionId : folder !== '' && isWithin(held, folder),
    );
}

/** All its files, as they are called in it. */
export async function unpackedFiles(layout: ProjectLayout): Promise<string[]> {
  return (await filesOf(layout.dir)).map((file) => layout.relative(file));
}

/** Whether what is here begins with what comes: then nothing of it is new. */
export async function isKeptAlready(incoming: string, here: string): Promise<boolean> {
  const [one, other] = [await unlessGone(stat(incoming)), await unlessGone(stat(here))];
  if (one === undefined) return true; // an archive may lack it, as the store did
  return other !== undefined && other.size >= one.size && (await beginsWith(here, incoming, one.size));
}

/** The hashes are of what was unpacked: words that were erased here have been overwritten in it. */
export async function renewed(entry: SessionManifestEntry, from: ProjectLayout): Promise<SessionManifestEntry> {
  const file = from.original(entry.sessionId);
  const stats = await unlessGone(stat(file));
  if (stats === undefined || entry.kept === undefined) return entry;
  const { bytes } = entry.kept;
  return {
    ...entry,
    kept: {
      ...entry.kept,
      method: 'copy',
      bytes: Math.min(bytes, stats.size),
      hashes: await hashContent(file, Math.min(bytes, stats.size)),
    },
  };
}
