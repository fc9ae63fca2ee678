/** What decides how long ago a session was. A manifest entry is one; of a session that is not in memory only the first two are known. */
export interface DistanceFacts {
  readonly sessionId: string;
  readonly lastTimestamp: string;
  readonly registeredAt?: string;
  readonly lastAccessed?: string;
}

/**
 * The distance of a session: its rank by recency among those of its project that are in memory, 1 = newest. A session that is not
 * in memory gets the rank that it would have there. Only sessions in memory count, so that the answer follows from the
 * manifest alone: it does not change with what Claude Code has deleted, or with what was looked at before.
 *
 * With `rehearsal` a session that was used in a composition is as recent as that use (seed 000, 1.2), else as its last message.
 */
export function sessionDistance(
  session: DistanceFacts,
  inMemory: Iterable<DistanceFacts>,
  { rehearsal }: { rehearsal: boolean },
): number {
  const own = recency(session, rehearsal);
  let distance = 1;
  for (const other of inMemory) {
    if (other.sessionId === session.sessionId) continue;
    const theirs = recency(other, rehearsal);
    // Sessions of the same moment must not share a rank, and must not change places between two calls.
    if (theirs > own || (theirs === own && other.sessionId < session.sessionId)) distance++;
  }
  return distance;
}

function recency({ lastTimestamp, registeredAt, lastAccessed }: DistanceFacts, rehearsal: boolean): number {
  const saidMs = timeMs(lastTimestamp);
  // Registering a session sets both times; it has been used since only if they differ.
  return rehearsal && lastAccessed !== registeredAt ? Math.max(saidMs, timeMs(lastAccessed)) : saidMs;
}

/** A session without a time was before all others. */
function timeMs(iso: string | undefined): number {
  const parsed = iso === undefined ? Number.NaN : Date.parse(iso);
  return Number.isNaN(parsed) ? -Infinity : parsed;
}
