import type { CompressionRequest } from '../versions/types';
import type { CompressionRecord } from '../model/compression';
import type { CompositionRequest, OmittedComponent } from '../model/composition';
import type { MemoryStore } from '../model/memoryStore';
import type { Pause } from '../model/host';
import { type TokenCounters, type TokenCounter, CachingTokenCounter } from '../text/tokens/tokenCounter';
import type { OnProgress, SessionRef } from '../sessions/results';
import { sessionKey } from '../model/sessionKey';
import { ownValue } from '../text/ownValue';
import { findAsked, type AskedSession } from './askedSessions';
import {
  composedRecords,
  markdownDocument,
  preface,
  readableText,
  type ComposedRecord,
  type DocumentIdentity,
} from './composedDocument';
import { CompositionError } from './compositionError';
import { omissions } from './compositionPreview';
import type { PieceReader } from './pieceReader';
import { planComposition } from './planComposition';
import { fit, planFigures, useRoom, type PlannedSession } from './plannedSessions';
import { SectionRenderer, type RenderedSections, type RenderedSession } from './sectionRenderer';
import { combined, versionOptions } from './versionOptions';

/** Makes a version, in whole or not at all. */
export type MakeVersion = (
  ref: SessionRef,
  request: CompressionRequest,
  onProgress?: OnProgress,
  signal?: AbortSignal,
) => Promise<{ version: CompressionRecord }>;

interface ComposerParts {
  readonly store: MemoryStore;
  readonly tokens: TokenCounters;
  readonly pause: Pause;
  readonly pieces: PieceReader;
  readonly makeVersion: MakeVersion;
}

const REMEMBERED_COUNTS = 10_000;

/** A planned session as it came out. */
export interface ComposedSession extends RenderedSession {
  /** Set for a version that was made on the way. */
  readonly made?: CompressionRecord;
}

/** A composition as texts; nothing is written yet. */
export interface Composed {
  readonly sessions: readonly ComposedSession[];
  readonly markdown?: string;
  readonly records?: readonly ComposedRecord[];
  /** Measured on the texts themselves. */
  readonly tokens: { readonly markdown?: number; readonly jsonl?: number };
  /** The larger of the two. */
  readonly totalTokens: number;
  readonly messages: number;
  readonly omitted: readonly OmittedComponent[];
  readonly redacted: readonly { kind: string; count: number }[];
}

/** What a plan is made of, and what it came to. */
interface CompositionPlan {
  readonly asked: readonly AskedSession[];
  readonly planned: readonly PlannedSession[];
  /** What stands around all sessions. */
  readonly frameTokens: number;
  readonly counter: TokenCounter;
}

/** What a request comes to, measured on the texts that there are; versions that are to be made are taken as expected. */
interface MeasuredPlan {
  readonly sessions: readonly RenderedSession[];
  /** What stands around all sessions. */
  readonly frameTokens: number;
}

/** What one composing is about, and what it has found out so far. */
interface Work {
  readonly projectId: string;
  readonly request: CompositionRequest;
  readonly identity: DocumentIdentity;
  readonly counter: TokenCounter;
  readonly renderer: SectionRenderer;
  /** For sessions: the budget without what stands around them. */
  readonly room: number;
  /** Versions that were made on the way, by session; undefined where none is to be made. */
  readonly made: Map<string, CompressionRecord> | undefined;
  readonly onProgress: OnProgress | undefined;
}

/** Chooses, reads, renders and measures. Writes nothing but versions that are missing. */
export class Composer {
  #counter: TokenCounter | undefined;

  constructor(private readonly parts: ComposerParts) {}

  /** What would be taken; opens no version and no transcript. Throws `CompositionError`. */
  async plan(projectId: string, request: CompositionRequest, identity: DocumentIdentity): Promise<CompositionPlan> {
    const { totalTokenBudget, components } = request;
    if (components.length === 0) throw new CompositionError('no-components', '');
    if (!Number.isSafeInteger(totalTokenBudget) || totalTokenBudget < 1) {
      throw new CompositionError('bad-budget', String(totalTokenBudget));
    }
    const counter = await this.#rememberingCounter();
    const asked = await findAsked(this.parts.store, projectId, request, counter);
    const frameTokens = frameTokensOf({ ...identity, compositionId: LONGEST_ID }, request, counter);
    return { asked, planned: planComposition(asked, { ...request, frameTokens }), frameTokens, counter };
  }

