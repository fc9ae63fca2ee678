import type { Disposable } from 'vscode';

/** Many changes at once are one look. */
const SETTLE_MS = 120;

/**
 * When to look again at what others change too. Looks while somebody wants to see it, soon after it has changed; a newer look supersedes
 * an older one, which then has to leave everything as it is.
 */
export class VisibleRefresh implements Disposable {
  private timer: NodeJS.Timeout | undefined;
  private running = 0;
  private isVisible = false;
  private following: { readonly key: string; readonly followers: readonly Disposable[] } | undefined;

  constructor(
    private readonly look: (isSuperseded: () => boolean) => Promise<void>,
    private readonly settleMs = SETTLE_MS,
  ) {}

  /** Somebody sees it, or nobody does any more. */
  setVisible(isVisible: boolean): void {
    this.isVisible = isVisible;
    if (isVisible) this.lookSoon();
    else this.rest();
  }

  lookSoon(): void {
    if (!this.isVisible) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.lookNow(), this.settleMs);
  }

  /** Whether somebody sees it or not; settles when it was looked at. */
  lookNow(): Promise<void> {
    clearTimeout(this.timer);
    const run = ++this.running;
    return this.look(() => run !== this.running);
  }

  /**
   * Follows what others write, for as long as somebody wants to see it: nothing else tells of it. What has the same key is followed
   * already; what was followed before is not any more.
   */
  follow(key: string, begin: (onChanged: () => void) => readonly Disposable[]): void {
    if (!this.isVisible || key === this.following?.key) return;
    this.unfollow();
    this.following = { key, followers: begin(() => this.lookSoon()) };
  }

  /** {@link follow} for files. */
  followFiles(
    files: readonly string[],
    memory: { readonly follow: (file: string, onChanged: () => void) => Disposable },
  ): void {
    this.follow(files.join('\n'), (onChanged) => files.map((file) => memory.follow(file, onChanged)));
  }

  dispose(): void {
    this.setVisible(false);
  }

  private rest() {
    clearTimeout(this.timer);
    this.running += 1;
    this.unfollow();
  }

  private unfollow() {
    for (const follower of this.following?.followers ?? []) follower.dispose();
    this.following = undefined;
  }
}
