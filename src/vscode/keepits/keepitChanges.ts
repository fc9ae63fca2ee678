import { EventEmitter, type Disposable, type Event } from 'vscode';
import type { EffectiveKeepit } from '../../core/keepits/effectiveKeepits';
import type { MarkRequest } from '../../core/keepits/markSpan';
import type { MemoryService } from '../../core/memory';
import type { KeepitRef, SessionRef } from '../../core/sessions/results';
import type { MemoryName } from '../memory/memoryHost';
import type { RegisterFirst } from '../memory/registerFirst';
import type { KeepitListings } from './keepitListings';

/** A keepit in one of the memories. */
export interface KeepitPlace {
  readonly memory: MemoryName;
  readonly ref: KeepitRef;
}

/** The session whose keepits are not what they were. */
export interface KeepitChange {
  readonly memory: MemoryName;
  readonly session: SessionRef;
}

const WHY_IN_MEMORY = 'What you change about keepits is kept in memory, beside the transcript, which stays as it is.';

/** All that this window changes about keepits in memory goes through here, so that every view hears of it at once. */
export class KeepitChanges implements Disposable {
  private readonly changed = new EventEmitter<KeepitChange>();
  readonly onDidChange: Event<KeepitChange> = this.changed.event;

  constructor(
    private readonly registering: RegisterFirst,
    private readonly listings: KeepitListings,
  ) {}

  dispose(): void {
    this.changed.dispose();
  }

  /** Undefined when the user would not add the session to memory; so it is for all changes. */
  setWeight({ memory, ref }: KeepitPlace, weight: number): Promise<EffectiveKeepit | undefined> {
    return this.change(memory, ref, (service) => service.setKeepitWeight(ref, weight));
  }

  remove({ memory, ref }: KeepitPlace): Promise<EffectiveKeepit | undefined> {
    return this.change(memory, ref, (service) => service.removeKeepit(ref));
  }

  restore({ memory, ref }: KeepitPlace): Promise<EffectiveKeepit | undefined> {
    return this.change(memory, ref, (service) => service.restoreKeepit(ref));
  }

  add(
    memory: MemoryName,
    session: SessionRef,
    request: MarkRequest & { weight: number },
  ): Promise<EffectiveKeepit[] | undefined> {
    return this.change(memory, session, (service) => service.addKeepit(session, request));
  }

  private async change<T>(
    memory: MemoryName,
    session: SessionRef,
    work: (service: MemoryService) => Promise<T>,
  ): Promise<T | undefined> {
    try {
      return await this.registering.run({ memory, session, why: WHY_IN_MEMORY, work });
    } finally {
      const { projectId, sessionId } = session;
      this.listings.forget(memory, { projectId, sessionId });
      this.changed.fire({ memory, session: { projectId, sessionId } });
    }
  }
}