  /** The texts of a composition, under the budget. Throws `CompositionError`, `CompressionError`, `TranscriptUnreadableError`. */
  async compose(
    projectId: string,
    request: CompositionRequest,
    identity: DocumentIdentity,
    { onProgress, signal }: { onProgress?: OnProgress | undefined; signal?: AbortSignal | undefined } = {},
  ): Promise<Composed> {
    const { planned, frameTokens, counter } = await this.plan(projectId, request, identity);
    const { outputFormat } = request;
    const renderer = new SectionRenderer(this.parts, { outputFormat, counter, mayRecall: false });
    const made = new Map<string, CompressionRecord>();
    let room = request.totalTokenBudget - frameTokens;
    let current = fit(
      await this.#withMissing(planned, { projectId, request, counter, made, onProgress }, signal),
      room,
    );
    for (;;) {
      const work: Work = { projectId, request, identity, counter, renderer, room, made, onProgress };
      const sections = await this.#improved(await this.#fitted(current, work, signal), work, signal);
      const texts = await this.#texts(sections, work);
      const over = texts.totalTokens - request.totalTokenBudget;
      if (over <= 0) return composedOf(sections, texts, made);
      // Sections are counted apart, and add up; should a text ever be larger than its parts, it is made smaller until it is not.
      current = sections.sessions.map(withMeasured);
      room = Math.min(room, planFigures(current).tokens) - over;
    }
  }

  /**
   * What `compose` would come to, with the same choices, as far as no version has to be made for it. What was read and counted for one
   * request need not be for the next. Throws `CompositionError`, `CompressionError`, `TranscriptUnreadableError`.
   */
  async measure(
    projectId: string,
    request: CompositionRequest,
    identity: DocumentIdentity,
    signal?: AbortSignal,
  ): Promise<MeasuredPlan> {
    const { planned, frameTokens, counter } = await this.plan(projectId, request, identity);
    const { outputFormat } = request;
    const renderer = new SectionRenderer(this.parts, { outputFormat, counter, mayRecall: true });
    const room = request.totalTokenBudget - frameTokens;
    const work: Work = {
      projectId,
      request,
      identity,
      counter,
      renderer,
      room,
      made: undefined,
      onProgress: undefined,
    };
    const fitted = await this.#fitted(fit(planned, room), work, signal);
    const { sessions } = await this.#improved(fitted, work, signal);
    // Of the ways to choose from, each as it was before it met the others.
    const shown = sessions.map((one, at) => ({ ...one, options: planned[at]?.options ?? one.options }));
    return { sessions: shown, frameTokens: frameTokensOf(identity, request, counter) };
  }

  /** Texts are counted again and again while a composition is fitted, and with every figure of a builder. */
  async #rememberingCounter(): Promise<TokenCounter> {
    this.#counter ??= new CachingTokenCounter(await this.parts.tokens.exact(), REMEMBERED_COUNTS);
    return this.#counter;
  }

  /** Renders, and takes away until what was rendered fits. */
  async #fitted(planned: readonly PlannedSession[], work: Work, signal?: AbortSignal): Promise<RenderedSections> {
    const { request, room, renderer } = work;
    let current = fit(planned, room);
    for (let attempt = 1; ; attempt++) {
      signal?.throwIfAborted();
      const rendered = await renderer.render(current, signal);
      const remeasured = rendered.sessions.map(withMeasured);
      const over = planFigures(remeasured).tokens - room;
      if (over <= 0) return rendered;
      // What one session no longer says, another one says again: more and more is taken away, so that this ends.
      const smaller = fit(remeasured, room - over * (attempt - 1));
      if (isSamePlan(smaller, remeasured)) throw tooSmall(request, over, remeasured);
      current = smaller;
    }
  }

  /** What turned out smaller than expected leaves room, which is given away once. */
  async #improved(rendered: RenderedSections, work: Work, signal?: AbortSignal): Promise<RenderedSections> {
    const { request, room, renderer } = work;
    const remeasured = rendered.sessions.map(withMeasured);
    const better = useRoom(remeasured, room, request.strategy);
    if (isSamePlan(better, remeasured)) return rendered;
    const planned = fit(await this.#withMissing(better, work, signal), room);
    if (planFigures(planned).fidelity <= planFigures(remeasured).fidelity) return rendered;
    const again = await renderer.render(planned, signal);
    return planFigures(again.sessions.map(withMeasured)).tokens <= room ? again : rendered;
  }

  /** The texts, measured as they are. */
  async #texts({ sessions, redacted }: RenderedSections, work: Work): Promise<ComposedTexts> {
    const { request, identity, counter } = work;
    const count = (text: string): number => counter.count(text);
    const sections = sessions.flatMap(({ section }) => section ?? []);
    const markdown = request.outputFormat === 'jsonl' ? undefined : markdownDocument(identity, sections);
    const records = composedRecords(identity, sections);
    const tokens = {
      ...(markdown !== undefined && { markdown: count(markdown) }),
      ...(request.outputFormat !== 'markdown' && { jsonl: count(readableText(records)) }),
    };
    return {
      ...(markdown !== undefined && { markdown }),
      ...(request.outputFormat !== 'markdown' && { records }),
      tokens,
      totalTokens: Math.max(tokens.markdown ?? 0, tokens.jsonl ?? 0),
      messages: records.length,
      redacted,
    };
  }

  /** Makes the versions that the plan is waiting for. */
  async #withMissing(
    planned: readonly PlannedSession[],
    { projectId, request, counter, made, onProgress }: Omit<Work, 'identity' | 'renderer' | 'room'>,
    signal?: AbortSignal,
  ): Promise<readonly PlannedSession[]> {
    const missing = planned.filter(({ pick }) => pick.make !== undefined);
    if (missing.length === 0 || made === undefined) return planned;
    for (const [done, { session, pick }] of missing.entries()) {
      onProgress?.({ step: 'compose', done, total: missing.length, label: session.title });
      const { version } = await this.parts.makeVersion(session.ref, pick.make ?? {}, undefined, signal);
      made.set(sessionKey(session.ref), version);
    }
    onProgress?.({ step: 'compose', done: missing.length, total: missing.length });
    const fresh = await findAsked(this.parts.store, projectId, request, counter);
    return planned.map((one, at) => (one.pick.make === undefined ? one : withVersion(one, fresh[at], made)));
  }
}

