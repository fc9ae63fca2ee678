import { alignParts, nextPartNumber, type LiveMessages, type MessageSpan } from '../sessions/sessionParts';
import type { CompressionScope } from './types';
import type { SessionPartRecord } from '../model/compression';
import { CompressionError } from './compressionError';

/** What a compression is about. */
export interface ScopedMessages extends MessageSpan {
  /** Absent for the whole session. */
  readonly partNumber?: number;
}

/** The messages that a scope means. Throws `CompressionError`. */
export function messagesIn(
  scope: CompressionScope,
  { parts, live, sessionId }: { parts: readonly SessionPartRecord[]; live: LiveMessages; sessionId: string },
): ScopedMessages {
  if (live.count === 0) throw new CompressionError('empty-session', sessionId);
  if (scope.kind === 'whole') return { from: 0, to: live.count - 1 };
  const aligned = alignParts(parts, live);
  if (scope.kind === 'part') {
    const part = aligned.find(({ partNumber }) => partNumber === scope.partNumber);
    if (part === undefined || part.to < part.from) throw new CompressionError('no-such-part', String(scope.partNumber));
    return part;
  }
  const from = (aligned.at(-1)?.to ?? -1) + 1;
  if (from >= live.count) throw new CompressionError('nothing-new', sessionId);
  return { partNumber: nextPartNumber(parts), from, to: live.count - 1 };
}
