import { window } from 'vscode';
import { SessionLookupError } from '../../core/sessions/sessionLookupError';
import type { MemoryService } from '../../core/memory';
import type { SessionRef } from '../../core/sessions/results';
import type { SessionsModel } from '../sessions/sessionsModel';

/** Why a session has to be in memory. */
const whys = {
  keepits: 'What you change about keepits is kept in memory, beside the transcript, which stays as it is.',
  versions: 'Versions are kept in memory, beside the transcript, which stays as it is.',
} as const;

/** Does what can only be done with sessions that are in memory: asks to add one that is not there yet. */
export class RegisterFirst {
  constructor(
    private readonly memory: MemoryService,
    private readonly model: SessionsModel,
  ) {}

  /** Undefined when the user would not add the session to memory. */
  async run<F extends keyof typeof whys, T>(
    session: SessionRef,
    feature: F,
    work: (feature: MemoryService[F]) => Promise<T>,
  ): Promise<T | undefined> {
    const part = this.memory[feature];
    try {
      return await work(part);
    } catch (error) {
      if (!(error instanceof SessionLookupError) || error.reason !== 'not-registered') throw error;
      return (await this.register(session, whys[feature])) ? await work(part) : undefined;
    }
  }

  private async register({ projectId, sessionId }: SessionRef, why: string): Promise<boolean> {
    const label = 'Add to Memory';
    const detail = `${why} This session is not in memory yet.`;
    const answer = await window.showInformationMessage('Add this session to memory?', { modal: true, detail }, label);
    if (answer !== label) return false;
    const { failed } = await this.memory.sessions.register([{ projectId, sessionId }]);
    await this.model.reload([projectId]);
    const [failure] = failed;
    if (failure !== undefined) throw new Error(failure.error);
    return true;
  }
}
