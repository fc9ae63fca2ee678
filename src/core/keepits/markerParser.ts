import { shownRanges } from '../transcript/harnessBlocks';
import { findCodeRanges } from './codeRanges';
import { trimmedRange, type TextRange } from '../text/secrets/privateText';
import { markerText } from './weights';

/** One marked span of a text block. */
export interface KeepitSpan {
  /** 0 to 1, two decimals. */
  weight: number;
  /** UTF-16 offset of the marker's first `#`. */
  start: number;
  /** Where the span ends: at the next marker, at `##keepit:end##` (exclusive), or at the end of the text. */
  end: number;
  /** The marked text itself: `text.slice(contentStart, contentEnd)`, without the white space around it; never empty. */
  contentStart: number;
  contentEnd: number;
  content: string;
}

/** What the text of a marker itself can have wrong. */
type ParsedProblem = 'no-weight' | 'not-a-number' | 'decimals' | 'out-of-range' | 'unclosed' | 'empty' | 'stray-end';
/** `copied`: it is well formed, and the assistant had it from somebody else. */
type KeepitProblem = ParsedProblem | 'copied';

/** Something that looks like a marker and does not count as one, or a marker that marks nothing. */
export interface KeepitDiagnostic {
  start: number;
  end: number;
  reason: KeepitProblem;
  /** For people. */
  problem: string;
  /** What to put in the place of `[start, end)`; empty to remove it. */
  suggestion: string;
}

interface ParsedKeepits {
  /** In text order, without overlaps. */
  spans: KeepitSpan[];
  diagnostics: KeepitDiagnostic[];
}

const problems: Record<ParsedProblem, string> = {
  'no-weight': 'A keepit needs a weight from 0.00 to 1.00.',
  'not-a-number': 'The weight of a keepit is a number from 0.00 to 1.00.',
  decimals: 'The weight of a keepit has exactly two decimals.',
  'out-of-range': 'The weight of a keepit lies between 0.00 and 1.00.',
  unclosed: 'A keepit marker ends with ##.',
  empty: 'This keepit marks nothing.',
  'stray-end': 'There is no keepit to end here.',
};

/** Where a candidate's quick fix has no number to start from: the middle preset, neither pinned nor a mere hint. */
const FALLBACK_WEIGHT = 0.5;

