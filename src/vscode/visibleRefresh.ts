import type { Disposable } from 'vscode';
import path from 'node:path';
import { PathWatch } from '../node/claude/pathWatch';
import { isFolder } from '../node/hostProbe';

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

export interface FolderFollowing {
  /** Whether a file of this name is worth telling of. */
  readonly isWanted: (name: string) => boolean;
  readonly onChanged: () => void;
}

/** How often a folder that is not there is looked for: VS Code's own watchers are slow to find one that comes later. */
const LOOK_MS = 1000;

/** Tells of changes to files of a folder, also of one that comes later, or goes and comes again. */
export class FolderFollower implements Disposable {
  private watch: PathWatch | undefined;
  private timer: NodeJS.Timeout | undefined;
  private isDisposed = false;

  constructor(
    private readonly folder: string,
    private readonly following: FolderFollowing,
  ) {
    this.begin();
  }

  dispose(): void {
    this.isDisposed = true;
    clearTimeout(this.timer);
    this.watch?.dispose();
  }

  private begin() {
    this.watch = new PathWatch(this.folder, {
      onEvent: (name) => {
        if (name === path.basename(this.folder))
          this.lookLater(); // this is how the folder's own end is told
        else if (name === undefined || this.following.isWanted(name)) this.following.onChanged();
      },
      onEnd: () => this.lookLater(),
    });
  }

  private lookLater() {
    this.watch?.dispose();
    clearTimeout(this.timer);
    if (!this.isDisposed) this.timer = setTimeout(() => void this.look(), LOOK_MS);
  }

  private async look() {
    const isThere = await isFolder(this.folder);
    if (this.isDisposed) return;
    if (isThere) {
      this.begin();
      this.following.onChanged();
    } else {
      this.lookLater();
    }
  }
}