/**
 * An id in whose stead every other one has no more tokens: one for each character. Ids differ in tokens, and a budget that is named as the
 * smallest one has to work with the id of the next attempt.
 */
const LONGEST_ID = '1a1a1a1a-1a1a-1a1a-1a1a-1a1a1a1a1a1a';

/** What stands around the sections, in the format that needs more of it. */
function frameTokensOf(
  identity: DocumentIdentity,
  { outputFormat }: CompositionRequest,
  counter: TokenCounter,
): number {
  if (outputFormat === 'markdown') return counter.count(preface(identity));
  return counter.count(readableText(composedRecords(identity, [])));
}

function withMeasured({
  tokens,
  repeatedTokens: _repeated,
  section: _section,
  pieceTokens: _pieces,
  ...one
}: RenderedSession): PlannedSession {
  if (one.pick.make !== undefined) return one;
  const pick = { ...one.pick, tokens, isMeasured: true };
  return { ...one, pick, options: one.options.map((option) => (option === one.pick ? pick : option)) };
}

function isSamePlan(a: readonly PlannedSession[], b: readonly PlannedSession[]): boolean {
  return a.every(({ pick }, at) => pick === b[at]?.pick);
}

function withVersion(
  one: PlannedSession,
  fresh: AskedSession | undefined,
  made: ReadonlyMap<string, CompressionRecord>,
): PlannedSession {
  const version = made.get(sessionKey(one.session.ref));
  if (version === undefined || fresh === undefined) return one;
  const { session, sizes } = fresh;
  const pick = combined(session, sizes, [version]);
  return { ...one, session, pick, options: [pick, ...versionOptions(session, sizes)] };
}

type ComposedTexts = Omit<Composed, 'sessions' | 'omitted'>;

function composedOf(
  { sessions }: RenderedSections,
  texts: ComposedTexts,
  made: ReadonlyMap<string, CompressionRecord>,
): Composed {
  const all = sessions.map((one) => {
    const version = made.get(sessionKey(one.session.ref));
    return version === undefined ? one : { ...one, made: version };
  });
  return { ...texts, sessions: all, omitted: omissions(all.map((one) => ({ ...one, isRead: true }))) };
}

function tooSmall(
  { totalTokenBudget }: CompositionRequest,
  over: number,
  planned: readonly PlannedSession[],
): CompositionError {
  const pinned = planned.flatMap(({ session }) =>
    session.pinned.map(({ markerId, content }) => ({ ...session.ref, markerId, content })),
  );
  const smallestBudget = totalTokenBudget + over;
  const detail = `the least that can be made of it has ${smallestBudget}`;
  return new CompositionError('budget-too-small', String(totalTokenBudget), detail, { smallestBudget, pinned });
}

/** What of a request can still be had, and what cannot. */
export async function stillThere(
  store: Pick<MemoryStore, 'readManifest'>,
  projectId: string,
  request: CompositionRequest,
): Promise<{
  components: CompositionRequest['components'];
  gone: { projectId: string; sessionId: string; reason: string }[];
}> {
  const components: CompositionRequest['components'] = [];
  const gone: { projectId: string; sessionId: string; reason: string }[] = [];
  for (const component of request.components) {
    const { sessionId, versionId } = component;
    const ref = { projectId: component.projectId ?? projectId, sessionId };
    const sessions = (await store.readManifest(ref.projectId))?.sessions ?? {};
    const entry = ownValue(sessions, sessionId);
    if (entry === undefined) {
      gone.push({ ...ref, reason: 'it is no longer in memory' });
      continue;
    }
    const isKnown = versionId === undefined || versionId === 'auto' || versionId === 'original';
    if (isKnown || entry.compressions.some((version) => version.versionId === versionId)) {
      components.push(component);
      continue;
    }
    gone.push({ ...ref, reason: `version ${versionId} was deleted: another one was chosen` });
    const { versionId: _deleted, ...rest } = component;
    if (!components.some((other) => isSameSession(other, component))) components.push(rest);
  }
  return { components, gone };
}

function isSameSession(a: { sessionId: string; projectId?: string | undefined }, b: typeof a): boolean {
  return a.sessionId === b.sessionId && a.projectId === b.projectId;
}
