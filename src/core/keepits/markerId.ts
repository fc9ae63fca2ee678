import { hash64 } from '../text/hash64';

/** What a marker is known by: where it stands and what it holds. */
export interface MarkerIdentity {
  messageUuid: string;
  /** Which text block of that record, from 0. */
  blockIndex: number;
  /** UTF-16 offset in the text block. */
  start: number;
  content: string;
}

/** The identity of a marker, the same whenever the transcript is read: 64 bits as 16 hex digits. */
export function markerIdOf({ messageUuid, blockIndex, start, content }: MarkerIdentity): string {
  // The first block is left out: most records have just one, and its markers stay what DESIGN section 5 says.
  const place = blockIndex === 0 ? String(start) : `${blockIndex}:${start}`;
  return hash64(`${messageUuid}\0${place}\0${content}`);
}
