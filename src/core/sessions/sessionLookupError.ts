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
