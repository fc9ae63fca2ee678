import { failureText } from '../../text/keepitError';
import { SessionLookupError } from '../../sessions/sessionLookupError';
import type { RollingService } from '../../knowledge/rolling/rollingService';
import type { HookActivity } from '../../model/hookActivity';
import type { ProjectManifest } from '../../model/manifest';
import type { RegistrationService } from '../../sessions/registration';
import type { SessionRef } from '../../sessions/results';
import { prepareBrief, type BriefPreparerParts } from './briefPreparer';
import { nameOf, strongest, type FoundRequest } from './hookStore';
import { updateSessionState } from './sessionState';
import { updateRulesBlock } from './rulesBlock';
import { awaitAnswer } from './awaitAnswer';
import { afterSession, type AfterSessionParts } from './afterSession';
import type { UserNotes } from './userNotes';
import { pushTo, sumOf } from '../../text/ownValue';

interface HookWorkParts extends BriefPreparerParts, AfterSessionParts {
  readonly registration: RegistrationService;
  readonly rolling: RollingService;
}

/** Hooks that go on asking are answered by the next process. */
const MOST_ROUNDS = 50;
/** A session that can never be read is not tried for ever. */
const MOST_TRIES = 3;
const KILLED = 'it did not tell of its end: taken in when another session began';
const DAY_MS = 24 * 60 * 60 * 1000;
const KEPT_DAYS = 90;

/**
 * What hooks have no time for: taking sessions in, bringing layers and rolling memory up to date, making ready what hooks give. One process
 * does it for a project at a time, however many ask; what it is killed in the middle of is asked for again by the next hook.
 */
export class HookWork {
  constructor(
    private readonly parts: HookWorkParts,
    private readonly notes: Pick<UserNotes, 'settle'>,
  ) {}

  /** Does all that was asked for. Returns how many sessions it looked at; 0 also when another process is at it. */
  async work(projectId: string, signal?: AbortSignal): Promise<number> {
    const { hookStore } = this.parts;
    const failed = new Set<string>();
    const left = async (): Promise<FoundRequest[]> =>
      (await hookStore.requests(projectId)).filter((request) => !failed.has(nameOf(request)));
    let sessions = 0;
    const ended = new Set<string>();
    // Whoever asks while the lock is being let go finds it taken, and counts on this second look.
    for (let round = 0; round < MOST_ROUNDS; round++) {
      const lock = await hookStore.takeWork(projectId);
      if (lock === undefined) return sessions;
      try {
        for (; round < MOST_ROUNDS; round++) {
          const requests = await left();
          if (requests.length === 0) break;
          for (const one of requests.filter(({ reason }) => reason === 'end')) ended.add(one.sessionId);
          sessions += new Set(requests.map(({ sessionId }) => sessionId)).size;
          for (const request of await this.answer(projectId, requests, signal)) failed.add(nameOf(request));
        }
        await this.refresh(projectId, signal);
      } finally {
        await lock.release();
      }
      if ((await left()).length === 0) break;
    }
    const isChanged = ended.size > 0 && (await afterSession(this.parts, projectId, [...ended], signal));
    if (isChanged) await this.refresh(projectId, signal);
    return sessions;
  }

  /** What of a session must outlive its compaction, for a hook that waits for it. */
  async keep(asked: SessionRef, transcript?: string, signal?: AbortSignal): Promise<void> {
    const ref = await this.locate(asked, transcript, signal);
    if (ref !== undefined) await updateSessionState(this.parts, ref, signal);
  }

  /** Makes ready what hooks give, and brings the rules in `CLAUDE.md` in line. */
  async refresh(projectId: string, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    const { brief, rules } = await prepareBrief(this.parts, projectId, signal);
    await updateRulesBlock(this.parts, projectId, { settings: brief.settings, rules });
  }

  /** Returns the requests that failed: they wait for the next process. */
  private async answer(
    projectId: string,
    requests: readonly FoundRequest[],
    signal?: AbortSignal,
  ): Promise<FoundRequest[]> {
    const { hookStore } = this.parts;
    const failed: FoundRequest[] = [];
    const bySession = new Map<string, FoundRequest[]>();
    for (const request of requests) {
      pushTo(bySession, request.sessionId, request);
    }
    for (const [sessionId, own] of bySession) {
      signal?.throwIfAborted();
      const isDone = await this.capture({ projectId, sessionId }, own, undefined, signal);
      for (const request of own) {
        if (isDone || (request.failures ?? 0) + 1 >= MOST_TRIES) await hookStore.finish(projectId, request);
        else {
          await hookStore.postpone(projectId, request);
          failed.push(request);
        }
      }
    }
    return failed;
  }

