import type { Steps } from '../../transcript/steps';
import { alignBlocks, type AlignedBlocks } from './alignBlocks';
import { diffRow } from './diffRow';
import type { Change, DiffBlock, DiffHunk } from './types';

/** All that differs between two ends, and how many words it is. */
export interface BlockComparison {
  readonly hunks: readonly DiffHunk[];
  readonly counts: Readonly<Record<Change, number>>;
}

/** Compares in steps, so that the caller can let others run between two of them, and stop. One step for each row. */
export function* compareBlocks(
  a: readonly DiffBlock[],
  b: readonly DiffBlock[],
  uuidOf: (message: number) => string,
): Steps<BlockComparison> {
  const counts: Record<Change, number> = { kept: 0, removed: 0, added: 0 };
  const hunks: DiffHunk[] = [];
  for (const row of alignBlocks(a, b)) {
    const { parts, counts: words, cutCharacters } = diffRow(row);
    counts.kept += words.kept;
    counts.removed += words.removed;
    counts.added += words.added;
    const from = extreme(row, Math.min, ({ from: first }) => first);
    const to = extreme(row, Math.max, ({ to: last }) => last);
    hunks.push({
      from,
      to,
      messageUuid: uuidOf(from),
      a: row.a.map(withoutText),
      b: row.b.map(withoutText),
      parts,
      cutCharacters,
    });
    yield undefined;
  }
  return { hunks, counts };
}

function withoutText({ kind, role, from, to }: DiffBlock): Omit<DiffBlock, 'text'> {
  return { kind, role, from, to };
}

function extreme(
  { a, b }: AlignedBlocks,
  of: (x: number, y: number) => number,
  at: (block: DiffBlock) => number,
): number {
  return [...a, ...b].map(at).reduce((x, y) => of(x, y));
}
