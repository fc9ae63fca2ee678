// npm run test:unit [-- <file or folder>…] [-- --grep <pattern>] [-- --reporter spec]
// npm run test:process, with the same options
// npm run test:hard, with the same options: faults, kills and fuzz in full, for hours; `npm test` runs a sample of them, and with
//   `KEEPIT_HARD=each` each place in the code fails in one way instead of each file call in all, with `KEEPIT_HARD=30` so many of a command do,
//   and so many rounds of fuzz are gone through
import { randomInt } from 'node:crypto';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { buildProducts } from '../esbuild.mjs';
import { filesBelow } from './lib/bundleTests.mjs';
import { runMocha } from './lib/mocha.mjs';
import { inRoot } from './lib/root.mjs';
import { quickFolder } from './lib/runFolder.mjs';
import { exitWith, isMain } from './lib/suite.mjs';

/** On a busy machine a test takes many times as long as on one at rest; starting a program, or filling a disk, takes its time anywhere. */
const TIMEOUTS_MS = { unit: 90_000, process: 60_000, hard: 300_000 };

/** A full run goes through every call of every command that may fail. */
const FULL_TIMEOUT_MS = 6 * 3_600_000;

/**
 * The tests that need no VS Code: `unit` within their own process, with nothing built; `process` with the built products, their threads,
 * programs that run and are killed, and disks that are full; `hard` with faults, kills and damage chosen at random.
 * @param {'unit' | 'process' | 'hard'} suite
 * @param {string[]} [args]
 * @param {{ isFull?: boolean }} [options] of `hard`: everything, or the sample that `npm test` has time for
 */
export async function testWithoutVscode(suite, args = [], { isFull = false } = {}) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { grep: { type: 'string' }, reporter: { type: 'string' } },
  });
  const places = positionals.length > 0 ? positionals.map((place) => path.resolve(place)) : [inRoot('test', suite)];
  const files = (await Promise.all(places.map((place) => filesBelow(place, '.test.ts')))).flat();
  // A reporter is asked for by somebody who wants to read along.
  const processes = values.reporter === undefined ? availableParallelism() : 1;
  const timeoutMs = isFull ? FULL_TIMEOUT_MS : TIMEOUTS_MS[suite];
  const env = suite === 'hard' ? { ...process.env, ...hardVariables(isFull) } : process.env;
  const isEachAlone = suite !== 'unit' && processes > 1;
  // A full run takes hours: what it has found is shown at once.
  return runMocha(files, {
    name: suite,
    timeoutMs,
    processes,
    env,
    isEachAlone,
    ...(suite === 'hard' && { parent: await quickFolder() }),
    ...(isFull && { isQuiet: false }),
    ...values,
  });
}

/** What `test/hard/support/effort.ts` reads. The seed is printed, so that what failed can be run again. */
function hardVariables(isFull) {
  // The sample is a gate, and says the same of the same code; a full run tries what no run before it has tried.
  const seed = process.env.KEEPIT_SEED ?? (isFull ? String(randomInt(2 ** 31)) : '1');
  console.log(`  seed ${seed} (again: KEEPIT_SEED=${seed})`);
  return { KEEPIT_SEED: seed, KEEPIT_HARD: isFull ? (process.env.KEEPIT_HARD ?? 'full') : 'sample' };
}

/** `npm test` has built the products before it comes here. */
async function buildAndTest([suite, ...args]) {
  if (suite !== 'unit') await buildProducts();
  return testWithoutVscode(suite, args, { isFull: suite === 'hard' });
}

if (isMain(import.meta.url)) await exitWith(buildAndTest(process.argv.slice(2)));
