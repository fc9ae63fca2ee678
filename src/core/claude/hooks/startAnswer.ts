import type { ArmedContext } from '../../model/armedContext';
import { hash64 } from '../../text/hash64';
import type { HookCard, PreparedPiece } from '../../model/hookCard';
import { blockKeys, newsOf } from './briefNews';
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
  /** The keys of what briefs told the session, as far as that is remembered. */
  readonly told: () => ReadonlySet<string>;
  /** Remembers what one tells it now. */
  readonly tell: (keys: readonly string[]) => void;
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

/** Under which the session's id is claimed, for whichever hook tells it first. */
export const ID_GIVEN = 'start-id';
const BRIEF_GIVEN = 'start-brief';

/** Hooks of one event run side by side; no session is compacted twice in that time. */
const AT_ONCE_MS = 3000;

/**
 * What SessionStart gives: the session's id and the composition that was armed, else what the project's memory has, and to a session that is
 * resumed what has come since. Nothing is given twice to one session, however often it is resumed or hooks are installed, but for what a
 * compaction has taken out of its context.
 */
export function startAnswer(request: StartRequest): StartAnswer {
  const { armed, piece, claim } = request;
  const own = armed?.pieces[piece - 1];
  if (armed !== undefined && own !== undefined && claim(armedClaim(armed, piece))) {
    return said(armedAnswer(uncountedPiece('armed', own, armed.name), request));
  }
  return piece === 1 ? brief(request) : {};
}

/** Under which name a piece of what was armed is claimed. */
export function armedClaim(armed: Pick<ArmedContext, 'compositionId' | 'armedAt'>, piece: number): string {
  return `armed-${hash64(`${armed.compositionId} ${armed.armedAt}`)}-${piece}`;
}

/** What was armed goes before the session's id, should there not be room for both, and stands in the place of the brief. */
function armedAnswer(armed: PreparedPiece, request: StartRequest): HookAnswer | undefined {
  const { piece, sessionId, claim } = request;
  if (piece > 1) return answerOf([armed]);
  const { told, key } = briefOf(request);
  claim(BRIEF_GIVEN);
  if (claim(key)) request.tell(blockKeys(told));
  const both = [sessionIdPiece(sessionId, request.source === 'fork'), armed];
  return fitsOutput(both) && claim(ID_GIVEN) ? answerOf(both) : answerOf([armed]);
}

function brief(request: StartRequest): StartAnswer {
  const { sessionId, source, claim } = request;
  // A compaction takes out what was given, so that it is given again.
  const isLost = source === 'compact' && claim('start-compact', AT_ONCE_MS);
  const isIdNew = claim(ID_GIVEN) || isLost;
  const answer = answerOf([
    ...(isIdNew ? [sessionIdPiece(sessionId, source === 'fork')] : []),
    ...briefPieces(request, isLost),
  ]);
  return answer === undefined ? { note: 'given to this session before' } : { answer };
}

/** All of the brief once, and what is new of it whenever it has changed. */
function briefPieces(request: StartRequest, isLost: boolean): readonly PreparedPiece[] {
  const { sessionId, source, claim, tell } = request;
  const { told: all, key } = briefOf(request);
  if (all.length === 0) return [];
  const isChanged = claim(key);
  const isFirst = isChanged && claim(BRIEF_GIVEN);
  // A fork begins with the context of the session that it comes from, and with what that one was told.
  if ((isFirst && source !== 'fork') || isLost) {
    tell(blockKeys(all));
    return all;
  }
  if (!isChanged || source === 'compact') return [];
  const told = request.told();
  tell(blockKeys(all));
  // Where it is not remembered what that was, it was told all the same.
  return told.size === 0 ? [] : newsOf(all, { told, sessionId });
}

/** What of the brief the session may be told, and under which name that is claimed. */
function briefOf({ card, sessionId }: StartRequest): { told: readonly PreparedPiece[]; key: string } {
  const told = (card?.brief ?? []).filter((piece) => piece.sessionId !== sessionId);
  return { told, key: `${BRIEF_GIVEN}-${hash64(blockKeys(told).join(' '))}` };
}

function said(answer: HookAnswer | undefined): StartAnswer {
  return answer === undefined ? {} : { answer };
}

/** `/keepit:summarize` and its like need no argument because of this line (seed 002). A fork was told another one's before. */
export function sessionIdPiece(sessionId: string, isFork = false): PreparedPiece {
  const note = isFork ? ' (in the place of any that was told before)' : '';
  return uncountedPiece('session-id', `Keepit session ID: ${sessionId}${note}`);
}
