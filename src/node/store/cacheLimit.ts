import { readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { byteSize } from '../../core/model/config';
import type { Log } from '../../core/model/host';
import { errorText } from '../../core/text/keepitError';
import { findTemporaries } from '../files/atomicFile';
import { unlessGone } from '../files/errorCode';
import type { StoreLayout } from './storeLayout';
import { sumOf } from '../../core/text/ownValue';

/** How much is written before sizes are added up again, and at most this part of the limit: by so much it may be passed for a while. */
const CHECK_BYTES = 4 * 1024 * 1024;
const CHECK_PART = 1 / 8;
const LEFTOVER_AGE_MS = 60_000;

/** Holds everything below `cache/` within `storage.maxCacheSize`, whoever writes it. Never throws: what is missing is made again. */
export class CacheLimit {
  #unmeasuredBytes = Infinity;
  #checkBytes = CHECK_BYTES;

  /** `maxSize` is asked for from time to time, such as `1GB`. */
  constructor(
    private readonly layout: Pick<StoreLayout, 'cache' | 'cacheFormat'>,
    private readonly maxSize: () => Promise<string>,
    private readonly log: Log,
  ) {}

  /** Called after something was written. */
  async wrote(bytes: number): Promise<void> {
    this.#unmeasuredBytes += bytes;
    if (this.#unmeasuredBytes >= this.#checkBytes) await this.hold();
  }

  /** Removes what was not written for the longest time until the rest fits. */
  async hold(): Promise<void> {
    this.#unmeasuredBytes = 0;
    try {
      const found = await this.#files();
      const maxBytes = byteSize(await this.maxSize());
      this.#checkBytes = Math.min(CHECK_BYTES, maxBytes * CHECK_PART);
      let total = sumOf(found, ({ bytes }) => bytes);
      for (const { file, bytes } of found.sort((a, b) => a.mtimeMs - b.mtimeMs)) {
        if (total <= maxBytes) return;
        await rm(file, { force: true });
        total -= bytes;
      }
    } catch (error) {
      this.log.warn(`${this.layout.cache} could not be held within its limit: ${errorText(error)}`);
    }
  }

  async #files(): Promise<{ file: string; bytes: number; mtimeMs: number }[]> {
    const { cache, cacheFormat } = this.layout;
    const found = [];
    for (const entry of (await unlessGone(readdir(cache, { recursive: true, withFileTypes: true }))) ?? []) {
      const file = path.join(entry.parentPath, entry.name);
      if (entry.isDirectory())
        for (const leftover of await findTemporaries(file, LEFTOVER_AGE_MS)) await rm(leftover, { force: true });
      const isKept = entry.name.includes('.lock') || file === cacheFormat;
      const stats = entry.isFile() && !isKept ? await unlessGone(stat(file)) : undefined;
      if (stats !== undefined) found.push({ file, bytes: stats.size, mtimeMs: stats.mtimeMs });
    }
    return found;
  }
}
