import { EventEmitter, type Disposable, type Event } from 'vscode';
import type { DiscoveredSession, KeepitListing, KeepitRef, SessionRef } from '../../core/sessions/results';
import type { EffectiveKeepit } from '../../core/keepits/effectiveKeepits';
import type { MemoryHost } from '../memory/memoryHost';
import type { MarkRequest } from '../../core/keepits/markSpan';
import type { MemoryService } from '../../core/memory';
import type { RegisterFirst } from '../memory/registerFirst';

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
    return service.keepits.list({ projectId, sessionId });
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

const WHY_IN_MEMORY = 'What you change about keepits is kept in memory, beside the transcript, which stays as it is.';

/** All that this window changes about keepits in memory goes through here, so that every view hears of it at once. */
export class KeepitChanges implements Disposable {
  private readonly changed = new EventEmitter<SessionRef>();
  /** The session whose keepits are not what they were. */
  readonly onDidChange: Event<SessionRef> = this.changed.event;

  constructor(
    private readonly registering: RegisterFirst,
    private readonly listings: KeepitListings,
  ) {}

  dispose(): void {
    this.changed.dispose();
  }

  /** Undefined when the user would not add the session to memory; so it is for all changes. */
  setWeight(ref: KeepitRef, weight: number): Promise<EffectiveKeepit | undefined> {
    return this.change(ref, (service) => service.keepits.setWeight(ref, weight));
  }

  remove(ref: KeepitRef): Promise<EffectiveKeepit | undefined> {
    return this.change(ref, (service) => service.keepits.remove(ref));
  }

  restore(ref: KeepitRef): Promise<EffectiveKeepit | undefined> {
    return this.change(ref, (service) => service.keepits.restore(ref));
  }

  add(session: SessionRef, request: MarkRequest & { weight: number }): Promise<EffectiveKeepit[] | undefined> {
    return this.change(session, (service) => service.keepits.add(session, request));
  }

  private async change<T>(session: SessionRef, work: (service: MemoryService) => Promise<T>): Promise<T | undefined> {
    try {
      return await this.registering.run({ session, why: WHY_IN_MEMORY, work });
    } finally {
      const { projectId, sessionId } = session;
      this.listings.forget({ projectId, sessionId });
      this.changed.fire({ projectId, sessionId });
    }
  }
}
