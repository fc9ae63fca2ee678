import type { Clock } from '../../../src/core/model/host';

/** A clock that stands still until somebody sets it. */
export class ManualClock implements Clock {
  #now: Date;

  constructor(iso: string) {
    this.#now = new Date(iso);
  }

  now(): Date {
    return this.#now;
  }

  set(iso: string): void {
    this.#now = new Date(iso);
  }
}
