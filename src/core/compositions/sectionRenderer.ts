import type { OutputFormat } from '../model/composition';
import type { MemoryStore } from '../model/memoryStore';
import type { Pause } from '../model/host';
import { mapLimited } from '../text/mapLimited';
import type { TokenCounter } from '../text/tokens/tokenCounter';
import { BLOCK_SEPARATOR } from '../versions/blockText';
import { sessionKey } from '../model/sessionKey';
import { RedactionReport, type CleanPiece } from './cleanPiece';
import { readableText, sectionRecords } from './composedDocument';
import { ComposedLineage } from './composedLineage';
import { blockMarkdown, contextSection, SaidBefore, sectionMarkdown, type ReadPiece } from './contextSection';
import type { PieceReader } from './pieceReader';
import type { PlannedSession } from './plannedSessions';
import type { ContextSection } from './types';

export interface SectionRendererParts {
  readonly store: MemoryStore;
  readonly pieces: PieceReader;
  readonly pause: Pause;
}

export interface SectionRendererOptions {
  readonly outputFormat: OutputFormat;
  readonly counter: TokenCounter;
  /** For figures: what was read for the ones before need not be read again. */
  readonly mayRecall: boolean;
}

/** A planned session as text. */
export interface RenderedSession extends PlannedSession {
  /** Absent for one that is not in. */
  readonly section?: ContextSection;
  /** What it takes in the text; expected, for a version that is not made yet. */
  readonly tokens: number;
  /** What it would take besides if other sections did not say it already. */
  readonly repeatedTokens: number;
  /** What each piece takes; the heading and the keepits are with the first. */
  readonly pieceTokens: readonly number[];
}

export interface RenderedSections {
  readonly sessions: readonly RenderedSession[];
  /** What was taken out because it gives access to something. */
  readonly redacted: readonly { kind: string; count: number }[];
}

/** Versions and originals that are read at the same time. */
const PARALLEL_READINGS = 8;

/** Reads and renders the sessions of one composition, as often as the plan changes: nothing is read or counted twice. */
export class SectionRenderer {
  readonly #readings = new Map<string, CleanPiece>();
  #lineage: Promise<ComposedLineage> | undefined;

  constructor(
    private readonly parts: SectionRendererParts,
    private readonly options: SectionRendererOptions,
  ) {}

  /** What is said in several sessions is left to the one that says it best; the order stays that of the plan. */
  async render(planned: readonly PlannedSession[], signal?: AbortSignal): Promise<RenderedSections> {
    await this.#readAll(planned, signal);
    const report = new RedactionReport();
    const said = new SaidBefore();
    const sections: (ContextSection | undefined)[] = planned.map(() => undefined);
    const richestFirst = [...planned.entries()].sort(([, a], [, b]) => b.pick.fidelity - a.pick.fidelity);
    for (const [at, { session, pick }] of richestFirst) {
      signal?.throwIfAborted();
      if (pick.kind === 'nothing' || pick.make !== undefined) continue;
      const read = pick.pieces.map((piece) => this.#readPiece(session, piece));
      const section = contextSection(session, read, { number: at + 1, said, report });
      sections[at] = section;
      await this.parts.pause();
    }
    const sessions: RenderedSession[] = [];
    for (const [at, one] of planned.entries()) {
      sessions.push({ ...one, ...this.#figures(one, sections[at]) });
      await this.parts.pause();
    }
    return { sessions, redacted: report.secrets };
  }

  #readPiece(session: PlannedSession['session'], piece: ReadPiece['piece']): ReadPiece {
    const { blocks = [], secrets = [] } = this.#readings.get(readingKey(session, piece)) ?? {};
    return { piece, blocks, secrets };
  }

  #figures({ pick }: PlannedSession, section: ContextSection | undefined): Omit<RenderedSession, keyof PlannedSession> {
    const nothing = { repeatedTokens: 0, pieceTokens: [] };
    if (pick.make !== undefined) return { ...nothing, tokens: pick.tokens };
    if (section === undefined) return { ...nothing, tokens: 0 };
    const repeatedTokens = this.options.counter.count(section.repeated.map(blockMarkdown).join(BLOCK_SEPARATOR));
    if (isEmpty(section)) return { ...nothing, tokens: 0, repeatedTokens };
    const tokens = this.#tokensOf(section);
    const later = section.pieces
      .slice(1)
      .map((piece) => this.#tokensOf({ ...section, heading: '', footer: '', keepits: [], pieces: [piece] }));
    const first = later.reduce((rest, own) => rest - own, tokens);
    return { section, tokens, repeatedTokens, pieceTokens: [first, ...later] };
  }

  /** In the format that needs more of it. */
  #tokensOf(section: ContextSection): number {
    const { outputFormat, counter } = this.options;
    return Math.max(
      outputFormat === 'jsonl' ? 0 : counter.count(sectionMarkdown(section)),
      outputFormat === 'markdown' ? 0 : counter.count(readableText(sectionRecords(section))),
    );
  }

  /** Reads what has not been read yet, several files at a time. */
  async #readAll(planned: readonly PlannedSession[], signal?: AbortSignal): Promise<void> {
    const missing = planned.flatMap(({ session, pick }) =>
      pick.pieces.flatMap((piece) => {
        const key = readingKey(session, piece);
        return this.#readings.has(key) ? [] : [{ session, piece, key }];
      }),
    );
    if (missing.length === 0) return;
    const refs = planned.map(({ session }) => session.ref);
    this.#lineage ??= ComposedLineage.open(
      this.parts.store,
      refs.map(({ projectId }) => projectId),
    );
    const lineage = await this.#lineage;
    const told = new Set(refs.map(sessionKey));
    const { pieces, pause } = this.parts;
    await mapLimited(missing, PARALLEL_READINGS, async ({ session, piece, key }) => {
      signal?.throwIfAborted();
      const { blocks, secrets } = await pieces.read(session, piece, this.options, signal);
      this.#readings.set(key, { blocks: await lineage.resolve(blocks, told), secrets });
      await pause();
    });
  }
}

/** Whether others have said all of it. */
function isEmpty({ keepits, pieces }: ContextSection): boolean {
  return keepits.length === 0 && pieces.every(({ blocks }) => blocks.length === 0);
}

function readingKey({ ref }: PlannedSession['session'], { versionId }: ReadPiece['piece']): string {
  return `${sessionKey(ref)}/${versionId}`;
}
