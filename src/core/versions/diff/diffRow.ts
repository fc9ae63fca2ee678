import { diffArrays } from 'diff';
import type { Change, DiffBlock, DiffPart } from './types';

/** Longer blocks are compared up to here; nearly all of what comes behind is a pasted log. */
const MAX_BLOCK_CHARS = 20_000;

interface RowDiff {
  readonly parts: readonly DiffPart[];
  readonly counts: Readonly<Record<Change, number>>;
  readonly cutCharacters: number;
}

interface PlacedToken {
  readonly word: string;
  readonly isWord: boolean;
  readonly text: string;
  readonly block: number;
}

/** Compares the words of blocks that stand beside each other. */
export function diffRow({ a, b }: AlignedBlocks): RowDiff {
  const first = tokensOf(a);
  const second = tokensOf(b);
  const runs = commonRuns(
    first.map(({ word }) => word),
    second.map(({ word }) => word),
  );
  const parts = new PartWriter();
  let atA = 0;
  let atB = 0;
  for (const run of [...runs, { a: first.length, b: second.length, length: 0 }]) {
    for (; atA < run.a; atA++) parts.add('removed', first[atA], undefined);
    for (; atB < run.b; atB++) parts.add('added', undefined, second[atB]);
    for (; atA < run.a + run.length; atA++, atB++) parts.add('kept', first[atA], second[atB]);
  }
  const cutCharacters = [...a, ...b].reduce((sum, { text }) => sum + Math.max(0, text.length - MAX_BLOCK_CHARS), 0);
  return { parts: parts.all(), counts: parts.counts, cutCharacters };
}

function tokensOf(blocks: readonly DiffBlock[]): PlacedToken[] {
  return blocks.flatMap(({ text }, block) => {
    const compared = text.slice(0, MAX_BLOCK_CHARS);
    return wordTokens(compared).map(({ word, isWord, start, end }) => ({
      word,
      isWord,
      text: compared.slice(start, end),
      block,
    }));
  });
}

interface OpenPart {
  readonly change: Change;
  readonly a: number | undefined;
  readonly b: number | undefined;
  textOfA: string;
  textOfB: string;
}

/** Joins tokens of the same fate and blocks into parts. */
class PartWriter {
  readonly counts: Record<Change, number> = { kept: 0, removed: 0, added: 0 };
  private readonly parts: OpenPart[] = [];

  add(change: Change, first: PlacedToken | undefined, second: PlacedToken | undefined): void {
    if ((second ?? first)?.isWord === true) this.counts[change]++;
    const part = this.partOf(change, first?.block, second?.block);
    part.textOfA += first?.text ?? '';
    part.textOfB += second?.text ?? '';
  }

  private partOf(change: Change, a: number | undefined, b: number | undefined): OpenPart {
    const last = this.parts.at(-1);
    if (last?.change === change && last.a === a && last.b === b) return last;
    const part: OpenPart = { change, a, b, textOfA: '', textOfB: '' };
    this.parts.push(part);
    return part;
  }

  all(): DiffPart[] {
    return this.parts.map(({ change, a, b, textOfA, textOfB }) => ({
      change,
      text: change === 'removed' ? textOfA : textOfB,
      ...(change === 'kept' && textOfA !== textOfB && { textOfA }),
      ...(a !== undefined && { a }),
      ...(b !== undefined && { b }),
    }));
  }
}

/** A word, a figure or a sign, with the white space after it. */
interface WordToken {
  /** What is compared. */
  readonly word: string;
  readonly start: number;
  /** Behind the white space. */
  readonly end: number;
  /** A sign is no word: it is compared, but not counted. */
  readonly isWord: boolean;
}

/** Scripts without spaces have a token for each character; of the others a word is one, and so is each sign. White space at the beginning belongs to the first. */
const TOKEN =
  /([\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}]\p{M}*|(?:(?![\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}])[\p{L}\p{N}\p{M}_])+)|\S/gu;

/** The tokens of a text: together they are the text. Linear. */
export function wordTokens(text: string): WordToken[] {
  const found = [...text.matchAll(TOKEN)];
  return found.map(({ index, 0: word, 1: letters }, at) => ({
    word,
    start: at === 0 ? 0 : index,
    end: found[at + 1]?.index ?? text.length,
    isWord: letters !== undefined,
  }));
}

/** Equal tokens of both sides: `length` of them, from `a` on in the first, from `b` on in the second. */
interface CommonRun {
  readonly a: number;
  readonly b: number;
  readonly length: number;
}

interface Gap {
  readonly a: number;
  readonly endOfA: number;
  readonly b: number;
  readonly endOfB: number;
}

