import { storedBlocks, type StoredBlock } from '../storedBlocks';

/** A block of a version's Markdown, and the messages of the original that it came from. */
export interface PlacedBlock extends Pick<StoredBlock, 'kind' | 'sources'> {
  /** 0-based lines of the Markdown, both included. */
  readonly start: number;
  readonly end: number;
}

/**
 * Where the blocks of a version are in its Markdown, and where each came from: that stands in the `.jsonl`. A block that is not found
 * where it should be (somebody edited the file) is left out, and the others are found all the same. Linear.
 */
export function placeBlocks(markdown: string, jsonl: string): PlacedBlock[] {
  const blocks: PlacedBlock[] = [];
  const lines = new LineCounter(markdown);
  let from = 0;
  for (const { text, kind, sources } of storedBlocks(jsonl)) {
    const at = markdown.indexOf(text, from);
    if (at === -1) continue;
    from = at + text.length;
    blocks.push({ start: lines.lineAt(at), end: lines.lineAt(Math.max(at, from - 1)), kind, sources });
  }
  return blocks;
}

/** Lines of ascending offsets. */
class LineCounter {
  private line = 0;
  private offset = 0;

  constructor(private readonly text: string) {}

  lineAt(offset: number): number {
    for (
      let at = this.text.indexOf('\n', this.offset);
      at !== -1 && at < offset;
      at = this.text.indexOf('\n', at + 1)
    ) {
      this.line += 1;
      this.offset = at + 1;
    }
    return this.line;
  }
}

/** The blocks that come from other messages than the one before them: a way back above each of them is enough. */
export function leadingBlocks(blocks: readonly PlacedBlock[]): PlacedBlock[] {
  const keyOf = (block: PlacedBlock | undefined): string => block?.sources.join(' ') ?? '';
  return blocks.filter((block, index) => keyOf(block) !== '' && keyOf(block) !== keyOf(blocks[index - 1]));
}

/** What leads from a block to where it came from. */
export function lineageTitle({ sources }: Pick<PlacedBlock, 'sources'>): string {
  return sources.length === 1 ? 'Go to its message' : `Go to its ${sources.length} messages`;
}
