import { window } from 'vscode';
import { SessionLookupError } from '../../core/sessions/sessionLookupError';
import type { MemoryService } from '../../core/memory';
import type { SessionRef } from '../../core/sessions/results';
import type { SessionsModel } from '../sessions/sessionsModel';
import type { MemoryHost } from './memoryHost';

export interface RegisteredWork<T> {
  readonly session: SessionRef;
  /** Why the session has to be in memory, in a sentence. */
  readonly why: string;
  readonly work: (service: MemoryService) => Promise<T>;
}

/** Does what can only be done with sessions that are in memory: asks to add one that is not there yet. */
export class RegisterFirst {
  constructor(
    private readonly host: MemoryHost,
    private readonly model: SessionsModel,
  ) {}

  /** Undefined when the user would not add the session to memory. */
  async run<T>({ session, why, work }: RegisteredWork<T>): Promise<T | undefined> {
    const { service } = await this.host.memory();
    try {
      return await work(service);
    } catch (error) {
      if (!(error instanceof SessionLookupError) || error.reason !== 'not-registered') throw error;
      if (!(await this.register(service, session, why))) return undefined;
      return work(service);
    }
  }

  private async register(service: MemoryService, { projectId, sessionId }: SessionRef, why: string): Promise<boolean> {
    const label = 'Add to Memory';
    const detail = `${why} This session is not in memory yet.`;
    const answer = await window.showInformationMessage('Add this session to memory?', { modal: true, detail }, label);
    if (answer !== label) return false;
    const { failed } = await service.sessions.register([{ projectId, sessionId }]);
    await this.model.reload([projectId]);
    const [failure] = failed;
    if (failure !== undefined) throw new Error(failure.error);
    return true;
  }
}
