// npm run test:unit [-- <file or folder>…] [-- --grep <pattern>] [-- --reporter spec]
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { buildProducts } from '../esbuild.mjs';
import { filesBelow } from './lib/bundleTests.mjs';
import { runMocha } from './lib/mocha.mjs';
import { inRoot } from './lib/root.mjs';
import { exitWith, isMain } from './lib/suite.mjs';

const UNIT_TIMEOUT_MS = 20_000;

/** The tests that need no VS Code. */
export async function testUnit(args = []) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { grep: { type: 'string' }, reporter: { type: 'string' } },
  });
  const places = positionals.length > 0 ? positionals.map((place) => path.resolve(place)) : [inRoot('test/unit')];
  const files = (await Promise.all(places.map((place) => filesBelow(place, '.test.ts')))).flat();
  // A reporter is asked for by somebody who wants to read along.
  const processes = values.reporter === undefined ? availableParallelism() : 1;
  return runMocha(files, { name: 'unit', timeoutMs: UNIT_TIMEOUT_MS, processes, ...values });
}

/** Some tests run the built command line; `npm test` has built it before it comes here. */
async function buildAndTest(args) {
  const isBuilt = await buildProducts().then(
    () => true,
    () => false, // esbuild has said why; most tests do not need the products, and are run all the same
  );
  const counts = await testUnit(args);
  return isBuilt ? counts : { ...counts, failed: counts.failed + 1 };
}

if (isMain(import.meta.url)) await exitWith(buildAndTest(process.argv.slice(2)));
