import { pushTo } from '../../text/ownValue';
import { parseKeepits } from '../../keepits/markerParser';
import { firstWhere, type LinePosition, positionInBlock } from '../document/saidBlocks';
import { placeKey } from '../../model/keepit';
import type { MessageDiagnostic } from '../../keepits/collectKeepits';
import type { EffectiveKeepit, KeepitState } from '../../keepits/effectiveKeepits';
import { markerText, weightName, type WeightPreset } from '../../keepits/weights';
import type { KeepitListing, KeepitRef } from '../results';
import { oneLine } from '../../text/cleanText';
import type { SaidBlock, TranscriptDocument } from '../document/transcriptDocument';

/** A range of a document; `end` is not included. */
export interface LineRange {
  readonly start: LinePosition;
  readonly end: LinePosition;
}

/** What a mark is tinted with: its preset, or `inactive` for one that does not count. */
export type MarkBand = WeightPreset['name'] | 'inactive';

/** A keepit as an editor shows it. */
export interface KeepitMark {
  /** From the marker, or from the first marked character where no marker is written, to the last marked character. */
  readonly range: LineRange;
  /** The written marker, and the written end of the span, if there are such. */
  readonly chips: readonly LineRange[];
  readonly band: MarkBand;
  /** What counts. */
  readonly weight: number;
  /** What the marker itself says. */
  readonly ownWeight: number;
  readonly state: KeepitState;
  /** `text`: a document of the user's own, where the marker itself is edited. */
  readonly origin: EffectiveKeepit['origin'] | 'text';
  /** The beginning of the marked words, in one line. */
  readonly preview: string;
  /** Absent in the user's own documents. */
  readonly ref?: KeepitRef;
}

/** What looks like a marker and does not count as one. */
export interface MarkProblem {
  readonly range: LineRange;
  readonly problem: string;
  /** What to write instead; empty to remove it. */
  readonly suggestion: string;
  /** The words that it was probably meant to mark, where they can be marked beside the transcript. */
  readonly fix?: MarkFix;
}

/** A keepit that can be added for a marker that does not count. */
interface MarkFix {
  readonly messageUuid: string;
  readonly blockIndex: number;
  readonly start: number;
  readonly end: number;
  readonly weight: number;
}

/** All that an editor shows of keepits. */
export interface DocumentMarks {
  /** In the order of the document. */
  readonly marks: readonly KeepitMark[];
  readonly problems: readonly MarkProblem[];
}

export const noMarks: DocumentMarks = { marks: [], problems: [] };

/** Whose span is placed, and how it counts. */
interface MarkFacts {
  readonly weight: number;
  readonly ownWeight: number;
  readonly state: KeepitState;
  readonly origin: KeepitMark['origin'];
  readonly ref?: KeepitRef;
}

const PREVIEW_LENGTH = 120;
const MARKER_LENGTH = markerText(0).length;
const END_MARKER = '##keepit:end##';

/** The mark of the span `[start, end)` of a text; `locate` says where the document shows an offset of it. */
export function placeMark(
  text: string,
  span: { start: number; end: number },
  facts: MarkFacts,
  locate: (offset: number) => LinePosition,
): KeepitMark {
  const isWritten = facts.origin !== 'overlay';
  const contentStart = span.start + (isWritten ? MARKER_LENGTH : 0);
  const end = contentStart + text.slice(contentStart, span.end).trimEnd().length;
  const chips: LineRange[] = [];
  if (isWritten) chips.push({ start: locate(span.start), end: locate(contentStart) });
  const endMarkerEnd = span.end + END_MARKER.length;
  if (isWritten && text.slice(span.end, endMarkerEnd).toLowerCase() === END_MARKER) {
    chips.push({ start: locate(span.end), end: locate(endMarkerEnd) });
  }
  return {
    ...facts,
    range: { start: locate(span.start), end: locate(end) },
    chips,
    band: facts.state === 'live' ? weightName(facts.weight) : 'inactive',
    preview: oneLine(text.slice(contentStart, end), PREVIEW_LENGTH),
  };
}

/** Where and how a session's keepit counts. */
export function factsOf(keepit: EffectiveKeepit): MarkFacts {
  const { projectId, sessionId, markerId, effectiveWeight, weight, state, origin } = keepit;
  return { weight: effectiveWeight, ownWeight: weight, state, origin, ref: { projectId, sessionId, markerId } };
}

