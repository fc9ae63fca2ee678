// npm run test:claude [-- <file>…] [-- --grep <pattern>]: the real Claude Code, in an older and a newer version, against a model of ours
// on this machine. A version that cannot be had counts as one test that was skipped. With `--reporter spec` one runs after the other,
// and every test is told of.
import path from 'node:path';
import { parseArgs } from 'node:util';
import { buildProducts } from '../esbuild.mjs';
import { filesBelow } from './lib/bundleTests.mjs';
import { ensureClaudeCodes } from './lib/claudeCode.mjs';
import { runMocha } from './lib/mocha.mjs';
import { inRoot } from './lib/root.mjs';
import { added, exitWith, isMain, NONE, summaryOf } from './lib/suite.mjs';

/** What comes before the tests of a file may be a dozen sessions, one after the other. */
const TEST_TIMEOUT_MS = 150_000;

/** Of each version. */
const PROCESSES = 2;

export async function testClaude(args = []) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { grep: { type: 'string' }, reporter: { type: 'string' } },
  });
  const places = positionals.length > 0 ? positionals.map((place) => path.resolve(place)) : [inRoot('test/claude')];
  const files = (await Promise.all(places.map((place) => filesBelow(place, '.test.ts')))).flat();
  const versions = await ensureClaudeCodes();
  const options = { timeoutMs: TEST_TIMEOUT_MS, reporter: 'spec', ...values };
  let total = NONE;
  if (values.reporter !== undefined) {
    for (const version of versions) total = added(total, await testVersion(version, files, options));
    return total;
  }
  // Mostly they wait: for Claude Code, which waits for its hooks. Side by side they take hardly longer than one of them.
  // As with windows: what fails on a busy machine is tried once more, and told.
  const sideBySide = { ...options, processes: PROCESSES, isEachAlone: true, hasSecondTry: true };
  const counts = await Promise.all(versions.map((version) => testVersion(version, files, sideBySide)));
  return counts.reduce(added, total);
}

async function testVersion({ version, file, problem }, files, options) {
  const name = `Claude Code ${version}`;
  if (file === undefined) {
    console.log(`  ${name}: skipped, for ${problem}.`);
    return { passed: 0, failed: 0, skipped: 1 };
  }
  const started = performance.now();
  const env = { ...process.env, KEEPIT_CLAUDE_BIN: file };
  const counts = await runMocha(files, { name: `claude-${version}`, env, ...options });
  console.log(`  ${name}: ${summaryOf(counts)} (${((performance.now() - started) / 1000).toFixed(1)} s)`);
  return { ...counts, failures: counts.failures?.map((failure) => `${name}: ${failure}`) };
}

async function buildAndTest(args) {
  await buildProducts();
  return testClaude(args);
}

if (isMain(import.meta.url)) await exitWith(buildAndTest(process.argv.slice(2)));
