import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { CompressionRecord } from '../../../src/core/model/compression';
import type { CompositionRequest } from '../../../src/core/model/composition';
import type { TokenCounter } from '../../../src/core/text/tokens/tokenCounter';
import { createMemory, type Memory } from '../../../src/node/createMemory';
import { FileMemoryStore } from '../../../src/node/store/fileMemoryStore';
import { NodeTokenCounters } from '../../../src/node/tokens/nodeTokenCounters';
import type { BenchCase } from '../bench';
import { inFreshProcess } from '../child';
import { benchEnvironment } from '../environment';
import { writeSession } from '../generate';
import { Random } from '../random';
import { metricsOfScript } from '../scriptRun';
import { TextPool } from '../textPool';

const SESSIONS = 50;
const BUDGET_TOKENS = 100_000;
const PROJECT = '-bench-composition';
/** Characters of the three versions of a session: some 6,000, 2,500 and 800 tokens. */
const VERSION_CHARACTERS = [24_000, 10_000, 3200];

const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const clock = { now: () => new Date() };

/** A store with sessions that have versions, as compressing leaves them. */
class ComposedStore {
  private dir = '';
  private memory: Memory | undefined;
  private runs = 0;

  async open(): Promise<void> {
    this.dir = await mkdtemp(path.join(tmpdir(), 'keepit-bench-compose-'));
    const memoryDir = path.join(this.dir, 'memory');
    const distDir = path.join(benchEnvironment().root, 'dist');
    const counter = await new NodeTokenCounters(path.join(distDir, 'o200k_base.bin')).exact();
    await fill(new FileMemoryStore({ dir: memoryDir, clock, log: silent }), counter);
    this.memory = createMemory({ claudeDir: path.join(this.dir, 'claude'), memoryDir, distDir, log: silent });
  }

  async close(): Promise<void> {
    await this.memory?.dispose();
    await rm(this.dir, { recursive: true, force: true });
  }

  get saved() {
    if (this.memory === undefined) throw new Error('open it first');
    return this.memory.service.compositions;
  }

  request(fields: Partial<CompositionRequest> = {}): CompositionRequest {
    this.runs += 1;
    return {
      name: `run-${this.runs}`,
      components: Array.from({ length: SESSIONS }, (_, at) => ({ sessionId: sessionName(at) })),
      totalTokenBudget: BUDGET_TOKENS,
      outputFormat: 'both',
      strategy: 'best',
      ...fields,
    };
  }
}

function sessionName(at: number): string {
  return `session-${String(at).padStart(4, '0')}`;
}

async function fill(store: FileMemoryStore, counter: TokenCounter): Promise<void> {
  const texts = new TextPool(new Random(5));
  const settings = { defaultCompressionPreset: 'standard', autoRegisterNewSessions: false, keepitDecayEnabled: true };
  const project = { projectId: PROJECT, originalPath: '/bench', displayName: 'bench', settings };
  await store.updateManifest(project, async (manifest) => {
    const sessions = { ...manifest.sessions };
    for (let at = 0; at < SESSIONS; at += 1) {
      const sessionId = sessionName(at);
      const compressions: CompressionRecord[] = [];
      for (const [index, characters] of VERSION_CHARACTERS.entries()) {
        const blocks = Array.from({ length: 20 }, (_, block) => texts.prose(characters / 20) + String(block));
        const record = versionRecord(index, counter.count(blocks.join('\n\n')));
        const version = {
          file: record.file,
          texts: { md: `<!-- -->\n${blocks.join('\n\n')}\n`, jsonl: jsonlOf(blocks, at) },
        };
        compressions.push(record);
        const originalTokens = 60_000;
        const facts = { sessionId, originalFile: '', originalTokens, originalMessages: 300 };
        await store.versions.keep(PROJECT, version, { ...facts, versions: compressions });
      }
      const time = new Date(Date.UTC(2026, 0, 1) + at * 3_600_000).toISOString();
      sessions[sessionId] = {
        sessionId,
        originalFile: '',
        originalTokens: 60_000,
        originalMessages: 300,
        firstTimestamp: time,
        lastTimestamp: time,
        registeredAt: time,
        lastAccessed: time,
        metadata: { title: `Session ${at}` },
        keepitMarkers: [],
        compressions,
      };
    }
    return { ...manifest, sessions };
  });
}

