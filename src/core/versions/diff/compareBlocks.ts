import type { Steps } from '../../transcript/steps';
import type { MessageSpan } from '../../sessions/sessionParts';
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
    const { from, to } = spanOf(row);
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

/** A heading names all messages of its episode; what stands below it names its own. */
function spanOf({ a, b }: AlignedBlocks): MessageSpan {
  const blocks = [...a, ...b];
  const notes = blocks.filter(({ kind }) => kind !== 'heading');
  const spans = notes.length > 0 ? notes : blocks;
  return spans.reduce<MessageSpan>(
    ({ from, to }, block) => ({ from: Math.min(from, block.from), to: Math.max(to, block.to) }),
    { from: Infinity, to: 0 },
  );
}
