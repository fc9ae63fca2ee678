import { EventEmitter, window, type Disposable, type Event } from 'vscode';
import { SessionLookupError } from '../../core/errors';
import type { EffectiveKeepit } from '../../core/keepit/effectiveKeepits';
import type { MarkRequest } from '../../core/keepit/markSpan';
import type { MemoryService } from '../../core/memory';
import type { KeepitRef, SessionRef } from '../../core/registry/results';
import type { MemoryHost, MemoryName } from '../memory/memoryHost';
import type { SessionsModel } from '../sessions/sessionsModel';
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

/** All that is changed about keepits in memory goes through here, so that every view hears of it. */
export class KeepitChanges implements Disposable {
  private readonly changed = new EventEmitter<KeepitChange>();
  private readonly elsewhere = new EventEmitter<void>();
  readonly onDidChange: Event<KeepitChange> = this.changed.event;
  /** A command line or another window has written to a manifest. */
  readonly onDidChangeElsewhere: Event<void> = this.elsewhere.event;

  constructor(
    private readonly host: MemoryHost,
    private readonly model: SessionsModel,
    private readonly listings: KeepitListings,
  ) {}

  dispose(): void {
    this.changed.dispose();
    this.elsewhere.dispose();
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

  /** Tells everybody to look again. */
  announce(memory: MemoryName, { projectId, sessionId }: SessionRef): void {
    this.listings.forget(memory, { projectId, sessionId });
    this.changed.fire({ memory, session: { projectId, sessionId } });
  }

  /** Tells everybody that nothing that was known of keepits can be relied on. */
  announceElsewhere(): void {
    this.listings.forget();
    this.elsewhere.fire();
  }

  private async change<T>(
    memory: MemoryName,
    session: SessionRef,
    work: (service: MemoryService) => Promise<T>,
  ): Promise<T | undefined> {
    const { service } = await this.host.named(memory);
    try {
      return await work(service);
    } catch (error) {
      if (!(error instanceof SessionLookupError) || error.reason !== 'not-registered') throw error;
      if (!(await this.register(service, session))) return undefined;
      return await work(service);
    } finally {
      this.announce(memory, session);
    }
  }

  /** Keepits are changed beside the transcript, in memory: the session has to be there. */
  private async register(service: MemoryService, { projectId, sessionId }: SessionRef): Promise<boolean> {
    const label = 'Add to Memory';
    const detail =
      'What you change about keepits is kept in memory, beside the transcript, which stays as it is. This session is not in memory yet.';
    const answer = await window.showInformationMessage('Add this session to memory?', { modal: true, detail }, label);
    if (answer !== label) return false;
    const { failed } = await service.register([{ projectId, sessionId }]);
    await this.model.reload([projectId]);
    const [failure] = failed;
    if (failure !== undefined) throw new Error(failure.error);
    return true;
  }
}
