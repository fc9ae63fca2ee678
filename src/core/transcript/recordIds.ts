/** The uuids of a transcript's records, as numbers that take little room: thousands of transcripts are remembered at a time. */
export type RecordIds = Float64Array;

export function recordIds(uuids: Iterable<string>): RecordIds {
  return Float64Array.from(uuids, hash53);
}

/** Whether a record has this uuid. Mistaken once in 10¹⁰ times. */
export function hasRecord(ids: RecordIds, uuid: string): boolean {
  return ids.includes(hash53(uuid));
}

/** 53 bits of a text: as many as a number holds. */
function hash53(text: string): number {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    high = Math.imul(high ^ unit, 2654435761);
    low = Math.imul(low ^ unit, 1597334677);
  }
  high ^= Math.imul(low ^ (low >>> 15), 2246822507);
  low ^= Math.imul(high ^ (high >>> 13), 3266489909);
  return (high >>> 11) * 2 ** 32 + (low >>> 0);
}
