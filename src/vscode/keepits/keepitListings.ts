import type { DiscoveredSession, KeepitListing, KeepitRef, SessionRef } from '../../core/sessions/results';
import type { EffectiveKeepit } from '../../core/keepits/effectiveKeepits';
import type { MemoryHost } from '../memory/memoryHost';

interface Known {
  readonly stamp: string;
  readonly listing: Promise<KeepitListing>;
}

const MAX_KEPT = 2000;

/** The keepits of sessions, remembered while their transcripts stay as they are: finding them takes a look into each. */
export class KeepitListings {
  private readonly known = new Map<string, Known>();

  constructor(private readonly host: MemoryHost) {}

  /** `stamp` is whatever changes with the transcript. */
  async of(ref: SessionRef, stamp: string): Promise<KeepitListing> {
    const key = keyOf(ref);
    const before = this.known.get(key);
    if (before?.stamp === stamp) return before.listing;
    const listing = this.read(ref);
    const known = { stamp, listing };
    this.known.set(key, known);
    const oldest = this.known.keys().next().value;
    if (this.known.size > MAX_KEPT && oldest !== undefined) this.known.delete(oldest);
    listing.catch(() => {
      if (this.known.get(key) === known) this.known.delete(key); // the next one who asks tries again
    });
    return listing;
  }

  /** The keepit as it counts now; undefined when there is none any more. */
  async find(ref: KeepitRef): Promise<EffectiveKeepit | undefined> {
    const { keepits, inactive } = await this.read(ref);
    return [...keepits, ...inactive].find(({ markerId }) => markerId === ref.markerId);
  }

  /** Something was changed about the session's keepits, or about all of them. */
  forget(ref?: SessionRef): void {
    if (ref === undefined) this.known.clear();
    else this.known.delete(keyOf(ref));
  }

  private async read({ projectId, sessionId }: SessionRef): Promise<KeepitListing> {
    const { service } = await this.host.memory();
    return service.keepits({ projectId, sessionId });
  }
}

function keyOf({ projectId, sessionId }: SessionRef): string {
  return [projectId, sessionId].join('\n');
}

/** Changes with the transcript of a session and its keepits, and when it is added to memory or removed from there. */
export function stampOf(session: DiscoveredSession): string {
  return [session.bytes, session.mtimeMs, session.registered, keepitStampOf(session)].join(' ');
}

/** Changes with what people change about the keepits of a session, here or elsewhere. */
export function keepitStampOf({ markers, keepitsChangedAt }: DiscoveredSession): string {
  return `${markers} ${keepitsChangedAt ?? ''}`;
}
