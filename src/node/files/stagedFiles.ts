import { rm } from 'node:fs/promises';
import path from 'node:path';
import { discardTemporary, fillTemporary, renameOver, syncFolder } from './atomicFile';
import { unlessGone } from './errorCode';
import { isSameFile, linkOrCopy } from './takeFile';

interface StagedFile {
  /** Absent for a file that is to go. */
  readonly temporary: string | undefined;
  readonly target: string;
}

/**
 * Files that are written, and wait to take their places together. What lies there until then keeps a second name, so that it can come
 * back on a disk that takes no more bytes.
 */
export class StagedFiles {
  readonly #waiting: StagedFile[] = [];
  readonly #placed: { readonly before: string | undefined; readonly target: string }[] = [];

  add(target: string, temporary: string | undefined): void {
    this.#waiting.push({ temporary, target });
  }

  has(target: string): boolean {
    return this.#waiting.some((file) => file.target === target);
  }

  /** `around` is told what is about to be placed; it may say in other words why that failed. */
  async place(around = (_target: string, work: () => Promise<void>): Promise<void> => work()): Promise<void> {
    for (const file of this.#waiting) await around(file.target, () => this.#placeOne(file));
    for (const folder of new Set(this.#waiting.map(({ target }) => path.dirname(target)))) await syncFolder(folder);
  }

  async #placeOne({ temporary, target }: StagedFile): Promise<void> {
    const before = await unlessGone(fillTemporary(target, (second) => linkOrCopy(target, second)));
    this.#placed.unshift({ before, target });
    await (temporary === undefined ? rm(target, { force: true }) : renameOver(temporary, target));
    // Renaming one hard link over another of the same file leaves both.
    if (temporary !== undefined) await discardTemporary(temporary);
  }

  /** Puts everything back as it was, the last first. One that does not go back keeps no other from it; the first failure is thrown. */
  async putBack(): Promise<void> {
    const failures: unknown[] = [];
    for (const { before, target } of this.#placed.splice(0)) {
      await (before === undefined ? rm(target, { force: true }) : putBack(before, target)).catch((error: unknown) =>
        failures.push(error),
      );
    }
    if (failures.length > 0) throw failures[0];
  }

  /** Removes what was never placed. */
  async discard(): Promise<void> {
    for (const { temporary } of this.#waiting.splice(0)) {
      if (temporary !== undefined) await discardTemporary(temporary);
    }
  }

  /** Removes the second names of what no longer comes back. */
  async forget(): Promise<void> {
    for (const { before } of this.#placed.splice(0)) if (before !== undefined) await discardTemporary(before);
  }
}

async function putBack(before: string, target: string): Promise<void> {
  try {
    await renameOver(before, target);
  } catch {
    if (!(await isSameFile(before, target))) {
      await rm(target, { force: true }); // a disk that renames nothing any more may still give names
      await linkOrCopy(before, target);
    }
  }
  await discardTemporary(before);
}
