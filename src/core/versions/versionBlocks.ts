import { BLOCK_SEPARATOR, blockText } from './blockText';
import type { CompressionPlan, JudgedKeepit } from './compressionPlan';
import { withoutMarkers } from './keepitBlock';
import type { SummaryBlock } from './types';
import type { Role } from '../transcript/types';

/** A block of a version: a summarizer's, or a keepit. */
export interface VersionBlock {
  readonly kind: 'heading' | 'note' | 'keepit';
  readonly role: Role;
  /** As it is written. */
  readonly text: string;
  /** The messages that it came from, by index, in their order. */
  readonly messages: readonly number[];
  /** For a keepit. */
  readonly judged?: JudgedKeepit;
}

const NOTHING: SummaryBlock = {
  kind: 'note',
  role: 'assistant',
  text: '(Nothing of these messages fits in here.)',
  messages: [],
};

/** Puts the keepits back between the blocks of a summary, in the order of the conversation. */
export function versionBlocks(summary: readonly SummaryBlock[], plan: CompressionPlan): VersionBlock[] {
  const first = plan.messages[0]?.index ?? plan.scoped.from;
  const notes = summary.map((block) => noteBlock(block, first)).filter(({ text }) => text.trim() !== '');
  const ordered = notes
    .map((block, order) => ({ block, order }))
    .sort((a, b) => at(a.block) - at(b.block) || a.order - b.order);
  const kept = plan.keepits.flatMap(keepitVersionBlock);
  const blocks: VersionBlock[] = [];
  let next = 0;
  const keepitsBefore = (message: number): void => {
    for (let one = kept[next]; one !== undefined && at(one) < message; one = kept[++next]) blocks.push(one);
  };
  for (const { block } of ordered) {
    keepitsBefore(at(block));
    blocks.push(block);
  }
  keepitsBefore(Infinity);
  return blocks.length > 0 ? blocks : [noteBlock(NOTHING, first)];
}

/** Everything after the first line of the `.md`. */
export function versionBody(blocks: readonly VersionBlock[]): string {
  return `${blocks.map(({ text }) => text).join(BLOCK_SEPARATOR)}\n`;
}

function at({ messages }: VersionBlock): number {
  return messages[0] ?? 0;
}

function noteBlock(block: SummaryBlock, firstMessage: number): VersionBlock {
  const messages = block.messages.length === 0 ? [firstMessage] : [...new Set(block.messages)].sort((a, b) => a - b);
  return { kind: block.kind, role: block.role, text: withoutMarkers(blockText({ ...block, messages })), messages };
}

function keepitVersionBlock(judged: JudgedKeepit): VersionBlock[] {
  const { block, messageIndex, role } = judged;
  if (block === undefined) return [];
  return [{ kind: 'keepit', role, text: block.text, messages: [messageIndex], judged }];
}
