import path from 'node:path';
import type { TranscriptFile } from '../../core/model/host';
import { errorText } from '../../core/text/keepitError';
import type { Log } from '../../core/model/host';
import { Debouncer } from './debouncer';
import { PathWatch } from './pathWatch';

const TIMES = { quietMs: 100, maxWaitMs: 500 };
/** Where the system gives no events: often enough to read along, and one directory entry each time. */
const POLL_MS = 2000;

export interface Follow {
  stat(file: string): Promise<TranscriptFile | undefined>;
  /** Called after each change with the file's entry, or with undefined once when the file is gone. */
  onChanged(file: TranscriptFile | undefined): void;
  log: Log;
}

/** Follows one file while it is open somewhere: growth, replacement and disappearance. */
export class FileFollower {
  private readonly debouncer: Debouncer<'changed'>;
  private readonly watch: PathWatch;
  private poll: NodeJS.Timeout | undefined;
  /** As it was told last. At first nothing is known: what the file was when somebody read it cannot be found out any more. */
  private last: TranscriptFile | undefined | 'unknown' = 'unknown';
  private isDisposed = false;

  constructor(
    private readonly file: string,
    private readonly options: Follow,
  ) {
    this.debouncer = new Debouncer(TIMES, () => void this.look());
    // The folder rather than the file: a file that is replaced takes the watch on it to the grave.
    this.watch = new PathWatch(path.dirname(file), {
      onEvent: (name) => {
        if (name === undefined || name === path.basename(file)) this.debouncer.add('changed');
      },
      onEnd: (reason) => this.startPolling(reason),
    });
  }

  dispose(): void {
    this.isDisposed = true;
    this.watch.dispose();
    this.debouncer.dispose();
    clearInterval(this.poll);
  }

  private startPolling(reason: string): void {
    if (this.isDisposed) return;
    this.options.log.info(`${this.file} cannot be watched and is polled instead: ${reason}`);
    this.poll = setInterval(() => void this.look(), POLL_MS);
    this.poll.unref();
  }

  private async look(): Promise<void> {
    const before = this.last;
    const file = await this.statQuietly();
    if (this.isDisposed || file === 'unknown') return;
    if (before !== 'unknown' && file?.bytes === before?.bytes && file?.mtimeMs === before?.mtimeMs) return;
    this.last = file;
    this.options.onChanged(file);
  }

  private async statQuietly(): Promise<FileFollower['last']> {
    try {
      return await this.options.stat(this.file);
    } catch (error) {
      this.options.log.warn(`${this.file} cannot be looked at: ${errorText(error)}`);
      return this.last;
    }
  }
}
