import type { SessionSource } from '../sessions/results';

import type { MemoryStore } from '../model/host';
import { sessionKey } from '../model/fields';
import { hash64 } from '../text/hash64';
import { settled } from '../text/mapLimited';
import { errorText, isAbortError } from '../text/keepitError';
import { atHand, type Bytes, DamagedBytes } from './bytes';
import { firstFrom } from './order';
import type { Searched } from './ranking';
import {
  isSameFile,
  messageDocument,
  messageDocuments,
  readSaid,
  type SaidMessage,
  type SaidMessagesParts,
  type SaidWords,
} from './saidMessages';
import type { SearchDocument } from './searchDocument';
import { PLACES, SegmentBuilder } from './segment';
import { decodeTables, encodeTables, type IndexedSession, type StoredTables } from './storedTables';

/** What became of the sessions that are not among those that were opened. */
export interface OpeningReport {
  /** Sessions that were left for another time, because enough was read. */
  unread: number;
  failed: { what: string; error: string }[];
}

/** Sessions of one project that are searched. */
export interface WantedSessions {
  readonly projectId: string;
  readonly sessionIds: readonly string[];
  /** Whether these are all that are in memory. */
  readonly areAll: boolean;
}

interface Pack extends StoredTables {
  readonly name: string;
  readonly bytes: Bytes;
}

interface SessionTablesParts extends SaidMessagesParts {
  readonly store: Pick<MemoryStore, 'listProjects'>;
}

/** So much of transcripts is read in one search at most; what is indexed already does not count. */
const MOST_BYTES = 256 * 1024 * 1024;
/** The words of so many sessions stay open: those of the last answers. */
const MOST_AT_HAND = 64;
/** A pack is closed when it has so many passages, and not joined with others any more. */
const FULL = 40_000;
/** More packs of a project are joined: each costs a search some time. */
const MOST_PACKS = 6;
const ENDING = '.tables';
/** More than so much that is added at once is indexed by whoever searches first. */
const MOST_ADDED_BYTES = 4 * 1024 * 1024;
/** So many bytes are looked over at once. */
const CHECKED = 1024 * 1024;

/**
 * The index of a project: packs of tables, each of some sessions, beside the words that were said in these. It is derived from the
 * transcripts: whoever searches, or adds to memory, makes a pack of what is in none, and of what has changed since. Packs are written
 * whole, under a name that follows from what is in them, and never changed: what a crash leaves behind is complete, or is not read.
 */
export class SessionTables {
  private readonly open = new Map<string, Map<string, Pack>>();
  private readonly atHand = new Map<string, Promise<SaidWords>>();
  private making: Promise<unknown> = Promise.resolve();

  constructor(private readonly parts: SessionTablesParts) {}

  /** All packs that hold wanted sessions. */
  async opened(
    { projectId, sessionIds, areAll }: WantedSessions,
    report: OpeningReport,
    signal?: AbortSignal,
  ): Promise<Searched[]> {
    const refs = sessionIds.map((sessionId) => ({ projectId, sessionId }));
    const located = await this.parts.sources.locateAll(refs, signal);
    const sources = new Map(
      located.flatMap((source) => (source === undefined ? [] : [[source.ref.sessionId, source]])),
    );
    let packs = await this.known(projectId);
    const missing = [...sources.values()].filter(({ ref, file }) => {
      return !packs.some(({ sessions }) =>
        sessions.some((one) => one.sessionId === ref.sessionId && isSameFile(one, file)),
      );
    });
    if (missing.length > 0) packs = [...packs, ...(await this.make(projectId, missing, { report, signal }))];
    const live = liveIn(packs, sources);
    if (areAll) packs = await this.joined(projectId, packs, live);
    const shown = liveIn(packs, sources);
    return packs.flatMap((pack) => {
      const holders = shown.get(pack) ?? [];
      return holders.some((source) => source !== undefined) ? [this.searched(pack, holders)] : [];
    });
  }

  /** Makes a pack of sessions that have just been added to memory. Never throws but for an abort: whoever searches makes what is missing. */
  async add(sources: readonly SessionSource[], signal?: AbortSignal): Promise<void> {
    const bytes = sources.reduce((sum, { file }) => sum + file.bytes, 0);
    if (bytes > MOST_ADDED_BYTES) return;
    const report: OpeningReport = { unread: 0, failed: [] };
    for (const projectId of new Set(sources.map(({ ref }) => ref.projectId))) {
      const own = sources.filter(({ ref }) => ref.projectId === projectId);
      try {
        await this.make(projectId, own, { report, signal });
      } catch (error) {
        if (isAbortError(error) || signal?.aborted === true) throw error;
        this.parts.log.warn(`${projectId} is indexed by the next search: ${errorText(error)}`);
      }
    }
  }

