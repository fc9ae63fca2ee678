// npm test [-- <suite>…]: sets up what is missing, runs every check of the project, and ends with one line of counts.
// Nothing but Node itself is imported at the top: before the first step there are no dependencies.
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { ensureDependencies, requireNode } from './lib/dependencies.mjs';
import { inRoot } from './lib/root.mjs';
import { runNode } from './lib/run.mjs';
import { explain } from './lib/setupError.mjs';
import { inSlot, ranked } from './lib/slots.mjs';
import { added, BROKEN, NONE, settle, summaryOf } from './lib/suite.mjs';

const prettier = inRoot('node_modules/prettier/bin/prettier.cjs');

/** For what ships, packed before anything else is built: packing builds for production. What a killed run left goes with the next one. */
const packageDir = inRoot(`dist/test/package-${process.pid}`);
const vsix = path.join(packageDir, 'keepit.vsix');

/** A check that passes or fails as a whole, in one thread; it counts as one test. */
function gate(name, ...args) {
  const run = async () => {
    const { code, output } = await inSlot(() => runNode(args, { isQuiet: true }));
    process.stdout.write(output);
    return code === 0 ? { passed: 1, failed: 0, skipped: 0 } : BROKEN;
  };
  return { name, run };
}

const withoutVscode = (name) => ({
  name,
  run: async () => (await import('./testWithoutVscode.mjs')).testWithoutVscode(name),
});

const e2e = {
  name: 'e2e',
  run: async () => (await import('./testE2e.mjs')).testE2e(['--vsix', vsix]),
};

/** Comes first: what follows works with what it builds, and nothing builds again beside it. */
const buildGate = {
  name: 'build',
  run: async () => {
    await mkdir(packageDir, { recursive: true });
    const packed = selected.includes(e2e)
      ? await gate('package', inRoot('scripts/package.mjs'), '--out', vsix).run()
      : NONE;
    return packed.failed > 0 ? packed : gate('build', inRoot('esbuild.mjs')).run();
  },
};

/**
 * What there is room for at the same time, in the order in which it gets that: first what is soon told, then what waits most, beside which
 * what takes a processor goes on.
 */
const checks = [
  gate('lint and types', inRoot('scripts/lint.mjs'), '--types'),
  gate('format', prettier, '--check', '--cache', '--cache-strategy', 'content', '--log-level', 'warn', '.'),
  gate('docs', inRoot('scripts/checkDocs.mjs')),
  withoutVscode('unit'),
  { name: 'claude', run: async () => (await import('./testClaude.mjs')).testClaude() },
  withoutVscode('hard'),
  withoutVscode('process'),
];

/** Windows come after everything else: what is beside them makes them slow, and they it. */
const windows = [e2e, { name: 'vscode', run: async () => (await import('./testVscode.mjs')).testVscode() }];

const stages = [[buildGate], checks, windows];
const suites = stages.flat();

function selectedSuites(names) {
  const unknown = names.filter((name) => !suites.some((suite) => suite.name === name));
  if (unknown.length > 0) {
    console.error(`Unknown: ${unknown.join(', ')}. There are: ${suites.map((suite) => suite.name).join(', ')}.`);
    process.exit(2);
  }
  return names.length === 0 ? suites : suites.filter((suite) => suite === buildGate || names.includes(suite.name));
}

async function runSuite(suite) {
  const started = performance.now();
  const counts = await settle(suite.run());
  console.log(`  ${suite.name}: ${summaryOf(counts)} (${((performance.now() - started) / 1000).toFixed(1)} s)`);
  return counts;
}

const selected = selectedSuites(process.argv.slice(2));
try {
  requireNode();
  await ensureDependencies();
} catch (error) {
  console.error(explain(error));
  console.log(`\n${summaryOf(BROKEN)}`);
  process.exit(1);
}
let total = NONE;
const failedSuites = [];
async function add(suite, rank) {
  const counts = await ranked(rank, () => runSuite(suite));
  total = added(total, counts);
  if (counts.failed > 0) failedSuites.push(suite.name);
}

for (const stage of stages) {
  const wanted = stage.filter((suite) => selected.includes(suite));
  if (wanted.length === 0) continue;
  console.log(`\n— ${wanted.map(({ name }) => name).join(', ')}`);
  await Promise.all(wanted.map(add));
}
await rm(packageDir, { recursive: true, force: true });
// Said again at the end: the output of a suite that failed early is far above, or cut off where a log is kept short.
if (failedSuites.length > 0) console.log(`\nFailed in: ${failedSuites.join(', ')}`);
for (const failure of total.failures) console.log(`  ✗ ${failure}`);
console.log(`\n${summaryOf(total)}`);
process.exitCode = total.failed > 0 ? 1 : 0;
