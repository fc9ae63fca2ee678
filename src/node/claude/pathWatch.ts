import { watch } from 'node:fs';
import type { FSWatcher } from 'node:fs';
import { errorText } from '../../core/text/keepitError';

interface PathWatchEvents {
  /** Something happened; `name` is the entry of a watched folder where the system tells. */
  onEvent(name: string | undefined): void;
  /** Watching has ended, or could not begin: no watches are left, the folder is gone, the file system has no events. */
  onEnd(reason: string): void;
}

/** One watch on one file or folder, which ends at most once and never throws. */
export class PathWatch {
  private watcher: FSWatcher | undefined;

  constructor(path: string, events: PathWatchEvents) {
    const end = (reason: string) => {
      if (this.watcher === undefined) return;
      this.dispose();
      events.onEnd(reason);
    };
    try {
      this.watcher = watch(path, { persistent: false }, (_kind, name) => events.onEvent(name ?? undefined));
      this.watcher.on('error', (error) => end(errorText(error)));
    } catch (error) {
      const reason = errorText(error);
      // The owner has not got the watch in hand yet: it hears of the end when it has.
      queueMicrotask(() => events.onEnd(reason));
    }
  }

  dispose(): void {
    this.watcher?.close();
    this.watcher = undefined;
  }
}
