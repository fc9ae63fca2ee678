import { mapLimited } from '../text/mapLimited';
import { ownValue } from '../text/ownValue';
import { bestTitle } from '../transcript/sessionStats';
import type { SessionRef } from './results';
import type { StatsCache } from './statsCache';
import { KeepitError, type ErrorText } from '../text/keepitError';

type SessionLookupReason = 'not-found' | 'not-registered' | 'ambiguous' | 'too-short';

/** A session that a reference may have meant. */
interface LookupCandidate {
  projectId: string;
  sessionId: string;
  title: string;
}

const CANDIDATES_SHOWN = 10;

function candidateList(candidates: readonly LookupCandidate[]): string {
  const shown = candidates.slice(0, CANDIDATES_SHOWN).map(({ sessionId, projectId }) => `${sessionId} (${projectId})`);
  return candidates.length > CANDIDATES_SHOWN ? `${shown.join(', ')}, …` : shown.join(', ');
}

const lookupTexts: Record<SessionLookupReason, (ref: string, candidates: readonly LookupCandidate[]) => ErrorText> = {
  'not-found': (ref) => ({
    message: `There is no session ${JSON.stringify(ref)}.`,
    hint: '`keepit discover` lists all sessions; `--project` narrows where they are looked for.',
  }),
  'not-registered': (ref) => ({
    message: `Session ${JSON.stringify(ref)} is not in memory.`,
    hint: '`keepit register` adds it; `keepit sessions` lists what is in memory.',
  }),
  ambiguous: (ref, candidates) => ({
    message: `${JSON.stringify(ref)} may be any of ${candidates.length} sessions: ${candidateList(candidates)}.`,
    hint: 'Write more of the id, the path of the file, or narrow with `--project`.',
  }),
  'too-short': (ref) => ({
    message: `${JSON.stringify(ref)} is too short to name a session.`,
    hint: 'Write at least four characters of the id.',
  }),
};

/** A reference to a session that names none, or more than one. */
export class SessionLookupError extends KeepitError {
  constructor(
    readonly reason: SessionLookupReason,
    readonly ref: string,
    /** For `ambiguous`: all that it may have meant, newest first. */
    readonly candidates: readonly LookupCandidate[] = [],
  ) {
    super(`session-${reason}`, lookupTexts[reason](ref, candidates));
  }
}

/** A session as directory entries and manifests know it. */
export interface KnownSession extends SessionRef {
  path: string;
  mtimeMs: number;
  title?: string;
}

const MIN_PREFIX = 4;

/** The only one of these sessions that an id, or the beginning of one, means. Throws `SessionLookupError`. */
export async function onlySession(ref: string, known: readonly KnownSession[], cache: StatsCache): Promise<SessionRef> {
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
