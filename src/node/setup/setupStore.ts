import { createHash } from 'node:crypto';
import { readdir, readFile, realpath, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod/mini';
import { schemaAge } from '../../core/model/fields';
import type { Log } from '../../core/model/host';
import { setupRecordSchema, type SetupRecord, type SetupRuntime } from '../../core/model/setupRecord';
import { withRuntime, windowsLauncher } from '../../core/claude/setup/runtimeWords';
import { SetupError, type PluginFolder } from '../../core/claude/setup/setupTypes';
import { createFile, ensurePrivateFolder, keepAside, placeFile, writeFileAtomic } from '../files/atomicFile';
import { unlessGone, storing } from '../files/errorCode';
import { refuseLinks } from '../files/links';
import { jsonText, readStoredJson } from '../store/storedJson';
import { asideName, defaultMemoryDir } from '../store/storeLayout';
import { ownValue, parsedJson } from '../../core/text/ownValue';

/** The list of a plugin's files. */
const LIST = 'files.json';

const hashes = z.record(z.string(), z.string());
const listSchema = z.looseObject({
  version: z.string(),
  /** Of each file as it is shipped. */
  files: hashes,
  /** Of each file as it was written; only in copies, in which calls are made for the runtime. */
  written: z.optional(hashes),
});
type PluginList = z.infer<typeof listSchema>;

/**
 * Says beside the copy what its scripts are: a `package.json` further up, such as one in the home folder, might say otherwise. In the
 * plugin itself there must be none, or Claude Code has npm install it.
 */
const SCRIPTS = '{ "type": "commonjs" }\n';

/** What a set-up keeps in the store: the copy of the plugin that Claude Code loads, and the record of what was written where. */
export class SetupStore {
  readonly pluginDir: string;
  readonly recordFile: string;
  readonly platform: 'posix' | 'windows' = process.platform === 'win32' ? 'windows' : 'posix';
  readonly #typeFile: string;

  constructor(
    readonly dir: string,
    /** Where the products of the build lie, the plugin among them, or the plugin's own `bin`. */
    private readonly distDir: string,
    private readonly env: NodeJS.ProcessEnv,
    private readonly log: Log,
  ) {
    this.pluginDir = path.join(dir, 'claude-plugin');
    this.recordFile = path.join(dir, 'claude-setup.json');
    this.#typeFile = path.join(dir, 'package.json');
  }

  /** The plugin that this Keepit carries. */
  async carried(): Promise<PluginFolder | undefined> {
    const own = await readPluginFolder(path.join(this.distDir, 'claude-plugin'));
    if (own !== undefined || path.basename(this.distDir) !== 'bin') return own;
    const folder = path.dirname(this.distDir);
    const isCopy = (await unlessGone(realpath(folder))) === (await unlessGone(realpath(this.pluginDir)));
    return readPluginFolder(isCopy ? this.pluginDir : folder);
  }

  async copied(): Promise<PluginFolder | undefined> {
    return readPluginFolder(this.pluginDir);
  }

  /** Copies the plugin, or brings the copy up to date. */
  async copy(runtime: SetupRuntime, signal?: AbortSignal): Promise<void> {
    const carried = await this.carried();
    if (carried === undefined || carried.path === this.pluginDir) return;
    const isUsual = this.dir === defaultMemoryDir({ ...this.env, CLAUDE_MEMORY_DIR: undefined });
    const options = { from: carried.path, to: this.pluginDir, runtime, platform: this.platform };
    await storing(this.pluginDir, async () => {
      if (await this.isTypeMissing()) await writeFileAtomic(this.#typeFile, SCRIPTS);
      await copyPluginFolder({ ...options, memoryDir: isUsual ? undefined : this.dir }, signal);
    });
  }

  /** Whether nothing says yet what scripts in the store are. */
  async isTypeMissing(): Promise<boolean> {
    return (await unlessGone(stat(this.#typeFile))) === undefined;
  }

  async removeCopy(isTypeOurs?: boolean): Promise<void> {
    await storing(this.pluginDir, async () => {
      await rm(this.pluginDir, { recursive: true, force: true, maxRetries: 3 });
      const isOurs = isTypeOurs ?? (await unlessGone(readFile(this.#typeFile, 'utf8'))) === SCRIPTS;
      if (isOurs) await rm(this.#typeFile, { force: true });
    });
  }

  /** Everything of Keepit's is found without the record too; where it was damaged, what is lost is only what files held before. */
  async readRecord(): Promise<SetupRecord | undefined> {
    const file = this.recordFile;
    const stored = await readStoredJson(this.dir, file);
    if (stored === undefined) return undefined;
    const parsed = setupRecordSchema.safeParse(stored.value);
    if (stored.state === 'whole' && parsed.success) {
      if (schemaAge(parsed.data.version) === 'newer') throw new SetupError('newer-record', file);
      return parsed.data;
    }
    const aside = await storing(file, async () => {
      const name = await keepAside(file, asideName(file, 'corrupt', new Date()));
      await rm(file, { force: true });
      return name;
    });
    this.log.warn(`${file} was damaged and is set aside as ${aside}`);
    return undefined;
  }

  /** Nothing to remember leaves no file. */
  async writeRecord(record: SetupRecord): Promise<void> {
    const isNothing = record.installs.length === 0 && Object.keys(record.files).length === 0;
    await storing(this.recordFile, () =>
      isNothing
        ? rm(this.recordFile, { force: true })
        : writeFileAtomic(this.recordFile, jsonText(setupRecordSchema.parse(record))),
    );
  }
}

/** A plugin's folder; undefined when it has no list, or none that can be read. */
async function readPluginFolder(folder: string): Promise<PluginFolder | undefined> {
  const list = await readList(folder);
  return list && { path: folder, version: list.version, files: list.files };
}

/** Names of files that are missing or not as they were written. */
export async function damagedIn(folder: string): Promise<string[]> {
  const list = await readList(folder);
  const expected = Object.entries(list?.written ?? list?.files ?? {});
  const damaged: string[] = [];
  for (const [name, hash] of expected) {
    const content = await storing(folder, () => unlessGone(readFile(path.join(folder, name))));
    if (content === undefined || hashOf(content) !== hash) damaged.push(name);
  }
  return damaged;
}

interface CopyOptions {
  from: string;
  to: string;
  runtime: SetupRuntime;
  platform: 'posix' | 'windows';
  /** The store, when those who are started by Claude Code would look for it elsewhere. */
  memoryDir: string | undefined;
}

/**
 * Copies a plugin, or brings a copy up to date while it is in use: each file changes in one step, new files come before those that load
 * them, and files of the version before stay for processes that still load from them, until the next time.
 */
async function copyPluginFolder(options: CopyOptions, signal?: AbortSignal): Promise<void> {
  const { from, to } = options;
  const store = path.dirname(to);
  const source = await readList(from);
  if (source === undefined) throw new Error(`there is no plugin in ${from}`);
  const before = await readList(to);
  const contents = await contentsOf(source, options);
  const written = Object.fromEntries([...contents].map(([name, content]) => [name, hashOf(content)]));
  const isNew = (name: string) => ownValue(before?.written, name) === undefined;
  const names = [...contents.keys()].sort((a, b) => Number(isNew(b)) - Number(isNew(a)));
  for (const name of names) {
    signal?.throwIfAborted();
    await place(store, path.join(to, name), contents.get(name) ?? Buffer.alloc(0));
  }
  await place(store, path.join(to, LIST), Buffer.from(jsonText({ ...source, written })));
  const kept = new Set([LIST, ...names, ...Object.keys(before?.written ?? {})]);
  for (const file of await filesIn(to)) {
    if (!kept.has(path.relative(to, file).split(path.sep).join('/'))) await rm(file, { force: true });
  }
}

/** What the copy is to hold. */
async function contentsOf({ files }: PluginList, options: CopyOptions): Promise<Map<string, Buffer>> {
  const { from, runtime, platform, memoryDir } = options;
  const contents = new Map<string, Buffer>();
  for (const name of Object.keys(files)) {
    const content = await readFile(path.join(from, name));
    contents.set(
      name,
      name.startsWith('bin/') ? content : Buffer.from(withRuntime(content.toString(), runtime, platform)),
    );
  }
  const program = contents.get(PROGRAM);
  if (program !== undefined && memoryDir !== undefined) contents.set(PROGRAM, withStore(program, memoryDir));
  const launcher = windowsLauncher(runtime, platform);
  if (launcher !== undefined) contents.set('bin/keepit.cmd', Buffer.from(launcher));
  return contents;
}

const PROGRAM = 'bin/keepit.js';

/** The copy in a store works for that store, also where nobody sets CLAUDE_MEMORY_DIR. */
function withStore(program: Buffer, memoryDir: string): Buffer {
  const [first = '', ...rest] = program.toString().split('\n');
  const line = `process.env.CLAUDE_MEMORY_DIR ||= ${JSON.stringify(memoryDir)};`;
  return Buffer.from([first, line, ...rest].join('\n'));
}

/** Below `store`, nothing may be a symbolic link. */
async function place(store: string, file: string, content: Buffer): Promise<void> {
  await refuseLinks(store, file);
  if ((await unlessGone(readFile(file)))?.equals(content) === true) return;
  await ensurePrivateFolder(path.dirname(file), store);
  await placeFile(file, (temporary) =>
    createFile(temporary, async (handle) => {
      await handle.writeFile(content);
      await handle.sync();
    }),
  );
}

async function readList(folder: string): Promise<PluginList | undefined> {
  const text = await storing(folder, () => unlessGone(readFile(path.join(folder, LIST), 'utf8')));
  // One that cannot be read is as good as none: the copy is made again.
  return text === undefined ? undefined : listSchema.safeParse(parsedJson(text)).data;
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
}

function hashOf(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