  /** One session that fails does not stop the others; what failed is told where hooks tell it. Whether it succeeded. */
  private async capture(
    ref: SessionRef,
    requests: readonly FoundRequest[],
    note: string | undefined,
    signal?: AbortSignal,
  ): Promise<boolean> {
    const { hookStore, clock } = this.parts;
    const reason = strongest(requests);
    const begun = clock.now();
    let outcome: Pick<HookActivity, 'captured' | 'note' | 'problem'>;
    try {
      outcome = reason === 'start' ? await this.catchUp(ref, signal) : await this.take(ref, requests, signal);
    } catch (error) {
      signal?.throwIfAborted();
      const problem = failureText(error);
      await hookStore.addLogLine(`capture of ${ref.sessionId} (${reason}): ${problem}`);
      outcome = { problem };
    }
    const tookMs = clock.now().getTime() - begun.getTime();
    if (Object.keys(outcome).length > 0) {
      const line = {
        at: begun.toISOString(),
        event: 'Capture',
        source: reason,
        tookMs,
        note,
        ...outcome,
      };
      await hookStore.addActivity(ref.projectId, ref.sessionId, line);
    }
    const isDone = outcome.problem === undefined;
    if (reason !== 'end') return isDone;
    await hookStore.endSession(ref.projectId, ref.sessionId);
    await hookStore.sweep(ref.projectId, new Date(begun.getTime() - KEPT_DAYS * DAY_MS));
    return isDone;
  }

  /** When a session starts: what others have gained while no hook ran, because they were killed. */
  private async catchUp(ref: SessionRef, signal?: AbortSignal): Promise<Pick<HookActivity, 'captured'>> {
    const { projectId } = ref;
    const manifest = await this.parts.store.readManifest(projectId);
    const refs = Object.keys(manifest?.sessions ?? {}).map((sessionId) => ({ projectId, sessionId }));
    const located = await this.parts.sources.locateAll(refs, signal);
    const present = located.flatMap((source) => (source === undefined || source.isKept ? [] : [source.ref]));
    const { synced } = await this.parts.registration.sync(present, undefined, signal);
    await this.takeKilled(ref, manifest, signal);
    const grown = synced.map(({ sessionId }) => ({ projectId, sessionId }));
    if (await this.areLayersOn(projectId)) {
      if (grown.length > 0) await this.layer(projectId, grown, signal);
      else await this.parts.layers.checkAnchors(projectId);
    }
    return grown.length === 0 ? {} : { captured: totalOf(synced) };
  }

  /**
   * Takes in the sessions that began since new ones are wanted in memory, and ended before anything of them was there: killed amid their
   * first turn. One that still runs is taken in a little earlier than it would be. What somebody took out of memory stays out.
   */
  private async takeKilled(
    { projectId, sessionId: starting }: SessionRef,
    manifest: ProjectManifest | undefined,
    signal?: AbortSignal,
  ): Promise<void> {
    const { hookStore, sources } = this.parts;
    const isKnown = (sessionId: string): boolean => Object.hasOwn(manifest?.sessions ?? {}, sessionId);
    if (!(await this.isAutomatic(manifest))) return;
    const expected = (await hookStore.expected(projectId)).filter((id) => id !== starting);
    if (!isKnown(starting)) await hookStore.expect(projectId, starting);
    for (const sessionId of expected.filter(isKnown)) await hookStore.endExpecting(projectId, sessionId);
    const refs = expected.filter((id) => !isKnown(id)).map((sessionId) => ({ projectId, sessionId }));
    for (const source of await sources.locateAll(refs, signal)) {
      if (source === undefined) continue; // Claude Code may not have written it yet
      const at = this.parts.clock.now().toISOString();
      const request = { sessionId: source.ref.sessionId, reason: 'interval' as const, at, mark: '' };
      await this.capture(source.ref, [request], KILLED, signal);
    }
  }

  private async isAutomatic(manifest: ProjectManifest | undefined): Promise<boolean> {
    const { defaults } = await this.parts.store.readConfig();
    return manifest?.settings.autoRegisterNewSessions ?? defaults.autoRegisterSessions;
  }

