import type { Stats } from 'node:fs';
import { access, chmod, constants, lstat, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { errorText, KeepitError, onlyExpected } from '../../core/text/keepitError';
import { isSafeSegment } from '../../core/model/fields';
import type { Config } from '../../core/model/config';
import type { KeptOriginal, ProjectManifest } from '../../core/model/manifest';
import { type StoreFinding, StoreError } from '../../core/model/host';
import { findTemporaries, FILE_MODE, FOLDER_MODE } from '../files/atomicFile';
import { errorCode, unlessGone } from '../files/errorCode';
import { inspectLock, withLock } from '../files/fileLock';
import { findLink } from '../files/links';
import { missingTexts, strayFolders } from './compositionFolders';
import type { Manifests } from './manifests';
import { firstChange } from './originalHashes';
import { hashedContent } from './originals';
import { readStoredFacts } from './storedFacts';
import type { ProjectLayout, StoreLayout } from './storeLayout';
import { readBegun } from './begunImport';
import { uncleanNotes } from './trash';
import { VersionFiles } from './versionFiles';

/** What a check needs of the store whose folders it looks over. */
interface CheckSteps {
  readConfig(): Promise<Config>;
  /** Sets a configuration with a mistake in it aside, and begins again with the defaults. */
  renewConfig(): Promise<void>;
  readManifest(layout: ProjectLayout): ReturnType<Manifests['read']>;
  /** Sets a damaged manifest aside, or makes a missing one, from what is there. */
  repairManifest(layout: ProjectLayout): Promise<void>;
  finishImports(): Promise<void>;
  /** Writes a manifest that still has secrets without them. */
  cleanManifest(layout: ProjectLayout): Promise<void>;
  /** The same for what is noted of something in the trash. */
  cleanTrash(layout: ProjectLayout, name: string): Promise<void>;
  /** Moves away files of versions that the manifest does not name, and brings `versions.json` in line. */
  repairVersions(layout: ProjectLayout): Promise<void>;
}

type Found = Pick<StoreFinding, 'kind' | 'path' | 'problem' | 'hint'> & {
  /** Mends it; absent when only a person can. Returns whether it is mended. */
  repair?: () => Promise<boolean>;
};

/** Older temporary files belong to nobody any more. */
const LEFTOVER_AGE_MS = 60_000;
const OTHERS = 0o077;

/** Looks over the whole store and says what is not as it should be. */
export class StoreCheck {
  /** Projects that are coming in: what is not there yet is told with their import. */
  readonly #unfinished = new Set<string>();

  constructor(
    private readonly layout: StoreLayout,
    private readonly steps: CheckSteps,
  ) {}

  async run({ repair }: { repair: boolean }, signal?: AbortSignal): Promise<StoreFinding[]> {
    if ((await unlessGone(stat(this.layout.dir))) === undefined) return []; // made with the first session
    const findings: StoreFinding[] = [];
    const { projects } = this.layout;
    const report = async (found: AsyncIterable<Found>, projectId?: string) => {
      for await (const { repair: mend, ...finding } of found) {
        signal?.throwIfAborted();
        const isRepaired = repair && mend !== undefined && (await succeeds(mend));
        const project = projectId === undefined ? {} : { projectId };
        findings.push({ ...finding, ...project, isRepairable: mend !== undefined, isRepaired });
      }
    };
    await report(this.#whole());
    for (const projectId of (await isReadable(projects)) ? await readdir(projects) : []) {
      if (isSafeSegment(projectId)) await report(this.#project(this.layout.project(projectId)), projectId);
    }
    return findings;
  }

  async *#whole(): AsyncIterable<Found> {
    const { dir, config, configLock } = this.layout;
    yield* notWritable(dir);
    if (!(await isReadable(dir))) return;
    try {
      await this.steps.readConfig();
    } catch (error) {
      onlyExpected(error);
      const repair = async () => {
        await this.steps.renewConfig();
        return true;
      };
      const isCorrupt = error instanceof StoreError && error.reason === 'corrupt';
      const { message: problem, hint } = error;
      yield { kind: 'config', path: config, problem, hint, ...(isCorrupt && { repair }) };
    }
    yield* await linksIn(dir, await childrenOf([dir, this.layout.cache]));
    yield* openModes([dir, config]);
    yield* staleLock(configLock);
    yield* leftovers(await findTemporaries(dir, LEFTOVER_AGE_MS));
    yield* this.#deadImports();
    yield* setAside(dir);
  }

  async *#deadImports(): AsyncIterable<Found> {
    for (const folder of await this.layout.deadImports()) {
      const begun = await readBegun(this.layout.begunImport(folder));
      if (begun === undefined) {
        yield* leftovers([folder]);
        continue;
      }
      for (const { projectId } of begun.places) this.#unfinished.add(projectId);
      const repair = async () => {
        await this.steps.finishImports();
        return (await unlessGone(stat(folder))) === undefined;
      };
      const problem = `The import of ${begun.file} was interrupted before all of it was in (${folder}).`;
      const hint = '`keepit doctor --repair` finishes it; so does whatever changes the memory next.';
      yield { kind: 'leftover', path: folder, problem, hint, repair };
    }
  }

  async *#project(layout: ProjectLayout): AsyncIterable<Found> {
    if ((await unlessGone(stat(layout.dir)))?.isDirectory() !== true) return; // somebody else's file
    const [own] = await linksIn(layout.root, [layout.dir]);
    if (own !== undefined) {
      yield own;
      return;
    }
    yield* notWritable(layout.dir);
    if (!(await isReadable(layout.dir))) return;
    const links = await linksIn(layout.root, await childrenOf(layout.folders));
    yield* links.filter(({ path: link }) => path.dirname(link) !== layout.originals); // told with the sessions
    yield* unlessLinked(this.#manifest(layout));
    yield* unlessLinked(this.#trash(layout));
    yield* openModes([layout.dir, layout.manifest, layout.originals, layout.summaries, layout.composed, layout.trash]);
    yield* staleLock(layout.lock);
    for (const folder of await layout.foldersOfFiles())
      yield* leftovers(await findTemporaries(folder, LEFTOVER_AGE_MS));
    yield* setAside(layout.dir);
  }

  async *#manifest(layout: ProjectLayout): AsyncIterable<Found> {
    const repair = async () => {
      await this.steps.repairManifest(layout);
      return true;
    };
    try {
      const reading = await this.steps.readManifest(layout);
      if (reading?.state === 'sound') {
        if (reading.isUnclean === true) yield this.#unclean(layout);
        yield* this.#originals(layout, reading.manifest);
        yield* this.#versions(layout, reading.manifest);
        yield* this.#compositions(layout, reading.manifest);
      } else if (reading !== undefined) {
        yield { kind: 'manifest', path: layout.manifest, problem: `It is damaged: ${reading.problem}.`, repair };
      } else if (!this.#unfinished.has(layout.projectId) && (await readStoredFacts(layout)).sessions.length > 0) {
        yield { kind: 'manifest', path: layout.manifest, problem: 'It is missing, but there are sessions.', repair };
      }
    } catch (error) {
      onlyExpected(error);
      yield { kind: 'manifest', path: layout.manifest, problem: error.message, hint: error.hint };
    }
  }

  #unclean(layout: ProjectLayout): Found {
    const repair = async () => {
      await this.steps.cleanManifest(layout);
      return true;
    };
    return { kind: 'secret', path: layout.manifest, problem: 'It holds keys, tokens or private words.', repair };
  }

  async *#trash(layout: ProjectLayout): AsyncIterable<Found> {
    for (const name of await uncleanNotes(layout)) {
      const repair = async () => {
        await this.steps.cleanTrash(layout, name);
        return true;
      };
      yield {
        kind: 'secret',
        path: layout.trashed(name),
        problem: 'Its note holds keys, tokens or private words.',
        repair,
      };
    }
  }

  async *#versions(layout: ProjectLayout, manifest: ProjectManifest): AsyncIterable<Found> {
    const files = new VersionFiles();
    const repair = async () => {
      await this.steps.repairVersions(layout);
      return true;
    };
    for (const file of await files.missing(layout, manifest)) {
      yield {
        kind: 'version',
        path: file,
        problem: 'The files of this version are gone: delete it, and compress again.',
      };
    }
    for (const file of await files.orphans(layout, manifest)) {
      yield { kind: 'version', path: file, problem: 'No version in memory is kept in this file.', repair };
    }
    for (const sessionId of await files.staleIndexes(layout, manifest)) {
      const problem = 'It does not list the versions that are in memory.';
      yield { kind: 'version', path: layout.versions(sessionId), problem, repair };
    }
  }

  async *#compositions(layout: ProjectLayout, manifest: ProjectManifest): AsyncIterable<Found> {
    for (const file of await missingTexts(layout, manifest)) {
      yield { kind: 'composition', path: file, problem: 'This text of a composition is gone.' };
    }
    for (const folder of await strayFolders(layout, manifest)) {
      yield { kind: 'composition', path: folder, problem: 'No composition in memory is kept in this folder.' };
    }
  }

  async *#originals(layout: ProjectLayout, manifest: ProjectManifest): AsyncIterable<Found> {
    for (const [sessionId, { kept, originalFile }] of Object.entries(manifest.sessions)) {
      const file = layout.original(sessionId);
      const stats = await unlessGone(lstat(file));
      if (stats?.isSymbolicLink() === true) {
        const problem = 'It is a symbolic link, which dangles when the transcript is deleted.';
        yield { kind: 'original', path: file, problem };
      } else if (stats === undefined && kept !== undefined) {
        yield { kind: 'original', path: file, problem: 'The kept transcript is gone.' };
      } else if (stats !== undefined && kept !== undefined && stats.size < kept.bytes) {
        const problem = `The kept transcript has ${stats.size} bytes; it had ${kept.bytes}.`;
        yield { kind: 'original', path: file, problem };
      } else if (stats !== undefined && (await this.#isShared(stats, originalFile))) {
        const problem = "It is a second name of Claude Code's own file, and would be lost with its content.";
        yield { kind: 'original', path: file, problem };
      } else if (stats !== undefined) {
        if (stats.nlink === 1) yield* openModes([file]); // the mode of a linked one is Claude Code's affair
        yield* damage(file, kept);
      }
    }
  }

  /** Whether it is Claude Code's file as well, and nobody asked for that. */
  async #isShared({ nlink, dev, ino }: Stats, source: string): Promise<boolean> {
    if (nlink === 1) return false;
    const theirs = await unlessGone(lstat(source));
    if (theirs?.dev !== dev || theirs.ino !== ino) return false;
    const config = await this.steps.readConfig().catch(() => undefined); // a broken one has been told
    return config?.storage.originals !== 'link';
  }
}

