import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { ProjectManifest } from '../../core/model/manifest';
import { createFile, fillTemporary, ensurePrivateFolder, removeEmpty } from '../files/atomicFile';
import { refuseLinks } from '../files/links';
import { StagedFiles } from '../files/stagedFiles';
import { linkOrCopy } from '../files/takeFile';
import type { ProjectLayout } from './storeLayout';

/** Changes files, and answers with the manifest that goes with them. */
export type FileChange = (
  layout: ProjectLayout,
  manifest: ProjectManifest,
  change: ManifestTransaction,
) => Promise<ProjectManifest>;

/**
 * What is done to a project's files while its manifest is changed: it takes effect together with the manifest, or not at all. What
 * needs space is on the disk before anything takes its place, so that a full disk leaves everything as it was.
 */
export class ManifestTransaction {
  readonly #staged = new StagedFiles();
  readonly #undoing: (() => Promise<unknown>)[] = [];
  readonly #finishing: (() => Promise<unknown>)[] = [];

  constructor(
    readonly projectId: string,
    /** The store's folder. */
    readonly root: string,
    /** Absent for work on files that no change of the manifest goes with. */
    readonly manifest?: ProjectManifest,
  ) {}

  /** Lets `fill` write a file that is put in the place of `target` just before the manifest is. What is there now comes back, should the change fail. */
  async stage(target: string, fill: (temporary: string) => Promise<void>): Promise<void> {
    await refuseLinks(this.root, target);
    const folder = path.dirname(target);
    this.onFailure(() => removeEmpty(folder));
    await ensurePrivateFolder(folder, this.root);
    this.#staged.add(target, await fillTemporary(target, fill));
  }

  /** Stages a text. */
  async stageText(target: string, text: string): Promise<void> {
    await this.stage(target, (temporary) =>
      createFile(temporary, async (handle) => {
        await writeFile(handle, text, 'utf8');
        await handle.sync();
      }),
    );
  }

  /** Stages a second name of a file that lies elsewhere. */
  async stageFile(source: string, target: string): Promise<void> {
    await this.stage(target, (temporary) => linkOrCopy(source, temporary));
  }

  /** The file is gone when the manifest has been written. */
  async remove(target: string): Promise<void> {
    await refuseLinks(this.root, target);
    this.#staged.add(target, undefined);
  }

  /** Whether the file that lies there then is a new one. */
  hasStaged(target: string): boolean {
    return this.#staged.has(target);
  }

  /** What takes back a step, should the change fail. The last step is taken back first. */
  onFailure(undo: () => Promise<unknown>): void {
    this.#undoing.unshift(undo);
  }

  /** What is done when the manifest has been written. */
  onSuccess(finish: () => Promise<unknown>): void {
    this.#finishing.push(finish);
  }

  /** A file that only the manifest to be written will name. */
  made(file: string): void {
    this.onFailure(() => rm(file, { force: true }));
  }

  /** Called when the new manifest is on the disk, just before it takes its place. */
  async place(): Promise<void> {
    this.onFailure(() => this.#staged.putBack());
    await this.#staged.place();
  }

  /** Does what is left to do; returns what could not be done, which does not change that the change was made. */
  async succeed(): Promise<unknown[]> {
    return failuresOf([...this.#finishing, () => this.#staged.forget()]);
  }

  /** Takes everything back; returns what could not be taken back. */
  async fail(): Promise<unknown[]> {
    return failuresOf([() => this.clear(), ...this.#undoing]);
  }

  /** Removes what was written and never placed. */
  async clear(): Promise<void> {
    await this.#staged.discard();
  }
}

/** One that fails does not stop the others. */
async function failuresOf(steps: readonly (() => Promise<unknown>)[]): Promise<unknown[]> {
  const failures: unknown[] = [];
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      failures.push(error);
    }
  }
  return failures;
}
