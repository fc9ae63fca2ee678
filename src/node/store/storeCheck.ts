import type { Stats } from 'node:fs';
import { lstat, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { errorText, KeepitError, onlyExpected } from '../../core/text/keepitError';
import { isSafeSegment } from '../../core/model/fields';
import type { KeptOriginal, ProjectManifest } from '../../core/model/manifest';
import { type StoreFinding, StoreError } from '../../core/model/host';
import { errorCode, unlessGone } from '../files/errorCode';
import { missingTexts, strayFolders } from './compositionFolders';
import { readStoredFacts } from './storedFacts';
import type { ProjectLayout, StoreLayout } from './storeLayout';
import {
  type Found,
  isReadable,
  notWritable,
  linksIn,
  childrenOf,
  openModes,
  staleLock,
  setAside,
  staleTemporaries,
} from './folderCheck';
import { ProjectChanges } from './projectChanges';
import { ConfigFile } from './configFile';
import { firstChange, hashedContent } from './originalHashes';

/** What mends what is found. */
interface Mending {
  readonly config: ConfigFile;
  readonly changes: ProjectChanges;
}

/** Looks over the whole store and says what is not as it should be. */
export class StoreCheck {
  constructor(
    private readonly layout: StoreLayout,
    private readonly mending: Mending,
  ) {}

  async run({ repair }: { repair: boolean }, signal?: AbortSignal): Promise<StoreFinding[]> {
    if ((await unlessGone(stat(this.layout.dir))) === undefined) return []; // made with the first session
    await this.mending.changes.imports.place();
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
      await this.mending.config.read();
    } catch (error) {
      onlyExpected(error);
      const isCorrupt = error instanceof StoreError && error.reason === 'corrupt';
      const { message: problem, hint } = error;
      const repair = isCorrupt ? () => this.mending.config.renew() : undefined;
      yield { kind: 'config', path: config, problem, hint, repair };
    }
    yield* await linksIn(dir, await childrenOf([dir, this.layout.cache]));
    yield* openModes([dir, config]);
    yield* staleLock(configLock);
    yield* staleTemporaries(dir);
    yield* this.#deadImports();
    yield* setAside(dir);
  }

  async *#deadImports(): AsyncIterable<Found> {
    const { imports } = this.mending.changes;
    for (const folder of await imports.dead()) {
      const repair = async (): Promise<boolean> => {
        await imports.closeDead();
        return (await unlessGone(stat(folder))) === undefined;
      };
      yield { kind: 'leftover', path: folder, problem: 'An import that was killed left it.', repair };
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
    for (const folder of await layout.foldersOfFiles()) yield* staleTemporaries(folder);
    yield* setAside(layout.dir);
  }

  async *#manifest(layout: ProjectLayout): AsyncIterable<Found> {
    const { changes } = this.mending;
    const repair = () => changes.renew(layout);
    try {
      const reading = await changes.manifests.read(layout);
      if (reading?.state === 'sound') {
        if (reading.isUnclean === true) {
          const problem = 'It holds keys, tokens or private words.';
          yield { kind: 'secret', path: layout.manifest, problem, repair: () => changes.clean(layout) };
        }
        yield* checkOriginals(layout, reading.manifest, this.mending.config);
        yield* this.#versions(layout, reading.manifest);
        yield* this.#compositions(layout, reading.manifest);
      } else if (reading !== undefined) {
        yield { kind: 'manifest', path: layout.manifest, problem: `It is damaged: ${reading.problem}.`, repair };
      } else if ((await readStoredFacts(layout)).sessions.length > 0) {
        yield { kind: 'manifest', path: layout.manifest, problem: 'It is missing, but there are sessions.', repair };
      }
    } catch (error) {
      onlyExpected(error);
      yield { kind: 'manifest', path: layout.manifest, problem: error.message, hint: error.hint };
    }
  }

  async *#trash(layout: ProjectLayout): AsyncIterable<Found> {
    const { changes } = this.mending;
    for (const name of await changes.trash.unclean(layout)) {
      const repair = () => changes.locked(layout, () => changes.trash.clean(layout, name));
      const problem = 'Its note holds keys, tokens or private words.';
      yield { kind: 'secret', path: layout.trashed(name), problem, repair };
    }
  }

  async *#versions(layout: ProjectLayout, manifest: ProjectManifest): AsyncIterable<Found> {
    const { changes } = this.mending;
    const files = changes.versions;
    const repair = () => changes.mendVersions(layout);
    for (const file of await files.missing(layout, manifest)) {
      const problem = 'The files of this version are gone: delete it, and compress again.';
      yield { kind: 'version', path: file, problem };
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
}

/** What a link stands in the way of is not looked over: the link itself has been told. */
async function* unlessLinked(findings: AsyncIterable<Found>): AsyncIterable<Found> {
  try {
    yield* findings;
  } catch (error) {
    if (!(error instanceof StoreError) || error.reason !== 'link') throw error;
  }
}

async function succeeds(mend: () => Promise<unknown>): Promise<boolean> {
  try {
    return (await mend()) !== false;
  } catch (error) {
    if (error instanceof KeepitError || errorCode(error) !== undefined) return false; // the finding stays
    throw error;
  }
}

/** Kept transcripts that are gone, shared or damaged. */
async function* checkOriginals(
  layout: ProjectLayout,
  manifest: ProjectManifest,
  config: ConfigFile,
): AsyncIterable<Found> {
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
    } else if (stats !== undefined && (await isShared(stats, originalFile, config))) {
      const problem = "It is a second name of Claude Code's own file, and would be lost with its content.";
      yield { kind: 'original', path: file, problem };
    } else if (stats !== undefined) {
      if (stats.nlink === 1) yield* openModes([file]); // the mode of a linked one is Claude Code's affair
      yield* damage(file, kept);
    }
  }
}

/** Whether it is Claude Code's file as well, and nobody asked for that. */
async function isShared({ nlink, dev, ino }: Stats, source: string, configFile: ConfigFile): Promise<boolean> {
  if (nlink === 1) return false;
  const theirs = await unlessGone(lstat(source));
  if (theirs?.dev !== dev || theirs.ino !== ino) return false;
  const config = await configFile.read().catch(() => undefined); // a broken one has been told
  return config?.storage.originals !== 'link';
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
