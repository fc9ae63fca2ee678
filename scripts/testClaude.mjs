// npm run test:claude [-- <file>…] [-- --grep <pattern>]: the real Claude Code against a model of ours on this machine.
// Where Claude Code cannot be had the suite says so, and counts as one that was skipped.
import path from 'node:path';
import { parseArgs } from 'node:util';
import { buildProducts } from '../esbuild.mjs';
import { filesBelow } from './lib/bundleTests.mjs';
import { ensureClaudeCode } from './lib/claudeCode.mjs';
import { runMocha } from './lib/mocha.mjs';
import { inRoot } from './lib/root.mjs';
import { exitWith, isMain } from './lib/suite.mjs';

/** What comes before the tests of a file may be a dozen sessions, one after the other. */
const TEST_TIMEOUT_MS = 150_000;

export async function testClaude(args = []) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { grep: { type: 'string' }, reporter: { type: 'string' } },
  });
  const claude = await ensureClaudeCode();
  if ('problem' in claude) {
    console.log(`  skipped: no Claude Code to test with; ${claude.problem}.`);
    return { passed: 0, failed: 0, skipped: 1 };
  }
  const places = positionals.length > 0 ? positionals.map((place) => path.resolve(place)) : [inRoot('test/claude')];
  const files = (await Promise.all(places.map((place) => filesBelow(place, '.test.ts')))).flat();
  const env = { ...process.env, KEEPIT_CLAUDE_BIN: claude.file };
  return runMocha(files, { name: 'claude', timeoutMs: TEST_TIMEOUT_MS, reporter: 'spec', env, ...values });
}

async function buildAndTest(args) {
  await buildProducts();
  return testClaude(args);
}

if (isMain(import.meta.url)) await exitWith(buildAndTest(process.argv.slice(2)));
