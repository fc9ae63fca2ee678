// npm run test:unit [-- <file or folder>…] [-- --grep <pattern>] [-- --reporter spec]
// npm run test:process, with the same options
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { buildProducts } from '../esbuild.mjs';
import { filesBelow } from './lib/bundleTests.mjs';
import { runMocha } from './lib/mocha.mjs';
import { inRoot } from './lib/root.mjs';
import { exitWith, isMain } from './lib/suite.mjs';

/** Starting a program, or filling a disk, takes its time; a test in the same process has no reason to. */
const TIMEOUTS_MS = { unit: 20_000, process: 60_000 };

/**
 * The tests that need no VS Code: `unit` within their own process, with nothing built; `process` with the built products, their threads,
 * programs that run and are killed, and disks that are full.
 */
export async function testWithoutVscode(suite, args = []) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { grep: { type: 'string' }, reporter: { type: 'string' } },
  });
  const places = positionals.length > 0 ? positionals.map((place) => path.resolve(place)) : [inRoot('test', suite)];
  const files = (await Promise.all(places.map((place) => filesBelow(place, '.test.ts')))).flat();
  // A reporter is asked for by somebody who wants to read along.
  const processes = values.reporter === undefined ? availableParallelism() : 1;
  return runMocha(files, { name: suite, timeoutMs: TIMEOUTS_MS[suite], processes, ...values });
}

/** `npm test` has built the products before it comes here. */
async function buildAndTest([suite, ...args]) {
  if (suite === 'process') await buildProducts();
  return testWithoutVscode(suite, args);
}

if (isMain(import.meta.url)) await exitWith(buildAndTest(process.argv.slice(2)));