function versionRecord(index: number, outputTokens: number): CompressionRecord {
  const score = [0.9, 0.7, 0.4][index] ?? 0;
  const fidelity = {
    score,
    keepits: score,
    instructions: score,
    decisions: score,
    paths: score,
    commands: score,
    errors: score,
    identifiers: score,
  };
  return {
    versionId: `v00${index + 1}`,
    file: `v00${index + 1}_bench`,
    createdAt: '2026-01-20T10:00:00.000Z',
    settings: { mode: 'uniform', model: 'local', skipFirstMessages: 0, keepitMode: 'decay' },
    outputTokens,
    outputMessages: 20,
    compressionRatio: 60_000 / outputTokens,
    keepitStats: { preserved: 0, summarized: 0, weights: {} },
    messageRange: [0, 299],
    fidelity,
  };
}

function jsonlOf(blocks: readonly string[], session: number): string {
  return blocks
    .map((text, at) => {
      const role = at % 2 === 0 ? 'user' : 'assistant';
      const keepit = { blocks: [{ kind: 'note', sources: [`${session}-${at}`] }] };
      return `${JSON.stringify({ type: role, message: { role, content: [{ type: 'text', text }] }, keepit })}\n`;
    })
    .join('');
}

function composingCase(): BenchCase {
  const store = new ComposedStore();
  return {
    name: `composition: ${SESSIONS} sessions that have versions are selected and composed, on disk`,
    setup: () => store.open(),
    teardown: () => store.close(),
    subject: {
      name: 'selected, read, rendered, measured, written',
      run: async () => {
        const before = process.cpuUsage();
        const { record } = await store.saved.compose(PROJECT, store.request());
        const { user, system } = process.cpuUsage(before);
        return { cpuMs: (user + system) / 1000, tokens: record.totalTokens, sessions: record.components.length };
      },
    },
    limits: { timeMs: 200, tokens: BUDGET_TOKENS },
    repeats: 9,
    warmups: 3,
  };
}

/** Each time another budget, so that other versions are chosen: what was read and counted before is not again. */
function measuredCase(): BenchCase {
  const store = new ComposedStore();
  let budget = BUDGET_TOKENS;
  return {
    name: `composition: all figures of a builder with ${SESSIONS} sessions, measured on the text`,
    setup: () => store.open(),
    teardown: () => store.close(),
    subject: {
      name: 'after another budget',
      run: async () => {
        budget = budget === BUDGET_TOKENS ? BUDGET_TOKENS + 20_000 : BUDGET_TOKENS;
        const before = process.cpuUsage();
        const { totalTokens } = await store.saved.preview(PROJECT, store.request({ totalTokenBudget: budget }));
        const { user, system } = process.cpuUsage(before);
        return { cpuMs: (user + system) / 1000, tokens: totalTokens };
      },
    },
    limits: { timeMs: 100 },
    repeats: 9,
    warmups: 3,
  };
}

const PREVIEWED = 10;
/** Ten of them come to a million tokens. */
const SESSION_BYTES = 1_680_000;
const CWD = '/home/sam/src/app';
const REAL_PROJECT = '-home-sam-src-app';
const PREVIEW_TOKENS = 16_000;

/** Ten sessions in memory, of which nothing is made yet. */
class PlainSessions {
  readonly folders = { claudeDir: '', memoryDir: '' };
  #root = '';

