import type { OutputFormat } from '../model/composition';
import type { MemoryStore, Pause } from '../ports';
import { mapLimited } from '../registry/mapLimited';
import type { TokenCounter } from '../tokens/tokenCounter';
import { readableText, sectionRecords } from './composedDocument';
import { ComposedLineage } from './composedLineage';
import { contextSection, RedactionReport, SaidBefore, sectionMarkdown, type ReadPiece } from './contextSection';
import type { OriginalReader } from './originalReader';
import type { PlannedSession } from './plannedSessions';
import type { ContextSection } from './types';
import { versionOfPiece, type VersionReader } from './versionReader';

export interface SectionRendererParts {
  readonly store: MemoryStore;
  readonly versions: VersionReader;
  readonly originals: OriginalReader;
  readonly pause: Pause;
}

/** A planned session as text. */
export interface RenderedSession extends PlannedSession {
  /** Absent for one that is not in. */
  readonly section?: ContextSection;
  /** What it takes in the text. */
  readonly tokens: number;
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
  readonly #readings = new Map<string, ReadPiece['blocks']>();
  readonly #counts = new Map<string, number>();
  #lineage: Promise<ComposedLineage> | undefined;

  constructor(
    private readonly parts: SectionRendererParts,
    private readonly options: { readonly outputFormat: OutputFormat; readonly counter: TokenCounter },
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
      if (pick.kind === 'nothing') continue;
      const read = pick.pieces.map((piece) => ({
        piece,
        blocks: this.#readings.get(readingKey(session, piece)) ?? [],
      }));
      const section = contextSection(session, read, { number: at + 1, said, report });
      const isEmpty = section.keepits.length === 0 && section.pieces.every(({ blocks }) => blocks.length === 0);
      if (!isEmpty) sections[at] = section;
      await this.parts.pause();
    }
    const sessions: RenderedSession[] = [];
    for (const [at, one] of planned.entries()) {
      sessions.push({ ...one, ...this.#figures(sections[at]) });
      await this.parts.pause();
    }
    return { sessions, redacted: report.secrets };
  }

  #figures(section: ContextSection | undefined): Pick<RenderedSession, 'section' | 'tokens' | 'pieceTokens'> {
    if (section === undefined) return { tokens: 0, pieceTokens: [] };
    const tokens = this.#tokensOf(section);
    const later = section.pieces
      .slice(1)
      .map((piece) => this.#tokensOf({ ...section, heading: '', footer: '', keepits: [], pieces: [piece] }));
    const first = later.reduce((rest, own) => rest - own, tokens);
    return { section, tokens, pieceTokens: [first, ...later] };
  }

  /** In the format that needs more of them. */
  #tokensOf(section: ContextSection): number {
    const { outputFormat } = this.options;
    return Math.max(
      outputFormat === 'jsonl' ? 0 : this.#count(sectionMarkdown(section)),
      outputFormat === 'markdown' ? 0 : this.#count(readableText(sectionRecords(section))),
    );
  }

  #count(text: string): number {
    const known = this.#counts.get(text);
    if (known !== undefined) return known;
    const tokens = this.options.counter.count(text);
    this.#counts.set(text, tokens);
    return tokens;
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
    const told = new Set(refs.map(({ projectId, sessionId }) => `${projectId}/${sessionId}`));
    await mapLimited(missing, PARALLEL_READINGS, async ({ session, piece, key }) => {
      signal?.throwIfAborted();
      const version = versionOfPiece(piece, session.versions);
      const blocks =
        version === undefined
          ? await this.parts.originals.read(session.transcript ?? '', signal)
          : await this.parts.versions.read(session.ref, version);
      this.#readings.set(key, await lineage.resolve(blocks, told));
      await this.parts.pause();
    });
  }
}

function readingKey({ ref }: PlannedSession['session'], { versionId }: ReadPiece['piece']): string {
  return `${ref.projectId}/${ref.sessionId}/${versionId}`;
}
