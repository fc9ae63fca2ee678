import type { SessionManifestEntry } from '../model/manifest';
import type { SessionPartRecord } from '../model/compression';

/** A session that was written to less than this ago is probably in use. */
const LIVE_MS = 5 * 60 * 1000;

/** Messages `from` to `to` of a session, both included. */
export interface MessageSpan {
  readonly from: number;
  readonly to: number;
}

/** What the parts of a session are measured against: the conversation as it is now. */
export interface LiveMessages {
  readonly count: number;
  /** The last message of the live conversation that an earlier reading ending with this one had seen; undefined when it is not known. */
  seenUpTo(lastMessageUuid: string): number | undefined;
}

type PartsEntry = Pick<SessionManifestEntry, 'compressions' | 'compressionParts'>;

/**
 * The parts of a session, the oldest first. A part whose versions were all deleted keeps its messages while later parts need it to;
 * at the end it is gone, and its messages are new again.
 */
export function partsOf({ compressions, compressionParts = [] }: PartsEntry): SessionPartRecord[] {
  const used = new Set(compressions.map(({ partNumber }) => partNumber));
  const parts = new Map(compressionParts.map((part) => [part.partNumber, part]));
  for (const record of compressions) {
    // Another tool may not say which messages its parts cover: their numbers are taken all the same.
    const { partNumber, messageRange = [0, 0], lastMessageUuid = '', inputTokens = 0 } = record;
    if (partNumber === undefined || parts.has(partNumber)) continue;
    parts.set(partNumber, { partNumber, messageRange, lastMessageUuid, tokens: inputTokens });
  }
  const sorted = [...parts.values()].sort((a, b) => a.partNumber - b.partNumber);
  return sorted.slice(0, sorted.findLastIndex(({ partNumber }) => used.has(partNumber)) + 1);
}

/** The number of the next part. */
export function nextPartNumber(parts: readonly SessionPartRecord[]): number {
  return (parts.at(-1)?.partNumber ?? 0) + 1;
}

/** A part ends with a whole message: what an assistant is still writing belongs to the next one. */
export function wholeMessages(live: LiveMessages, isLastOpen: boolean): LiveMessages {
  return isLastOpen && live.count > 1 ? { ...live, count: live.count - 1 } : live;
}

/**
 * Where the parts are in the conversation as it is now. They lie side by side, from the first message on: what a rewind has left
 * behind belongs to no part, and what came instead belongs to the next one. An empty part ends before it begins.
 */
export function alignParts(
  parts: readonly SessionPartRecord[],
  live: LiveMessages,
): (MessageSpan & { partNumber: number })[] {
  let from = 0;
  return parts.map(({ partNumber, messageRange, lastMessageUuid }) => {
    const seen = live.seenUpTo(lastMessageUuid) ?? messageRange[1];
    const to = Math.max(from - 1, Math.min(seen, live.count - 1));
    const span = { partNumber, from, to };
    from = to + 1;
    return span;
  });
}

/** Whether a transcript was written to so lately that its session is probably in use. */
export function isLiveAt(mtimeMs: number, now: Date): boolean {
  return now.getTime() - mtimeMs < LIVE_MS;
}
