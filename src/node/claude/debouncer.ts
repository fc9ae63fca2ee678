/** Collects keys and hands them over together, once nothing has come for a while, or too much time has passed. */
export class Debouncer<Key> {
  private readonly keys = new Set<Key>();
  private timer: NodeJS.Timeout | undefined;
  private firstAt = 0;

  constructor(
    private readonly times: { quietMs: number; maxWaitMs: number },
    private readonly deliver: (keys: readonly Key[]) => void,
  ) {}

  add(key: Key): void {
    const now = performance.now();
    if (this.keys.size === 0) this.firstAt = now;
    this.keys.add(key);
    clearTimeout(this.timer);
    const latest = this.firstAt + this.times.maxWaitMs;
    this.timer = setTimeout(() => this.flush(), Math.max(0, Math.min(this.times.quietMs, latest - now)));
    this.timer.unref();
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.keys.clear();
  }

  private flush(): void {
    const keys = [...this.keys];
    this.keys.clear();
    this.deliver(keys);
  }
}