  /** What searches go by, of all projects in memory; what is damaged is taken away when it is to be mended. */
  async check({ repair }: { repair: boolean }, signal?: AbortSignal): Promise<{ sessions: number; damaged: number }> {
    const found = { sessions: 0, damaged: 0 };
    for (const projectId of await this.parts.store.listProjects()) {
      for (const name of await this.parts.searchFiles.list(projectId, '')) {
        signal?.throwIfAborted();
        const bytes = await this.parts.searchFiles.open(projectId, name);
        const isWhole = bytes !== undefined && isReadable(bytes);
        if (isWhole && name.endsWith(ENDING)) found.sessions += decoded(bytes)?.sessions.length ?? 0;
        bytes?.close();
        if (isWhole) continue;
        found.damaged += 1;
        if (repair) await this.remove(projectId, name);
      }
    }
    return found;
  }

  /** The packs that are there: others may have made some, or joined them. */
  private async known(projectId: string): Promise<Pack[]> {
    const before = this.open.get(projectId);
    const packs = new Map<string, Pack>();
    for (const name of (await this.parts.searchFiles.list(projectId, ENDING)).sort()) {
      const known = before?.get(name) ?? (await this.load(projectId, name));
      if (known !== undefined) packs.set(name, known);
    }
    for (const [name, pack] of before ?? []) if (!packs.has(name)) pack.bytes.close();
    this.open.set(projectId, packs);
    return [...packs.values()];
  }

