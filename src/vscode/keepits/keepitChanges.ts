import { EventEmitter, type Disposable, type Event } from 'vscode';
import type { EffectiveKeepit } from '../../core/keepits/effectiveKeepits';
import type { MarkRequest } from '../../core/keepits/markSpan';
import type { MemoryService } from '../../core/memory';
import type { KeepitRef, SessionRef } from '../../core/sessions/results';
import type { RegisterFirst } from '../memory/registerFirst';
import type { KeepitListings } from './keepitListings';

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
    return this.change(ref, (service) => service.setKeepitWeight(ref, weight));
  }

  remove(ref: KeepitRef): Promise<EffectiveKeepit | undefined> {
    return this.change(ref, (service) => service.removeKeepit(ref));
  }

  restore(ref: KeepitRef): Promise<EffectiveKeepit | undefined> {
    return this.change(ref, (service) => service.restoreKeepit(ref));
  }

  add(session: SessionRef, request: MarkRequest & { weight: number }): Promise<EffectiveKeepit[] | undefined> {
    return this.change(session, (service) => service.addKeepit(session, request));
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
