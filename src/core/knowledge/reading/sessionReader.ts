import { type KeepitError, onlyExpected } from '../../text/keepitError';
import type { Clock, Taken, MemoryStore } from '../../model/host';
import type { ReadingSettings, SessionReading } from '../../model/sessionReading';
import { SCHEMA_VERSION } from '../../model/fields';
import type { OnProgress, SessionRef, SessionSource } from '../../sessions/results';
import type { SessionIndex } from '../../sessions/sessionIndex';
import type { AskOptions, ModelAsker } from '../../versions/models/modelAsker';
import { roundUsd } from '../../versions/models/cost';
import { SummarizerError } from '../../versions/models/modelCaller';
import { NO_COST, type SummaryCost } from '../../versions/types';
import { LayersError } from '../layerStore';
import type { LayersService } from '../layersService';
import type { PutNotes } from './notedSession';
import { sessionQuestion, withBefore, SESSION_PROMPT } from './sessionAnswer';
import { readShown, type ShownParts } from './shownSession';

/** So many sessions tell what one costs. */
const PRICED = 10;
/** A session that can never be read is not paid for again and again. */
const MOST_FAILURES = 2;
/** Sessions that ended, and could not be read then. */
const MOST_AT_ONCE = 3;
/** Whoever goes on with a session for a moment has not said much more. */
const GROWN = 1.1;

export interface SessionReaderParts extends ShownParts {
  readonly store: MemoryStore;
  readonly sources: SessionIndex;
  readonly clock: Clock;
  readonly askers: readonly ModelAsker[];
  readonly hookStore: { takeReading(): Promise<Taken | undefined> };
}

/** Who reads, and for how much; what is left out follows from the settings. */
export interface ReadRequest {
  readonly provider?: ReadingSettings['provider'] | undefined;
  readonly model?: string | undefined;
  /** For each session. */
  readonly maxCostUsd?: number | undefined;
  /** Also sessions that were read already, and have not grown. */
  readonly isAgain?: boolean | undefined;
}

export interface ReadEstimate {
  /** Those that would be read. */
  readonly sessions: number;
  readonly cost: SummaryCost;
  readonly usdPerSession: number;
  readonly provider: string;
  readonly model: string;
}

export interface ReadReport {
  readonly sessionId: string;
  readonly title: string;
  readonly items: number;
  /** Quotes that were refused. */
  readonly refused: number;
  readonly cost: SummaryCost;
}

export interface ReadResult {
  readonly read: readonly ReadReport[];
  readonly failed: readonly { readonly sessionId: string; readonly error: KeepitError }[];
  readonly cost: SummaryCost;
}

/**
 * Has a model read sessions, and keeps what of its notes is true: read, prompt, call, check, store. Nobody is asked for money but here, and
 * nothing that a model says outvotes what code proved.
 */
export class SessionReader {
  /** `put` puts what was noted where it is used. */
  constructor(
    private readonly parts: SessionReaderParts,
    private readonly layers: LayersService,
    private readonly put: PutNotes,
  ) {}

  /** What reading these sessions is expected to cost; nobody is asked. */
  async estimate(refs: readonly SessionRef[], request: ReadRequest = {}, signal?: AbortSignal): Promise<ReadEstimate> {
    const { asker, options } = await this.ways(request);
    let [sessions, cost] = [0, NO_COST];
    for (const source of await this.unread(refs, request, signal)) {
      const asked = await this.question(source, [], signal);
      if (asked === undefined) continue;
      sessions += 1;
      cost = added(cost, await asker.estimate(asked.question, options));
    }
    const usdPerSession = sessions === 0 ? 0 : roundUsd(cost.usd / sessions);
    return { sessions, cost, usdPerSession, provider: asker.name, model: options.model };
  }

