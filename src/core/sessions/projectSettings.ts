import { StoreError } from '../model/storeError';
import type { ProjectManifest, ProjectSettings } from '../model/manifest';
import type { MemoryStore } from '../model/memoryStore';
import { withProjectSetting } from './configSettings';

/** What a project decides for itself. Throws `StoreError` for one that has nothing in memory. */
export async function readProjectSettings(store: MemoryStore, projectId: string): Promise<ProjectSettings> {
  return (await manifestOf(store, projectId)).settings;
}

/** Changes one setting of a project, by its key behind `project.`. Throws `ConfigError` with what is allowed. */
export async function changeProjectSetting(
  store: MemoryStore,
  projectId: string,
  { key, value }: { key: string; value: string },
): Promise<ProjectSettings> {
  const changed = await store.updateManifest(await manifestOf(store, projectId), (manifest) => ({
    ...manifest,
    settings: withProjectSetting(manifest.settings, key, value),
  }));
  return changed.settings;
}

async function manifestOf(store: MemoryStore, projectId: string): Promise<ProjectManifest> {
  const manifest = await store.readManifest(projectId);
  if (manifest === undefined) throw new StoreError('not-found', { path: projectId });
  return manifest;
}