/** So many tokens in a row that are found once on each side belong together. */
const SHINGLE = 4;
/** Between them: what is small enough to be compared word by word. */
const MAX_CELLS = 60_000;
const MAX_DEPTH = 8;
/** Fewer equal words between others that differ are chance. */
const LEAST_RUN = 3;

/**
 * What two texts have in common, in order. First the rare: words in a row that stand once in both; between them word by word, where that
 * does not take long. Near-linear for every input, so long texts that have little in common may share a little more than is found.
 */
export function commonRuns(a: readonly string[], b: readonly string[]): CommonRun[] {
  const runs = runsIn({ a: 0, endOfA: a.length, b: 0, endOfB: b.length }, { a, b }, 0);
  return withoutChance(joined(runs), a.length, b.length);
}

interface Sides {
  readonly a: readonly string[];
  readonly b: readonly string[];
}

function runsIn(gap: Gap, sides: Sides, depth: number): CommonRun[] {
  const { prefix, inner, suffix } = trimmed(gap, sides);
  const ends = (runs: CommonRun[]): CommonRun[] => [prefix, ...runs, suffix].filter(({ length }) => length > 0);
  const size = (inner.endOfA - inner.a) * (inner.endOfB - inner.b);
  if (size === 0) return ends([]);
  if (size <= MAX_CELLS) return ends(closeRuns(inner, sides));
  const anchors = depth < MAX_DEPTH ? anchorsIn(inner, sides) : [];
  if (anchors.length === 0) return ends([]);
  const runs: CommonRun[] = [];
  let { a, b } = inner;
  for (const anchor of [...anchors, { a: inner.endOfA, b: inner.endOfB, length: 0 }]) {
    runs.push(...runsIn({ a, endOfA: anchor.a, b, endOfB: anchor.b }, sides, depth + 1));
    if (anchor.length > 0) runs.push(anchor);
    a = anchor.a + anchor.length;
    b = anchor.b + anchor.length;
  }
  return ends(runs);
}

/** What both begin and end with. */
function trimmed(gap: Gap, { a, b }: Sides): { prefix: CommonRun; inner: Gap; suffix: CommonRun } {
  let start = 0;
  const most = Math.min(gap.endOfA - gap.a, gap.endOfB - gap.b);
  while (start < most && a[gap.a + start] === b[gap.b + start]) start++;
  let end = 0;
  while (end < most - start && a[gap.endOfA - 1 - end] === b[gap.endOfB - 1 - end]) end++;
  const inner = { a: gap.a + start, endOfA: gap.endOfA - end, b: gap.b + start, endOfB: gap.endOfB - end };
  return {
    prefix: { a: gap.a, b: gap.b, length: start },
    inner,
    suffix: { a: inner.endOfA, b: inner.endOfB, length: end },
  };
}

function closeRuns(gap: Gap, { a, b }: Sides): CommonRun[] {
  const changes = diffArrays(a.slice(gap.a, gap.endOfA), b.slice(gap.b, gap.endOfB));
  const runs: CommonRun[] = [];
  let atA = gap.a;
  let atB = gap.b;
  for (const { count, added, removed } of changes) {
    if (!added && !removed) runs.push({ a: atA, b: atB, length: count });
    if (!added) atA += count;
    if (!removed) atB += count;
  }
  return runs;
}

/** Rows of words that stand once on each side, in an order that both have; as long as they are equal. */
function anchorsIn(gap: Gap, sides: Sides): CommonRun[] {
  const ofA = onceIn(sides.a, gap.a, gap.endOfA);
  const ofB = onceIn(sides.b, gap.b, gap.endOfB);
  const pairs: { a: number; b: number }[] = [];
  for (const [shingle, a] of ofA) {
    const b = ofB.get(shingle);
    if (b !== undefined && a >= 0 && b >= 0) pairs.push({ a, b });
  }
  const anchors: CommonRun[] = [];
  let endOfA = gap.a;
  let endOfB = gap.b;
  for (const { a, b } of longestRising(pairs)) {
    if (a < endOfA || b < endOfB) continue;
    let length = SHINGLE;
    while (a + length < gap.endOfA && b + length < gap.endOfB && sides.a[a + length] === sides.b[b + length]) length++;
    anchors.push({ a, b, length });
    endOfA = a + length;
    endOfB = b + length;
  }
  return anchors;
}

/** Where each row of words stands; -1 when it does several times. */
function onceIn(tokens: readonly string[], start: number, end: number): Map<string, number> {
  const places = new Map<string, number>();
  for (let at = start; at + SHINGLE <= end; at++) {
    const shingle = tokens.slice(at, at + SHINGLE).join(' ');
    places.set(shingle, places.has(shingle) ? -1 : at);
  }
  return places;
}

