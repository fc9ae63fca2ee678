import type { ArmedContext } from '../composition/armedContext';
import { hash64 } from '../keepit/markerId';
import type { HookCard, PreparedPiece } from '../model/hookCard';
import { answerOf, fitsOutput, uncountedPiece, type HookAnswer } from './hookAnswer';

/** How a session begins, and what there is to be given to it. */
export interface StartRequest {
  readonly sessionId: string;
  /** `startup`, `resume`, `clear`, `compact`, `fork`, or what comes after them. */
  readonly source: string;
  /** Which of the hooks of this event it is, from 1: what one puts out is capped. */
  readonly piece: number;
  readonly card: HookCard | undefined;
  /** What was armed for this very session. */
  readonly armed: Pick<ArmedContext, 'name' | 'compositionId' | 'armedAt' | 'pieces'> | undefined;
  readonly claim: Claim;
}

/**
 * Whether this hook is the first to give something to the session: asked once for each thing that is given, and remembered, for as long as
 * is said.
 */
export type Claim = (key: string, forMs?: number) => boolean;

/** What a hook says, and a word on what it did not say. */
export interface StartAnswer {
  readonly answer?: HookAnswer;
  readonly note?: string;
}

/** Hooks of one event run side by side; no session is compacted twice in that time. */
const AT_ONCE_MS = 3000;

/**
 * What SessionStart gives: the session's id and the composition that was armed, else what the project's memory has. Nothing is given twice
 * to one session, however often hooks are installed, but for what a compaction has taken out of its context.
 */
export function startAnswer(request: StartRequest): StartAnswer {
  const { armed, piece } = request;
  const own = armed?.pieces[piece - 1];
  if (armed !== undefined && own !== undefined) {
    if (request.claim(armedClaim(armed, piece))) {
      return said(armedAnswer(uncountedPiece('armed', own, armed.name), request));
    }
  }
  return piece === 1 ? brief(request) : {};
}

/** Under which name a piece of what was armed is claimed. */
export function armedClaim(armed: Pick<ArmedContext, 'compositionId' | 'armedAt'>, piece: number): string {
  return `armed-${hash64(`${armed.compositionId} ${armed.armedAt}`)}-${piece}`;
}

/** What was armed goes before the session's id, should there not be room for both. */
function armedAnswer(armed: PreparedPiece, { piece, sessionId }: StartRequest): HookAnswer | undefined {
  const both = piece === 1 ? [sessionIdPiece(sessionId), armed] : [armed];
  return answerOf(fitsOutput(both) ? both : [armed]);
}

function brief({ sessionId, source, card, claim }: StartRequest): StartAnswer {
  const told = (card?.brief ?? []).filter((piece) => piece.sessionId !== sessionId);
  const answer = answerOf([sessionIdPiece(sessionId), ...told]);
  // A compaction takes out what was given, so that the same is given again.
  const isNew =
    source === 'compact' ? claim('start-compact', AT_ONCE_MS) : claim(`start-${hash64(answer?.text ?? '')}`);
  return isNew ? said(answer) : { note: 'given to this session before' };
}

function said(answer: HookAnswer | undefined): StartAnswer {
  return answer === undefined ? {} : { answer };
}

/** `/keepit:summarize` and its like need no argument because of this line (seed 002). */
function sessionIdPiece(sessionId: string): PreparedPiece {
  return uncountedPiece('session-id', `Keepit session ID: ${sessionId}`);
}
