import type { CompositionRequest, OmittedComponent } from '../model/composition';
import type { MemoryStore } from '../model/host';
import { CachingTokenCounter, type TokenCounter, type TokenCounters } from '../text/tokens/tokenCounter';
import type { OnProgress } from '../sessions/results';
import { BLOCK_SEPARATOR, messageRangeText } from '../versions/types';
import { findAsked } from './askedSessions';
import {
  composedRecords,
  hasMarks,
  markdownDocument,
  preface,
  readableText,
  sectionRecords,
  type DocumentIdentity,
} from './composedDocument';
import { CompositionError } from './compositionError';
import {
  blockMarkdown,
  contextSection,
  SaidBefore,
  sectionMarkdown,
  RedactionReport,
  untitled,
} from './contextSection';
import { fillRoom, RoomError, tooSmall } from './fillRoom';
import {
  fidelityOf,
  freshSettings,
  type Composed,
  type ComposedSession,
  type FilledSession,
  type Measure,
} from './sessionForms';
import type { MakeVersion } from './namedForm';
import { openSessions, type OpenSession } from './openSessions';
import { Remembered, type PieceReader } from './pieceReader';
import type { ContextSection } from './types';

interface ComposerParts {
  readonly store: MemoryStore;
  readonly tokens: TokenCounters;
  readonly pieces: PieceReader;
  readonly makeVersion: MakeVersion;
}

interface ComposeOptions {
  /** Whether versions that are asked for are kept; else they are only looked at. */
  readonly isKept: boolean;
  /** How many sessions ago each was when it was composed first, by its id: rebuilding goes by that. */
  readonly distances?: ReadonlyMap<string, number> | undefined;
  readonly onProgress?: OnProgress | undefined;
  readonly signal?: AbortSignal | undefined;
}

const REMEMBERED_COUNTS = 100_000;
const REMEMBERED_TOKENS = 500_000;
/** Texts are counted as a whole at last: after so many looks the one that fitted is taken. */
const MOST_LOOKS = 6;
/** A room that is filled to so much is full. */
const FULL = 0.993;
/** With so many tokens for each, sections have room for the names of their sessions, and for the way back to their transcripts. */
const NAMED_FROM_TOKENS = 250;
const LINKED_FROM_TOKENS = 2000;

/** Chooses, reads, cuts, renders and measures. Writes nothing but versions that are asked for. */
export class Composer {
  #counter: TokenCounter | undefined;
  /** What was composed last: what is shown of it, compared with others and saved is one and the same. */
  readonly #composed = new Remembered<Composed>(REMEMBERED_TOKENS, ({ totalTokens }) => totalTokens);

  constructor(private readonly parts: ComposerParts) {}

  /** The texts of a composition, under the budget. Throws `CompositionError`, `CompressionError`, `TranscriptUnreadableError`. */
  async compose(
    projectId: string,
    request: CompositionRequest,
    identity: DocumentIdentity,
    { isKept, distances, onProgress, signal }: ComposeOptions,
  ): Promise<Composed> {
    const { totalTokenBudget, components } = request;
    if (components.length === 0) throw new CompositionError('no-components', '');
    if (!Number.isSafeInteger(totalTokenBudget) || totalTokenBudget < 1) {
      throw new CompositionError('bad-budget', String(totalTokenBudget));
    }
    const asked = (await findAsked(this.parts.store, projectId, request)).map((one) => ({
      ...one,
      session: { ...one.session, distance: distances?.get(one.session.ref.sessionId) ?? one.session.distance },
    }));
    const make = async (): Promise<Composed> => {
      this.#counter ??= new CachingTokenCounter(await this.parts.tokens.exact(), REMEMBERED_COUNTS);
      const counter = this.#counter;
      const opened = await openSessions(this.parts, asked, { request, counter, isKept, onProgress }, signal);
      signal?.throwIfAborted();
      return new Composing(opened, request, identity, counter).run();
    };
    // A version that is asked for has its name only once it is kept.
    if (request.components.some(({ recompressSettings }) => recompressSettings !== undefined)) return make();
    const { compositionId, name } = identity;
    const states = await Promise.all(asked.map(({ session }) => this.parts.pieces.transcriptKey(session)));
    return this.#composed.get(JSON.stringify([request, compositionId, name, asked, states]), make);
  }
}

interface Rendered {
  readonly filled: readonly FilledSession[];
  readonly sections: ReadonlyMap<FilledSession, ContextSection>;
  readonly hasMarks: boolean;
  readonly redacted: Composed['redacted'];
  readonly texts: Pick<Composed, 'markdown' | 'records' | 'tokens' | 'totalTokens' | 'messages'>;
}

/** One composition on its way into its budget. */
class Composing {
  #detail: 'title' | 'session' | 'link';

