import type { CompressionRequest } from '../compression/types';
import type { CompressionRecord } from '../model/compression';
import type { CompositionRequest, OmittedComponent } from '../model/composition';
import type { MemoryStore, Pause, TokenCounters } from '../ports';
import { mapLimited } from '../registry/mapLimited';
import type { OnProgress, SessionRef } from '../registry/results';
import { countWithPauses, type SliceableTokenCounter } from '../tokens/tokenCounter';
import { AskedSessions } from './askedSessions';
import {
  composedRecords,
  markdownDocument,
  preface,
  readableText,
  sectionRecords,
  type ComposedRecord,
  type DocumentIdentity,
} from './composedDocument';
import { CompositionError } from './compositionError';
import { contextSection, RedactionReport, SaidBefore, sectionMarkdown, type ReadPiece } from './contextSection';
import type { OriginalReader } from './originalReader';
import { omissions } from './omissions';
import type { AskedSession } from './askedOptions';
import { planComposition } from './planComposition';
import { fit, planFigures, useRoom, type PlannedSession } from './plannedSessions';
import type { ContextSection } from './types';
import { combined, versionOptions } from './versionOptions';
import { versionOfPiece, type VersionReader } from './versionReader';

/** Makes a version, in whole or not at all. */
export type MakeVersion = (
  ref: SessionRef,
  request: CompressionRequest,
  onProgress?: OnProgress,
  signal?: AbortSignal,
) => Promise<{ version: CompressionRecord }>;

export interface ComposerParts {
  readonly store: MemoryStore;
  readonly tokens: TokenCounters;
  readonly pause: Pause;
  readonly versions: VersionReader;
  readonly originals: OriginalReader;
  readonly makeVersion: MakeVersion;
}

/** A planned session as it came out. */
export interface ComposedSession extends PlannedSession {
  /** Absent for one that is not in. */
  readonly section?: ContextSection;
  /** What it takes in the text. */
  readonly tokens: number;
  /** What each piece takes; the heading and the keepits are with the first. */
  readonly pieceTokens: readonly number[];
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
export interface CompositionPlan {
  readonly asked: readonly AskedSession[];
  readonly planned: readonly PlannedSession[];
  /** What stands around all sessions. */
  readonly frameTokens: number;
  readonly counter: SliceableTokenCounter;
}

type Readings = Map<string, ReadPiece['blocks']>;

/** What one composing is about, and what it has found out so far. */
interface Work {
  readonly projectId: string;
  readonly request: CompositionRequest;
  readonly identity: DocumentIdentity;
  readonly counter: SliceableTokenCounter;
  /** For sessions: the budget without what stands around them. */
  readonly room: number;
  readonly readings: Readings;
  /** Versions that were made on the way, by session. */
  readonly made: Map<string, CompressionRecord>;
  readonly onProgress: OnProgress | undefined;
}

interface Rendered {
  readonly sessions: readonly ComposedSession[];
  readonly texts: Omit<Composed, 'sessions' | 'omitted'>;
}

/** After so many attempts the budget is taken for smaller than it is, so that an end is reached. */
const PATIENCE = 8;
/** Versions and originals that are read at the same time. */
const PARALLEL_READINGS = 8;

/** Chooses, reads, renders and measures. Writes nothing but versions that are missing. */
export class Composer {
  readonly #asked: AskedSessions;

  constructor(private readonly parts: ComposerParts) {
    this.#asked = new AskedSessions(parts.store);
  }

