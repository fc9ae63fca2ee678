import { lstat, readdir } from 'node:fs/promises';
import type { Stats } from 'node:fs';
import path from 'node:path';
import { TranscriptUnreadableError } from '../../core/transcript/claudeFolder';
import type { TranscriptFile, KeptFile } from '../../core/model/host';
import { discardTemporary, fillTemporary, keptAside, ensurePrivateFolder } from '../files/atomicFile';
import { isGone, unlessGone, storing } from '../files/errorCode';
import { findLink, findWayOut, refuseLinks } from '../files/links';
import { copyErased } from '../forgetting/rewriteFiles';
import type { ForgottenFile } from '../forgetting/forgottenFile';
import { asUnreadable } from '../claude/transcriptFile';
import { appendFrom, beginsWith, takeFile, type TakeMethod } from '../files/takeFile';
import { firstChange, hashContent, hashedContent } from './originalHashes';
import type { ProjectLayout } from './storeLayout';

/** Called with the path of a file that was not there before, so that it can be removed if nobody comes to name it. */
type OnMade = (file: string) => void;

/** How a file came here, where that is known now; one that is not new is what it was, or has only grown. */
interface Taken {
  readonly method?: TakeMethod;
  readonly isNew: boolean;
}

const AS_IT_WAS: Taken = { isNew: false };

/** What came of an attempt to put a fresh copy in the place of a damaged one. */
export type Renewal = 'renewed' | { differsFrom: number };

interface Source {
  path: string;
  stats: Stats;
}

/** Copies of transcripts that outlive Claude Code's clean-up. All writing happens inside the project's lock. */
export class Originals {
  /** `methods` is asked each time: a setting holds from the next file on. */
  constructor(
    private readonly methods: () => Promise<readonly TakeMethod[]>,
    private readonly forgotten: Pick<ForgottenFile, 'runsOf'>,
  ) {}

  /** `SessionStore.keep`. `before` is how the copy was made that is there already, where that is known. */
  async keep(
    layout: ProjectLayout,
    { sessionId, source, before }: { sessionId: string; source: string; before: KeptFile | undefined },
    onMade: OnMade,
    signal?: AbortSignal,
  ): Promise<KeptFile> {
    const target = layout.original(sessionId);
    const taken = await this.#keepFile(layout, { source, target }, onMade, signal);
    return storing(target, async () => {
      const { size: bytes, nlink } = await lstat(target);
      const hashes = await hashContent(target, bytes, taken.isNew ? undefined : hashedContent(before), signal);
      const method = taken.method ?? (before?.method === 'link' && nlink === 1 ? 'copy' : before?.method) ?? 'copy';
      return { file: layout.relative(target), method, bytes, hashes };
    });
  }