  constructor(
    private readonly opened: readonly OpenSession[],
    private readonly request: CompositionRequest,
    private readonly identity: DocumentIdentity,
    private readonly counter: TokenCounter,
  ) {
    const each = request.totalTokenBudget / opened.length;
    this.#detail = each >= LINKED_FROM_TOKENS ? 'link' : each >= NAMED_FROM_TOKENS ? 'session' : 'title';
  }

  run(): Composed {
    const { totalTokenBudget: budget } = this.request;
    const mayHaveMarks = this.opened.some(({ session }) => session.keepits.length > 0);
    const frameTokens = this.#frameTokens({ ...this.identity, compositionId: LONGEST_ID }, mayHaveMarks);
    let room = budget - frameTokens;
    let best: Rendered | undefined;
    for (let look = 1; ; look++) {
      const rendered = this.#tried(room);
      if (rendered instanceof RoomError) {
        if (best !== undefined) break;
        const missing = budget - frameTokens - room;
        if (this.#detail === 'title') throw tooSmall(budget, frameTokens + rendered.needed + missing, this.opened);
        this.#detail = 'title';
        room += missing;
        continue;
      }
      const { totalTokens } = rendered.texts;
      const over = totalTokens - budget;
      if (over <= 0 && totalTokens > (best?.texts.totalTokens ?? -1)) best = rendered;
      if (best !== undefined && (look >= MOST_LOOKS || this.#isFull(rendered))) break;
      // Cuts and counts are not exact to the token: what was missed is taken away, or given out again.
      room += over <= 0 ? Math.max(1, Math.floor(-over * 0.8)) : -over - look;
    }
    return this.#composed(best);
  }

  #tried(room: number): Rendered | RoomError {
    try {
      return this.#rendered(room);
    } catch (error) {
      if (error instanceof RoomError) return error;
      throw error;
    }
  }

  #isFull({ filled, texts: { totalTokens } }: Rendered): boolean {
    const { totalTokenBudget: budget } = this.request;
    return totalTokens <= budget && (totalTokens >= budget * FULL || !filled.some(({ isCut }) => isCut));
  }

  #rendered(room: number): Rendered {
    const { request } = this;
    const filled = fillRoom(this.opened, { request, room, measure: this.#measure });
    const said = new SaidBefore();
    const report = new RedactionReport();
    const sections = new Map<FilledSession, ContextSection>();
    for (const one of richestFirst(filled)) {
      if (one.kind === 'nothing') continue;
      const section = this.#section(one, filled.indexOf(one) + 1, { said, report });
      sections.set(one, section);
    }
    let before = '';
    for (const one of filled) {
      const section = toldOf(one, sections.get(one));
      if (section === undefined) continue;
      if (section.title === before) sections.set(one, untitled(section));
      before = section.title;
    }
    const told = filled.flatMap((one) => toldOf(one, sections.get(one)) ?? []);
    return { filled, sections, hasMarks: told.some(hasMarks), redacted: report.secrets, texts: this.#texts(told) };
  }

  /** What is said in several sessions is left to the one that says it best; the order stays that of the request. */
  #section(
    { open, pieces, keepits }: Pick<FilledSession, 'open' | 'pieces' | 'keepits'>,
    number: number,
    { said, report }: { said: SaidBefore; report: RedactionReport },
  ): ContextSection {
    return contextSection(open.session, pieces, { number, said, report, keepits, detail: this.#detail });
  }

  readonly #measure: Measure = (one) => {
    const section = this.#section(one, this.opened.indexOf(one.open) + 1, {
      said: new SaidBefore(),
      report: new RedactionReport(),
    });
    return this.#tokensOf(section);
  };

  /** In the format that needs more of it. */
  #tokensOf(section: ContextSection): number {
    const { outputFormat } = this.request;
    return Math.max(
      outputFormat === 'jsonl' ? 0 : this.counter.count(sectionMarkdown(section)),
      outputFormat === 'markdown' ? 0 : this.counter.count(readableText(sectionRecords(section))),
    );
  }

