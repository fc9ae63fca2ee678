import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A file system of its own, so small that it can be filled; only root may make one, and only on Linux. */
export class SmallDisk {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Undefined where that cannot be done. */
  static async mount(folder: string, kilobytes: number): Promise<SmallDisk | undefined> {
    if (process.platform !== 'linux' || process.getuid?.() !== 0) return undefined;
    await mkdir(folder, { recursive: true });
    try {
      await run('mount', ['-t', 'tmpfs', '-o', `size=${kilobytes}k,mode=700`, 'tmpfs', folder]);
    } catch {
      return undefined; // a container that may not mount
    }
    return new SmallDisk(folder);
  }

  async makeReadOnly(): Promise<void> {
    await run('mount', ['-o', 'remount,ro', this.#folder]);
  }

  /** Also while a program still looks at it, as a window does at its folder. */
  async unmount(): Promise<void> {
    await run('umount', ['--lazy', this.#folder]);
  }
}