/** Everything in these folders, which may be missing, or links themselves. */
async function childrenOf(folders: readonly string[]): Promise<string[]> {
  const children: string[] = [];
  for (const folder of folders) {
    if ((await unlessGone(lstat(folder)))?.isDirectory() !== true) continue;
    for (const name of await readdir(folder)) children.push(path.join(folder, name));
  }
  return children;
}

async function linksIn(root: string, files: readonly string[]): Promise<Found[]> {
  const found: Found[] = [];
  for (const file of files) {
    const { link, target } = (await findLink(root, file)) ?? {};
    if (link === undefined) continue;
    const problem = `It is a symbolic link to ${target}, and nothing is written or read through it.`;
    found.push({ kind: 'link', path: link, problem });
  }
  return found;
}

/** What a link stands in the way of is not looked over: the link itself has been told. */
async function* unlessLinked(findings: AsyncIterable<Found>): AsyncIterable<Found> {
  try {
    yield* findings;
  } catch (error) {
    if (!(error instanceof StoreError) || error.reason !== 'link') throw error;
  }
}

/** What is not as it was kept. Linked ones are Claude Code's files, and grow with them. */
async function* damage(file: string, kept: KeptOriginal | undefined): AsyncIterable<Found> {
  const content = hashedContent(kept);
  if (content === undefined) return;
  try {
    const from = await firstChange(file, content);
    if (from === undefined) return;
    const problem = `The kept transcript is damaged: from byte ${from} on it is not what was kept.`;
    yield { kind: 'damaged-original', path: file, problem };
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    yield { kind: 'damaged-original', path: file, problem: `The kept transcript cannot be read: ${errorText(error)}.` };
  }
}