const CANDIDATE = /##keepit/gi;
/** What may stand between `##keepit` and the closing `##`: bounded, so that hostile text costs linear time. */
const BODY = /([^#\n`]{0,24})(#{0,2})/y;
const WEIGHT = /^\d\.\d{2}$/;
const NUMBER = /^[-+]?(?:\d{1,12}(?:[.,]\d{0,12})?|[.,]\d{1,12})\s?%?$/;
const UNCLOSED_WEIGHT = /^\s?[-+]?(?:\d+(?:[.,]\d*)?|[.,]\d+)/;
/** What is left of a weight that was torn at its point says nothing about the weight. */
const TORN_WEIGHT = /^\s?[-+]?0+[.,]?$/;
const CONTAINS_DIGIT = /\d|^\s*[-+]?(?:nan|inf(?:inity)?)\s*$/i;

/** A place in the text that ends the span before it. */
type Boundary = TextRange & ({ kind: 'marker'; weight: number } | { kind: 'end' } | { kind: 'malformed' });

/**
 * Finds the keepits of one text block, by the grammar of DESIGN section 5. Never throws; takes linear time.
 *
 * A marker whose weight does not count (`##keepit0.8##`) is a diagnostic. It still ends the span before it, as its
 * author meant something new to begin there; a bare mention of `##keepit##` does not, it may stand in the middle of a sentence.
 */
export function parseKeepits(text: string): ParsedKeepits {
  const diagnostics: KeepitDiagnostic[] = [];
  const boundaries = findBoundaries(text, diagnostics);
  const spans: KeepitSpan[] = [];
  boundaries.forEach((boundary, index) => {
    if (boundary.kind === 'malformed') return;
    if (boundary.kind === 'end') {
      if (boundaries[index - 1]?.kind !== 'marker') diagnostics.push(diagnostic('stray-end', boundary, ''));
      return;
    }
    const end = boundaries[index + 1]?.start ?? text.length;
    const content = trimmedRange(text, { start: boundary.end, end });
    if (content.start === content.end) {
      diagnostics.push(diagnostic('empty', boundary, ''));
      return;
    }
    spans.push({
      weight: boundary.weight,
      start: boundary.start,
      end,
      contentStart: content.start,
      contentEnd: content.end,
      content: text.slice(content.start, content.end),
    });
  });
  diagnostics.sort((a, b) => a.start - b.start);
  return { spans, diagnostics };
}

function findBoundaries(text: string, diagnostics: KeepitDiagnostic[]): Boundary[] {
  const boundaries: Boundary[] = [];
  const isPassive = passiveTester(text);
  for (const { index: start } of text.matchAll(CANDIDATE)) {
    // `##keepit0.80##keepit0.50##`: the signs that close one marker open no other.
    if (isPassive(start) || start < (boundaries.at(-1)?.end ?? 0)) continue;
    const boundary = readCandidate(text, start, diagnostics);
    if (boundary !== undefined) boundaries.push(boundary);
  }
  return boundaries;
}

/**
 * Tells code, quotations and what the harness put in from what somebody says there, for offsets that only grow; the text is looked through
 * at the first question.
 */
function passiveTester(text: string): (offset: number) => boolean {
  let ranges: readonly TextRange[] | undefined;
  let next = 0;
  return (offset) => {
    ranges ??= [...findCodeRanges(text), ...shownRanges(text)].sort((a, b) => a.start - b.start);
    for (;;) {
      const range = ranges[next];
      if (range === undefined || offset < range.start) return false;
      if (offset < range.end) return true;
      next++;
    }
  };
}

const PREFIX_LENGTH = '##keepit'.length;

function readCandidate(text: string, start: number, diagnostics: KeepitDiagnostic[]): Boundary | undefined {
  BODY.lastIndex = start + PREFIX_LENGTH;
  const match = BODY.exec(text);
  const body = match?.[1] ?? '';
  const isClosed = match?.[2] === '##';
  const bodyEnd = start + PREFIX_LENGTH + body.length;
  if (!isClosed) {
    const number = UNCLOSED_WEIGHT.exec(body)?.[0];
    if (number === undefined) return undefined;
    const hashes = number.length === body.length ? (match?.[2]?.length ?? 0) : 0;
    const range = { start, end: start + PREFIX_LENGTH + number.length + hashes };
    const suggestion = TORN_WEIGHT.test(number) ? markerText(FALLBACK_WEIGHT) : suggestionFor(number);
    diagnostics.push(diagnostic('unclosed', range, suggestion));
    return { ...range, kind: 'malformed' };
  }
  const range = { start, end: bodyEnd + 2 };
  if (isMarkerWeight(body)) return { ...range, kind: 'marker', weight: Number(body) };
  if (body.toLowerCase() === ':end') return { ...range, kind: 'end' };
  diagnostics.push(diagnostic(problemWith(body), range, suggestionFor(body)));
  return CONTAINS_DIGIT.test(body) ? { ...range, kind: 'malformed' } : undefined;
}

/** Whether a weight, as it is written between the signs of a marker, counts. */
export function isMarkerWeight(body: string): boolean {
  return WEIGHT.test(body) && Number(body) <= 1;
}

function problemWith(body: string): ParsedProblem {
  const trimmed = body.trim();
  if (trimmed === '') return 'no-weight';
  if (!NUMBER.test(trimmed)) return 'not-a-number';
  const value = parseLoosely(trimmed);
  return value < 0 || value > 1 ? 'out-of-range' : 'decimals';
}

function parseLoosely(text: string): number {
  return Number.parseFloat(text.trim().replace(',', '.'));
}

/** The marker that was probably meant: rounded to two decimals, `80` and `80%` as 0.80, clamped to 0 … 1. */
function suggestionFor(body: string): string {
  const value = parseLoosely(body);
  if (!Number.isFinite(value)) return markerText(FALLBACK_WEIGHT);
  const isPercent = body.includes('%') || (value >= 10 && value <= 100);
  const weight = Math.round((isPercent ? value / 100 : value) * 100) / 100;
  return markerText(Math.min(1, Math.max(0, weight)));
}

function diagnostic(reason: ParsedProblem, { start, end }: TextRange, suggestion: string): KeepitDiagnostic {
  return { start, end, reason, problem: problems[reason], suggestion };
}
