import type { SessionRef } from '../../../src/core/sessions/results';
import type { SaidCache, SaidSession } from '../../../src/core/search/saidMessages';

/** Remembers in memory; counts what it was asked to keep. */
export class FakeSaidCache implements SaidCache {
  readonly sessions = new Map<string, SaidSession>();
  saves = 0;

  async load({ projectId, sessionId }: SessionRef): Promise<SaidSession | undefined> {
    return this.sessions.get(`${projectId}/${sessionId}`);
  }

  async save({ projectId, sessionId }: SessionRef, said: SaidSession): Promise<void> {
    this.saves += 1;
    this.sessions.set(`${projectId}/${sessionId}`, said);
  }
}
