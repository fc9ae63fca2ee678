import { lstat, readdir, realpath, stat } from 'node:fs/promises';
import type { Stats } from 'node:fs';
import path from 'node:path';
import { TranscriptUnreadableError } from '../../core/errors';
import type { KeptFile, TranscriptFile } from '../../core/ports';
import { keepAside } from '../files/atomicFile';
import { isGone, unlessGone } from '../files/errorCode';
import { asUnreadable } from '../claude/asUnreadable';
import { ensurePrivateFolder } from '../files/privateFolder';
import { storing } from '../files/storeFailure';
import { appendFrom, haveEqualBytes, TAKE_METHODS, takeFile, type TakeMethod } from '../files/takeFile';
import type { ProjectLayout } from './storeLayout';

/** Called with the path of a file that was not there before, so that it can be removed if nobody comes to name it. */
export type OnMade = (file: string) => void;

/** The bytes at either end, and of each sample between them, that tell a file that grew from one that was rewritten. */
const END_WINDOW_BYTES = 64 * 1024;
const SAMPLE_BYTES = 4 * 1024;
const SAMPLES = 14;

interface Source {
  /** Without symbolic links: a hard link to a link would dangle with it. */
  path: string;
  stats: Stats;
}

/** Copies of transcripts that outlive Claude Code's clean-up. All writing happens inside the project's lock. */
export class Originals {
  readonly #methods: readonly TakeMethod[];

  constructor(methods: readonly TakeMethod[] = TAKE_METHODS) {
    this.#methods = methods;
  }