/** The longest part of the pairs, which are in the order of `a`, that is in the order of `b` too. */
function longestRising(pairs: readonly { a: number; b: number }[]): { a: number; b: number }[] {
  const ends: number[] = [];
  const before = new Map<number, number>();
  for (const [index, { b }] of pairs.entries()) {
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((pairs[ends[middle] ?? 0]?.b ?? 0) < b) low = middle + 1;
      else high = middle;
    }
    const previous = ends[low - 1];
    if (previous !== undefined) before.set(index, previous);
    ends[low] = index;
  }
  const rising: { a: number; b: number }[] = [];
  for (let at = ends.at(-1); at !== undefined; at = before.get(at)) {
    const pair = pairs[at];
    if (pair !== undefined) rising.push(pair);
  }
  return rising.reverse();
}

/** Runs that follow one another on both sides are one. */
function joined(runs: readonly CommonRun[]): CommonRun[] {
  const result: CommonRun[] = [];
  for (const run of runs) {
    const last = result.at(-1);
    if (last !== undefined && last.a + last.length === run.a && last.b + last.length === run.b) {
      result[result.length - 1] = { ...last, length: last.length + run.length };
    } else result.push(run);
  }
  return result;
}

/** Single words that both happen to have, in the midst of what differs, would hide that nothing is in common. */
function withoutChance(runs: readonly CommonRun[], lengthOfA: number, lengthOfB: number): CommonRun[] {
  return runs.filter((run, index) => {
    if (run.length >= LEAST_RUN) return true;
    const previous = runs[index - 1];
    const next = runs[index + 1] ?? { a: lengthOfA, b: lengthOfB };
    const beforeA = run.a - (previous === undefined ? 0 : previous.a + previous.length);
    const beforeB = run.b - (previous === undefined ? 0 : previous.b + previous.length);
    const around = Math.max(beforeA, beforeB) + Math.max(next.a - run.a, next.b - run.b) - run.length;
    return around <= 2 * run.length;
  });
}

/** Blocks of both ends that are about the same messages. */
export interface AlignedBlocks {
  readonly a: readonly DiffBlock[];
  readonly b: readonly DiffBlock[];
}

/** Rows with more blocks are no help to a reader: they are cut where either end begins something. */
const MAX_BLOCKS = 24;

/**
 * Puts blocks beside each other: a row begins with each message with which both ends begin a block, so a version's block stands beside
 * all messages of the original up to its next one. Both lists must be in the order of the session. Linear.
 */
export function alignBlocks(a: readonly DiffBlock[], b: readonly DiffBlock[]): AlignedBlocks[] {
  const startsOfA = new Set(a.map(({ from }) => from));
  const common = new Set(b.flatMap(({ from }) => (startsOfA.has(from) ? [from] : [])));
  return rowsAt(common, a, b).flatMap((row) => {
    if (!isTooLoose(row)) return [row];
    return rowsAt(new Set([...row.a, ...row.b].map(({ from }) => from)), row.a, row.b);
  });
}

function rowsAt(starts: ReadonlySet<number>, a: readonly DiffBlock[], b: readonly DiffBlock[]): AlignedBlocks[] {
  const rows: AlignedBlocks[] = [];
  let nextOfA = 0;
  let nextOfB = 0;
  for (const end of [...[...starts].sort((one, other) => one - other), Infinity]) {
    const endOfA = endAt(a, nextOfA, end);
    const endOfB = endAt(b, nextOfB, end);
    if (endOfA > nextOfA || endOfB > nextOfB) rows.push({ a: a.slice(nextOfA, endOfA), b: b.slice(nextOfB, endOfB) });
    nextOfA = endOfA;
    nextOfB = endOfB;
  }
  return rows;
}

function endAt(blocks: readonly DiffBlock[], start: number, message: number): number {
  let end = start;
  while ((blocks[end]?.from ?? Infinity) < message) end++;
  return end;
}

function isTooLoose({ a, b }: AlignedBlocks): boolean {
  if (a.length === 0 || b.length === 0) return a.length + b.length > MAX_BLOCKS;
  const areApart = lastOf(a) < firstOf(b) || lastOf(b) < firstOf(a);
  // The original's messages have a row for each block of the other anyway.
  const isManyToMany = a.length > 1 && b.length > 1 && a.length + b.length > MAX_BLOCKS;
  return areApart || (isManyToMany && !a.concat(b).every(({ kind }) => kind === 'message'));
}

function firstOf(blocks: readonly DiffBlock[]): number {
  return blocks[0]?.from ?? 0;
}

function lastOf(blocks: readonly DiffBlock[]): number {
  return blocks.reduce((last, { to }) => Math.max(last, to), -1);
}
