import type { AlignedBlocks } from './alignBlocks';
import { commonRuns } from './commonRuns';
import type { Change, DiffBlock, DiffPart } from './types';
import { wordTokens } from './wordTokens';

/** Longer blocks are compared up to here; nearly all of what comes behind is a pasted log. */
const MAX_BLOCK_CHARS = 20_000;

export interface RowDiff {
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
