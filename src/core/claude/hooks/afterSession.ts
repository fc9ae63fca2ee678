import { NotebookError } from '../../knowledge/layerStore';
import type { NotebookService } from '../../knowledge/notes/notebookService';
import type { ReadResult, SessionReader } from '../../knowledge/reading/sessionReader';
import type { HookActivity } from '../../model/hookActivity';
import type { Clock } from '../../model/host';
import type { SessionRef } from '../../sessions/results';
import { errorText, failureText } from '../../text/keepitError';
import type { Aging } from '../../versions/aging';
import { formatUsd } from '../../versions/models/cost';
import { updateSessionState, type SessionStateParts } from './sessionState';

export interface AfterSessionParts extends SessionStateParts {
  readonly notebook: NotebookService;
  readonly aging: Pick<Aging, 'tend' | 'begin'>;
  readonly reading: Pick<SessionReader, 'readEnded'>;
  readonly clock: Clock;
}

/**
 * What is due once a session has ended and is taken in, while nobody waits: none of it keeps what was taken in from being there. Whether
 * something became known that a brief may tell.
 */
export async function afterSession(
  parts: AfterSessionParts,
  projectId: string,
  ended: readonly string[],
  signal?: AbortSignal,
): Promise<boolean> {
  const attempt = async (what: string, work: () => Promise<boolean>): Promise<boolean> => {
    try {
      return await work();
    } catch (error) {
      signal?.throwIfAborted();
      // What fails is written down, and is due again the next time.
      const isNothing =
        error instanceof NotebookError && (error.reason === 'no-summaries' || error.reason === 'nothing-said');
      if (!isNothing) await parts.hookStore.addLogLine(`${what} of ${projectId}: ${errorText(error)}`);
      return false;
    }
  };
  for (const sessionId of ended) await attempt('aging', () => age(parts, { projectId, sessionId }, signal));
  const wasRead = await attempt('reading', () => read(parts, projectId, signal));
  const isNew = await attempt('synthesis', () => synthesize(parts, projectId, ended, signal));
  return wasRead || isNew;
}

async function age(parts: AfterSessionParts, ref: SessionRef, signal?: AbortSignal): Promise<boolean> {
  const { aging, clock } = parts;
  const startedAt = clock.now();
  const { created } = await aging.begin([ref], undefined, signal);
  await aging.tend(ref.projectId, signal);
  const note = `${created.length} versions made, as this session is in memory`;
  if (created.length > 0) await tell(parts, ref, startedAt, { event: 'Aging', note });
  return false;
}

/** A model reads it, if the user agreed to that. */
async function read(parts: AfterSessionParts, projectId: string, signal?: AbortSignal): Promise<boolean> {
  const startedAt = parts.clock.now();
  const result: ReadResult | undefined = await parts.reading.readEnded(projectId, signal);
  for (const { sessionId, items, refused, cost } of result?.read ?? []) {
    const ref = { projectId, sessionId };
    const left = refused === 0 ? '' : `, ${refused} refused`;
    const note = `read by a model: ${items} notes${left}, ${formatUsd(cost.usd)}`;
    await tell(parts, ref, startedAt, { event: 'Reading', note });
    await updateSessionState(parts, ref, signal); // it has a title now
  }
  for (const { sessionId, error } of result?.failed ?? [])
    await tell(parts, { projectId, sessionId }, startedAt, { event: 'Reading', problem: failureText(error) });
  return (result?.read.length ?? 0) > 0;
}

/** Puts together what all sessions say, when so many came since. */
async function synthesize(
  { store, notebook, layers }: AfterSessionParts,
  projectId: string,
  ended: readonly string[],
  signal?: AbortSignal,
): Promise<boolean> {
  const { synthesizeAfter } = (await store.readConfig()).reading;
  if (synthesizeAfter === 0 || !(await layers.status(projectId)).isEnabled) return false;
  for (const sessionId of ended) await notebook.summarize({ projectId, sessionId }, {}, signal);
  const { result } = await notebook.propose(projectId, {}, signal);
  if (result.newSources.length < synthesizeAfter) return false;
  await notebook.synthesize(projectId, {}, signal);
  return true;
}

async function tell(
  { clock, hookStore }: AfterSessionParts,
  { projectId, sessionId }: SessionRef,
  startedAt: Date,
  what: Pick<HookActivity, 'event' | 'note' | 'problem'>,
): Promise<void> {
  const tookMs = clock.now().getTime() - startedAt.getTime();
  await hookStore.addActivity(projectId, sessionId, { at: startedAt.toISOString(), tookMs, ...what });
}