  /** What reading a session of the project costs, by its last ones; nobody is asked. */
  async price(projectId: string, request: ReadRequest = {}, signal?: AbortSignal): Promise<ReadEstimate> {
    const manifest = await this.parts.store.readManifest(projectId);
    const entries = Object.values(manifest?.sessions ?? {}).sort((a, b) =>
      a.lastTimestamp < b.lastTimestamp ? 1 : -1,
    );
    const refs = entries.slice(0, PRICED).map(({ sessionId }) => ({ projectId, sessionId }));
    return this.estimate(refs, { ...request, isAgain: true }, signal);
  }

  /** Keeps that the user agreed, or does no more, to have each session read when it ends. */
  async agree(isAgreed: boolean, { provider, model, maxCostUsd }: ReadRequest = {}): Promise<ReadingSettings> {
    const since = this.parts.clock.now().toISOString();
    const { reading } = await this.parts.store.updateConfig((config) => {
      const before = config.reading;
      const chosen = {
        provider: provider ?? before.provider,
        model: model ?? before.model,
        sessionUsd: maxCostUsd ?? before.sessionUsd,
      };
      const own = isAgreed ? { ...chosen, since: before.enabled ? before.since : since } : {};
      return { ...config, reading: { ...before, ...own, enabled: isAgreed } };
    });
    return reading;
  }

  /** Reads sessions one after the other. One that fails does not stop the others, but for what will fail for all. */
  async read(
    refs: readonly SessionRef[],
    request: ReadRequest = {},
    onProgress?: OnProgress,
    signal?: AbortSignal,
  ): Promise<ReadResult> {
    const lock = await this.parts.hookStore.takeReading();
    if (lock === undefined) throw new LayersError('reading-busy', '');
    try {
      return await this.readAll(refs, request, onProgress, signal);
    } finally {
      await lock.release();
    }
  }

  /** After sessions of a project have ended: reads what is unread since the user agreed, if they did. Undefined when there was nothing to do. */
  async readEnded(projectId: string, signal?: AbortSignal): Promise<ReadResult | undefined> {
    const { enabled, since } = (await this.parts.store.readConfig()).reading;
    const manifest = enabled ? await this.parts.store.readManifest(projectId) : undefined;
    const due: SessionRef[] = [];
    for (const { sessionId, lastTimestamp } of Object.values(manifest?.sessions ?? {}).toReversed()) {
      const ref = { projectId, sessionId };
      if (lastTimestamp < since || due.length >= MOST_AT_ONCE) continue;
      if (((await this.layers.reading(ref))?.failures ?? 0) < MOST_FAILURES) due.push(ref);
    }
    if (due.length === 0 || (await this.unread(due, {}, signal)).length === 0) return undefined;
    try {
      return await this.read(due, {}, undefined, signal);
    } catch (error) {
      if (error instanceof LayersError && error.reason === 'reading-busy') return undefined; // the next end of a session finds it
      throw error;
    }
  }

  private async readAll(
    refs: readonly SessionRef[],
    request: ReadRequest,
    onProgress?: OnProgress,
    signal?: AbortSignal,
  ): Promise<ReadResult> {
    const read: ReadReport[] = [];
    const failed: { sessionId: string; error: KeepitError }[] = [];
    const sources = await this.unread(refs, request, signal);
    for (const [done, source] of sources.entries()) {
      signal?.throwIfAborted();
      const { sessionId } = source.ref;
      onProgress?.({ step: 'read', done, total: sources.length, label: sessionId });
      try {
        const report = await this.readOne(source, request, signal);
        if (report !== undefined) read.push(report);
      } catch (error) {
        onlyExpected(error);
        failed.push({ sessionId, error });
        if (error instanceof SummarizerError && !OF_ITS_OWN.has(error.reason)) break;
        await this.noteFailure(source);
      }
    }
    return { read, failed, cost: read.reduce((sum, { cost }) => added(sum, cost), NO_COST) };
  }

