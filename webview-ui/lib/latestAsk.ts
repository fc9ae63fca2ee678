/**
 * Asks for what changes faster than it is answered: one question at a time, and of those that came meanwhile only the last. So an answer is
 * always on its way, and nobody is flooded.
 */
export class LatestAsk<T> {
  private next: { readonly value: T } | undefined;
  private isAsking = false;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    /** Settles when the question is answered, whatever the answer is. */
    private readonly run: (value: T) => Promise<void>,
    /** So long nothing has to change before it is asked. */
    private readonly settleMs = 0,
  ) {}

  ask(value: T): void {
    this.next = { value };
    if (this.settleMs === 0) {
      void this.work();
      return;
    }
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.work(), this.settleMs);
  }

  /** What has not been asked yet is not asked any more. */
  drop(): void {
    clearTimeout(this.timer);
    this.next = undefined;
  }

  private async work(): Promise<void> {
    if (this.isAsking) return;
    this.isAsking = true;
    try {
      for (let next = this.next; next !== undefined; next = this.next) {
        this.next = undefined;
        await this.run(next.value);
      }
    } finally {
      this.isAsking = false;
    }
  }
}
