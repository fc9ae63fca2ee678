import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { bundleForNode } from './bundleTests.mjs';
import { inRoot } from './root.mjs';
import { runNode } from './run.mjs';
import { BROKEN } from './suite.mjs';

/**
 * @typedef {{ passed: number, failed: number, skipped: number }} Counts
 */

/**
 * The counts that a suite left behind. A suite that died before it wrote them counts as one failure.
 * @returns {Promise<Counts>}
 */
export async function readCounts(file) {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch {
    return BROKEN;
  }
}

/**
 * Bundles test files and runs them with mocha in a Node process of their own.
 * @param {string[]} testFiles absolute paths of TypeScript files
 * @param {{ name: string, grep?: string, timeoutMs: number, reporter?: string, env?: NodeJS.ProcessEnv }} options
 * @returns {Promise<Counts>}
 */
export async function runMocha(testFiles, { name, grep, timeoutMs, reporter = 'dot', env = process.env }) {
  if (testFiles.length === 0) {
    console.error(`No test files for ${name}.`);
    return BROKEN;
  }
  const resultsDir = await mkdtemp(path.join(tmpdir(), `keepit-${name}-`));
  const resultsFile = path.join(resultsDir, 'results.json');
  let bundle;
  try {
    bundle = await bundleForNode(testFiles, { name });
    const options = JSON.stringify({ files: bundle.files, grep, timeoutMs, reporter, resultsFile });
    const child = ['--enable-source-maps', inRoot('scripts/lib/mochaChild.mjs'), options];
    const { code } = await runNode(child, { env });
    const counts = await readCounts(resultsFile);
    return code !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts;
  } finally {
    await bundle?.dispose();
    await rm(resultsDir, { recursive: true, force: true });
  }
}