  /** The texts, measured as they are. */
  #texts(sections: readonly ContextSection[]): Rendered['texts'] {
    const { identity, counter } = this;
    const { outputFormat } = this.request;
    const markdown = outputFormat === 'jsonl' ? undefined : markdownDocument(identity, sections);
    const records = composedRecords(identity, sections);
    const tokens = {
      ...(markdown !== undefined && { markdown: counter.count(markdown) }),
      ...(outputFormat !== 'markdown' && { jsonl: counter.count(readableText(records)) }),
    };
    return {
      ...(markdown !== undefined && { markdown }),
      ...(outputFormat !== 'markdown' && { records }),
      tokens,
      totalTokens: Math.max(tokens.markdown ?? 0, tokens.jsonl ?? 0),
      messages: records.length,
    };
  }

  #frameTokens(identity: DocumentIdentity, withMarks: boolean): number {
    if (this.request.outputFormat === 'markdown') return this.counter.count(preface(identity, withMarks));
    return this.counter.count(readableText(composedRecords(identity, [], withMarks)));
  }

  #composed({ filled, sections, hasMarks: withMarks, redacted, texts }: Rendered): Composed {
    const sessions = filled.map((one) => this.#session(one, sections.get(one)));
    const frameTokens = this.#frameTokens(this.identity, withMarks);
    return { ...texts, sessions, frameTokens, redacted, omitted: omissions(sessions) };
  }

  #session(one: FilledSession, whole: ContextSection | undefined): ComposedSession {
    const { counter } = this;
    const repeatedTokens =
      whole === undefined ? 0 : counter.count(whole.repeated.map(blockMarkdown).join(BLOCK_SEPARATOR));
    const section = toldOf(one, whole);
    if (section === undefined) return { ...one, tokens: 0, repeatedTokens, pieceTokens: [], fidelity: 0 };
    const tokens = this.#tokensOf(section);
    const later = section.pieces
      .slice(1)
      .map((piece) => this.#tokensOf({ ...section, heading: '', footer: '', keepits: [], pieces: [piece] }));
    const first = later.reduce((rest, own) => rest - own, tokens);
    const { open, kind, pieces, keepits } = one;
    const form = [open.named, ...open.stored].find((stored) => stored?.pieces === pieces);
    const isMeasured = kind === 'fresh' || kind === 'keepits';
    const fidelity =
      kind === 'original' ? 1 : isMeasured ? fidelityOf(open, pieces, keepits).score : (form?.fidelity ?? 0);
    const settings =
      kind === 'fresh' ? freshSettings(open, tokens) : form?.kind === 'new' ? form.versions[0]?.settings : undefined;
    return { ...one, section, tokens, repeatedTokens, pieceTokens: [first, ...later], fidelity, settings };
  }
}

/** The least that can be made of it holds least, whatever its figures say. */
function richestFirst(filled: readonly FilledSession[]): FilledSession[] {
  const rank = ({ kind, open, pieces }: FilledSession): number => {
    if (kind === 'original') return 2;
    return [open.named, ...open.stored].find((form) => form?.pieces === pieces)?.fidelity ?? -1;
  };
  return filled.toSorted((a, b) => rank(b) - rank(a));
}

/** Undefined for a session of which others have said all; a heading stands for one that is only cut. */
function toldOf({ kind }: FilledSession, section: ContextSection | undefined): ContextSection | undefined {
  const isEmpty = section?.keepits.length === 0 && section.pieces.every(({ blocks }) => blocks.length === 0);
  return isEmpty && kind !== 'fresh' ? undefined : section;
}

/**
 * An id in whose stead every other one has no more tokens: one for each character. Ids differ in tokens, and a budget that is named as the
 * smallest one has to work with the id of the next attempt.
 */
const LONGEST_ID = '1a1a1a1a-1a1a-1a1a-1a1a-1a1a1a1a1a1a';

/** What of the sessions that were asked for is not in a composition, and why. */
function omissions(sessions: readonly ComposedSession[]): OmittedComponent[] {
  return sessions.flatMap((one) => reasonsOf(one).map((reason) => ({ ...one.open.session.ref, reason })));
}

function reasonsOf(one: ComposedSession): string[] {
  const { kind, why, section } = one;
  if (kind === 'nothing') return [why];
  if (kind === 'keepits') return [`only its pinned keepits are in: ${why}`];
  if (kind === 'fresh') return [];
  const isSaid = section !== undefined && section.pieces.some(({ blocks }) => blocks.length > 0);
  if (!isSaid) return ['all that it says is in another session of the composition'];
  return uncovered(one).map((range) => `${messageRangeText(range)}: in no version that was taken`);
}

/** Messages of the session that no piece covers, as ranges. */
export function uncovered({ open, pieces, kind }: ComposedSession): (readonly [number, number])[] {
  const { originalMessages } = open.session;
  const ranges = pieces.flatMap(({ piece }) => (piece.messageRange === undefined ? [] : [piece.messageRange]));
  if (kind === 'fresh' || ranges.length < pieces.length || ranges.length === 0) return [];
  const gaps: [number, number][] = [];
  let next = 0;
  for (const [first, last] of ranges) {
    if (first > next) gaps.push([next, first - 1]);
    next = Math.max(next, last + 1);
  }
  if (next < originalMessages) gaps.push([next, originalMessages - 1]);
  return gaps;
}
