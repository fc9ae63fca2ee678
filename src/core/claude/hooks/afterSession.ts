import { NotebookError } from '../../knowledge/layerStore';
import type { NotebookService } from '../../knowledge/notes/notebookService';
import type { ReadResult, SessionReader } from '../../knowledge/reading/sessionReader';
import type { HookActivity } from '../../model/hookActivity';
import type { Clock } from '../../model/host';
import { errorText, KeepitError } from '../../text/keepitError';
import type { Aging } from '../../versions/aging';
import { formatUsd } from '../../versions/models/cost';
import { updateSessionState, type SessionStateParts } from './sessionState';

export interface AfterSessionParts extends SessionStateParts {
  readonly notebook: NotebookService;
  readonly aging: Pick<Aging, 'tend' | 'begin'>;
  readonly reading: Pick<SessionReader, 'readEnded'>;
  readonly clock: Clock;
}

/** What is due once a session has ended and is taken in, while nobody waits: none of it keeps what was taken in from being there. */
export class AfterSession {
  constructor(private readonly parts: AfterSessionParts) {}

  /** Whether something became known that a brief may tell. */
  async run(projectId: string, ended: readonly string[], signal?: AbortSignal): Promise<boolean> {
    for (const sessionId of ended) await this.age(projectId, sessionId, signal);
    const wasRead = await this.attempt('reading', projectId, signal, () => this.read(projectId, signal));
    const isNew = await this.attempt('synthesis', projectId, signal, () => this.synthesize(projectId, ended, signal));
    return wasRead === true || isNew === true;
  }

  private async age(projectId: string, sessionId: string, signal?: AbortSignal): Promise<void> {
    const { aging, clock } = this.parts;
    const startedAt = clock.now();
    await this.attempt('aging', projectId, signal, async () => {
      const { created } = await aging.begin([{ projectId, sessionId }], undefined, signal);
      await aging.tend(projectId, signal);
      const note = `${created.length} versions made, as this session is in memory`;
      if (created.length > 0) await this.tell(projectId, sessionId, startedAt, { event: 'Aging', note });
    });
  }

  /** A model reads it, if the user agreed to that. */
  private async read(projectId: string, signal?: AbortSignal): Promise<boolean> {
    const { reading, clock } = this.parts;
    const startedAt = clock.now();
    const result: ReadResult | undefined = await reading.readEnded(projectId, signal);
    for (const { sessionId, items, refused, cost } of result?.read ?? []) {
      const left = refused === 0 ? '' : `, ${refused} refused`;
      const note = `read by a model: ${items} notes${left}, ${formatUsd(cost.usd)}`;
      await this.tell(projectId, sessionId, startedAt, { event: 'Reading', note });
      await updateSessionState(this.parts, { projectId, sessionId }, signal); // it has a title now
    }
    for (const { sessionId, error } of result?.failed ?? [])
      await this.tell(projectId, sessionId, startedAt, {
        event: 'Reading',
        problem: `${error.message} ${error.hint}`,
      });
    return (result?.read.length ?? 0) > 0;
  }

  /** Puts together what all sessions say, when so many came since. */
  private async synthesize(projectId: string, ended: readonly string[], signal?: AbortSignal): Promise<boolean> {
    const { store, notebook, layers } = this.parts;
    const { synthesizeAfter } = (await store.readConfig()).reading;
    if (synthesizeAfter === 0 || !(await layers.status(projectId)).isEnabled) return false;
    for (const sessionId of ended) await notebook.summarize({ projectId, sessionId }, {}, signal);
    const { result } = await notebook.propose(projectId, {}, signal);
    if (result.newSources.length < synthesizeAfter) return false;
    await notebook.synthesize(projectId, {}, signal);
    return true;
  }

  private async tell(
    projectId: string,
    sessionId: string,
    startedAt: Date,
    what: Pick<HookActivity, 'event' | 'note' | 'problem'>,
  ): Promise<void> {
    const tookMs = this.parts.clock.now().getTime() - startedAt.getTime();
    await this.parts.hookStore.addActivity(projectId, sessionId, { at: startedAt.toISOString(), tookMs, ...what });
  }

  /** What fails is written down, and is due again the next time. */
  private async attempt<T>(
    what: string,
    projectId: string,
    signal: AbortSignal | undefined,
    work: () => Promise<T>,
  ): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      signal?.throwIfAborted();
      const isNothing =
        error instanceof NotebookError && (error.reason === 'no-summaries' || error.reason === 'nothing-said');
      const told = error instanceof KeepitError ? error.message : errorText(error);
      if (!isNothing) await this.parts.hookStore.addLogLine(`${what} of ${projectId}: ${told}`);
      return undefined;
    }
  }
}
