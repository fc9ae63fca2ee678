import { placeKey, type MessageDiagnostic } from '../keepits/collectKeepits';
import { type EffectiveKeepit } from '../keepits/effectiveKeepits';
import { markerIdOf } from '../keepits/markerId';
import { parseKeepits } from '../keepits/markerParser';
import type { KeepitListing } from '../sessions/results';
import { factsOf, noMarks, placeMark, type DocumentMarks, type KeepitMark, type MarkProblem } from './keepitMarks';
import { recordBlocks, type RecordBlock } from './recordBlocks';
import type { LinePosition } from '../sessions/document/saidBlocks';

const MARKER = /##keepit/i;
const UUID = /"uuid"\s*:\s*"([^"\\]+)"/g;

/**
 * The keepits of a transcript in its raw form, record by record. With the session's listing, only what counts as a keepit
 * there is one, with the weight that counts; without it, every marker that somebody wrote is.
 */
export class RecordMarks {
  private readonly byId = new Map<string, EffectiveKeepit>();
  private readonly added = new Map<string, EffectiveKeepit[]>();
  private readonly addedTo = new Set<string>();
  /** Markers that are well formed, and mark nothing all the same. */
  private readonly copied = new Map<string, MessageDiagnostic[]>();

  constructor(private readonly listing: KeepitListing | undefined) {
    for (const keepit of [...(listing?.keepits ?? []), ...(listing?.inactive ?? [])]) {
      this.byId.set(keepit.markerId, keepit);
      if (keepit.origin !== 'overlay' || keepit.state === 'orphaned') continue;
      const key = placeKey(keepit);
      this.added.set(key, [...(this.added.get(key) ?? []), keepit]);
      this.addedTo.add(keepit.messageUuid);
    }
    for (const diagnostic of listing?.diagnostics ?? []) {
      const key = placeKey(diagnostic);
      if (diagnostic.reason === 'copied') this.copied.set(key, [...(this.copied.get(key) ?? []), diagnostic]);
    }
  }

  /** Whether it is worth to look into a line: most lines of a transcript hold nothing of the kind, and may have megabytes. */
  mayMark(text: string): boolean {
    if (MARKER.test(text)) return true;
    return this.addedTo.size > 0 && [...text.matchAll(UUID)].some(([, uuid]) => this.addedTo.has(uuid ?? ''));
  }

  /** The marks of one line, in its order. Never throws. */
  ofLine(text: string, line: number): DocumentMarks {
    if (!this.mayMark(text)) return noMarks;
    const marks: KeepitMark[] = [];
    const problems: MarkProblem[] = [];
    for (const block of recordBlocks(text)) {
      const locate = (offset: number): LinePosition => ({ line, column: block.columnOf(offset) });
      const parsed = parseKeepits(block.text);
      for (const span of parsed.spans) {
        const facts = this.facts(block, span);
        if (facts !== undefined) marks.push(placeMark(block.text, span, facts, locate));
      }
      const key = placeKey({ ...block, messageUuid: block.uuid });
      const added = this.added.get(key) ?? [];
      for (const keepit of added) {
        marks.push(placeMark(block.text, keepit.position, factsOf(keepit), locate));
      }
      const copied = (this.copied.get(key) ?? []).filter(
        ({ end }) => !added.some(({ position }) => position.start === end),
      );
      for (const { start, end, problem, suggestion } of [...parsed.diagnostics, ...copied]) {
        problems.push({ range: { start: locate(start), end: locate(end) }, problem, suggestion });
      }
    }
    return { marks: marks.sort((a, b) => a.range.start.column - b.range.start.column), problems };
  }

  private facts(
    { uuid, blockIndex }: RecordBlock,
    span: { start: number; content: string; weight: number },
  ): ReturnType<typeof factsOf> | undefined {
    const { start, content, weight } = span;
    if (this.listing === undefined) return { weight, ownWeight: weight, state: 'live', origin: 'transcript' };
    const known = this.byId.get(markerIdOf({ messageUuid: uuid, blockIndex, start, content }));
    return known === undefined ? undefined : factsOf(known);
  }
}
