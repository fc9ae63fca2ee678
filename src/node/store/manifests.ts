import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { createManifest, type NewProject, type ProjectManifest } from '../../core/model/manifest';
import {
  checkManifest,
  completeManifest,
  readManifestDocument,
  CLEANING,
  cleanManifest,
  hasChanged,
  type ManifestReading,
} from '../../core/model/manifestDocument';
import { ownValue } from '../../core/text/ownValue';
import { SCHEMA_VERSION } from '../../core/model/fields';
import { type Clock, type Log, StoreError } from '../../core/model/host';
import { keepAside, keptAside, writeFileAtomic } from '../files/atomicFile';
import { markOf, type FileMark } from '../files/fileMark';
import type { HeldLock } from '../files/fileLock';
import { storing } from '../files/errorCode';
import { readStoredFacts } from './storedFacts';
import { jsonText, readStoredJson } from './storedJson';
import { asideName, type ProjectLayout } from './storeLayout';

/**
 * A manifest that may be used and written: free of secrets. `migratedFrom` when the file still has an older version, `isUnclean` when it
 * still has the secrets.
 */
export interface LoadedManifest {
  manifest: ProjectManifest;
  migratedFrom?: string;
  isUnclean?: boolean;
}

/** Has a manifest written to its place, when `placeOthers` has put files in theirs that it names; or to where it waits for its place. */
export type ManifestPlacing = (
  write: (file: string, placeOthers?: () => Promise<void>) => Promise<void>,
) => Promise<void>;

type UsableReading = Exclude<ManifestReading, { state: 'newer' }> & Pick<LoadedManifest, 'isUnclean'>;

/** How much of manifest files is kept in memory. */
const REMEMBERED_BYTES = 32 * 1024 * 1024;

/**
 * The one reader and writer of `manifest.json`. Manifests that it gives out are frozen: those whose file has not changed
 * are given out again, since reading a thousand sessions takes longer than an editor may be made to wait.
 */
export class Manifests {
  /** By the manifest's path, least recently used first. */
  readonly #remembered = new Map<string, { mark: FileMark; reading: UsableReading }>();

  constructor(
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** Reads without changing anything; undefined when there is none. Throws for one that a newer Keepit wrote. */
  async read(layout: ProjectLayout): Promise<UsableReading | undefined> {
    const file = layout.manifest;
    const mark = await storing(file, () => markOf(file));
    const remembered = this.#remembered.get(file);
    if (remembered !== undefined && mark?.text === remembered.mark.text) {
      this.#remember(file, remembered.mark, remembered.reading);
      return remembered.reading;
    }
    const stored = await readStoredJson(layout.root, file);
    if (stored === undefined) return undefined;
    const place = { projectId: layout.projectId, nowIso: this.clock.now().toISOString() };
    const found = readManifestDocument(stored.value, place);
    if (found.state === 'newer') throw newerVersion(file, found.version);
    const reading = cleaned(found);
    if (stored.state === 'torn') return { state: 'damaged', manifest: reading.manifest, problem: stored.problem };
    if (reading.state === 'sound' && mark !== undefined) this.#remember(file, mark, reading);
    return reading;
  }

  /** For a change, inside the lock: a damaged manifest is set aside and written anew first. */
  async load(layout: ProjectLayout, lock: HeldLock): Promise<LoadedManifest | undefined> {
    const reading = await this.read(layout);
    if (reading?.state !== 'damaged') return reading;
    const aside = await this.#setAside(layout.manifest);
    const manifest = await this.rebuild(layout, reading.manifest);
    const written = await this.write(layout, { manifest }, lock);
    this.log.warn(`${layout.manifest} was damaged (${reading.problem}). It is kept as ${aside}; a new one was made.`);
    return { manifest: written };
  }

  /** All that a damaged manifest still says and all that lies in the project's folders; writes nothing. */
  async rebuild(layout: ProjectLayout, salvaged: ProjectManifest): Promise<ProjectManifest> {
    return completeManifest(salvaged, await readStoredFacts(layout), this.clock.now().toISOString());
  }

  /** Inside the lock; returns what was written. A file of an older version stays beside the new one. */
  async write(
    layout: ProjectLayout,
    { manifest, migratedFrom }: LoadedManifest,
    lock: HeldLock,
    placing: ManifestPlacing = async (write) => write(layout.manifest),
  ): Promise<ProjectManifest> {
    const lastModified = this.clock.now().toISOString();
    const written = cleanManifest(
      { ...manifest, lastModified },
      this.#remembered.get(layout.manifest)?.reading.manifest,
    );
    this.#check(layout.manifest, written);
    await storing(layout.manifest, async () => {
      const write = (): Promise<void> =>
        placing(async (file, placeOthers) => {
          const beforeRename = async () => {
            await lock.assertHeld();
            await placeOthers?.();
          };
          await writeFileAtomic(file, jsonText(written), { beforeRename });
        });
      const backup = asideName(layout.manifest, `backup-${migratedFrom}`, this.clock.now());
      await (migratedFrom === undefined ? write() : keptAside(layout.manifest, backup, write));
      // It is written: not to be able to look at it only means that it is read again.
      const mark = await markOf(layout.manifest).catch(() => undefined);
      if (mark === undefined) this.#remembered.delete(layout.manifest);
      else this.#remember(layout.manifest, mark, { state: 'sound', manifest: written });
    });
    return written;
  }

  /** Sessions that were read or written before, and are frozen since, need not be judged again. */
  #check(file: string, manifest: ProjectManifest): void {
    const known = this.#remembered.get(file)?.reading.manifest.sessions ?? {};
    const changed = Object.entries(manifest.sessions).filter(
      ([sessionId, entry]) => ownValue(known, sessionId) !== entry,
    );
    const checked = checkManifest({ ...manifest, sessions: Object.fromEntries(changed) });
    // A caller made something that could not be read again: a bug.
    if ('problem' in checked) throw new TypeError(`Refused to write ${file}: ${checked.problem}`);
  }