  /** What would be taken; opens no version and no transcript. Throws `CompositionError`. */
  async plan(projectId: string, request: CompositionRequest, identity: DocumentIdentity): Promise<CompositionPlan> {
    const { totalTokenBudget, components } = request;
    if (components.length === 0) throw new CompositionError('no-components', '');
    if (!Number.isSafeInteger(totalTokenBudget) || totalTokenBudget < 1) {
      throw new CompositionError('bad-budget', String(totalTokenBudget));
    }
    const counter = await this.parts.tokens.exact();
    const asked = await this.#asked.find(projectId, request, counter);
    const frameTokens = frameTokensOf(identity, request, counter);
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
    const room = request.totalTokenBudget - frameTokens;
    const readings: Readings = new Map();
    const work: Work = { projectId, request, identity, counter, room, readings, made: new Map(), onProgress };
    const rendered = await this.#fitted(fit(await this.#withMissing(planned, work, signal), room), work, signal);
    return composedOf(await this.#improved(rendered, work, signal), work.made);
  }

  /** Renders, and takes away until the texts themselves are under the budget. */
  async #fitted(planned: readonly PlannedSession[], work: Work, signal?: AbortSignal): Promise<Rendered> {
    const { request, room } = work;
    let current = planned;
    for (let attempt = 1; ; attempt++) {
      signal?.throwIfAborted();
      const rendered = await this.#render(current, work, signal);
      const over = rendered.texts.totalTokens - request.totalTokenBudget;
      if (over <= 0) return rendered;
      const remeasured = rendered.sessions.map(withMeasured);
      const isOver = planFigures(remeasured).tokens > room;
      const margin = (isOver ? 0 : over) + (attempt > PATIENCE ? over * (attempt - PATIENCE) : 0);
      const smaller = fit(remeasured, room - margin);
      if (isSamePlan(smaller, remeasured)) throw tooSmall(request, rendered.texts.totalTokens, remeasured);
      current = smaller;
    }
  }

  /** What turned out smaller than expected leaves room, which is given away once. */
  async #improved(rendered: Rendered, work: Work, signal?: AbortSignal): Promise<Rendered> {
    const { request, room } = work;
    const remeasured = rendered.sessions.map(withMeasured);
    const better = useRoom(remeasured, room, request.strategy);
    if (isSamePlan(better, remeasured)) return rendered;
    const planned = fit(await this.#withMissing(better, work, signal), room);
    if (planFigures(planned).fidelity <= planFigures(remeasured).fidelity) return rendered;
    const again = await this.#render(planned, work, signal);
    return again.texts.totalTokens <= request.totalTokenBudget ? again : rendered;
  }

  /** Makes the versions that the plan is waiting for. */
  async #withMissing(
    planned: readonly PlannedSession[],
    { projectId, request, counter, made, onProgress }: Work,
    signal?: AbortSignal,
  ): Promise<readonly PlannedSession[]> {
    const missing = planned.filter(({ pick }) => pick.make !== undefined);
    if (missing.length === 0) return planned;
    for (const [done, { session, pick }] of missing.entries()) {
      onProgress?.({ step: 'compose', done, total: missing.length, label: session.title });
      const { version } = await this.parts.makeVersion(session.ref, pick.make ?? {}, undefined, signal);
      made.set(keyOf(session.ref), version);
    }
    onProgress?.({ step: 'compose', done: missing.length, total: missing.length });
    const fresh = await this.#asked.find(projectId, request, counter);
    return planned.map((one, at) => (one.pick.make === undefined ? one : withVersion(one, fresh[at], made)));
  }

  async #render(planned: readonly PlannedSession[], work: Work, signal?: AbortSignal): Promise<Rendered> {
    const { request, identity, counter, readings } = work;
    const report = new RedactionReport();
    const sections = await this.#sections(planned, readings, report, signal);
    const included = sections.filter((section) => section !== undefined);
    const sessions: ComposedSession[] = [];
    for (const [at, one] of planned.entries()) {
      sessions.push({ ...one, ...sectionFigures(sections[at], request, counter) });
      await this.parts.pause();
    }
    const { pause } = this.parts;
    const count = (text: string): Promise<number> => countWithPauses(counter, text, pause, signal);
    const markdown = request.outputFormat === 'jsonl' ? undefined : markdownDocument(identity, included);
    const records = composedRecords(identity, included);
    const tokens = {
      ...(markdown !== undefined && { markdown: await count(markdown) }),
      ...(request.outputFormat !== 'markdown' && { jsonl: await count(readableText(records)) }),
    };
    const texts = {
      ...(markdown !== undefined && { markdown }),
      ...(request.outputFormat !== 'markdown' && { records }),
      tokens,
      totalTokens: Math.max(tokens.markdown ?? 0, tokens.jsonl ?? 0),
      messages: records.length,
      redacted: report.secrets,
    };
    return { sessions, texts };
  }

  /** What is said in several sessions is left to the one that says it best; the order stays that of the request. */
  async #sections(
    planned: readonly PlannedSession[],
    readings: Readings,
    report: RedactionReport,
    signal?: AbortSignal,
  ): Promise<(ContextSection | undefined)[]> {
    await this.#readAll(planned, readings, signal);
    const said = new SaidBefore();
    const sections: (ContextSection | undefined)[] = planned.map(() => undefined);
    const richestFirst = [...planned.entries()].sort(([, a], [, b]) => b.pick.fidelity - a.pick.fidelity);
    for (const [at, one] of richestFirst) {
      signal?.throwIfAborted();
      if (one.pick.kind === 'nothing') continue;
      const read = one.pick.pieces.map((piece) => ({
        piece,
        blocks: readings.get(readingKey(one.session, piece)) ?? [],
      }));
      const section = contextSection(one.session, read, { number: at + 1, said, report });
      const isEmpty = section.keepits.length === 0 && section.pieces.every(({ blocks }) => blocks.length === 0);
      if (!isEmpty) sections[at] = section;
      await this.parts.pause();
    }
    return sections;
  }

  /** Reads what has not been read yet, several files at a time. */
  async #readAll(planned: readonly PlannedSession[], readings: Readings, signal?: AbortSignal): Promise<void> {
    const missing = planned.flatMap(({ session, pick }) =>
      pick.pieces.flatMap((piece) => {
        const key = readingKey(session, piece);
        return readings.has(key) ? [] : [{ session, piece, key }];
      }),
    );
    await mapLimited(missing, PARALLEL_READINGS, async ({ session, piece, key }) => {
      signal?.throwIfAborted();
      const version = versionOfPiece(piece, session.versions);
      const blocks =
        version === undefined
          ? await this.parts.originals.read(session.transcript ?? '', signal)
          : await this.parts.versions.read(session.ref, version);
      readings.set(key, blocks);
    });
  }
}

