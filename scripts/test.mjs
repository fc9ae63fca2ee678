// npm test [-- <suite>…]: sets up what is missing, runs every check of the project, and ends with one line of counts.
// Nothing but Node itself is imported at the top: before the first step there are no dependencies.
import { ensureDependencies, requireNode } from './lib/dependencies.mjs';
import { inRoot } from './lib/root.mjs';
import { runNode } from './lib/run.mjs';
import { explain } from './lib/setupError.mjs';
import { added, BROKEN, NONE, settle, summaryOf } from './lib/suite.mjs';

const bin = {
  prettier: inRoot('node_modules/prettier/bin/prettier.cjs'),
  tsc: inRoot('node_modules/typescript/bin/tsc'),
};

/** A check that passes or fails as a whole, in one thread; it counts as one test. */
function gate(name, ...args) {
  const run = async () => {
    const { code, output } = await runNode(args, { isQuiet: true });
    process.stdout.write(output);
    return code === 0 ? { passed: 1, failed: 0, skipped: 0 } : BROKEN;
  };
  return { name, run };
}

const withoutVscode = (name) => ({
  name,
  run: async () => (await import('./testWithoutVscode.mjs')).testWithoutVscode(name),
});

/**
 * In the order in which a person wants to hear of a failure: stages one after the other, the lanes of a stage at the same time. The real
 * Claude Code mostly waits, for the hooks that it runs; what else starts programs goes on meanwhile.
 */
const stages = [
  [[gate('build', inRoot('esbuild.mjs'))]], // what follows works with what it builds
  [
    [
      gate('lint', inRoot('scripts/lint.mjs')),
      gate('format', bin.prettier, '--check', '--cache', '--cache-strategy', 'content', '--log-level', 'warn', '.'),
      gate('types', bin.tsc, '--noEmit', '-p', '.'),
      gate('types of the core', bin.tsc, '--noEmit', '-p', 'src/core'),
      gate('types of the views', bin.tsc, '--noEmit', '-p', 'webview-ui'),
      gate('docs', inRoot('scripts/checkDocs.mjs')),
    ],
    [withoutVscode('unit')],
  ],
  [
    [withoutVscode('process'), withoutVscode('hard')],
    [{ name: 'claude', run: async () => (await import('./testClaude.mjs')).testClaude() }],
  ],
  [[{ name: 'vscode', run: async () => (await import('./testVscode.mjs')).testVscode() }]],
  [[{ name: 'e2e', run: async () => (await import('./testE2e.mjs')).testE2e() }]],
];
const suites = stages.flat(2);

function selectedSuites(names) {
  const unknown = names.filter((name) => !suites.some((suite) => suite.name === name));
  if (unknown.length > 0) {
    console.error(`Unknown: ${unknown.join(', ')}. There are: ${suites.map((suite) => suite.name).join(', ')}.`);
    process.exit(2);
  }
  return names.length === 0 ? suites : suites.filter((suite) => names.includes(suite.name));
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
/** The suites of a lane, one after the other. */
async function runLane(lane) {
  for (const suite of lane.filter((each) => selected.includes(each))) {
    const counts = await runSuite(suite);
    total = added(total, counts);
    if (counts.failed > 0) failedSuites.push(suite.name);
  }
}

for (const lanes of stages) {
  const names = lanes.flat().flatMap((suite) => (selected.includes(suite) ? [suite.name] : []));
  if (names.length > 0) console.log(`\n— ${names.join(', ')}`);
  await Promise.all(lanes.map(runLane));
}
// Said again at the end: the output of a suite that failed early is far above, or cut off where a log is kept short.
if (failedSuites.length > 0) console.log(`\nFailed in: ${failedSuites.join(', ')}`);
for (const failure of total.failures) console.log(`  ✗ ${failure}`);
console.log(`\n${summaryOf(total)}`);
process.exitCode = total.failed > 0 ? 1 : 0;
