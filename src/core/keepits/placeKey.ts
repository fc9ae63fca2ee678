import type { KeepitMarker } from '../model/keepit';

/** Where a marker stands: one text block of one record. */
export function placeKey({ messageUuid, blockIndex = 0 }: Pick<KeepitMarker, 'messageUuid' | 'blockIndex'>): string {
  return `${blockIndex}/${messageUuid}`;
}
