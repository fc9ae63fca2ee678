import type { CompositionRequest } from '../model/composition';
import { ownValue } from '../text/ownValue';
import type { MemoryStore } from '../model/memoryStore';

/** What of a request can still be had, and what cannot. */
export async function stillThere(
  store: Pick<MemoryStore, 'readManifest'>,
  projectId: string,
  request: CompositionRequest,
): Promise<{
  components: CompositionRequest['components'];
  gone: { projectId: string; sessionId: string; reason: string }[];
}> {
  const components: CompositionRequest['components'] = [];
  const gone: { projectId: string; sessionId: string; reason: string }[] = [];
  for (const component of request.components) {
    const { sessionId, versionId } = component;
    const ref = { projectId: component.projectId ?? projectId, sessionId };
    const sessions = (await store.readManifest(ref.projectId))?.sessions ?? {};
    const entry = ownValue(sessions, sessionId);
    if (entry === undefined) {
      gone.push({ ...ref, reason: 'it is no longer in memory' });
      continue;
    }
    const isKnown = versionId === undefined || versionId === 'auto' || versionId === 'original';
    if (isKnown || entry.compressions.some((version) => version.versionId === versionId)) {
      components.push(component);
      continue;
    }
    gone.push({ ...ref, reason: `version ${versionId} was deleted: another one was chosen` });
    const { versionId: _deleted, ...rest } = component;
    if (!components.some((other) => isSameSession(other, component))) components.push(rest);
  }
  return { components, gone };
}

function isSameSession(a: { sessionId: string; projectId?: string | undefined }, b: typeof a): boolean {
  return a.sessionId === b.sessionId && a.projectId === b.projectId;
}