  async make(): Promise<void> {
    this.#root = await mkdtemp(path.join(tmpdir(), 'keepit-bench-preview-'));
    Object.assign(this.folders, {
      claudeDir: path.join(this.#root, 'claude'),
      memoryDir: path.join(this.#root, 'store'),
    });
    for (let at = 0; at < PREVIEWED; at += 1) {
      const random = new Random(at + 1);
      const identity = { sessionId: previewedId(at), cwd: CWD, startMs: Date.UTC(2026, 0, 5 + at, 9) };
      const file = path.join(this.folders.claudeDir, 'projects', REAL_PROJECT, `${previewedId(at)}.jsonl`);
      await writeSession(file, identity, SESSION_BYTES, { random, pool: new TextPool(random) });
    }
    await withMemory(this.folders, ({ sessions }) => sessions.register(previewedRefs()));
  }

  async remove(): Promise<void> {
    await rm(this.#root, { recursive: true, force: true });
  }
}

function previewedId(at: number): string {
  return `7d0c2a9e-55aa-4c1e-9b11-0c7a4f3f2f${String(at).padStart(2, '0')}`;
}

function previewedRefs(): { projectId: string; sessionId: string }[] {
  return Array.from({ length: PREVIEWED }, (_, at) => ({ projectId: REAL_PROJECT, sessionId: previewedId(at) }));
}

async function withMemory<T>(
  folders: PlainSessions['folders'],
  work: (service: Memory['service']) => Promise<T>,
): Promise<T> {
  const memory = createMemory({ ...folders, log: silent, distDir: path.join(benchEnvironment().root, 'dist') });
  try {
    return await work(memory.service);
  } finally {
    await memory.dispose();
  }
}

function previewRequest(totalTokenBudget: number, sessions = PREVIEWED): CompositionRequest {
  const components = previewedRefs().slice(0, sessions);
  return { name: 'preview', components, totalTokenBudget, outputFormat: 'both', strategy: 'best' };
}

/** What runs in processes of its own. `workMs` is what is compared: without starting a process. */
export const probes = {
  compress: (folders: PlainSessions['folders']) =>
    withMemory(folders, async ({ versions, sessions }) => {
      const entries = await sessions.list(REAL_PROJECT);
      const started = performance.now();
      for (const ref of previewedRefs()) await versions.compress(ref, { compactionRatio: 30 });
      const workMs = performance.now() - started;
      return { workMs, inputTokens: entries.reduce((sum, { originalTokens }) => sum + originalTokens, 0) };
    }),
  /** What the builder shows until it has all of them. */
  begun: (folders: PlainSessions['folders']) =>
    withMemory(folders, (service) => previewed(service, previewRequest(PREVIEW_TOKENS / PREVIEWED, 1))),
  first: (folders: PlainSessions['folders']) =>
    withMemory(folders, (service) => previewed(service, previewRequest(PREVIEW_TOKENS))),
  again: (folders: PlainSessions['folders']) =>
    withMemory(folders, async (service) => {
      await previewed(service, previewRequest(PREVIEW_TOKENS));
      return previewed(service, previewRequest(PREVIEW_TOKENS + 500));
    }),
};

async function previewed(
  { compositions }: Memory['service'],
  request: CompositionRequest,
): Promise<{ workMs: number }> {
  const started = performance.now();
  await compositions.preview(REAL_PROJECT, request);
  return { workMs: performance.now() - started };
}

const PREVIEWS = { begun: 'first figures of a preview', first: 'first preview', again: 'next preview' } as const;

function previewCase(probe: keyof typeof PREVIEWS, ratio: number): BenchCase {
  const sessions = new PlainSessions();
  const side = (name: string, of: keyof typeof probes): BenchCase['subject'] => ({
    name,
    run: () => inFreshProcess(import.meta.url, of, sessions.folders),
  });
  return {
    name: `composition: the ${PREVIEWS[probe]} of ${PREVIEWED} sessions against compressing them`,
    baseline: side('compressed one after the other', 'compress'),
    subject: side('composed, measured', probe),
    compare: ['workMs'],
    aim: { ratio, direction: 'atMost' },
    repeats: 3,
    warmups: 0,
    setup: () => sessions.make(),
    teardown: () => sessions.remove(),
  };
}

function builderCase(): BenchCase {
  return {
    name: 'a change in the Composition Builder with 50 sessions, until its figures are on the screen',
    subject: { name: 'in a real VS Code', run: () => metricsOfScript('measureComposing.mjs', String(SESSIONS)) },
    limits: { timeMs: 100 },
    repeats: 1,
    warmups: 0,
  };
}

/** Composing contexts. */
export const cases: BenchCase[] = [
  composingCase(),
  measuredCase(),
  previewCase('begun', 0.1),
  previewCase('first', 1.1),
  previewCase('again', 0.05),
  builderCase(),
];
