import { realpathSync } from 'node:fs';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { errorText } from '../../core/text/keepitError';
import type { Log } from '../../core/model/host';
import type { Bytes } from '../../core/search/bytes';
import type { Meaning } from '../../core/search/meaning';
import type { SearchFiles } from '../../core/search/saidMessages';
import { placeFile, ensurePrivateFolder, FILE_MODE } from '../files/atomicFile';
import { isWithin } from '../files/links';
import type { FileMemoryStore } from '../store/fileMemoryStore';
import { StoreLayout } from '../store/storeLayout';
import { inPages, PagedFile } from './pagedFile';

/** A folder of `cache/said/` for each project; the limit of the cache holds for it, too. Each file is one in pages. */
export class DiskSearchFiles implements SearchFiles {
  readonly #layout: StoreLayout;
  #root: string | undefined;

  constructor(
    private readonly store: Pick<FileMemoryStore, 'dir' | 'cacheLimit'>,
    private readonly log: Log,
  ) {
    this.#layout = new StoreLayout(store.dir);
  }

  async list(projectId: string, ending: string): Promise<string[]> {
    try {
      const names = await readdir(this.#layout.said(projectId));
      return names.filter((name) => !name.startsWith('.') && name.endsWith(ending)); // others are just being written
    } catch {
      return []; // not there yet, or not to be read: all is made again
    }
  }

  async open(projectId: string, name: string): Promise<Bytes | undefined> {
    try {
      const file = this.#layout.searchFile(projectId, name);
      this.#root ??= realpathSync.native(this.#layout.dir);
      return isWithin(this.#root, realpathSync.native(file)) ? new PagedFile(file) : undefined;
    } catch {
      return undefined; // made again
    }
  }

  async save(projectId: string, name: string, bytes: Uint8Array): Promise<void> {
    try {
      const file = this.#layout.searchFile(projectId, name);
      await ensurePrivateFolder(path.dirname(file), this.#layout.dir);
      const whole = inPages(bytes);
      await placeFile(file, (temporary) => writeFile(temporary, whole, { mode: FILE_MODE }), { isDurable: false });
      await this.store.cacheLimit.wrote(whole.length);
    } catch (error) {
      this.log.warn(`${name}, which searches go by, could not be written: ${errorText(error)}`);
    }
  }

  async remove(projectId: string, name: string): Promise<void> {
    try {
      await rm(this.#layout.searchFile(projectId, name), { force: true });
    } catch (error) {
      this.log.warn(`${name}, which no search needs any more, could not be removed: ${errorText(error)}`);
    }
  }
}

/** What words mean, of a file of the build; read when it is first asked for. Searches do without it where it is missing. */
export function meaningIn(file: string, log: Log): () => Promise<Meaning | undefined> {
  let meaning: Promise<Meaning | undefined> | undefined;
  const load = async (): Promise<Meaning | undefined> => {
    try {
      const bytes = await readFile(file);
      const { Meaning: Loaded } = await import('../../core/search/meaning');
      return new Loaded(bytes);
    } catch (error) {
      log.warn(`Searches go by words alone: ${errorText(error)}`);
      return undefined;
    }
  };
  return () => (meaning ??= load());
}