/** The keepits of a session where its transcript shows them; those whose words are gone are nowhere. */
export function transcriptMarks(document: TranscriptDocument, listing: KeepitListing): DocumentMarks {
  const blocks = new Map(
    document.said.map((block) => [placeKey({ messageUuid: block.uuid, blockIndex: block.blockIndex }), block]),
  );
  const marks = [...listing.keepits, ...listing.inactive].flatMap((keepit) => {
    const block = keepit.state === 'orphaned' ? undefined : blocks.get(placeKey(keepit));
    if (block === undefined) return [];
    return [placeMark(block.text, keepit.position, factsOf(keepit), (offset) => positionInBlock(block, offset))];
  });
  const borders = bordersOf(listing);
  const kept = new Set(listing.keepits.filter(({ origin }) => origin === 'overlay').map(beginningOf));
  const problems = listing.diagnostics.flatMap((diagnostic) => {
    const key = placeKey(diagnostic);
    const block = blocks.get(key);
    // What the marker was meant to mark has been marked beside the transcript: nothing is left to put right.
    const isSettled = kept.has(`${diagnostic.end}/${key}`);
    return block === undefined || isSettled ? [] : [problemIn(block, diagnostic, borders.get(key) ?? [])];
  });
  return { marks: inOrder(marks), problems };
}

function beginningOf(keepit: EffectiveKeepit): string {
  return `${keepit.position.start}/${placeKey(keepit)}`;
}

const WEIGHT_IN_SUGGESTION = /\d\.\d\d/;

/** Where keepits and mistaken markers begin, block by block, in order: there may be 100,000 of them. */
function bordersOf({ keepits, diagnostics }: KeepitListing): Map<string, number[]> {
  const borders = new Map<string, number[]>();
  for (const keepit of keepits) pushTo(borders, placeKey(keepit), keepit.position.start);
  for (const diagnostic of diagnostics) pushTo(borders, placeKey(diagnostic), diagnostic.start);
  for (const starts of borders.values()) starts.sort((a, b) => a - b);
  return borders;
}

function problemIn(block: SaidBlock, diagnostic: MessageDiagnostic, borders: readonly number[]): MarkProblem {
  const { start, end, problem, suggestion, offer } = diagnostic;
  const range = { start: positionInBlock(block, start), end: positionInBlock(block, end) };
  const weight = offer?.weight ?? WEIGHT_IN_SUGGESTION.exec(suggestion)?.[0];
  if (weight === undefined || !block.isLive) return { range, problem, suggestion };
  const until = offer?.end ?? borders[firstWhere(borders, (border) => border >= end)] ?? block.text.length;
  if (block.text.slice(end, until).trim() === '') return { range, problem, suggestion };
  const { uuid: messageUuid, blockIndex } = block;
  return {
    range,
    problem,
    suggestion,
    fix: { messageUuid, blockIndex, start: end, end: until, weight: Number(weight) },
  };
}

/** As an editor shows them, from top to bottom. */
export function inOrder(marks: readonly KeepitMark[]): KeepitMark[] {
  return [...marks].sort((a, b) => compare(a.range.start, b.range.start));
}

function compare(a: LinePosition, b: LinePosition): number {
  return a.line - b.line || a.column - b.column;
}

/** Answers for any part of a document which marks are in it, without looking at the others. */
export class MarkIndex {
  /** How far the marks up to each one reach: grows, so that it can be searched although spans may have any length. */
  private readonly reaches: number[] = [];

  constructor(readonly marks: readonly KeepitMark[]) {
    let reach = -1;
    for (const { range } of marks) {
      reach = Math.max(reach, range.end.line);
      this.reaches.push(reach);
    }
  }

  /** The marks that touch the lines from `first` to `last`, both included. */
  within(first: number, last: number): KeepitMark[] {
    const found: KeepitMark[] = [];
    for (let index = firstWhere(this.reaches, (reach) => reach >= first); index < this.marks.length; index += 1) {
      const mark = this.marks[index];
      if (mark === undefined || mark.range.start.line > last) break;
      if (mark.range.end.line >= first) found.push(mark);
    }
    return found;
  }

  /** The mark around a place; where several lie over one another, the one that begins last. */
  at(place: LinePosition): KeepitMark | undefined {
    return this.within(place.line, place.line).findLast(
      ({ range, chips }) =>
        (compare(range.start, place) <= 0 && compare(place, range.end) <= 0) ||
        chips.some((chip) => compare(chip.start, place) <= 0 && compare(place, chip.end) <= 0),
    );
  }
}

/** The markers of a document of the user's own: notes, prompts, instructions in Markdown. Linear. */
export function textMarks(text: string): DocumentMarks {
  if (!/##keepit/i.test(text)) return { marks: [], problems: [] };
  const locate = locator(text);
  const { spans, diagnostics } = parseKeepits(text);
  return {
    marks: spans.map((span) =>
      placeMark(text, span, { weight: span.weight, ownWeight: span.weight, state: 'live', origin: 'text' }, locate),
    ),
    problems: diagnostics.map(({ start, end, problem, suggestion }) => {
      return { range: { start: locate(start), end: locate(end) }, problem, suggestion };
    }),
  };
}

/** Where offsets of a text stand, in lines that end with `\n` or `\r\n`. */
function locator(text: string): (offset: number) => LinePosition {
  const starts = [0];
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', end + 1)) starts.push(end + 1);
  return (offset) => {
    const line = firstWhere(starts, (start) => start > offset) - 1;
    return { line, column: offset - (starts[line] ?? 0) };
  };
}