  /** `MemoryStore.keepOriginal`. `before` is how the copy was made that is there already, where that is known. */
  async keep(
    layout: ProjectLayout,
    { sessionId, source, before }: { sessionId: string; source: string; before: TakeMethod | undefined },
    onMade: OnMade,
    signal?: AbortSignal,
  ): Promise<KeptFile> {
    const target = layout.original(sessionId);
    const method = (await this.#keepFile(source, target, onMade, signal)) ?? before ?? 'copy';
    return { file: layout.relative(target), method, bytes: (await stat(target)).size };
  }

  /** `MemoryStore.keepSubAgents`. */
  async keepSubAgents(
    layout: ProjectLayout,
    { sessionId, sources }: { sessionId: string; sources: readonly string[] },
    onMade: OnMade,
    signal?: AbortSignal,
  ): Promise<void> {
    for (const source of sources) {
      const target = layout.subAgent(sessionId, path.basename(source));
      if ((await openSource(source)) !== undefined) await this.#keepFile(source, target, onMade, signal);
    }
  }

  /** `MemoryStore.keptSubAgents`. */
  async subAgents(layout: ProjectLayout, sessionId: string): Promise<TranscriptFile[]> {
    const folder = layout.subAgents(sessionId);
    const names = (await unlessGone(readdir(folder))) ?? [];
    const files = names.filter((name) => name.endsWith('.jsonl')).map((name) => path.join(folder, name));
    const found: TranscriptFile[] = [];
    for (const file of files) {
      const stats = await unlessGone(stat(file));
      if (stats?.isFile() === true) found.push({ path: file, bytes: stats.size, mtimeMs: stats.mtimeMs });
    }
    return found;
  }

  /** `MemoryStore.separateOriginal`. */
  async separate(layout: ProjectLayout, sessionId: string, signal?: AbortSignal): Promise<void> {
    const target = layout.original(sessionId);
    await storing(target, async () => {
      const stats = await unlessGone(stat(target));
      if (stats === undefined || stats.nlink === 1) return;
      const methods = this.#methods.filter((method) => method !== 'link');
      await takeFile(target, target, methods.length > 0 ? methods : ['copy'], signal);
    });
  }

  /** `MemoryStore.originalPath`. */
  async find(layout: ProjectLayout, sessionId: string): Promise<string | undefined> {
    const target = layout.original(sessionId);
    const stats = await unlessGone(stat(target));
    return stats?.isFile() === true ? target : undefined;
  }

  /** How the file came here now; undefined when it stayed what it was, or has only grown. */
  async #keepFile(
    source: string,
    target: string,
    onMade: OnMade,
    signal: AbortSignal | undefined,
  ): Promise<TakeMethod | undefined> {
    return storing(target, async () => {
      await this.replaceSymlink(target, signal);
      const kept = await this.#lookAt(target);
      const found = await openSource(source);
      if (found === undefined || (found.stats.size === 0 && kept !== undefined)) {
        if (kept === undefined) throw new TranscriptUnreadableError('vanished', source);
        return undefined; // an emptied file is as good as a deleted one: ours is all there is
      }
      if (kept !== undefined) return this.#renew(found, target, kept, signal);
      await ensurePrivateFolder(path.dirname(target));
      const method = await takeFile(found.path, target, this.#methods, signal);
      onMade(target);
      return method;
    });
  }

  async #renew(
    source: Source,
    target: string,
    kept: Stats,
    signal: AbortSignal | undefined,
  ): Promise<TakeMethod | undefined> {
    const { stats } = source;
    if (stats.dev === kept.dev && stats.ino === kept.ino) return 'link';
    const isUnchanged = stats.size === kept.size && Math.abs(stats.mtimeMs - kept.mtimeMs) < 1;
    if (isUnchanged) return undefined;
    // A second name of our copy means that somebody else still has that file: nothing may be appended to it.
    const isOurs = kept.nlink === 1;
    const windows = isOurs ? samplesOf(kept.size) : [{ start: 0, end: kept.size }];
    const hasGrown = stats.size >= kept.size && (await haveEqualBytes(source.path, target, windows, signal));
    if (hasGrown && isOurs) {
      await appendFrom(source.path, target, signal);
      return undefined;
    }
    if (!hasGrown) await keepAside(target, (n) => `${target}.older-${n}`);
    return takeFile(source.path, target, this.#methods, signal);
  }

  /** Other tools keep symbolic links, which dangle when Claude Code deletes the transcript: takes over what they point to. */
  async replaceSymlink(target: string, signal?: AbortSignal): Promise<boolean> {
    const stats = await unlessGone(lstat(target));
    if (stats?.isSymbolicLink() !== true) return false;
    const pointed = await openSource(target).catch((error: unknown) => {
      if (error instanceof TranscriptUnreadableError) return undefined; // points to a folder, or in a circle
      throw error;
    });
    if (pointed === undefined) return false;
    await takeFile(pointed.path, target, this.#methods, signal);
    return true;
  }

  /** What is kept; a symbolic link that leads nowhere is nothing. */
  async #lookAt(target: string): Promise<Stats | undefined> {
    const stats = await unlessGone(lstat(target));
    return stats?.isSymbolicLink() === true ? undefined : stats;
  }
}

/** The transcript itself; undefined when it is gone. */
async function openSource(source: string): Promise<Source | undefined> {
  try {
    const real = await realpath(source);
    const stats = await stat(real);
    if (!stats.isFile()) throw new TranscriptUnreadableError('io', source);
    return { path: real, stats };
  } catch (error) {
    if (isGone(error)) return undefined;
    throw asUnreadable(source, error);
  }
}

/** Both ends and some places between: what rewrites a transcript moves its bytes, and shows there. */
function samplesOf(size: number): { start: number; end: number }[] {
  if (size <= 2 * END_WINDOW_BYTES + SAMPLES * SAMPLE_BYTES) return [{ start: 0, end: size }];
  const step = Math.floor((size - 2 * END_WINDOW_BYTES) / SAMPLES);
  const samples = Array.from({ length: SAMPLES }, (_, index) => {
    const start = END_WINDOW_BYTES + index * step;
    return { start, end: start + SAMPLE_BYTES };
  });
  return [{ start: 0, end: END_WINDOW_BYTES }, ...samples, { start: size - END_WINDOW_BYTES, end: size }];
}