  private async take(
    asked: SessionRef,
    requests: readonly FoundRequest[],
    signal?: AbortSignal,
  ): Promise<Pick<HookActivity, 'captured' | 'note'>> {
    const { store, rolling } = this.parts;
    const ref = await this.locate(asked, requests.find(({ transcript }) => transcript)?.transcript, signal);
    if (ref === undefined) return { note: 'its transcript is not there' };
    const manifest = await store.readManifest(ref.projectId);
    const isKnown = Object.hasOwn(manifest?.sessions ?? {}, ref.sessionId);
    await this.parts.hookStore.endExpecting(ref.projectId, ref.sessionId);
    if (!isKnown && !(await this.isAutomatic(manifest)))
      return { note: 'not in memory: `keepit register` takes it in' };
    const isComplete = await this.awaitAnswer(ref, requests, signal);
    const captured = isKnown ? await this.sync(ref, signal) : await this.register(ref, signal);
    if (await this.areLayersOn(ref.projectId)) {
      // Every 25th turn is taken into the rolling memory, and all that is left when something ends.
      const isTurn = strongest(requests) === 'stop';
      await (isTurn ? rolling.check(ref, signal) : rolling.final(ref, signal));
      if (isTurn) await this.layer(ref.projectId, [ref], signal);
    }
    const refused = (await this.areLayersOn(ref.projectId)) ? await this.notes.settle(ref, signal) : 0;
    await updateSessionState(this.parts, ref, signal);
    const notes = [
      ...(isComplete ? [] : ['the last answer was not in the transcript yet']),
      ...(refused === 0 ? [] : [`${refused} notes refused: the user did not say these words`]),
    ];
    return { captured, ...(notes.length > 0 && { note: notes.join('; ') }) };
  }

  private async layer(projectId: string, refs: readonly SessionRef[], signal?: AbortSignal): Promise<void> {
    const { failed } = await this.parts.layers.build(projectId, { refs }, undefined, signal);
    const [failure] = failed;
    if (failure !== undefined) throw failure.error;
  }

  private async register(ref: SessionRef, signal?: AbortSignal): Promise<HookActivity['captured']> {
    const { registered, failed } = await this.parts.registration.register([ref], undefined, signal);
    throwFailure(failed);
    const [entry] = registered;
    return { messages: entry?.originalMessages ?? 0, tokens: entry?.originalTokens ?? 0 };
  }

  private async sync(ref: SessionRef, signal?: AbortSignal): Promise<HookActivity['captured']> {
    const { synced, failed } = await this.parts.registration.sync([ref], undefined, signal);
    throwFailure(failed);
    return totalOf(synced);
  }

  /** At Stop the last answer is often not in the transcript yet: it comes within moments. */
  private async awaitAnswer(
    ref: SessionRef,
    requests: readonly FoundRequest[],
    signal?: AbortSignal,
  ): Promise<boolean> {
    const lastAnswer = requests.findLast(({ reason }) => reason === 'stop')?.lastAnswer;
    if (lastAnswer === undefined) return true;
    const { file } = await this.parts.sources.locate(ref, signal);
    const { claude, hookStore } = this.parts;
    return awaitAnswer({ claude, sleep: (ms) => hookStore.sleep(ms) }, { file: file.path, mark: lastAnswer }, signal);
  }

  /** The session, wherever Claude Code writes it: one that was resumed from a file is beside that file. */
  private async locate(ref: SessionRef, transcript?: string, signal?: AbortSignal): Promise<SessionRef | undefined> {
    const [source] = await this.parts.sources.locateAll([ref], signal);
    if (source !== undefined || transcript?.endsWith('.jsonl') !== true) return source?.ref;
    try {
      const found = await this.parts.sources.resolve(transcript, {}, signal);
      return found.sessionId === ref.sessionId ? found : undefined;
    } catch (error) {
      if (error instanceof SessionLookupError) return undefined;
      throw error;
    }
  }

  private async areLayersOn(projectId: string): Promise<boolean> {
    const { isEnabled, problem } = await this.parts.layers.status(projectId);
    return isEnabled && problem === undefined;
  }
}

function totalOf(synced: readonly { newMessages: number; newTokens: number }[]): { messages: number; tokens: number } {
  const messages = sumOf(synced, ({ newMessages }) => newMessages);
  const tokens = sumOf(synced, ({ newTokens }) => newTokens);
  return { messages: Math.max(0, messages), tokens: Math.max(0, tokens) };
}

function throwFailure(failed: readonly { error: string }[]): void {
  const [failure] = failed;
  if (failure !== undefined) throw new Error(failure.error);
}
