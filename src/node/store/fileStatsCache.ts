import { link, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod/mini';
import { errorText } from '../../core/text/keepitError';
import type { Log } from '../../core/model/host';
import {
  cachedTranscriptSchema,
  emptyProjectCache,
  projectCacheSchema,
  type ProjectCache,
  type StatsCache,
} from '../../core/sessions/statsCache';
import { createFile, temporaryBeside, writeFileAtomic, ensurePrivateFolder } from '../files/atomicFile';
import { errorCode } from '../files/errorCode';
import { DEFAULT_LOCK_TIMING, withLock, type HeldLock, TaskQueue } from '../files/fileLock';
import { refuseLinks, textWithin } from '../files/links';
import { markOf } from '../files/fileMark';
import type { FileMemoryStore } from './fileMemoryStore';
import { StoreLayout } from './storeLayout';
import { setOwnValue, parsedJson } from '../../core/text/ownValue';

/**
 * Raise it when the same transcript gives other figures than before, or the schemas change: what an older Keepit
 * remembered is then forgotten, and read again.
 */
const CACHE_FORMAT = 9;

const headSchema = z.object({ format: z.literal(CACHE_FORMAT), agentParents: projectCacheSchema.shape.agentParents });
const lineSchema = z.object({ path: z.string(), transcript: cachedTranscriptSchema });

const WRITE_CHARS = 64 * 1024;

const LOCK = '.lock';
/** Whoever writes a cache is done with it in a moment. */
const LOCK_TIMING = { ...DEFAULT_LOCK_TIMING, waitMs: 3000 };
/** Somebody else was faster, or there are no hard links here. */
const CANNOT_CREATE: ReadonlySet<string> = new Set(['EEXIST', 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

type Change = (cache: ProjectCache) => ProjectCache;

/** A cache as it was when its file had this mark; undefined when there was no file. */
interface Known {
  readonly mark: string | undefined;
  readonly cache: ProjectCache;
}

/** Files below `cache/`. Nothing here throws: what cannot be read or written is read from the transcripts again. */
export class FileStatsCache implements StatsCache {
  readonly #layout: StoreLayout;
  readonly #limit: FileMemoryStore['cacheLimit'];
  readonly #queue = new TaskQueue();
  readonly #known = new Map<string, Known>();
  readonly #loading = new Map<string, Promise<Known>>();
  #ready: Promise<void> | undefined;
  #saysFormat = false;

  constructor(
    { dir, cacheLimit }: Pick<FileMemoryStore, 'dir' | 'cacheLimit'>,
    private readonly log: Log,
  ) {
    this.#layout = new StoreLayout(dir);
    this.#limit = cacheLimit;
  }

  async load(projectId: string, folder?: string): Promise<ProjectCache> {
    await this.#getReady();
    if (folder !== undefined && !this.#known.has(projectId)) {
      const text = await this.#read(this.#layout.digests(projectId));
      if (!text.includes(JSON.stringify(folder))) return emptyProjectCache(); // taking it apart takes ten times as long
    }
    let loading = this.#loading.get(projectId);
    if (loading === undefined) {
      loading = this.#loadUnlessKnown(projectId).finally(() => this.#loading.delete(projectId));
      this.#loading.set(projectId, loading);
    }
    return copyOf((await loading).cache);
  }

  async update(projectId: string, change: Change): Promise<ProjectCache> {
    await this.#getReady();
    return this.#queue.run(projectId, async () => {
      const file = this.#layout.digests(projectId);
      try {
        await this.#prepare(file);
        const changed = (await this.#create(projectId, change)) ?? (await this.#replace(projectId, change));
        await this.#limit.wrote((await stat(file)).size);
        return copyOf(changed);
      } catch (error) {
        this.log.warn(`${file} could not be written: ${errorText(error)}`);
        return change(await this.load(projectId));
      }
    });
  }

  /** Once in a process, before anything is read. */
  async #getReady(): Promise<void> {
    this.#ready ??= this.#forgetOthers();
    return this.#ready;
  }

  /** What another format remembered is deleted, rather than only passed over: older ones hold words that no cache may hold. */
  async #forgetOthers(): Promise<void> {
    try {
      if (await this.#isOwnFormat()) return;
      await refuseLinks(this.#layout.dir, this.#layout.cache);
      for (const folder of this.#layout.rememberedFolders) await rm(folder, { recursive: true, force: true });
    } catch (error) {
      this.log.warn(`${this.#layout.cache} could not be brought up to date: ${errorText(error)}`);
    }
  }

  async #isOwnFormat(): Promise<boolean> {
    const { dir, cacheFormat } = this.#layout;
    return (await textWithin(dir, cacheFormat)) === String(CACHE_FORMAT);
  }

  /** Makes the folder for a file of the cache, which then says its format. */
  async #prepare(file: string): Promise<void> {
    await ensurePrivateFolder(path.dirname(file), this.#layout.dir);
    if (this.#saysFormat) return;
    if (!(await this.#isOwnFormat())) {
      await writeFileAtomic(this.#layout.cacheFormat, String(CACHE_FORMAT), { isDurable: false });
    }
    this.#saysFormat = true;
  }

  /** A project's digests are parsed once in a process, and again when another process has written them. */
  async #loadUnlessKnown(projectId: string): Promise<Known> {
    const file = this.#layout.digests(projectId);
    const mark = (await markOf(file).catch(() => undefined))?.text; // a cache that cannot be looked at is none
    const known = this.#known.get(projectId);
    if (known !== undefined && known.mark === mark) return known;
    const read = { mark, cache: mark === undefined ? emptyProjectCache() : await this.#parse(file) };
    this.#known.set(projectId, read);
    return read;
  }

  async #parse(file: string): Promise<ProjectCache> {
    const cache = emptyProjectCache();
    const [first = '', ...lines] = (await this.#read(file)).split('\n');
    const head = headSchema.safeParse(parsedJson(first));
    if (!head.success) return cache;
    for (const line of lines) {
      const checked = lineSchema.safeParse(parsedJson(line));
      if (checked.success) setOwnValue(cache.transcripts, checked.data.path, checked.data.transcript);
    }
    return { ...cache, agentParents: head.data.agentParents };
  }

  /** The first cache of a project needs no lock: it can be made only once. Undefined when there is one already. */
  async #create(projectId: string, change: Change): Promise<ProjectCache | undefined> {
    if ((await this.#loadUnlessKnown(projectId)).mark !== undefined) return undefined;
    const file = this.#layout.digests(projectId);
    const temporary = temporaryBeside(file);
    const cache = change(emptyProjectCache());
    try {
      await createFile(temporary, (handle) => writeFile(handle, inPieces(linesOf(cache)), 'utf8'));
      await link(temporary, file);
    } catch (error) {
      if (!CANNOT_CREATE.has(errorCode(error) ?? '')) throw error;
      return undefined;
    } finally {
      await rm(temporary, { force: true });
    }
    return this.#remember(projectId, cache);
  }

  async #replace(projectId: string, change: Change): Promise<ProjectCache> {
    const file = this.#layout.digests(projectId);
    const replace = async (lock: HeldLock): Promise<ProjectCache> => {
      const cache = change(copyOf((await this.#loadUnlessKnown(projectId)).cache));
      const beforeRename = () => lock.assertHeld();
      await writeFileAtomic(file, inPieces(linesOf(cache)), { isDurable: false, beforeRename });
      return this.#remember(projectId, cache);
    };
    return withLock(`${file}${LOCK}`, replace, LOCK_TIMING);
  }

  async #remember(projectId: string, cache: ProjectCache): Promise<ProjectCache> {
    const mark = await markOf(this.#layout.digests(projectId));
    this.#known.set(projectId, { mark: mark?.text, cache });
    return cache;
  }

  async #read(file: string): Promise<string> {
    try {
      return (await textWithin(this.#layout.dir, file)) ?? '';
    } catch (error) {
      this.log.warn(`${file} could not be read: ${errorText(error)}`);
      return '';
    }
  }
}

/** Callers may add and replace entries; the entries themselves they leave as they are. */
function copyOf({ transcripts, agentParents }: ProjectCache): ProjectCache {
  return { transcripts: { ...transcripts }, agentParents: { ...agentParents } };
}

function* linesOf({ transcripts, agentParents }: ProjectCache): Iterable<string> {
  yield JSON.stringify({ format: CACHE_FORMAT, agentParents });
  for (const [file, transcript] of Object.entries(transcripts)) {
    yield `\n${JSON.stringify({ path: file, transcript })}`;
  }
}

/** The same content in larger pieces. */
function* inPieces(content: Iterable<string>): Iterable<string> {
  let piece = '';
  for (const text of content) {
    piece += text;
    if (piece.length < WRITE_CHARS) continue;
    yield piece;
    piece = '';
  }
  yield piece;
}
