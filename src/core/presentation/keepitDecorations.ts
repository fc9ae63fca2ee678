import type { KeepitMark, LineRange, MarkBand, MarkIndex } from './keepitMarks';

/** Lines of a document, both ends included. */
export interface LineSpan {
  readonly first: number;
  readonly last: number;
}

/** A place where a marker, or a note about one, is drawn. */
export interface Chip {
  readonly range: LineRange;
  /** What is drawn there and does not stand in the text. Short: an editor that wraps its lines makes no room for it. */
  readonly note?: { readonly side: 'before' | 'after'; readonly text: string };
}

/** What is drawn in the colours of one band. */
export interface BandDecorations {
  readonly spans: readonly LineRange[];
  readonly chips: readonly Chip[];
}

export const allBands: readonly MarkBand[] = [
  'pinned',
  'critical',
  'important',
  'notable',
  'minor',
  'hint',
  'inactive',
];

/** So many lines around what is visible are decorated too: scrolling by a little shows no bare text. */
const MARGIN_LINES = 60;

/** Visible parts, widened a little and joined where they meet; folded regions make several of one screen. */
export function withMargin(visible: readonly LineSpan[]): LineSpan[] {
  const joined: LineSpan[] = [];
  for (const { first, last } of [...visible].sort((a, b) => a.first - b.first)) {
    const from = Math.max(0, first - MARGIN_LINES);
    const to = last + MARGIN_LINES;
    const before = joined.at(-1);
    if (before !== undefined && from <= before.last + 1) {
      joined[joined.length - 1] = { first: before.first, last: Math.max(before.last, to) };
    } else joined.push({ first: from, last: to });
  }
  return joined;
}

/** What to draw in the visible parts of a document: costs as much as is in sight, however long the document is. */
export function decorationsIn(index: MarkIndex, parts: readonly LineSpan[]): ReadonlyMap<MarkBand, BandDecorations> {
  const bands = new Map<MarkBand, { spans: LineRange[]; chips: Chip[] }>();
  const drawn = new Set<KeepitMark>();
  for (const { first, last } of parts) {
    for (const mark of index.within(first, last)) {
      if (drawn.has(mark)) continue;
      drawn.add(mark);
      const band = bands.get(mark.band) ?? { spans: [], chips: [] };
      bands.set(mark.band, band);
      band.spans.push(mark.range);
      band.chips.push(...chipsOf(mark));
    }
  }
  return bands;
}

function chipsOf(mark: KeepitMark): Chip[] {
  const { range, chips, weight, ownWeight, state, origin } = mark;
  if (origin === 'overlay') {
    const text = state === 'removed' ? 'removed' : weight.toFixed(2);
    return [{ range: { start: range.start, end: range.start }, note: { side: 'before', text } }];
  }
  return chips.map((chip, index) => {
    const text =
      index > 0 ? '' : state === 'removed' ? 'removed' : weight === ownWeight ? '' : `→ ${weight.toFixed(2)}`;
    return text === '' ? { range: chip } : { range: chip, note: { side: 'after', text } };
  });
}

/** A document has no more marks than this in its overview ruler: it is a few hundred pixels high. */
const MAX_RULER_MARKS = 2000;

/** Where keepits begin, by band, for the overview ruler: evenly thinned out where there are very many. */
export function rulerMarks(marks: readonly KeepitMark[]): ReadonlyMap<MarkBand, readonly LineRange[]> {
  const step = Math.max(1, Math.ceil(marks.length / MAX_RULER_MARKS));
  const bands = new Map<MarkBand, LineRange[]>();
  for (let index = 0; index < marks.length; index += step) {
    const mark = marks[index];
    if (mark === undefined) break;
    const ranges = bands.get(mark.band) ?? [];
    bands.set(mark.band, ranges);
    ranges.push(mark.range);
  }
  return bands;
}
