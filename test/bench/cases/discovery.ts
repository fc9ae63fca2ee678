import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createMemory } from '../../../src/node/createMemory';
import type { Log } from '../../../src/core/model/host';
import type { DiscoverRequest } from '../../../src/core/sessions/discovery';
import type { BenchCase, Metrics } from '../bench';
import { inFreshProcess, runProgram } from '../child';
import { benchEnvironment } from '../environment';
import { generatedFolder, type Recipe } from '../generate';
import { installedTool } from '../tools';

const RECIPE: Recipe = { totalMb: 1024, largestFileMb: 150, seed: 2 };
const FIRST_RATIO = 0.6;
const FIRST_ROWS_MS = 300;
const STALL_LIMIT_MS = 10;

const silent: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

interface Folders {
  claudeDir: string;
  memoryDir: string;
}

/** What runs in processes of its own. */
export const probes = {
  /** Whatever the store's cache knows already is not read again. */
  discover: (folders: Folders) => discover(folders, {}),
  firstLook: (folders: Folders) => discover(folders, { isFirstLook: true }),
};

async function discover(folders: Folders, request: DiscoverRequest): Promise<Metrics> {
  const memory = createMemory({ ...folders, log: silent, distDir: path.join(benchEnvironment().root, 'dist') });
  const { projects, cost } = await memory.service.sessions.discover(request);
  await memory.dispose();
  return { sessions: projects.reduce((sum, { sessions }) => sum + sessions.length, 0), filesRead: cost.filesRead };
}

async function inNewStore<T>(work: (memoryDir: string) => Promise<T>): Promise<T> {
  const memoryDir = await mkdtemp(path.join(tmpdir(), 'keepit-bench-'));
  try {
    return await work(memoryDir);
  } finally {
    await rm(memoryDir, { recursive: true, force: true });
  }
}

/** As programs, from start to end: what a person waits for. */
function firstCase(): BenchCase {
  let ccusage = '';
  let claudeDir = '';
  const cli = () => path.join(benchEnvironment().root, 'dist', 'cli.js');
  const env = (more: NodeJS.ProcessEnv = {}) => ({ ...process.env, CLAUDE_CONFIG_DIR: claudeDir, ...more });
  return {
    name: 'discovery: the first one of 1 GB',
    baseline: {
      name: 'ccusage@20 session',
      run: () => runProgram(ccusage, ['session', '--json', '--offline'], env()),
    },
    subject: {
      name: 'keepit discover, with an empty store',
      run: () =>
        inNewStore((memoryDir) =>
          runProgram(
            process.execPath,
            [cli(), 'discover', '--all-projects', '--json'],
            env({ CLAUDE_MEMORY_DIR: memoryDir }),
          ),
        ),
    },
    aim: { ratio: FIRST_RATIO, direction: 'atMost' },
    setup: async () => {
      ccusage = await installedTool('ccusage@20');
      claudeDir = (await generatedFolder(RECIPE)).claudeDir;
    },
  };
}

/** How the host that it runs in fares meanwhile. */
function hostCase(): BenchCase {
  let claudeDir = '';
  return {
    name: 'discovery: the first one of 1 GB, inside a host',
    subject: {
      name: 'discover, with an empty store',
      run: () => inNewStore((memoryDir) => inFreshProcess(import.meta.url, 'discover', { claudeDir, memoryDir })),
    },
    limits: { maxStallMs: STALL_LIMIT_MS },
    setup: async () => {
      claudeDir = (await generatedFolder(RECIPE)).claudeDir;
    },
  };
}

function secondCase(): BenchCase {
  const folders: Folders = { claudeDir: '', memoryDir: '' };
  return {
    name: 'discovery: the second one of 1 GB',
    baseline: {
      name: 'find -printf',
      run: () => runProgram('find', [path.join(folders.claudeDir, 'projects'), '-printf', '%p %s %T@\\n']),
    },
    subject: {
      name: 'discover, with nothing changed',
      run: () => inFreshProcess(import.meta.url, 'discover', folders),
    },
    limits: { filesRead: 0, maxStallMs: STALL_LIMIT_MS },
    setup: async () => {
      folders.claudeDir = (await generatedFolder(RECIPE)).claudeDir;
      folders.memoryDir = await mkdtemp(path.join(tmpdir(), 'keepit-bench-'));
      await inFreshProcess(import.meta.url, 'discover', folders);
    },
    teardown: () => rm(folders.memoryDir, { recursive: true, force: true }),
  };
}

/** What a person sees first, however much there is. */
function firstRowsCase(): BenchCase {
  let claudeDir = '';
  return {
    name: 'discovery: the first rows of 1 GB',
    subject: {
      name: 'discover, as a first look',
      run: () => inNewStore((memoryDir) => inFreshProcess(import.meta.url, 'firstLook', { claudeDir, memoryDir })),
    },
    limits: { timeMs: FIRST_ROWS_MS },
    setup: async () => {
      claudeDir = (await generatedFolder(RECIPE)).claudeDir;
    },
  };
}

export const cases: BenchCase[] = [firstRowsCase(), firstCase(), hostCase(), secondCase()];
