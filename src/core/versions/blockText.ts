import type { SummaryBlock } from './types';

/** What stands between two blocks of a version, keepits included. Counted as part of what follows it. */
export const BLOCK_SEPARATOR = '\n\n';

/**
 * A block as it stands in the `.md` of a version. Summarizers measure their blocks in this form, and the version is written in
 * it, so that a target is hit by what is written: a note is its text and nothing else, a heading names its messages.
 */
export function blockText(block: SummaryBlock): string {
  return block.kind === 'heading' ? `## ${block.text} (${messageRangeText(block.messages)})` : block.text;
}

/** `messages 12–31`, counted from 1 as people do; `message 12` for a single one. */
export function messageRangeText(messages: readonly number[]): string {
  let first = Infinity;
  let last = -1;
  for (const message of messages) {
    first = Math.min(first, message);
    last = Math.max(last, message);
  }
  return first === last ? `message ${first + 1}` : `messages ${first + 1}–${last + 1}`;
}

/** The blocks of a version as one text. */
export function joinBlocks(blocks: readonly SummaryBlock[]): string {
  return blocks.map(blockText).join(BLOCK_SEPARATOR);
}
