import { createHash } from 'node:crypto';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { errorText } from '../../core/text/keepitError';
import type { Log } from '../../core/model/host';
import type { Meaning } from '../../core/search/meaning';
import type { SearchFiles } from '../../core/search/saidMessages';
import { placeFile } from '../files/atomicFile';
import { readWithin } from '../files/links';
import { ensurePrivateFolder, FILE_MODE } from '../files/privateFolder';
import { StoreLayout } from '../store/storeLayout';

/** A folder of `cache/said/` for each project; the cache's limit holds for it too. Each file begins with a hash of the rest. */
export class DiskSearchFiles implements SearchFiles {
  readonly #layout: StoreLayout;

  constructor(
    dir: string,
    private readonly log: Log,
  ) {
    this.#layout = new StoreLayout(dir);
  }

  async list(projectId: string, ending: string): Promise<string[]> {
    try {
      return (await readdir(this.#layout.said(projectId))).filter((name) => name.endsWith(ending));
    } catch {
      return []; // not there yet, or not to be read: all is made again
    }
  }

  async load(projectId: string, name: string): Promise<Uint8Array | undefined> {
    try {
      const bytes = await readWithin(this.#layout.dir, this.#layout.searchFile(projectId, name));
      const rest = bytes?.subarray(HASH_LENGTH);
      return rest !== undefined && bytes?.subarray(0, HASH_LENGTH).equals(hashOf(rest)) === true ? rest : undefined;
    } catch {
      return undefined; // made again
    }
  }

  async save(projectId: string, name: string, bytes: Uint8Array): Promise<void> {
    try {
      const file = this.#layout.searchFile(projectId, name);
      await ensurePrivateFolder(path.dirname(file), this.#layout.dir);
      const whole = Buffer.concat([hashOf(bytes), bytes]);
      await placeFile(file, (temporary) => writeFile(temporary, whole, { mode: FILE_MODE }), { isDurable: false });
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

const HASH_LENGTH = 16;

/** Damage is to be noticed: a wrong number would only give wrong answers. */
function hashOf(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest().subarray(0, HASH_LENGTH);
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
