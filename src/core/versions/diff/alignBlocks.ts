import type { DiffBlock } from './types';

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
