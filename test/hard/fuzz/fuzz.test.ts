import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { build } from 'esbuild';
import { useProgram } from '../../process/support/cliProcess';
import { effort, isFull } from '../support/effort';

/** Nothing that is called takes a second; a busy machine may make many of it. */
const HANGS_AFTER_MS = 120_000;
const HEAP_MB = 300;
const MAX_RSS_MB = 900;

const ROUNDS = isFull ? Number(effort) || 1000 : 3;
const ROUNDS_AT_ONCE = Math.min(ROUNDS, 50);

describe('random input, through everything', () => {
  const program = useProgram();
  const folder = path.resolve('dist', 'test', `fuzz-${process.pid}`);
  const script = path.join(folder, 'fuzzWorker.mjs');

  before(() =>
    build({
      entryPoints: [path.resolve('test', 'hard', 'fuzz', 'fuzzWorker.ts')],
      outfile: script,
      bundle: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      packages: 'external',
      logLevel: 'warning',
    }),
  );
  after(() => rm(folder, { recursive: true, force: true }));

  /** Some rounds in a process of their own: what it told, and how it ended. */
  async function rounds(kind: string, first: number): Promise<void> {
    const args = [`--max-old-space-size=${HEAP_MB}`, script, program.dir, kind, String(first), String(ROUNDS_AT_ONCE)];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    const told: string[] = [];
    let problem = '';
    const hang = (): NodeJS.Timeout => setTimeout(() => child.kill('SIGKILL'), HANGS_AFTER_MS);
    let watch = hang();
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      clearTimeout(watch);
      watch = hang();
      told.push(...text.split('\n').filter((line) => line !== ''));
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => (problem += text));
    await once(child, 'close');
    clearTimeout(watch);
    const last = told.at(-1) ?? '';
    const round = told.findLast((line) => line.startsWith('round ')) ?? '';
    assert.match(last, /^done \d+ MB$/, `${kind}, ${round}: ended at «${last}»\n${problem}`);
    const mb = Number(/\d+/.exec(last)?.[0]);
    assert.ok(mb < MAX_RSS_MB, `${kind}: ${mb} MB were in use`);
    if (isFull) console.log(`    ${kind}: ${first + ROUNDS_AT_ONCE} rounds, ${mb} MB`);
  }

  for (const kind of ['transcripts', 'documents']) {
    it(`ends no command with a bug, hangs nowhere and stays small: ${kind}`, async () => {
      for (let first = 0; first < ROUNDS; first += ROUNDS_AT_ONCE) await rounds(kind, first);
    });
  }
});
