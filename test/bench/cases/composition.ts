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
import { benchEnvironment } from '../environment';
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
        await store.keepVersion(PROJECT, sessionId, version, { ...facts, versions: compressions });
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
export const cases: BenchCase[] = [composingCase(), measuredCase(), builderCase()];
