import type { Conversation } from '../transcript/types';
import { collectKeepits, placeKey, textPlaces } from './collectKeepits';
import type { FoundBlock, FoundKeepits } from './effectiveKeepits';

/** Finds all keepits of a conversation, and what is needed to place the ones that were added to it. */
export function findKeepits({ messages, abandoned, copiedMarkers }: Conversation): FoundKeepits {
  const left = abandoned.flatMap((branch) => branch.messages);
  const blocks = new Map<string, FoundBlock>();
  for (const [said, isLive] of [[messages, true] as const, [left, false] as const]) {
    for (const { block, blockIndex } of textPlaces(said)) {
      const key = placeKey({ messageUuid: block.uuid, blockIndex });
      if (!blocks.has(key)) blocks.set(key, { text: block.text, isLive, order: blocks.size });
    }
  }
  return {
    ...collectKeepits(messages, copiedMarkers),
    abandoned: collectKeepits(left, copiedMarkers).markers,
    blocks,
  };
}
