import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Log } from '../../../src/core/model/host';
import { Formats } from '../../../src/core/text/formats';
import {
  readKnowledge,
  knowledgePage,
  knowledgeTree,
  type KnowledgeTreeOptions,
} from '../../../src/core/knowledge/view/knowledgeTree';
import type { TreeNode } from '../../../src/core/sessions/view/treeNode';
import { createMemory, type Memory } from '../../../src/node/createMemory';
import { findWhereabouts } from '../../../src/node/notebook/whereabouts';
import type { BenchCase, Metrics } from '../bench';
import { inFreshProcess } from '../child';
import { benchEnvironment } from '../environment';
import { BenchProject, PROJECT } from './layers';

const MANY = 1000;
const SMALL_BYTES = 20 * 1024;
const LOOKS = 5;

const silent: Log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

const options: KnowledgeTreeOptions = {
  projectId: PROJECT,
  formats: new Formats({ locale: 'en' }),
  nowMs: Date.UTC(2026, 5, 1),
  limitOf: knowledgePage,
  titleOf: () => undefined,
};

async function withMemory<T>(folders: Folders, work: (memory: Memory) => Promise<T>): Promise<T> {
  const memory = createMemory({ ...folders, log: silent, distDir: path.join(benchEnvironment().root, 'dist') });
  try {
    return await work(memory);
  } finally {
    await memory.dispose();
  }
}

interface Folders {
  readonly claudeDir: string;
  readonly memoryDir: string;
}

function rowsIn(nodes: readonly TreeNode[]): number {
  return nodes.reduce((sum, { children }) => sum + 1 + rowsIn(children), 0);
}

export const probes = {
  view: (folders: Folders): Promise<Metrics> =>
    withMemory(folders, async ({ service }) => {
      const started = performance.now();
      const first = await readKnowledge(service, PROJECT);
      const rows = rowsIn(knowledgeTree({ ...first, unbuilt: 0 }, options));
      const openMs = performance.now() - started;
      const again = performance.now();
      for (let look = 0; look < LOOKS; look++) {
        knowledgeTree({ ...(await readKnowledge(service, PROJECT)), unbuilt: 0 }, options);
      }
      const againMs = (performance.now() - again) / LOOKS;
      return { openMs, againMs, rows };
    }),
};

const ANCHORS = 40;
const CHECKS = 5;

/** A repository whose facts name many files and symbols: what a session start costs that looks for them, against that git says one thing. */
async function checkAnchors(): Promise<Metrics> {
  const root = await mkdtemp(path.join(tmpdir(), 'keepit-anchors-'));
  try {
    const git = (...args: readonly string[]): void => {
      const who = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com'];
      const { status } = spawnSync('git', ['-C', root, ...who, ...args], { stdio: 'ignore' });
      if (status !== 0) throw new Error(`git ${args.join(' ')} ended with ${status}`);
    };
    const names = Array.from({ length: ANCHORS }, (_, at) =>
      at % 2 === 0 ? `src/file${at}.ts` : `symbol:nameOf${at}`,
    );
    await mkdir(path.join(root, 'src'));
    for (const at of names.keys())
      await writeFile(path.join(root, `src/file${at}.ts`), `export const nameOf${at} = ${at};\n`.repeat(200));
    git('init', '-q');
    git('add', '.');
    git('commit', '-qm', 'one');
    let looked = await findWhereabouts(root, names, process.env);
    const checks: number[] = [];
    const gits: number[] = [];
    for (let check = 0; check < CHECKS; check++) {
      const started = performance.now();
      looked = await findWhereabouts(root, names, process.env, looked);
      checks.push(performance.now() - started);
      const asked = performance.now();
      git('rev-parse', 'HEAD');
      gits.push(performance.now() - asked);
    }
    const checkMs = Math.min(...checks);
    return { checkMs, ratio: checkMs / Math.min(...gits) };
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

const project = new BenchProject(() => Promise.resolve(Array.from({ length: MANY }, () => SMALL_BYTES)));

export const cases: BenchCase[] = [
  {
    name: 'knowledge: the view of a project of 1,000 sessions, all of them in memory',
    subject: { name: 'view', run: () => inFreshProcess(import.meta.url, 'view', project.folders) },
    limits: { openMs: 200, againMs: 100, peakRssMb: 400 },
    repeats: 3,
    setup: async () => {
      await project.make();
      await withMemory(project.folders, async ({ service }) => {
        const { projects } = await service.sessions.discover();
        await service.sessions.register(projects.flatMap(({ sessions }) => sessions));
        await service.layers.build(PROJECT);
      });
    },
    teardown: () => project.remove(),
  },
  {
    name: 'knowledge: whether what facts name is there, when a session starts, against one question to git',
    subject: { name: 'anchors', run: checkAnchors },
    limits: { checkMs: 50, ratio: 5 },
    repeats: 3,
  },
];
