import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Log } from '../../../src/core/model/host';
import { createMemory, type Memory } from '../../../src/node/createMemory';
import type { BenchCase, Metrics } from '../bench';
import { inFreshProcess } from '../child';
import { benchEnvironment } from '../environment';
import { writeSession } from '../generate';
import { Random } from '../random';
import { TextPool } from '../textPool';

const RATIO = 30;
const PROBE_BYTES = 512 * 1024;
const PREVIEWS = 20;
const CWD = '/home/sam/src/app';
const PROJECT = '-home-sam-src-app';
const SESSION = '7d0c2a9e-55aa-4c1e-9b11-0c7a4f3f2f10';

const silent: Log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

/** A memory that holds one session. */
interface Folders {
  readonly claudeDir: string;
  readonly memoryDir: string;
}

const ref = { projectId: PROJECT, sessionId: SESSION };

async function withMemory<T>(folders: Folders, work: (memory: Memory['service']) => Promise<T>): Promise<T> {
  const memory = createMemory({ ...folders, log: silent, distDir: path.join(benchEnvironment().root, 'dist') });
  try {
    return await work(memory.service);
  } finally {
    await memory.dispose();
  }
}

/**
 * What runs in processes of its own: nothing is warm. `hostMs` is for how long, all together, the host's event loop was at work: no stall can
 * be longer, but for what else the machine does.
 */
export const probes = {
  compress: (folders: Folders): Promise<Metrics> =>
    withMemory(folders, async (service) => {
      const before = performance.eventLoopUtilization();
      const { version } = await service.versions.compress(ref, { compactionRatio: RATIO });
      const { active: hostMs } = performance.eventLoopUtilization(before);
      const { inputTokens = 0, outputTokens, compressionRatio, fidelity } = version;
      return {
        hostMs,
        inputTokens,
        outputTokens,
        offTarget: Math.abs(compressionRatio / RATIO - 1),
        fidelity: fidelity?.score ?? 0,
      };
    }),
  preview: (folders: Folders): Promise<Metrics> =>
    withMemory(folders, async (service) => {
      await service.versions.preview(ref, { compactionRatio: RATIO });
      const started = performance.now();
      for (let n = 1; n <= PREVIEWS; n++) await service.versions.preview(ref, { compactionRatio: RATIO + n });
      return { nextMs: (performance.now() - started) / PREVIEWS };
    }),
};

/** A session of about so many tokens, in memory already. The same on every machine. */
class BenchSession {
  readonly folders = { claudeDir: '', memoryDir: '' };
  readonly #tokens: number;
  #root = '';

  constructor(tokens: number) {
    this.#tokens = tokens;
  }

  async make(): Promise<void> {
    this.#root = await mkdtemp(path.join(tmpdir(), 'keepit-bench-'));
    let bytes = PROBE_BYTES;
    for (const name of ['probe', 'nearer', 'session']) {
      bytes *= this.#tokens / (await this.#tokensOf(bytes, name));
    }
  }

  async remove(): Promise<void> {
    await rm(this.#root, { recursive: true, force: true });
  }

  async #tokensOf(bytes: number, name: string): Promise<number> {
    const folders = {
      claudeDir: path.join(this.#root, name, 'claude'),
      memoryDir: path.join(this.#root, name, 'store'),
    };
    Object.assign(this.folders, folders);
    const random = new Random(7);
    const identity = { sessionId: SESSION, cwd: CWD, startMs: Date.UTC(2026, 0, 5, 9) };
    const file = path.join(folders.claudeDir, 'projects', PROJECT, `${SESSION}.jsonl`);
    await writeSession(file, identity, bytes, { random, pool: new TextPool(random) });
    return withMemory(folders, async (service) => {
      const [entry] = (await service.sessions.register([ref])).registered;
      return entry?.originalTokens ?? 1;
    });
  }
}

function compressed(session: BenchSession, name: string): BenchCase['subject'] {
  return { name, run: () => inFreshProcess(import.meta.url, 'compress', session.folders) };
}

function firstCase(): BenchCase {
  const session = new BenchSession(100_000);
  return {
    name: 'compression: 100,000 tokens at 30:1, in a process that has just begun',
    subject: compressed(session, 'compress'),
    limits: { timeMs: 1000, cpuMs: 1000, hostMs: 50, maxStallMs: 50, peakRssMb: 400, offTarget: 0.05 },
    setup: () => session.make(),
    teardown: () => session.remove(),
  };
}

function largeCase(): BenchCase {
  const [small, large] = [new BenchSession(100_000), new BenchSession(500_000)];
  return {
    name: 'compression: 500,000 tokens at 30:1 against 100,000',
    baseline: compressed(small, '100,000 tokens'),
    subject: compressed(large, '500,000 tokens'),
    aim: { ratio: 5.5, direction: 'atMost' },
    limits: { hostMs: 100, maxStallMs: 50, peakRssMb: 700, offTarget: 0.05 },
    repeats: 3,
    setup: async () => {
      await small.make();
      await large.make();
    },
    teardown: async () => {
      await small.remove();
      await large.remove();
    },
  };
}

function previewCase(): BenchCase {
  const session = new BenchSession(100_000);
  return {
    name: 'compression: previews of 100,000 tokens, one after the other',
    subject: { name: 'previewCompression', run: () => inFreshProcess(import.meta.url, 'preview', session.folders) },
    limits: { nextMs: 30, maxStallMs: 50 },
    setup: () => session.make(),
    teardown: () => session.remove(),
  };
}

export const cases: BenchCase[] = [firstCase(), largeCase(), previewCase()];
