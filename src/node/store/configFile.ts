import { defaultConfig, type Config, readConfigDocument } from '../../core/model/config';
import { type Clock, StoreError } from '../../core/model/host';
import { keptAside, writeFileAtomic, ensurePrivateFolder } from '../files/atomicFile';
import { withLock, type HeldLock, type LockTiming, TaskQueue } from '../files/fileLock';
import { storing } from '../files/errorCode';
import { newerVersion } from './manifests';
import { jsonText, readStoredJson } from './storedJson';
import { asideName, type StoreLayout } from './storeLayout';

/**
 * `config.json`, which people write by hand: a mistake in it is told with its place, and the file is left as it is until
 * they have corrected it.
 */
export class ConfigFile {
  readonly #queue = new TaskQueue();

  constructor(
    private readonly layout: StoreLayout,
    private readonly clock: Clock,
    private readonly timing: LockTiming,
  ) {}

  async read(): Promise<Config> {
    return (await this.#load()).config;
  }

  /** After how many days something in the trash is deleted; 0, never, also where a mistake in the file has to be corrected first. */
  async trashDays(): Promise<number> {
    try {
      return (await this.read()).storage.trashDays;
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      return 0;
    }
  }

  /** Writes the defaults when there is no file yet, so that people find something to edit. */
  async ensure(): Promise<void> {
    const { isStored } = await this.#load();
    if (!isStored) await this.update((config) => ({ ...config }));
  }

  async update(change: (config: Config) => Config): Promise<Config> {
    const { config: file } = this.layout;
    return this.#locked(async (lock) => {
      const { config: before, migratedFrom } = await this.#load();
      const after = change(before);
      if (after === before) return before;
      this.#judge(after);
      const write = (): Promise<void> =>
        writeFileAtomic(file, jsonText(after), { beforeRename: () => lock.assertHeld() });
      const backup = asideName(file, `backup-${migratedFrom}`, this.clock.now());
      await (migratedFrom === undefined ? write() : keptAside(file, backup, write));
      return after;
    });
  }

  /** Sets a file with a mistake in it aside, and begins again with the defaults: only when a person asks for it. */
  async renew(): Promise<void> {
    const { config: file } = this.layout;
    await this.#locked(async (lock) => {
      try {
        await this.#load();
      } catch (error) {
        if (!(error instanceof StoreError) || error.reason !== 'corrupt') throw error;
        const now = this.clock.now();
        const defaults = jsonText(defaultConfig(now.toISOString()));
        await keptAside(file, asideName(file, 'corrupt', now), () =>
          writeFileAtomic(file, defaults, { beforeRename: () => lock.assertHeld() }),
        );
      }
    });
  }

  async #locked<T>(work: (lock: HeldLock) => Promise<T>): Promise<T> {
    const { config: file, configLock, dir } = this.layout;
    return this.#queue.run(file, () =>
      storing(file, async () => {
        await ensurePrivateFolder(dir, dir);
        return withLock(configLock, work, this.timing);
      }),
    );
  }

  async #load(): Promise<{ config: Config; migratedFrom?: string; isStored: boolean }> {
    const { config: file } = this.layout;
    const stored = await readStoredJson(this.layout.dir, file);
    if (stored === undefined) return { config: defaultConfig(this.clock.now().toISOString()), isStored: false };
    if (stored.state === 'torn') throw new StoreError('corrupt', { path: file, detail: stored.problem });
    return { ...this.#judge(stored.value), isStored: true };
  }

  #judge(document: unknown): { config: Config; migratedFrom?: string } {
    const { config: file } = this.layout;
    const reading = readConfigDocument(document, this.clock.now().toISOString());
    if (reading.state === 'newer') throw newerVersion(file, reading.version);
    if (reading.state === 'sound') return reading;
    const { key, allowed } = reading.problem;
    throw new StoreError('corrupt', { path: file, detail: `${key === '' ? 'it' : key} must be ${allowed}` });
  }
}
