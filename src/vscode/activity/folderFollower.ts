import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { Disposable } from 'vscode';
import { PathWatch } from '../../node/claude/pathWatch';

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
    const isThere = await stat(this.folder).then(
      (entry) => entry.isDirectory(),
      () => false, // it is looked for again
    );
    if (this.isDisposed) return;
    if (isThere) {
      this.begin();
      this.following.onChanged();
    } else {
      this.lookLater();
    }
  }
}
