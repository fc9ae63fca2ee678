import { execFile } from 'node:child_process';
import { rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { isSame } from '../../core/claude/setup/jsonc';
import { type PluginFolder, type SetupMachine, type SetupPlan, SetupError } from '../../core/claude/setup/setupTypes';
import type { Log } from '../../core/model/host';
import type { SetupRecord, SetupRuntime } from '../../core/model/setupRecord';
import { errorText } from '../../core/text/keepitError';
import { ensurePrivateFolder } from '../files/atomicFile';
import { unlessGone, storing } from '../files/errorCode';
import { withLock } from '../files/fileLock';
import { isWithin } from '../files/links';
import { findCommand } from '../hostProbe';
import { damagedIn, SetupStore } from './setupStore';
import { makeFolder, missingFolders, readSettings, removeIfEmpty, sweepSettings, writeSettings } from './settingsFiles';

interface SetupPlaces {
  claudeDir: string;
  memoryDir: string;
  /** Where the products of the build lie, the plugin among them, or the plugin's own `bin`. */
  distDir: string;
  env: NodeJS.ProcessEnv;
  log: Log;
}

/** Sets Claude Code up on this machine's disks. */
export class DiskSetupMachine implements SetupMachine {
  readonly claudeDir: string;
  readonly pluginDir: string;
  readonly platform: 'posix' | 'windows';
  readonly #store: SetupStore;
  readonly #lock: string;

  constructor(private readonly places: SetupPlaces) {
    const { claudeDir, memoryDir, distDir, env, log } = places;
    this.claudeDir = path.resolve(claudeDir);
    this.#store = new SetupStore(path.resolve(memoryDir), distDir, env, log);
    this.pluginDir = this.#store.pluginDir;
    this.platform = this.#store.platform;
    this.#lock = path.join(this.#store.dir, '.setup.lock');
  }

  join(...parts: string[]): string {
    return path.join(...parts);
  }

  async readText(file: string): Promise<string | undefined> {
    return readSettings(file, this.#projectOf(file));
  }

  async isFolder(folder: string): Promise<boolean> {
    return (await storing(folder, () => unlessGone(stat(folder))))?.isDirectory() === true;
  }

  async carriedPlugin(): Promise<PluginFolder | undefined> {
    return this.#store.carried();
  }

  async copiedPlugin(): Promise<PluginFolder | undefined> {
    return this.#store.copied();
  }

  async damagedFiles({ path: folder }: PluginFolder): Promise<string[]> {
    return damagedIn(folder);
  }

  async readRecord(): Promise<SetupRecord | undefined> {
    return this.#store.readRecord();
  }

  async findRuntime(signal?: AbortSignal): Promise<SetupRuntime> {
    return findSetupRuntime(this.places.env, signal);
  }

  async tryRun(runtime: SetupRuntime, signal?: AbortSignal): Promise<{ version: string } | { problem: string }> {
    const script = path.join(this.pluginDir, 'bin', 'keepit.js');
    return runVersion(runtime, script, { env: this.places.env, signal });
  }

  async apply(plan: SetupPlan, signal?: AbortSignal): Promise<void> {
    try {
      await this.#locked(async () => {
        await this.#checkUnchanged(plan);
        for (const file of filesOf(plan)) await sweepSettings(file, this.#projectOf(file));
        if (plan.action === 'install') await this.#install(plan, signal);
        else await this.#uninstall(plan);
      }, signal);
    } finally {
      await removeIfEmpty(path.dirname(this.#lock));
    }
  }

  async copyPlugin(runtime: SetupRuntime, signal?: AbortSignal): Promise<void> {
    await this.#locked(async () => {
      const record = await this.readRecord();
      await this.#store.copy(runtime, signal);
      if (record !== undefined) await this.#store.writeRecord({ ...record, runtime });
    }, signal);
  }

  /** The copy comes first and the record second: whatever is cut short leaves settings that can be taken back. */
  async #install(plan: SetupPlan, signal?: AbortSignal): Promise<void> {
    const { plugin, runtime, files } = plan;
    const made = new Set((await Promise.all(files.map(({ path: file }) => missingFolders(file)))).flat());
    const isTypeNew = await this.#store.isTypeMissing();
    try {
      if (plugin.change !== 'keep' && runtime !== undefined) await this.#store.copy(runtime, signal);
      const folders = [...new Set([...plan.record.folders, ...made])];
      await this.#store.writeRecord({ ...plan.record, folders });
      for (const folder of made) await makeFolder(folder, this.#projectOf(folder));
      await this.#writeAll(plan);
      await removeAll(plan.leftovers);
    } catch (error) {
      await this.#takeBack(() => this.#store.writeRecord(plan.recordBefore));
      for (const folder of [...made].reverse()) await removeIfEmpty(folder);
      if (plugin.change === 'copy') await this.#takeBack(() => this.#store.removeCopy(isTypeNew));
      throw error;
    }
  }

  /** One step that cannot be taken back does not keep the others from it; the first failure is what is told. */
  async #takeBack(step: () => Promise<void>): Promise<void> {
    await step().catch((error: unknown) => {
      this.places.log.warn(`${this.pluginDir} could not be left as it was: ${errorText(error)}`);
    });
  }

  async #uninstall(plan: SetupPlan): Promise<void> {
    await this.#writeAll(plan);
    const folders: string[] = [];
    for (const folder of [...plan.record.folders].reverse()) {
      if (!(await removeIfEmpty(folder))) folders.unshift(folder);
    }
    await removeAll(plan.leftovers);
    // Also what an uninstallation that was cut short has left of it.
    if (plan.record.installs.length === 0) await this.#store.removeCopy();
    await this.#store.writeRecord({ ...plan.record, folders });
  }

  async #writeAll({ files }: SetupPlan): Promise<void> {
    const texts = files.map(({ path: file, after: text }) => ({ file, text, project: this.#projectOf(file) }));
    await writeSettings(texts, (step) => this.#takeBack(step));
  }

  async #checkUnchanged({ files, recordBefore }: SetupPlan): Promise<void> {
    for (const { path: file, before } of files) {
      if ((await this.readText(file)) !== before) throw new SetupError('changed', file);
    }
    const record = await this.readRecord();
    const isFirst = recordBefore.installs.length === 0 && Object.keys(recordBefore.files).length === 0;
    if (record === undefined ? !isFirst : !isSame(record, recordBefore))
      throw new SetupError('changed', this.#store.recordFile);
  }

  /** The project that a file of settings belongs to; undefined for Claude Code's own folder and the store, where links are the user's. */
  #projectOf(file: string): string | undefined {
    if ([this.claudeDir, path.dirname(this.pluginDir)].some((folder) => isWithin(folder, file))) return undefined;
    const names = file.split(path.sep);
    const at = names.lastIndexOf('.claude');
    return at < 0 ? undefined : names.slice(0, at).join(path.sep);
  }

  async #locked(work: () => Promise<void>, signal?: AbortSignal): Promise<void> {
    await storing(this.#lock, () => ensurePrivateFolder(path.dirname(this.#lock), path.dirname(this.#lock)));
    await withLock(this.#lock, work, undefined, signal);
  }
}

async function removeAll(folders: readonly string[]): Promise<void> {
  for (const folder of folders) await storing(folder, () => rm(folder, { recursive: true, force: true }));
}

const OLDEST_NODE = 20;
const ANSWER_MS = 10_000;

/** What hooks are to be run with: `node` on PATH when it is new enough, else the program that runs us, which may be VS Code's. */
async function findSetupRuntime(env: NodeJS.ProcessEnv, signal?: AbortSignal): Promise<SetupRuntime> {
  const onPath = await findCommand('node', env);
  if (onPath !== undefined) {
    const answer = await answerOf(onPath, ['--version'], { env, signal });
    const version = 'text' in answer ? /^v(\d+\.\d+\.\d+)/.exec(answer.text)?.[1] : undefined;
    if (version !== undefined && Number.parseInt(version, 10) >= OLDEST_NODE)
      return { kind: 'path', file: 'node', version };
  }
  const { node, electron } = process.versions;
  return { kind: electron === undefined ? 'node' : 'electron', file: process.execPath, version: node };
}

/** What Keepit says about its version, run as hooks run it. */
async function runVersion(
  { kind, file }: SetupRuntime,
  script: string,
  options: { env: NodeJS.ProcessEnv; signal?: AbortSignal | undefined },
): Promise<{ version: string } | { problem: string }> {
  const env = kind === 'electron' ? { ...options.env, ELECTRON_RUN_AS_NODE: '1' } : options.env;
  const answer = await answerOf(file, [script, '--version'], { ...options, env });
  if ('problem' in answer) return answer;
  const version = answer.text.trim();
  return /^\d+\.\d+\.\d+/.test(version) ? { version } : { problem: 'it does not answer with a version' };
}

async function answerOf(
  file: string,
  args: readonly string[],
  { env, signal }: { env: NodeJS.ProcessEnv; signal?: AbortSignal | undefined },
): Promise<{ text: string } | { problem: string }> {
  return new Promise((resolve) => {
    const options = { env, timeout: ANSWER_MS, windowsHide: true, ...(signal !== undefined && { signal }) };
    execFile(file, [...args], options, (error, stdout) => {
      resolve(error === null ? { text: stdout } : { problem: errorText(error).split('\n')[0] ?? '' });
    });
  });
}

/** All that a set-up has written to, also what stays as it is. */
function filesOf({ files, record, recordBefore }: SetupPlan): Set<string> {
  return new Set([...files.map(({ path: file }) => file), ...Object.keys({ ...recordBefore.files, ...record.files })]);
}
