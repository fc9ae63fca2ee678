import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { StoreError } from '../../core/errors';
import { projectManifestSchema, type ProjectManifest } from '../../core/model/manifest';
import { completeManifest, readManifestDocument, type ManifestReading } from '../../core/model/manifestDocument';
import { schemaProblem } from '../../core/model/schemaProblem';
import { SCHEMA_VERSION } from '../../core/model/schemaVersion';
import type { Clock, Log } from '../../core/ports';
import { keepAside, writeFileAtomic } from '../files/atomicFile';
import type { HeldLock } from '../files/fileLock';
import { storing } from '../files/storeFailure';
import { readStoredFacts } from './storedFacts';
import { jsonText, readStoredJson } from './storedJson';
import { asideName, type ProjectLayout } from './storeLayout';

/** A manifest that may be used and written. `migratedFrom` when the file still has an older version. */
export interface LoadedManifest {
  manifest: ProjectManifest;
  migratedFrom?: string;
}

/** The one reader and writer of `manifest.json`. */
export class Manifests {
  readonly #clock: Clock;
  readonly #log: Log;

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
  }

  /** Reads without changing anything; undefined when there is none. Throws for one that a newer Keepit wrote. */
  async read(layout: ProjectLayout): Promise<Exclude<ManifestReading, { state: 'newer' }> | undefined> {
    const stored = await readStoredJson(layout.manifest);
    if (stored === undefined) return undefined;
    const place = { projectId: layout.projectId, nowIso: this.#clock.now().toISOString() };
    const reading = readManifestDocument(stored.value, place);
    if (reading.state === 'newer') throw newerVersion(layout.manifest, reading.version);
    if (stored.state === 'whole') return reading;
    return { state: 'damaged', manifest: reading.manifest, problem: stored.problem };
  }

  /** For a change, inside the lock: a damaged manifest is set aside and written anew first. */
  async load(layout: ProjectLayout, lock: HeldLock): Promise<LoadedManifest | undefined> {
    const reading = await this.read(layout);
    if (reading?.state !== 'damaged') return reading;
    const aside = await this.#setAside(layout.manifest);
    const manifest = await this.rebuild(layout, reading.manifest);
    await this.write(layout, { manifest }, lock);
    this.#log.warn(`${layout.manifest} was damaged (${reading.problem}). It is kept as ${aside}; a new one was made.`);
    return { manifest };
  }

  /** All that a damaged manifest still says and all that lies in the project's folders; writes nothing. */
  async rebuild(layout: ProjectLayout, salvaged: ProjectManifest): Promise<ProjectManifest> {
    return completeManifest(salvaged, await readStoredFacts(layout), this.#clock.now().toISOString());
  }

  /** Inside the lock. A file of an older version stays beside the new one. */
  async write(layout: ProjectLayout, { manifest, migratedFrom }: LoadedManifest, lock: HeldLock): Promise<void> {
    const checked = projectManifestSchema.safeParse(manifest);
    if (!checked.success) throw unwritable(layout.manifest, checked.error);
    await storing(layout.manifest, async () => {
      if (migratedFrom !== undefined) {
        const name = asideName(layout.manifest, `backup-${migratedFrom}`, this.#clock.now());
        await keepAside(layout.manifest, name);
      }
      await writeFileAtomic(layout.manifest, jsonText(manifest), { beforeRename: () => lock.assertHeld() });
    });
  }

  /** Gives damaged content a name of its own; never twice, and never one that is taken. */
  async #setAside(file: string): Promise<string> {
    return storing(file, async () => {
      const known = await sameFileAside(file);
      return known ?? (await keepAside(file, asideName(file, 'corrupt', this.#clock.now())));
    });
  }
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

export function newerVersion(file: string, version: string): StoreError {
  return new StoreError('newer-version', {
    path: file,
    detail: `version ${version}, this one knows ${SCHEMA_VERSION}`,
  });
}

/** A caller made something that could not be read again: a bug, and nothing is written. */
function unwritable(file: string, error: Parameters<typeof schemaProblem>[0]): Error {
  const { key, allowed } = schemaProblem(error);
  return new TypeError(`Refused to write ${file}: ${key} must be ${allowed}`);
}
