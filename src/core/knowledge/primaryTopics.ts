import type { Concept, Exchange } from '../model/layers';
import type { SessionManifestEntry } from '../model/manifest';
import type { MemoryStore } from '../model/host';

const MOST_TOPICS = 5;

/** What each session is about, by its concepts: what it speaks of most first. */
export function topicsOf(
  exchanges: ReadonlyMap<string, readonly Exchange[]>,
  concepts: readonly Concept[],
  conceptOf: (exchangeId: string) => string | undefined,
): Map<string, readonly string[]> {
  const names = new Map(concepts.map(({ id, name }) => [id, name]));
  const found = new Map<string, readonly string[]>();
  for (const [sessionId, own] of exchanges) {
    const counts = new Map<string, number>();
    for (const { id } of own) {
      const name = names.get(conceptOf(id) ?? '') ?? '';
      if (name !== '') counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    const ranked = [...counts].sort(([a, most], [b, other]) => other - most || (a < b ? -1 : 1));
    found.set(
      sessionId,
      ranked.slice(0, MOST_TOPICS).map(([name]) => name),
    );
  }
  return found;
}

/** Writes them down as `primaryTopics` of the sessions in memory (seed 000, 2.1.2). */
export async function noteTopics(
  store: MemoryStore,
  projectId: string,
  topics: ReadonlyMap<string, readonly string[]>,
): Promise<void> {
  const manifest = await store.readManifest(projectId);
  if (manifest === undefined) return;
  await store.updateManifest(manifest, (current) => {
    const fresh = Object.values(current.sessions).flatMap((entry): [string, SessionManifestEntry][] => {
      const primaryTopics = [...(topics.get(entry.sessionId) ?? [])];
      const isKnown = primaryTopics.join('\n') === (entry.metadata.primaryTopics ?? []).join('\n');
      if (primaryTopics.length === 0 || isKnown) return [];
      return [[entry.sessionId, { ...entry, metadata: { ...entry.metadata, primaryTopics } }]];
    });
    if (fresh.length === 0) return current;
    return { ...current, sessions: { ...current.sessions, ...Object.fromEntries(fresh) } };
  });
}
