// npm run test:unit [-- <file or folder>…] [-- --grep <pattern>] [-- --reporter spec]
import path from 'node:path';
import { parseArgs } from 'node:util';
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
  return runMocha(files, { name: 'unit', timeoutMs: UNIT_TIMEOUT_MS, ...values });
}

if (isMain(import.meta.url)) await exitWith(testUnit(process.argv.slice(2)));
