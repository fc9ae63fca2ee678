import path from 'node:path';
import { versionsIndex } from '../../core/versions/versionEntries';
import type { ProjectManifest } from '../../core/model/manifest';
import { ownValue } from '../../core/text/ownValue';
import { writeFileAtomic } from '../files/atomicFile';
import { ensurePrivateFolder } from '../files/privateFolder';
import { jsonText } from './storedJson';
import type { ProjectLayout } from './storeLayout';
import type { Trash } from './trash';
import type { VersionFiles } from './versionFiles';

/**
 * Brings the files of versions in line with the manifest, which decides: what it does not name goes into the trash, for a person to look
 * at, and every `versions.json` says what it says. Inside the project's lock.
 */
export async function repairVersions(
  layout: ProjectLayout,
  manifest: ProjectManifest,
  { versions, trash }: { versions: VersionFiles; trash: Trash },
): Promise<void> {
  const orphans = await versions.orphans(layout, manifest);
  if (orphans.length > 0) await trash.leaveBehind(layout, orphans);
  for (const sessionId of await versions.staleIndexes(layout, manifest)) {
    const entry = ownValue(manifest.sessions, sessionId);
    if (entry === undefined) continue;
    const index = layout.versions(sessionId);
    await ensurePrivateFolder(path.dirname(index), layout.root);
    await writeFileAtomic(index, jsonText(versionsIndex(entry)));
  }
}