async function succeeds(mend: () => Promise<boolean>): Promise<boolean> {
  try {
    return await mend();
  } catch (error) {
    if (error instanceof KeepitError || errorCode(error) !== undefined) return false; // the finding stays
    throw error;
  }
}

async function* notWritable(folder: string): AsyncIterable<Found> {
  for (const [mode, verb] of [
    [constants.R_OK | constants.X_OK, 'read'],
    [constants.W_OK, 'written'],
  ] as const) {
    const failure = await access(folder, mode).catch(errorText);
    if (failure === undefined) continue;
    yield { kind: 'not-writable', path: folder, problem: `It cannot be ${verb}: ${failure}.` };
  }
}

async function isReadable(folder: string): Promise<boolean> {
  return (await access(folder, constants.R_OK | constants.X_OK).catch(errorText)) === undefined;
}

async function* openModes(files: readonly string[]): AsyncIterable<Found> {
  if (process.platform === 'win32') return; // access lists, which modes do not show
  for (const file of files) {
    const stats = await unlessGone(lstat(file));
    if (stats === undefined || stats.isSymbolicLink() || (stats.mode & OTHERS) === 0) continue;
    const repair = async () => {
      await chmod(file, stats.isDirectory() ? FOLDER_MODE : FILE_MODE);
      return true;
    };
    yield { kind: 'open-mode', path: file, problem: 'Other users of this computer may read it.', repair };
  }
}

async function* staleLock(file: string): AsyncIterable<Found> {
  const found = await inspectLock(file);
  if (found?.state !== 'dead' || found.holder === undefined) return;
  const { pid, since } = found.holder;
  const problem = `Process ${pid} died with it, after ${since}. The next change takes it over.`;
  const repair = async () => {
    await withLock(file, async () => undefined);
    return true;
  };
  yield { kind: 'stale-lock', path: file, problem, repair };
}

async function* leftovers(files: readonly string[]): AsyncIterable<Found> {
  for (const file of files) {
    const repair = async () => {
      await rm(file, { recursive: true, force: true });
      return true;
    };
    yield { kind: 'leftover', path: file, problem: 'A killed process left it.', repair };
  }
}

async function* setAside(folder: string): AsyncIterable<Found> {
  for (const name of (await unlessGone(readdir(folder))) ?? []) {
    if (!name.includes('.corrupt-')) continue;
    yield {
      kind: 'set-aside',
      path: path.join(folder, name),
      problem: 'It was damaged and has been kept for you to look at; delete it when you no longer need it.',
    };
  }
}
