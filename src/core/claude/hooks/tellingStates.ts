import type { ProjectManifest } from '../../model/manifest';
import type { SessionState } from '../../model/preparedBrief';
import type { ContextSuggestion, SuggestionRequest } from '../../search/suggestions';
import { linksOf } from '../../sessions/links';
import type { SessionRef } from '../../sessions/results';
import { KeepitError } from '../../text/keepitError';
import { ownValue } from '../../text/ownValue';
import type { LinkedState } from './briefMaker';
import { updateSessionState, type SessionStateParts } from './sessionState';

export interface TellingStatesParts extends SessionStateParts {
  /** What of the past the work at hand may need. */
  readonly suggest: (request: SuggestionRequest, signal?: AbortSignal) => Promise<readonly ContextSuggestion[]>;
}

/** The last one, and those that it can be told of in the index. */
const MOST_SESSIONS = 6;
const MOST_SUGGESTED = 3;
const MOST_LINKED = 3;

/** The last session first, then those that its work, or these files, lead to, then the latest. */
export async function tellingStates(
  parts: TellingStatesParts,
  manifest: ProjectManifest | undefined,
  about: readonly string[],
  signal?: AbortSignal,
): Promise<SessionState[]> {
  const latest = await latestStates(parts, manifest, signal);
  const [last] = latest;
  if (last === undefined || manifest === undefined) return [];
  const { projectId } = manifest;
  const { sessionId, branch, request } = last;
  const work = { files: [...about, ...last.files], topics: request === undefined ? [] : [request.text], branch };
  const asked = { ...work, projectId, except: [sessionId], budget: Infinity };
  const suggested = (await unlessExpected(parts.suggest(asked, signal))) ?? [];
  const refs = suggested.filter((one) => one.projectId === projectId).slice(0, MOST_SUGGESTED);
  const states = (await statesOf(parts, refs, signal)).filter(({ isWork }) => isWork);
  const all = new Map([last, ...states, ...latest].map((state) => [state.sessionId, state]));
  return [...all.values()].slice(0, MOST_SESSIONS);
}

/**
 * Where the latest sessions in memory stand in which something was worked on, the latest first; those that have grown are read again. Where
 * nothing was, those with a request.
 */
async function latestStates(
  parts: TellingStatesParts,
  manifest: ProjectManifest | undefined,
  signal?: AbortSignal,
): Promise<SessionState[]> {
  if (manifest === undefined) return [];
  const { projectId } = manifest;
  const entries = Object.values(manifest.sessions).sort((a, b) => (a.lastTimestamp < b.lastTimestamp ? 1 : -1));
  const refs = entries.slice(0, 2 * MOST_SESSIONS).map(({ sessionId }) => ({ projectId, sessionId }));
  const states = await statesOf(parts, refs, signal);
  const worked = states.filter(({ isWork }) => isWork);
  return (worked.length > 0 ? worked : states).sort((a, b) => (a.at < b.at ? 1 : -1));
}

/** In the order of the references, as many that something was worked on in as can be told. */
async function statesOf(
  parts: TellingStatesParts,
  refs: readonly SessionRef[],
  signal?: AbortSignal,
): Promise<SessionState[]> {
  const states: SessionState[] = [];
  for (const source of await parts.sources.locateAll(refs, signal)) {
    if (states.filter(({ isWork }) => isWork).length === MOST_SESSIONS) break;
    if (source === undefined) continue;
    const [known] = await parts.hookStore.sessionStates(source.ref.projectId, 1, source.ref.sessionId);
    const isCurrent = known?.bytes === source.file.bytes && known.isWork !== undefined;
    const state = isCurrent ? known : await unlessExpected(updateSessionState(parts, source.ref, signal));
    if (state?.request !== undefined) states.push(state);
  }
  return states;
}

/** Where what is linked to the project stands: the session, or the last one of the whole project. */
export async function linkedStates(
  parts: TellingStatesParts,
  manifest: ProjectManifest | undefined,
  signal?: AbortSignal,
): Promise<LinkedState[]> {
  const found: LinkedState[] = [];
  for (const { sourceProject, sourceSession, reason } of linksOf(manifest).slice(-MOST_LINKED)) {
    const source = await unlessExpected(parts.store.readManifest(sourceProject));
    const only = ownValue(source?.sessions, sourceSession ?? '');
    const sessions = only === undefined ? {} : { [only.sessionId]: only };
    const states =
      source && (await latestStates(parts, sourceSession === undefined ? source : { ...source, sessions }, signal));
    const [state] = states ?? [];
    if (state !== undefined) found.push({ state, project: source?.displayName ?? sourceProject, reason });
  }
  return found;
}

/** Undefined for what is not there, not enabled, or cannot be read now: hooks then say nothing of it. */
export async function unlessExpected<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof KeepitError) return undefined;
    throw error;
  }
}
