// npm test [-- <suite>…]: sets up what is missing, runs every check of the project, and ends with one line of counts.
// Nothing but Node itself is imported at the top: before the first step there are no dependencies.
import { ensureDependencies, requireNode } from './lib/dependencies.mjs';
import { inRoot } from './lib/root.mjs';
import { runNode } from './lib/run.mjs';
import { explain } from './lib/setupError.mjs';
import { added, BROKEN, NONE, settle, summaryOf } from './lib/suite.mjs';

const bin = {
  eslint: inRoot('node_modules/eslint/bin/eslint.js'),
  prettier: inRoot('node_modules/prettier/bin/prettier.cjs'),
  tsc: inRoot('node_modules/typescript/bin/tsc'),
};

/** A check that passes or fails as a whole counts as one test. */
async function gate(args) {
  const { code } = await runNode(args);
  return code === 0 ? { passed: 1, failed: 0, skipped: 0 } : BROKEN;
}

/** In the order in which a person wants to hear of a failure: quick ones first. */
const suites = [
  { name: 'build', run: () => gate([inRoot('esbuild.mjs')]) },
  { name: 'format', run: () => gate([bin.prettier, '--check', '--log-level', 'warn', '.']) },
  { name: 'types', run: () => gate([bin.tsc, '--noEmit', '-p', '.']) },
  { name: 'types of the core', run: () => gate([bin.tsc, '--noEmit', '-p', 'src/core']) },
  { name: 'types of the views', run: () => gate([bin.tsc, '--noEmit', '-p', 'webview-ui']) },
  { name: 'lint', run: () => gate([bin.eslint, '--max-warnings', '0', '.']) },
  { name: 'docs', run: () => gate([inRoot('scripts/checkDocs.mjs')]) },
  { name: 'unit', run: async () => (await import('./testWithoutVscode.mjs')).testWithoutVscode('unit') },
  { name: 'process', run: async () => (await import('./testWithoutVscode.mjs')).testWithoutVscode('process') },
  { name: 'hard', run: async () => (await import('./testWithoutVscode.mjs')).testWithoutVscode('hard') },
  { name: 'claude', run: async () => (await import('./testClaude.mjs')).testClaude() },
  { name: 'vscode', run: async () => (await import('./testVscode.mjs')).testVscode() },
  { name: 'e2e', run: async () => (await import('./testE2e.mjs')).testE2e() },
];

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
  console.log(`\n— ${suite.name}`);
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
for (const suite of selected) {
  const counts = await runSuite(suite);
  total = added(total, counts);
  if (counts.failed > 0) failedSuites.push(suite.name);
}
// Said again at the end: the output of a suite that failed early is far above, or cut off where a log is kept short.
if (failedSuites.length > 0) console.log(`\nFailed in: ${failedSuites.join(', ')}`);
for (const failure of total.failures) console.log(`  ✗ ${failure}`);
console.log(`\n${summaryOf(total)}`);
process.exitCode = total.failed > 0 ? 1 : 0;
