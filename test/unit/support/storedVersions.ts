import { versionsIndex, withVersions, withoutVersions, nextVersionId } from '../../../src/core/versions/versionEntries';
import type { SessionManifestEntry } from '../../../src/core/model/manifest';
import type { FileMemoryStore } from '../../../src/node/store/fileMemoryStore';
import { newProject, someEntry, someVersion } from './storedDocuments';

const { projectId } = newProject;

async function changeEntry(
  store: FileMemoryStore,
  sessionId: string,
  change: (entry: SessionManifestEntry) => Promise<SessionManifestEntry>,
): Promise<void> {
  await store.updateManifest(newProject, async (manifest) => {
    const entry = manifest.sessions[sessionId] ?? someEntry(sessionId, { compressions: [] });
    return { ...manifest, sessions: { ...manifest.sessions, [sessionId]: await change(entry) } };
  });
}

/** Keeps a version as the service does: id, files and record in one step. */
export async function addVersion(store: FileMemoryStore, sessionId: string, text: string): Promise<string> {
  let versionId = '';
  await changeEntry(store, sessionId, async (entry) => {
    versionId = nextVersionId(entry);
    const record = someVersion(versionId);
    const changed = withVersions(entry, [record]);
    const texts = { md: `${text} as Markdown`, jsonl: `${text} as records` };
    await store.versions.keep(projectId, { file: record.file, texts }, versionsIndex(changed));
    return changed;
  });
  return versionId;
}

/** Moves a version into the trash, and returns the trash's name. */
export async function deleteVersion(store: FileMemoryStore, sessionId: string, versionId: string): Promise<string> {
  let trash = '';
  await changeEntry(store, sessionId, async (entry) => {
    const records = entry.compressions.filter((record) => record.versionId === versionId);
    const changed = withoutVersions(entry, new Set([versionId]));
    trash = await store.versions.discard(projectId, records, versionsIndex(changed));
    return changed;
  });
  return trash;
}

/** Undoes `deleteVersion`. */
export async function restoreVersion(store: FileMemoryStore, sessionId: string, trash: string): Promise<void> {
  await changeEntry(store, sessionId, async (entry) => {
    const { records } = await store.versions.discarded(projectId, trash);
    const changed = withVersions(entry, records);
    await store.versions.takeBack(projectId, trash, versionsIndex(changed));
    return changed;
  });
}
