import type { CompressionRequest } from '../compression/types';
import type { CompressionRecord } from '../model/compression';
import type { CompositionRequest, OmittedComponent } from '../model/composition';
import type { MemoryStore, Pause, TokenCounters } from '../ports';
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
import { fit, planComposition, type AskedSession, type PlannedSession } from './planComposition';
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

interface Rendered {
  readonly sessions: readonly ComposedSession[];
  readonly texts: Omit<Composed, 'sessions' | 'omitted'>;
}

/** After so many attempts the budget is taken for smaller than it is, so that an end is reached. */
const PATIENCE = 8;

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
    const plan = await this.plan(projectId, request, identity);
    const { planned, made } = await this.#withMissing(projectId, plan, request, { onProgress, signal });
    const readings = new Map<string, ReadPiece['blocks']>();
    const room = request.totalTokenBudget - plan.frameTokens;
    let current = fit(planned, room);
    for (let attempt = 1; ; attempt++) {
      signal?.throwIfAborted();
      const rendered = await this.#render(current, { request, identity, counter: plan.counter, readings }, signal);
      const over = rendered.texts.totalTokens - request.totalTokenBudget;
      if (over <= 0) return composedOf(rendered, made);
      const remeasured = rendered.sessions.map(withMeasured);
      const isOver = remeasured.reduce((sum, { pick }) => sum + pick.tokens, 0) > room;
      const margin = (isOver ? 0 : over) + (attempt > PATIENCE ? over * (attempt - PATIENCE) : 0);
      const smaller = fit(remeasured, room - margin);
      if (smaller.every(({ pick }, at) => pick === remeasured[at]?.pick)) {
        throw tooSmall(request, rendered.texts.totalTokens, remeasured);
      }
      current = smaller;
    }
  }

  /** Makes the versions that the plan is waiting for. */
  async #withMissing(
    projectId: string,
    { planned, asked, frameTokens, counter }: CompositionPlan,
    request: CompositionRequest,
    { onProgress, signal }: { onProgress?: OnProgress | undefined; signal?: AbortSignal | undefined },
  ): Promise<{ planned: PlannedSession[]; made: Map<string, CompressionRecord> }> {
    const made = new Map<string, CompressionRecord>();
    const missing = planned.filter(({ pick }) => pick.make !== undefined);
    if (missing.length === 0) return { planned: [...planned], made };
    for (const [done, { session, pick }] of missing.entries()) {
      onProgress?.({ step: 'compose', done, total: missing.length, label: session.title });
      const { version } = await this.parts.makeVersion(session.ref, pick.make ?? {}, undefined, signal);
      made.set(keyOf(session.ref), version);
    }
    onProgress?.({ step: 'compose', done: missing.length, total: missing.length });
    const fresh = await this.#asked.find(projectId, request, counter);
    if (request.strategy === 'best') {
      const chosen = fresh.map((one, at) => (planned[at]?.isFixed === true ? withMade(one, made) : one));
      return { planned: planComposition(chosen, { ...request, frameTokens, makesMissing: false }), made };
    }
    return { planned: planned.map((one, at) => withVersion(one, fresh[at] ?? asked[at], made)), made };
  }

  async #render(
    planned: readonly PlannedSession[],
    context: {
      request: CompositionRequest;
      identity: DocumentIdentity;
      counter: SliceableTokenCounter;
      readings: Map<string, ReadPiece['blocks']>;
    },
    signal?: AbortSignal,
  ): Promise<Rendered> {
    const { request, identity, counter, readings } = context;
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
    readings: Map<string, ReadPiece['blocks']>,
    report: RedactionReport,
    signal?: AbortSignal,
  ): Promise<(ContextSection | undefined)[]> {
    const said = new SaidBefore();
    const sections: (ContextSection | undefined)[] = planned.map(() => undefined);
    const richestFirst = [...planned.entries()].sort(([, a], [, b]) => b.pick.fidelity - a.pick.fidelity);
    for (const [at, one] of richestFirst) {
      signal?.throwIfAborted();
      if (one.pick.kind === 'nothing') continue;
      const read = await this.#read(one, readings, signal);
      const section = contextSection(one.session, read, { number: at + 1, said, report });
      const isEmpty = section.keepits.length === 0 && section.pieces.every(({ blocks }) => blocks.length === 0);
      if (!isEmpty) sections[at] = section;
    }
    return sections;
  }

  async #read(
    { session, pick }: PlannedSession,
    readings: Map<string, ReadPiece['blocks']>,
    signal?: AbortSignal,
  ): Promise<ReadPiece[]> {
    const read: ReadPiece[] = [];
    for (const piece of pick.pieces) {
      const key = `${keyOf(session.ref)}/${piece.versionId}`;
      let blocks = readings.get(key);
      if (blocks === undefined) {
        const version = versionOfPiece(piece, session.versions);
        blocks =
          version === undefined
            ? await this.parts.originals.read(session.transcript ?? '', signal)
            : await this.parts.versions.read(session.ref, version);
        readings.set(key, blocks);
        await this.parts.pause();
      }
      read.push({ piece, blocks });
    }
    return read;
  }
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

function withMade(one: AskedSession, made: ReadonlyMap<string, CompressionRecord>): AskedSession {
  const version = made.get(keyOf(one.session.ref));
  const [first] = one.asked;
  if (version === undefined || first === undefined) return one;
  const { recompressSettings: _made, ...rest } = first;
  return { ...one, asked: [{ ...rest, versionId: version.versionId }] };
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
