import { closeSync, fstatSync, openSync, readSync, realpathSync } from 'node:fs';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { errorText } from '../../core/text/keepitError';
import type { Log } from '../../core/model/host';
import { DamagedBytes, numbersIn, type Bytes } from '../../core/search/bytes';
import type { Meaning } from '../../core/search/meaning';
import type { SearchFiles } from '../../core/search/saidMessages';
import { placeFile, ensurePrivateFolder, FILE_MODE } from '../files/atomicFile';
import { isWithin, READ_NO_FOLLOW } from '../files/links';
import type { FileMemoryStore } from '../store/fileMemoryStore';
import { StoreLayout } from '../store/storeLayout';

/** A folder of `cache/said/` for each project; the limit of the cache holds for it, too. Each file is one in pages. */
export class DiskSearchFiles implements SearchFiles {
  readonly #layout: StoreLayout;
  #root: string | undefined;
  #isUnwritable = false;

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
      this.#isUnwritable = false;
    } catch (error) {
      if (!this.#isUnwritable) this.log.warn(`What searches go by could not be written: ${errorText(error)}`);
      this.#isUnwritable = true; // told once: there is a file for each session
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

/*
 * A file in pages, each with a checksum: what is read of it is known to be what was written, without reading the rest. After the pages come
 * their checksums, and then one of these.
 */

const PAGE = 4 * 1024;
const SUM = 4;
const START = 0x811c9dc5;
const FACTOR = 0x01000193;

/** What is read of any file: always in the same place, as it is much. */
let room = new Uint8Array(16 * PAGE);
/** Which file's bytes are there, and are what was written; from where on. What is asked for next is often among them. */
let inRoom: { readonly file: PagedFile; readonly start: number; readonly end: number } | undefined;

/** Bytes as they stand in such a file. */
function inPages(bytes: Uint8Array): Uint8Array {
  const sums = new Uint32Array(pagesOf(bytes.length) + 1);
  const whole = new Uint8Array(bytes.length + sums.byteLength);
  whole.set(bytes);
  const own = whole.subarray(0, bytes.length);
  for (let page = 0; page < sums.length - 1; page++) sums[page] = checksum(pageOf(own, page));
  sums[sums.length - 1] = checksum(new Uint8Array(sums.buffer, 0, (sums.length - 1) * SUM), bytes.length);
  whole.set(new Uint8Array(sums.buffer), bytes.length);
  return whole;
}

/** What a file in pages holds. Throws `DamagedBytes` where it is torn, damaged or another one by now. */
class PagedFile implements Bytes {
  readonly length: number;
  private readonly mark: string;
  private readonly sums: Uint32Array;
  private readonly isKnown: Uint8Array;
  private held: number | undefined;

  constructor(private readonly file: string) {
    this.held = this.open();
    try {
      const { size, ino, mtimeMs } = fstatSync(this.held);
      this.mark = `${size} ${ino} ${mtimeMs}`;
      const pages = Math.max(0, Math.ceil((size - SUM) / (PAGE + SUM)));
      this.length = size - (pages + 1) * SUM;
      if (this.length < 0 || pagesOf(this.length) !== pages) throw new DamagedBytes(file);
      this.sums = numbersIn(this.plain(this.held, this.length, size));
      const sum = checksum(new Uint8Array(this.sums.buffer, 0, pages * SUM), this.length);
      if (sum !== this.sums[pages]) throw new DamagedBytes(file);
      this.isKnown = new Uint8Array(pages);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  read(start: number, end: number): Uint8Array {
    if (start < 0 || end > this.length || start > end) throw new DamagedBytes(this.file);
    if (inRoom?.file === this && start >= inRoom.start && end <= inRoom.end)
      return room.subarray(start - inRoom.start, end - inRoom.start);
    if (this.held !== undefined) return this.checked(this.held, start, end);
    const opened = this.open();
    try {
      const { size, ino, mtimeMs } = fstatSync(opened);
      if (`${size} ${ino} ${mtimeMs}` !== this.mark) throw new DamagedBytes(this.file);
      return this.checked(opened, start, end);
    } finally {
      closeSync(opened);
    }
  }

  /** Holds the file no more; what is still read of it is opened each time. */
  close(): void {
    if (this.held !== undefined) closeSync(this.held);
    this.held = undefined;
  }

  private open(): number {
    try {
      return openSync(this.file, READ_NO_FOLLOW);
    } catch {
      throw new DamagedBytes(this.file);
    }
  }

  private checked(opened: number, start: number, end: number): Uint8Array {
    const [first, behind] = [Math.floor(start / PAGE), pagesOf(end)];
    const bytes = this.plain(opened, first * PAGE, Math.min(this.length, behind * PAGE));
    for (let page = first; page < behind; page++) {
      if (this.isKnown[page] === 1) continue;
      if (checksum(pageOf(bytes, page - first)) !== this.sums[page]) throw new DamagedBytes(this.file);
      this.isKnown[page] = 1;
    }
    inRoom = { file: this, start: first * PAGE, end: first * PAGE + bytes.length };
    return bytes.subarray(start - first * PAGE, end - first * PAGE);
  }

  private plain(opened: number, start: number, end: number): Uint8Array {
    inRoom = undefined;
    if (room.length < end - start) room = new Uint8Array(2 * (end - start));
    const bytes = room.subarray(0, end - start);
    for (let at = 0; at < bytes.length;) {
      const read = readSync(opened, bytes, at, bytes.length - at, start + at);
      if (read === 0) throw new DamagedBytes(this.file);
      at += read;
    }
    return bytes;
  }
}

function pagesOf(length: number): number {
  return Math.ceil(length / PAGE);
}

function pageOf(bytes: Uint8Array, page: number): Uint8Array {
  return bytes.subarray(page * PAGE, (page + 1) * PAGE);
}

/** Any changed byte changes it. The bytes begin where numbers may, as pages do in memory of their own. */
function checksum(bytes: Uint8Array, seed = 0): number {
  let sum = START ^ seed;
  const numbers = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2);
  for (let number = 0; number < numbers.length; number++) sum = Math.imul(sum ^ (numbers[number] ?? 0), FACTOR);
  for (let at = numbers.length * SUM; at < bytes.length; at++) sum = Math.imul(sum ^ (bytes[at] ?? 0), FACTOR);
  return sum >>> 0;
}
