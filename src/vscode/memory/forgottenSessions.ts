import type { Memento } from 'vscode';
import * as z from 'zod/mini';
import type { SessionRef } from '../../core/sessions/results';

const KEY = 'forgottenSessions';
const idsSchema = z.array(z.string());
const MAX_REMEMBERED = 5000;

/** The sessions that the user removed from memory: adding new ones by itself must not bring them back. */
export class ForgottenSessions {
  constructor(private readonly state: Memento) {}

  has({ sessionId }: SessionRef): boolean {
    return this.ids().includes(sessionId);
  }

  add(refs: readonly SessionRef[]): void {
    if (refs.length === 0) return;
    const ids = new Set([...this.ids(), ...refs.map(({ sessionId }) => sessionId)]);
    void this.state.update(KEY, [...ids].slice(-MAX_REMEMBERED));
  }

  /** The user wants these back. */
  remember(refs: readonly SessionRef[]): void {
    const wanted = new Set(refs.map(({ sessionId }) => sessionId));
    const ids = this.ids();
    if (ids.some((id) => wanted.has(id)))
      void this.state.update(
        KEY,
        ids.filter((id) => !wanted.has(id)),
      );
  }

  private ids(): string[] {
    return idsSchema.safeParse(this.state.get<unknown>(KEY)).data ?? [];
  }
}
