import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { bundleForNode } from './bundleTests.mjs';
import { longestFirst, noteDuration } from './durations.mjs';
import { inRoot } from './root.mjs';
import { runNode } from './run.mjs';
import { inRunFolder, temporaryFilesIn } from './runFolder.mjs';
import { inSlot } from './slots.mjs';
import { added, BROKEN, NONE } from './suite.mjs';

/**
 * @typedef {{ passed: number, failed: number, skipped: number, failures?: string[] }} Counts what failed: a line for each
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

/** More than there are processes, so that one with slow tests does not leave the others idle. */
const SHARDS_PER_PROCESS = 2;

/**
 * Bundles test files and runs them with mocha in Node processes of their own. With several processes, or `isQuiet`, a part is heard of
 * when it is done, and only if something in it failed. With `isEachAlone` a part is one file, and the longest come first: where tests
 * take long, no process is idle at the end; files of which `partOf` says the same are one part. With `hasSecondTry` the files of a part in
 * which something failed are run once more, after all others: what a window does on a busy machine may fail once, and is said; what
 * fails twice has failed.
 * @param {string[]} testFiles absolute paths of TypeScript files
 * @param {{
 *   name: string, grep?: string, timeoutMs: number, reporter?: string, env?: NodeJS.ProcessEnv, processes?: number, isQuiet?: boolean,
 *   isEachAlone?: boolean, partOf?: (file: string) => string, hasSecondTry?: boolean, parent?: string
 * }} options `parent`: in which all lies that is temporary
 * @returns {Promise<Counts>}
 */
export async function runMocha(testFiles, options) {
  if (testFiles.length === 0) {
    console.error(`No test files for ${options.name}.`);
    return BROKEN;
  }
  return inRunFolder((folder) => runAll(testFiles, { ...options, folder }), options.parent);
}

async function runAll(testFiles, { name, processes = 1, isQuiet = processes > 1, folder, ...options }) {
  const { isEachAlone, partOf = (file) => file, hasSecondTry, env = process.env, ...shardOptions } = options;
  const temporary = path.join(folder, 't');
  await mkdir(temporary);
  const bundle = await bundleForNode(testFiles, { name });
  const bundled = new Map(testFiles.map((file, index) => [file, bundle.files[index]]));
  try {
    const count = processes === 1 ? 1 : processes * SHARDS_PER_PROCESS;
    const parts = isEachAlone ? await longestFirst(grouped(testFiles, partOf)) : dealt(testFiles, count);
    let total = NONE;
    const again = [];
    const run = (files, resultsFile) =>
      inSlot(() =>
        runShard(
          files.map((file) => bundled.get(file)),
          {
            ...shardOptions,
            env: { ...env, ...temporaryFilesIn(temporary) },
            resultsFile: path.join(folder, resultsFile),
            isQuiet,
          },
        ),
      );
    const work = parts.entries();
    const runShards = async () => {
      for (const [index, files] of work) {
        const counts = await run(files, `${index}.json`);
        if (isEachAlone && options.grep === undefined) await noteDuration(files, counts.ms);
        if (hasSecondTry && counts.failed > 0) {
          const { failed, others } = failedFiles(files, counts, bundled);
          again.push({ files: failed, failures: counts.failures ?? [] });
          total = added(total, others);
        } else total = added(total, counts);
      }
    };
    await Promise.all(Array.from({ length: processes }, runShards));
    for (const [index, { files, failures }] of again.entries()) {
      console.log('  Once more, since it failed:');
      for (const failure of failures) console.log(`    ↻ ${failure}`);
      total = added(total, await run(files, `again-${index}.json`));
    }
    return total;
  } finally {
    await bundle.dispose();
  }
}

/** Files of which `partOf` says the same, in the order in which they come. */
function grouped(files, partOf) {
  const parts = new Map();
  for (const file of files) parts.set(partOf(file), [...(parts.get(partOf(file)) ?? []), file]);
  return [...parts.values()];
}

/** The files of a part in which something failed, and the counts of the others. Of a part that broke off, all have failed. */
function failedFiles(files, { byFile }, bundled) {
  const countsOf = (file) => byFile?.[bundled.get(file)] ?? BROKEN;
  const failed = files.filter((file) => countsOf(file).failed > 0);
  if (byFile === undefined || failed.length === 0) return { failed: files, others: NONE };
  const others = files.filter((file) => !failed.includes(file));
  return { failed, others: others.map(countsOf).reduce(added, NONE) };
}

/** Neighbours are of one kind, and take about as long: each goes to another shard. */
function dealt(files, count) {
  const shards = Array.from({ length: Math.min(count, files.length) }, () => []);
  for (const [index, file] of files.entries()) shards[index % shards.length].push(file);
  return shards;
}

async function runShard(files, { grep, timeoutMs, reporter = 'dot', env, resultsFile, isQuiet }) {
  const options = JSON.stringify({ files, grep, timeoutMs, reporter, resultsFile });
  const child = ['--enable-source-maps', inRoot('scripts/lib/mochaChild.mjs'), options];
  const started = performance.now();
  const { code, output } = await runNode(child, { env, isQuiet });
  const counts = { ...(await readCounts(resultsFile)), ms: performance.now() - started };
  if (isQuiet && code !== 0) process.stdout.write(output);
  if (isQuiet) for (const title of counts.skips ?? []) console.log(`  - skipped: ${title}`);
  return code !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts;
}
