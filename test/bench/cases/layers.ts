import { randomUUID } from 'node:crypto';
import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Log } from '../../../src/core/model/host';
import { Formats } from '../../../src/core/text/formats';
import {
  knowledgePage,
  knowledgeTree,
  type KnowledgeTreeOptions,
} from '../../../src/core/knowledge/view/knowledgeTree';
import { createMemory, type Memory } from '../../../src/node/createMemory';
import type { BenchCase, Metrics } from '../bench';
import { inFreshProcess } from '../child';
import { benchEnvironment } from '../environment';
import { writeSession } from '../generate';
import { Random } from '../random';
import { TextPool } from '../textPool';

const PROBE_BYTES = 512 * 1024;
const TOKENS = 100_000;
const MANY = 1000;
const SMALL_BYTES = 20 * 1024;
const DELTAS = 10;
const DELTA_MESSAGES = 20;
const CWD = '/home/sam/src/app';
export const PROJECT = '-home-sam-src-app';
const SESSION = '7d0c2a9e-55aa-4c1e-9b11-0c7a4f3f2f10';
const START_MS = Date.UTC(2026, 0, 5, 9);

const silent: Log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

const viewOptions: KnowledgeTreeOptions = {
  projectId: PROJECT,
  formats: new Formats({ locale: 'en', timeZone: 'UTC' }),
  titleOf: () => undefined,
  nowMs: START_MS,
  limitOf: knowledgePage,
};

interface Folders {
  readonly claudeDir: string;
  readonly memoryDir: string;
}

async function withLayers<T>(folders: Folders, work: (layers: Memory['service']['layers']) => Promise<T>): Promise<T> {
  const memory = createMemory({ ...folders, log: silent, distDir: path.join(benchEnvironment().root, 'dist') });
  try {
    return await work(memory.service.layers);
  } finally {
    await memory.dispose();
  }
}

/** Requests and answers that go on a session: its last lines over and over, under ids of their own. */
async function goOn(file: string, round: number): Promise<void> {
  let parentUuid: string | null = lastUuid(await readFile(file, 'utf8'));
  let text = '';
  for (let index = 0; index < DELTA_MESSAGES; index++) {
    const isHuman = index % 2 === 0;
    const uuid = randomUUID();
    const timestamp = new Date(START_MS + 1e9 + (round * DELTA_MESSAGES + index) * 1000).toISOString();
    const words = isHuman
      ? `Please look at parser ${round}, and always keep test ${index} green.`
      : 'The parser reads it now.';
    const message = { role: isHuman ? 'user' : 'assistant', id: uuid, content: [{ type: 'text', text: words }] };
    const type = isHuman ? 'user' : 'assistant';
    text += `${JSON.stringify({ parentUuid, uuid, type, sessionId: SESSION, cwd: CWD, timestamp, message })}\n`;
    parentUuid = uuid;
  }
  await appendFile(file, text);
}

/** What a session of a large project has of its own: a subject, and a rule. */
async function speakOf(file: string, index: number): Promise<void> {
  const said = `Please rework module_${index} for area_${index % 60}. Never change contract_${index} of service_${index % 90}.`;
  const message = { role: 'user', content: said };
  const timestamp = new Date(START_MS + 5e8 + index * 3_600_000).toISOString();
  const parentUuid = lastUuid(await readFile(file, 'utf8'));
  const record = { parentUuid, uuid: randomUUID(), type: 'user', sessionId: path.basename(file, '.jsonl'), cwd: CWD };
  await appendFile(file, `${JSON.stringify({ ...record, timestamp, message })}\n`);
}

function lastUuid(text: string): string | null {
  return /"uuid":"([^"]+)"(?![\s\S]*"uuid":")/.exec(text.slice(-20_000))?.[1] ?? null;
}

function sessionFile({ claudeDir }: Folders, sessionId: string): string {
  return path.join(claudeDir, 'projects', PROJECT, `${sessionId}.jsonl`);
}