  /** Looks something up. What turns out to be damaged when it is read is taken away, and made again by another look; each once. */
  async look<T>(work: () => Promise<T>): Promise<T> {
    for (const removed = new Set<string>(); ;) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof DamagedBytes) || removed.has(error.file)) throw error;
        removed.add(error.file);
        await this.drop(error);
      }
    }
  }

  private async drop({ file }: DamagedBytes): Promise<void> {
    for (const [projectId, packs] of this.open)
      for (const { name } of packs.values()) if (file.endsWith(name)) await this.remove(projectId, name);
  }

  private async remove(projectId: string, name: string): Promise<void> {
    this.open.get(projectId)?.get(name)?.bytes.close();
    this.open.get(projectId)?.delete(name);
    await this.parts.searchFiles.remove(projectId, name);
  }

  private async load(projectId: string, name: string): Promise<Pack | undefined> {
    const bytes = await this.parts.searchFiles.open(projectId, name);
    const stored = bytes && decoded(bytes);
    if (bytes !== undefined && stored !== undefined) return { name, bytes, ...stored };
    bytes?.close();
    await this.parts.searchFiles.remove(projectId, name); // torn, or of an older version
    return undefined;
  }

  /** One after the other: what is indexed takes room until it is written. */
  private async make(...wanted: Parameters<SessionTables['makeNext']>): Promise<Pack[]> {
    const made = settled(this.making).then(() => this.makeNext(...wanted));
    this.making = made;
    return made;
  }

  private async makeNext(
    projectId: string,
    sources: readonly SessionSource[],
    { report, signal }: { report: OpeningReport; signal: AbortSignal | undefined },
  ): Promise<Pack[]> {
    const made: Pack[] = [];
    const meaning = await this.parts.meaning();
    let tables = new SegmentBuilder(meaning);
    let sessions: IndexedSession[] = [];
    let bytesLeft = MOST_BYTES;
    for (const { ref, file } of sources) {
      signal?.throwIfAborted();
      if (bytesLeft < file.bytes && bytesLeft < MOST_BYTES) {
        report.unread += 1;
        continue;
      }
      bytesLeft -= file.bytes;
      const { path, bytes, mtimeMs } = file;
      try {
        const said = await readSaid(this.parts, { ref, file }, signal);
        tables.add(sessions.length, messageDocuments(ref, said.all()));
        sessions.push({ sessionId: ref.sessionId, path, bytes, mtimeMs });
        this.atHand.delete(sessionKey(ref));
      } catch (error) {
        if (isAbortError(error) || signal?.aborted === true) throw error;
        report.failed.push({ what: ref.sessionId, error: errorText(error) });
      }
      if (tables.lengths.length < FULL) continue;
      made.push(await this.save(projectId, { sessions, tables }));
      [tables, sessions] = [new SegmentBuilder(meaning), []];
    }
    if (sessions.length > 0) made.push(await this.save(projectId, { sessions, tables }));
    return made;
  }

  private async save(projectId: string, stored: StoredTables): Promise<Pack> {
    const name = `${hash64(JSON.stringify(stored.sessions))}${ENDING}`;
    const encoded = encodeTables(stored);
    await this.parts.searchFiles.save(projectId, name, encoded);
    const saved = await this.parts.searchFiles.open(projectId, name);
    const bytes = saved ?? atHand(encoded); // a full disk is no reason to find nothing
    const pack = { name, bytes, ...(decoded(bytes) ?? stored) };
    this.open.get(projectId)?.set(name, pack);
    return pack;
  }

  /** Joins packs where there are many of them, or they hold what is gone; those that were joined are removed. */
  private async joined(projectId: string, packs: readonly Pack[], live: LiveSessions): Promise<Pack[]> {
    const isDead = (pack: Pack): boolean => live.get(pack)?.every((source) => source === undefined) === true;
    const holdsDead = (pack: Pack): boolean => live.get(pack)?.includes(undefined) === true;
    const small = packs.filter((pack) => !isDead(pack) && (holdsDead(pack) || pack.tables.lengths.length < FULL));
    const isDue = packs.length > MOST_PACKS && small.length > 1;
    const old = [...packs.filter(isDead), ...(isDue ? small : [])];
    if (old.length === 0) return [...packs];
    const kept = packs.filter((pack) => !old.includes(pack));
    if (isDue) {
      const sessions: IndexedSession[] = [];
      const tables = new SegmentBuilder(await this.parts.meaning());
      for (const pack of small) {
        const holders = (live.get(pack) ?? []).map((source, at) => {
          const session = pack.sessions[at];
          return source === undefined || session === undefined ? undefined : sessions.push(session) - 1;
        });
        tables.append(pack.tables, (holder) => holders[holder]);
      }
      kept.push(await this.save(projectId, { sessions, tables }));
    }
    for (const { name } of old) {
      if (!kept.some((pack) => pack.name === name)) await this.remove(projectId, name);
    }
    return kept;
  }

  private searched({ tables }: Pack, holders: readonly (SessionSource | undefined)[]): Searched {
    const sourceOf = (document: number): SessionSource | undefined => holders[tables.holders[document] ?? 0];
    return {
      tables,
      known: () => undefined,
      sessionOf: (document) => sourceOf(document)?.ref.sessionId,
      read: async (wanted) => {
        const documents: SearchDocument[] = [];
        for (const at of wanted) {
          const source = sourceOf(at);
          const place = PLACES[tables.places[at] ?? 0];
          const message = at - firstFrom(at, (one) => tables.holders[one] !== tables.holders[at]);
          const known = { place: place === 'other' ? undefined : place };
          const said = source === undefined ? undefined : await this.messageAt(source, message);
          if (source !== undefined && said !== undefined) documents.push(messageDocument(source.ref, said, known));
        }
        return documents;
      },
    };
  }

  /** What was said, read when it is shown. */
  private async messageAt(source: SessionSource, message: number): Promise<SaidMessage | undefined> {
    try {
      return (await this.said(source)).at(message);
    } catch (error) {
      if (!(error instanceof DamagedBytes)) throw error;
      const { projectId, sessionId } = source.ref;
      this.atHand.delete(sessionKey(source.ref));
      await this.parts.searchFiles.remove(projectId, `${sessionId}.said`);
      return (await this.said(source)).at(message);
    }
  }

  private async said(source: SessionSource): Promise<SaidWords> {
    const key = sessionKey(source.ref);
    const before = this.atHand.get(key);
    const isSame = before !== undefined && isSameFile((await before).file, source.file);
    if (before !== undefined && !isSame) (await before).close();
    const said = isSame ? before : readSaid(this.parts, source);
    this.atHand.delete(key);
    this.atHand.set(key, said);
    for (const [oldest, words] of this.atHand) {
      if (this.atHand.size <= MOST_AT_HAND) break;
      this.atHand.delete(oldest);
      (await words).close();
    }
    return said;
  }
}

function isReadable(bytes: Bytes): boolean {
  try {
    for (let at = 0; at < bytes.length; at += CHECKED) bytes.read(at, Math.min(bytes.length, at + CHECKED));
    return true;
  } catch (error) {
    if (error instanceof DamagedBytes) return false;
    throw error;
  }
}

function decoded(bytes: Bytes): StoredTables | undefined {
  try {
    return decodeTables(bytes);
  } catch (error) {
    if (error instanceof DamagedBytes) return undefined;
    throw error;
  }
}

/** Of each pack, by its sessions, those that are to be found there: wanted, as they are now, and in no pack before. */
type LiveSessions = ReadonlyMap<Pack, readonly (SessionSource | undefined)[]>;

function liveIn(packs: readonly Pack[], sources: ReadonlyMap<string, SessionSource>): LiveSessions {
  const left = new Map(sources);
  return new Map(
    packs.map((pack) => {
      const live = pack.sessions.map((session) => {
        const source = left.get(session.sessionId);
        if (source === undefined || !isSameFile(session, source.file)) return undefined;
        left.delete(session.sessionId);
        return source;
      });
      return [pack, live] as const;
    }),
  );
}
