import { mapLimited } from '../text/mapLimited';
import { ownValue } from '../text/ownValue';
import { bestTitle } from '../transcript/sessionStats';
import type { SessionRef } from './results';
import { SessionLookupError } from './sessionLookupError';
import type { SummaryCache } from './summaryCache';

/** A session as directory entries and manifests know it. */
export interface KnownSession extends SessionRef {
  path: string;
  mtimeMs: number;
  title?: string;
}

const MIN_PREFIX = 4;

/** The only one of these sessions that an id, or the beginning of one, means. Throws `SessionLookupError`. */
export async function onlySession(
  ref: string,
  known: readonly KnownSession[],
  cache: SummaryCache,
): Promise<SessionRef> {
  const prefix = ref.toLowerCase();
  const exact = known.filter(({ sessionId }) => sessionId === ref);
  if (exact.length === 0 && ref.length < MIN_PREFIX) throw new SessionLookupError('too-short', ref);
  const matches =
    exact.length > 0 ? exact : known.filter(({ sessionId }) => sessionId.toLowerCase().startsWith(prefix));
  const [first, ...others] = matches;
  if (first === undefined) throw new SessionLookupError('not-found', ref);
  if (others.length === 0) return { projectId: first.projectId, sessionId: first.sessionId };
  const newest = matches.toSorted((a, b) => b.mtimeMs - a.mtimeMs);
  const candidates = await mapLimited(newest, 4, async ({ projectId, sessionId, path, title = '' }) => {
    const stats = ownValue((await cache.load(projectId)).transcripts, path)?.stats;
    return { projectId, sessionId, title: stats === undefined ? title : (bestTitle(stats.titles) ?? '') };
  });
  throw new SessionLookupError('ambiguous', ref, candidates);
}
