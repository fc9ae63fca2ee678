import { realpath, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { schemaAge } from '../../core/model/fields';
import { setupRecordSchema, type SetupRecord, type SetupRuntime } from '../../core/model/setupRecord';
import { isSame } from '../../core/claude/setup/jsonc';
import { type PluginFolder, type SetupMachine, type SetupPlan, SetupError } from '../../core/claude/setup/setupTypes';
import type { Log, Clock } from '../../core/model/host';
import { errorText } from '../../core/text/keepitError';
import { keepAside, writeFileAtomic, ensurePrivateFolder } from '../files/atomicFile';
import { unlessGone, storing } from '../files/errorCode';
import { withLock } from '../files/fileLock';
import { isWithin } from '../files/links';
import { StagedFiles } from '../files/stagedFiles';
import { jsonText, readStoredJson } from '../store/storedJson';
import { asideName, defaultMemoryDir } from '../store/storeLayout';
import { copyPluginFolder, damagedIn, readPluginFolder } from './pluginFolder';
import {
  makeFolder,
  missingFolders,
  readSettings,
  removeIfEmpty,
  settling,
  stageSettings,
  sweepSettings,
} from './settingsFiles';
import { ClaudeSetup } from '../../core/claude/setup/claudeSetup';
import { execFile } from 'node:child_process';
import { findCommand } from '../hostProbe';

interface SetupPlaces {
  claudeDir: string;
  memoryDir: string;
  /** Where the products of the build lie, the plugin among them, or the plugin's own `bin`. */
  distDir: string;
  env: NodeJS.ProcessEnv;
  log: Log;
}

/**
 * Says beside the copy what its scripts are: a `package.json` further up, such as one in the home folder, might say otherwise. In the
 * plugin itself there must be none, or Claude Code has npm install it.
 */
const SCRIPTS = '{ "type": "commonjs" }\n';

/** Sets Claude Code up on this machine's disks. */
export class DiskSetupMachine implements SetupMachine {
  readonly claudeDir: string;
  readonly pluginDir: string;
  readonly platform: 'posix' | 'windows' = process.platform === 'win32' ? 'windows' : 'posix';
  readonly #recordFile: string;
  readonly #lock: string;
  readonly #typeFile: string;

  constructor(private readonly places: SetupPlaces) {
    this.claudeDir = path.resolve(places.claudeDir);
    this.pluginDir = path.join(path.resolve(places.memoryDir), 'claude-plugin');
    this.#recordFile = path.join(path.resolve(places.memoryDir), 'claude-setup.json');
    this.#lock = path.join(path.resolve(places.memoryDir), '.setup.lock');
    this.#typeFile = path.join(path.resolve(places.memoryDir), 'package.json');
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
    const { distDir } = this.places;
    const own = await readPluginFolder(path.join(distDir, 'claude-plugin'));
    if (own !== undefined || path.basename(distDir) !== 'bin') return own;
    const folder = path.dirname(distDir);
    const isCopy = (await unlessGone(realpath(folder))) === (await unlessGone(realpath(this.pluginDir)));
    return readPluginFolder(isCopy ? this.pluginDir : folder);
  }

  async copiedPlugin(): Promise<PluginFolder | undefined> {
    return readPluginFolder(this.pluginDir);
  }

  async damagedFiles({ path: folder }: PluginFolder): Promise<string[]> {
    return damagedIn(folder);
  }

  async readRecord(): Promise<SetupRecord | undefined> {
    const file = this.#recordFile;
    const stored = await readStoredJson(path.dirname(file), file);
    if (stored === undefined) return undefined;
    const parsed = setupRecordSchema.safeParse(stored.value);
    if (stored.state === 'whole' && parsed.success) {
      if (schemaAge(parsed.data.version) === 'newer') throw new SetupError('newer-record', file);
      return parsed.data;
    }
    // Everything of Keepit's is found without it too; what is lost is only what files held before.
    const aside = await storing(file, async () => {
      const name = await keepAside(file, asideName(file, 'corrupt', new Date()));
      await rm(file, { force: true });
      return name;
    });
    this.places.log.warn(`${file} was damaged and is set aside as ${aside}`);
    return undefined;
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
      await this.#copy(runtime, signal);
      if (record !== undefined) await this.#writeRecord({ ...record, runtime });
    }, signal);
  }

  /** The copy comes first and the record second: whatever is cut short leaves settings that can be taken back. */
  async #install(plan: SetupPlan, signal?: AbortSignal): Promise<void> {
    const { plugin, runtime, files } = plan;
    const made = new Set((await Promise.all(files.map(({ path: file }) => missingFolders(file)))).flat());
    const isTypeNew = (await this.readText(this.#typeFile)) === undefined;
    try {
      if (plugin.change !== 'keep' && runtime !== undefined) await this.#copy(runtime, signal);
      const folders = [...new Set([...plan.record.folders, ...made])];
      await this.#writeRecord({ ...plan.record, folders });
      for (const folder of made) await makeFolder(folder, this.#projectOf(folder));
      await this.#writeAll(plan);
      await removeAll(plan.leftovers);
    } catch (error) {
      await this.#takeBack(() => this.#writeRecord(plan.recordBefore));
      for (const folder of [...made].reverse()) await removeIfEmpty(folder);
      if (plugin.change === 'copy') await this.#takeBack(() => this.#removeCopy(isTypeNew));
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
    if (plan.record.installs.length === 0) await this.#removeCopy();
    await this.#writeRecord({ ...plan.record, folders });
  }

  /** All of them, or none. */
  async #writeAll({ files }: SetupPlan): Promise<void> {
    const staged = new StagedFiles();
    try {
      for (const { path: file, after: text } of files) {
        await stageSettings(staged, { file, text, project: this.#projectOf(file) });
      }
      await staged.place(settling);
    } catch (error) {
      await this.#takeBack(() => staged.putBack());
      throw error;
    } finally {
      await staged.discard();
      await staged.forget();
    }
  }

  async #checkUnchanged({ files, recordBefore }: SetupPlan): Promise<void> {
    for (const { path: file, before } of files) {
      if ((await this.readText(file)) !== before) throw new SetupError('changed', file);
    }
    const record = await this.readRecord();
    const isFirst = recordBefore.installs.length === 0 && Object.keys(recordBefore.files).length === 0;
    if (record === undefined ? !isFirst : !isSame(record, recordBefore))
      throw new SetupError('changed', this.#recordFile);
  }

  /** Nothing to remember leaves no file. */
  async #writeRecord(record: SetupRecord): Promise<void> {
    const isNothing = record.installs.length === 0 && Object.keys(record.files).length === 0;
    await storing(this.#recordFile, () =>
      isNothing
        ? rm(this.#recordFile, { force: true })
        : writeFileAtomic(this.#recordFile, jsonText(setupRecordSchema.parse(record))),
    );
  }

  async #copy(runtime: SetupRuntime, signal?: AbortSignal): Promise<void> {
    const carried = await this.carriedPlugin();
    if (carried === undefined || carried.path === this.pluginDir) return;
    const { memoryDir, env } = this.places;
    const usual = defaultMemoryDir({ ...env, CLAUDE_MEMORY_DIR: undefined });
    const isUsual = path.resolve(memoryDir) === usual;
    const options = { from: carried.path, to: this.pluginDir, runtime, platform: this.platform };
    const store = isUsual ? undefined : path.resolve(memoryDir);
    await storing(this.pluginDir, async () => {
      if ((await unlessGone(stat(this.#typeFile))) === undefined) await writeFileAtomic(this.#typeFile, SCRIPTS);
      await copyPluginFolder({ ...options, memoryDir: store }, signal);
    });
  }

  async #removeCopy(isTypeOurs?: boolean): Promise<void> {
    await storing(this.pluginDir, async () => {
      await rm(this.pluginDir, { recursive: true, force: true, maxRetries: 3 });
      const isOurs = isTypeOurs ?? (await readSettings(this.#typeFile)) === SCRIPTS;
      if (isOurs) await rm(this.#typeFile, { force: true });
    });
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

/** Wires the set-up of Claude Code to this machine. Opens no file yet. */
export function createClaudeSetup(places: SetupPlaces, clock: Clock): ClaudeSetup {
  return new ClaudeSetup(new DiskSetupMachine(places), clock);
}

/** All that a set-up has written to, also what stays as it is. */
function filesOf({ files, record, recordBefore }: SetupPlan): Set<string> {
  return new Set([...files.map(({ path: file }) => file), ...Object.keys({ ...recordBefore.files, ...record.files })]);
}