/** What runs in processes of its own: nothing is warm. */
export const probes = {
  whole: (folders: Folders): Promise<Metrics> =>
    withLayers(folders, async (layers) => {
      const started = performance.now();
      const { layered, exchanges } = await layers.build(PROJECT, { full: true });
      const [report] = layered;
      return {
        buildMs: performance.now() - started,
        exchanges,
        reduction: 1 - (report?.l1Bytes ?? 0) / Math.max(1, report?.sourceBytes ?? 1),
      };
    }),
  delta: (folders: Folders): Promise<Metrics> =>
    withLayers(folders, async (layers) => {
      await layers.build(PROJECT);
      const file = sessionFile(folders, SESSION);
      let totalMs = 0;
      for (let round = 0; round < DELTAS; round++) {
        await goOn(file, round);
        const started = performance.now();
        await layers.build(PROJECT);
        totalMs += performance.now() - started;
      }
      return { deltaMs: totalMs / DELTAS };
    }),
  many: (folders: Folders): Promise<Metrics> =>
    withLayers(folders, async (layers) => {
      const started = performance.now();
      const { exchanges, concepts } = await layers.build(PROJECT, { full: true });
      const built = performance.now();
      await layers.build(PROJECT);
      const rebuilt = performance.now();
      const facts = await layers.facts(PROJECT);
      await layers.layer(PROJECT, 'l3');
      const overview = await layers.overview(PROJECT);
      knowledgeTree(
        { overview, notes: [], memory: [], foreign: { notes: [], sessionFiles: 0 }, unbuilt: 0 },
        viewOptions,
      );
      const viewed = performance.now();
      await layers.layer(PROJECT, 'l2');
      return {
        buildMs: built - started,
        nothingNewMs: rebuilt - built,
        viewMs: viewed - rebuilt,
        exchangesMs: performance.now() - viewed,
        exchanges,
        concepts,
        facts: facts.length,
      };
    }),
};

/** A project with layers enabled, in the store. The same on every machine. */
export class BenchProject {
  readonly folders = { claudeDir: '', memoryDir: '' };
  #root = '';

  constructor(private readonly sizes: () => Promise<readonly number[]>) {}

  async make(): Promise<void> {
    this.#root = await mkdtemp(path.join(tmpdir(), 'keepit-bench-'));
    Object.assign(this.folders, {
      claudeDir: path.join(this.#root, 'claude'),
      memoryDir: path.join(this.#root, 'store'),
    });
    const random = new Random(7);
    const pool = new TextPool(random);
    for (const [index, bytes] of (await this.sizes()).entries()) {
      const sessionId = index === 0 ? SESSION : `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
      const identity = { sessionId, cwd: CWD, startMs: START_MS + index * 3_600_000 };
      const file = sessionFile(this.folders, sessionId);
      await writeSession(file, identity, bytes, { random, pool });
      if (index > 0) await speakOf(file, index);
    }
    await withLayers(this.folders, (layers) => layers.enable(PROJECT, { location: 'home' }));
  }

  async remove(): Promise<void> {
    await rm(this.#root, { recursive: true, force: true });
  }
}

/** How many bytes of a transcript hold so many tokens. */
async function bytesOf(tokens: number): Promise<number[]> {
  const root = await mkdtemp(path.join(tmpdir(), 'keepit-bench-'));
  const folders = { claudeDir: path.join(root, 'claude'), memoryDir: path.join(root, 'store') };
  const random = new Random(7);
  const identity = { sessionId: SESSION, cwd: CWD, startMs: START_MS };
  await writeSession(sessionFile(folders, SESSION), identity, PROBE_BYTES, { random, pool: new TextPool(random) });
  const memory = createMemory({ ...folders, log: silent, distDir: path.join(benchEnvironment().root, 'dist') });
  try {
    const [entry] = (await memory.service.sessions.register([{ projectId: PROJECT, sessionId: SESSION }])).registered;
    return [(PROBE_BYTES / (entry?.originalTokens ?? 1)) * tokens];
  } finally {
    await memory.dispose();
    await rm(root, { recursive: true, force: true });
  }
}

function layersCase(
  name: string,
  { probe, limits, sizes }: { probe: keyof typeof probes; limits: Metrics; sizes: () => Promise<readonly number[]> },
): BenchCase {
  const project = new BenchProject(sizes);
  return {
    name: `layers: ${name}`,
    subject: { name: probe, run: () => inFreshProcess(import.meta.url, probe, project.folders) },
    limits,
    repeats: 3,
    setup: () => project.make(),
    teardown: () => project.remove(),
  };
}

export const cases: BenchCase[] = [
  layersCase('a session of 100,000 tokens from the beginning', {
    probe: 'whole',
    limits: { buildMs: 1000 },
    sizes: () => bytesOf(TOKENS),
  }),
  layersCase('20 more messages in a session of 100,000 tokens', {
    probe: 'delta',
    limits: { deltaMs: 50 },
    sizes: () => bytesOf(TOKENS),
  }),
  layersCase('a project of 1,000 sessions', {
    probe: 'many',
    limits: { viewMs: 200, exchangesMs: 1000, peakRssMb: 400 },
    sizes: () => Promise.resolve(Array.from({ length: MANY }, () => SMALL_BYTES)),
  }),
];