  #remember(file: string, mark: FileMark, reading: UsableReading): void {
    deepFreeze(reading);
    this.#remembered.delete(file);
    this.#remembered.set(file, { mark, reading });
    let total = 0;
    for (const [other, { mark: otherMark }] of [...this.#remembered].reverse()) {
      total += otherMark.bytes;
      if (total > REMEMBERED_BYTES) this.#remembered.delete(other);
    }
  }

  /** Gives damaged content a name of its own; never twice, and never one that is taken. */
  async #setAside(file: string): Promise<string> {
    return storing(file, async () => {
      const known = await sameFileAside(file);
      return known ?? (await keepAside(file, asideName(file, 'corrupt', this.clock.now())));
    });
  }
}

/** Manifests from before there was a cleaning, or from before it knew what it knows now, are cleaned as they are read. */
function cleaned(reading: UsableReading): UsableReading {
  if (reading.manifest.cleaning === CLEANING) return reading;
  const manifest = cleanManifest(reading.manifest);
  return { ...reading, manifest, ...(hasChanged(reading.manifest, manifest) && { isUnclean: true }) };
}

/** Set aside before, by somebody who could not finish the repair. */
async function sameFileAside(file: string): Promise<string | undefined> {
  const { ino, dev, nlink } = await stat(file);
  if (nlink === 1) return undefined;
  const folder = path.dirname(file);
  const prefix = `${path.basename(file)}.corrupt-`;
  for (const name of (await readdir(folder)).filter((candidate) => candidate.startsWith(prefix))) {
    const aside = await stat(path.join(folder, name));
    if (aside.ino === ino && aside.dev === dev) return path.join(folder, name);
  }
  return undefined;
}

/** The manifest to change: a new one, or one that learns again what a rebuilt one has forgotten. */
export function namedManifest(manifest: ProjectManifest | undefined, create: NewProject, now: Date): ProjectManifest {
  if (manifest === undefined) return createManifest(create, now.toISOString());
  if (manifest.originalPath !== '') return manifest;
  return { ...manifest, originalPath: create.originalPath, displayName: create.displayName };
}

export function newerVersion(file: string, version: string): StoreError {
  return new StoreError('newer-version', {
    path: file,
    detail: `version ${version}, this one knows ${SCHEMA_VERSION}`,
  });
}

function deepFreeze(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  Object.values(value).forEach(deepFreeze);
}