function readingKey({ ref }: PlannedSession['session'], { versionId }: ReadPiece['piece']): string {
  return `${keyOf(ref)}/${versionId}`;
}

/** What stands around the sections, in the format that needs more of it. */
function frameTokensOf(
  identity: DocumentIdentity,
  { outputFormat }: CompositionRequest,
  counter: SliceableTokenCounter,
): number {
  if (outputFormat === 'markdown') return counter.count(preface(identity));
  return counter.count(readableText(composedRecords(identity, [])));
}

function sectionFigures(
  section: ContextSection | undefined,
  { outputFormat }: CompositionRequest,
  counter: SliceableTokenCounter,
): Pick<ComposedSession, 'section' | 'tokens' | 'pieceTokens'> {
  if (section === undefined) return { tokens: 0, pieceTokens: [] };
  const count = (part: ContextSection): number =>
    Math.max(
      outputFormat === 'jsonl' ? 0 : counter.count(sectionMarkdown(part)),
      outputFormat === 'markdown' ? 0 : counter.count(readableText(sectionRecords(part))),
    );
  const tokens = count(section);
  const later = section.pieces
    .slice(1)
    .map((piece) => count({ ...section, heading: '', footer: '', keepits: [], pieces: [piece] }));
  const first = later.reduce((rest, own) => rest - own, tokens);
  return { section, tokens, pieceTokens: [first, ...later] };
}

function withMeasured({
  tokens,
  section: _section,
  pieceTokens: _pieces,
  made: _made,
  ...one
}: ComposedSession): PlannedSession {
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
  const version = made.get(keyOf(one.session.ref));
  if (version === undefined || fresh === undefined) return one;
  const { session, sizes } = fresh;
  const pick = combined(session, sizes, [version]);
  return { ...one, session, pick, options: [pick, ...versionOptions(session, sizes)] };
}

function keyOf({ projectId, sessionId }: SessionRef): string {
  return `${projectId}/${sessionId}`;
}

function composedOf({ sessions, texts }: Rendered, made: ReadonlyMap<string, CompressionRecord>): Composed {
  const all = sessions.map((one) => {
    const version = made.get(keyOf(one.session.ref));
    return version === undefined ? one : { ...one, made: version };
  });
  return { ...texts, sessions: all, omitted: omissions(all.map((one) => ({ ...one, isRead: true }))) };
}

function tooSmall(
  { totalTokenBudget }: CompositionRequest,
  needed: number,
  planned: readonly PlannedSession[],
): CompositionError {
  const pinned = planned.flatMap(({ session }) =>
    session.pinned.map(({ markerId, content }) => ({ ...session.ref, markerId, content })),
  );
  const detail = `the least that can be made of it has ${needed}`;
  return new CompositionError('budget-too-small', String(totalTokenBudget), detail, { smallestBudget: needed, pinned });
}