  private async readOne(
    source: SessionSource,
    request: ReadRequest,
    signal?: AbortSignal,
  ): Promise<ReadReport | undefined> {
    const { ref } = source;
    const before = await this.layers.reading(ref);
    if (before?.isUnfinished === true) {
      await this.put(ref, before, request, signal);
      return { sessionId: ref.sessionId, title: before.title, items: before.items.length, refused: 0, cost: NO_COST };
    }
    const { asker, options } = await this.ways(request);
    const facts = await this.layers.facts(ref.projectId, { review: true });
    const asked = await this.question(source, facts, signal);
    if (asked === undefined) return undefined;
    await this.layers.build(ref.projectId, { refs: [ref] }, undefined, signal); // there is a place then for what is paid for
    const { value, model, cost } = await asker.ask(asked.question, options, signal);
    const reading: SessionReading = {
      version: SCHEMA_VERSION,
      sessionId: ref.sessionId,
      readAt: this.parts.clock.now().toISOString(),
      sourceBytes: source.file.bytes,
      prompt: SESSION_PROMPT,
      model,
      ...(before === undefined ? value : withBefore(value, before, asked.shown)),
      failures: 0,
      isUnfinished: true,
    };
    await this.layers.saveReading(ref, reading);
    await this.put(ref, reading, { ...request, cost }, signal);
    const { title, items, refused } = reading;
    return { sessionId: ref.sessionId, title, items: items.length, refused, cost };
  }

  /** Sessions that were never read, have grown since, or were not put where they belong. */
  private async unread(
    refs: readonly SessionRef[],
    { isAgain = false }: ReadRequest,
    signal?: AbortSignal,
  ): Promise<SessionSource[]> {
    const sources = await this.parts.sources.locateAll(refs, signal);
    const unread: SessionSource[] = [];
    for (const source of sources) {
      if (source === undefined) continue;
      const known = await this.layers.reading(source.ref);
      const isKnown =
        known !== undefined &&
        known.digest !== '' &&
        known.isUnfinished !== true &&
        source.file.bytes <= known.sourceBytes * GROWN;
      if (isAgain || !isKnown) unread.push(source);
    }
    return unread;
  }

  /** Undefined for a session in which nobody has said anything. */
  private async question(
    { ref, file }: SessionSource,
    facts: Parameters<typeof sessionQuestion>[2],
    signal?: AbortSignal,
  ) {
    const counter = await this.parts.tokens.exact();
    const shown = await readShown(this.parts, file.path, counter, signal);
    return shown && { shown, question: sessionQuestion(ref.sessionId, shown, facts, (text) => counter.count(text)) };
  }

  private async ways({
    provider,
    model,
    maxCostUsd,
  }: ReadRequest): Promise<{ asker: ModelAsker; options: AskOptions }> {
    const { reading } = await this.parts.store.readConfig();
    const name = provider ?? reading.provider;
    const asker = this.parts.askers.find((one) => one.name === name);
    if (asker === undefined) throw new SummarizerError('no-model', { detail: name });
    return { asker, options: { model: model ?? reading.model, maxCostUsd: maxCostUsd ?? reading.sessionUsd } };
  }

  private async noteFailure({ ref, file }: SessionSource): Promise<void> {
    const before = await this.layers.reading(ref);
    const nothing = { title: '', digest: '', items: [], requests: [], review: [], refused: 0 };
    const base = { version: SCHEMA_VERSION, sessionId: ref.sessionId, readAt: '', prompt: SESSION_PROMPT, model: '' };
    const failed = { ...base, sourceBytes: file.bytes, ...nothing, ...before, failures: (before?.failures ?? 0) + 1 };
    await this.layers.saveReading(ref, failed);
  }
}

/** What has to do with one session alone: the next one may be read. */
const OF_ITS_OWN: ReadonlySet<string> = new Set(['invalid-output', 'truncated', 'refused', 'too-large', 'run-limit']);

function added(one: SummaryCost, other: SummaryCost): SummaryCost {
  return {
    calls: one.calls + other.calls,
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    usd: roundUsd(one.usd + other.usd),
  };
}