  /** `SessionStore.renew`. */
  async renew(
    layout: ProjectLayout,
    { sessionId, source, kept }: { sessionId: string; source: string; kept: KeptFile | undefined },
    signal?: AbortSignal,
  ): Promise<Renewal> {
    const content = hashedContent(kept);
    const target = layout.original(sessionId);
    return this.#withAllowed(layout, { source, target }, async (found) => {
      if (content === undefined || found === undefined) return { differsFrom: 0 };
      const differsFrom = await firstChange(found.path, content, signal);
      if (differsFrom !== undefined) return { differsFrom };
      await storing(target, async () => {
        await ensurePrivateFolder(path.dirname(target), layout.root);
        await takeFile(found.path, target, await this.methods(), signal);
      });
      return 'renewed';
    });
  }

  /** `SessionStore.keepSubAgents`. */
  async keepSubAgents(
    layout: ProjectLayout,
    { sessionId, sources }: { sessionId: string; sources: readonly string[] },
    onMade: OnMade,
    signal?: AbortSignal,
  ): Promise<void> {
    for (const source of sources) {
      const target = layout.subAgent(sessionId, path.basename(source));
      if ((await openSource(source)) !== undefined) await this.#keepFile(layout, { source, target }, onMade, signal);
    }
  }

  /** `SessionStore.subAgents`. */
  async subAgents(layout: ProjectLayout, sessionId: string): Promise<TranscriptFile[]> {
    const folder = layout.subAgents(sessionId);
    if ((await findLink(layout.root, folder)) !== undefined) return []; // the doctor says so
    const names = (await unlessGone(readdir(folder))) ?? [];
    const files = names.filter((name) => name.endsWith('.jsonl')).map((name) => path.join(folder, name));
    const found: TranscriptFile[] = [];
    for (const file of files) {
      const stats = await unlessGone(lstat(file));
      if (stats?.isFile() === true) found.push({ path: file, bytes: stats.size, mtimeMs: stats.mtimeMs });
    }
    return found;
  }

  /** `SessionStore.path`. */
  async find(layout: ProjectLayout, sessionId: string): Promise<string | undefined> {
    const target = layout.original(sessionId);
    if ((await findWayOut(layout.root, target)) !== undefined) throw new TranscriptUnreadableError('link', target);
    const stats = await unlessGone(lstat(target));
    return stats?.isFile() === true ? target : undefined;
  }

  async #keepFile(
    layout: ProjectLayout,
    { source, target }: { source: string; target: string },
    onMade: OnMade,
    signal: AbortSignal | undefined,
  ): Promise<Taken> {
    return storing(target, async () => {
      await refuseLinks(layout.root, path.dirname(target));
      const kept = await lookAt(target);
      return this.#withAllowed(layout, { source, target }, async (found) => {
        if (found === undefined || (found.stats.size === 0 && kept !== undefined)) {
          if (kept === undefined) throw new TranscriptUnreadableError('vanished', source);
          return AS_IT_WAS; // an emptied file is as good as a deleted one: ours is all there is
        }
        if (kept !== undefined) return this.#renew(found, target, kept, signal);
        await ensurePrivateFolder(path.dirname(target), layout.root);
        const method = await takeFile(found.path, target, await this.methods(), signal);
        onMade(target);
        return { method, isNew: true };
      });
    });
  }

  /** Works with a transcript as it may be kept: where it says what was erased, with a copy that does not. */
  async #withAllowed<T>(
    { root }: ProjectLayout,
    { source, target }: { source: string; target: string },
    work: (source: Source | undefined) => Promise<T>,
  ): Promise<T> {
    const found = await openSource(source);
    const runs = found === undefined ? [] : await this.forgotten.runsOf(source);
    if (found === undefined || runs.length === 0) return work(found);
    await ensurePrivateFolder(path.dirname(target), root);
    const allowed = await fillTemporary(target, (temporary) =>
      copyErased(found.path, temporary, runs, found.stats.size),
    );
    try {
      return await work(await openSource(allowed));
    } finally {
      await discardTemporary(allowed);
    }
  }

  async #renew(source: Source, target: string, kept: Stats, signal: AbortSignal | undefined): Promise<Taken> {
    const { stats } = source;
    const methods = await this.methods();
    const take = async () => ({ method: await takeFile(source.path, target, methods, signal), isNew: true });
    if (stats.dev === kept.dev && stats.ino === kept.ino) {
      if (methods.includes('link')) return { method: 'link', isNew: false };
      return take();
    }
    // A second name of our copy means that somebody else still has that file: nothing may be appended to it.
    const isOurs = kept.nlink === 1;
    if (isOurs && stats.size === kept.size && Math.abs(stats.mtimeMs - kept.mtimeMs) < 1) return AS_IT_WAS;
    const hasGrown = stats.size >= kept.size && (await beginsWith(source.path, target, kept.size, signal));
    if (hasGrown && isOurs) {
      await appendFrom(source.path, target, signal);
      return AS_IT_WAS;
    }
    return hasGrown ? take() : keptAside(target, (n) => `${target}.older-${n}`, take);
  }
}

/** What is kept; a symbolic link, as other tools make them, is nothing, and a transcript takes its place. */
async function lookAt(target: string): Promise<Stats | undefined> {
  const stats = await unlessGone(lstat(target));
  return stats?.isSymbolicLink() === true ? undefined : stats;
}

/** The transcript itself; undefined when it is gone. A symbolic link is none: it could lead to any file there is. */
async function openSource(source: string): Promise<Source | undefined> {
  try {
    const stats = await lstat(source);
    if (!stats.isFile()) throw new TranscriptUnreadableError(stats.isSymbolicLink() ? 'link' : 'io', source);
    return { path: source, stats };
  } catch (error) {
    if (isGone(error)) return undefined;
    throw asUnreadable(source, error);
  }
}
