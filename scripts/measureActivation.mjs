// node scripts/measureActivation.mjs keepit|bare: activates an extension in a cold extension host of the embedded VS Code
// and prints {"timeMs"}. `bare` is an extension that does nothing: what activation costs without any of our doing.
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { build } from 'esbuild';
import { outputDirFor } from './lib/outputDir.mjs';
import { inRoot } from './lib/root.mjs';
import { openInServer } from './lib/serverEngine.mjs';
import { makeTestHome } from './lib/testHome.mjs';

const TIMEOUT_MS = 60_000;

const bareManifest = {
  name: 'bare',
  publisher: 'keepit-bench',
  version: '1.0.0',
  main: 'main.js',
  engines: { vscode: '^1.101.0' },
};

/**
 * Writes an extension that is activated by nobody but the measuring suite: while VS Code itself starts, it has no time for
 * anybody, and the figure would be its own.
 */
async function makeExtension(which, folder) {
  const manifest = which === 'bare' ? bareManifest : JSON.parse(await readFile(inRoot('package.json'), 'utf8'));
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 'package.json'), JSON.stringify({ ...manifest, activationEvents: [] }));
  if (which === 'bare') {
    await writeFile(path.join(folder, manifest.main), 'exports.activate = () => undefined;\n');
    return;
  }
  await cp(inRoot('media'), path.join(folder, 'media'), { recursive: true });
  await cp(inRoot('dist'), path.join(folder, 'dist'), {
    recursive: true,
    filter: (file) => file !== inRoot('dist/test'),
  });
}

async function measure(which) {
  const home = await makeTestHome({
    claudeFixture: inRoot('test/fixtures/claude-home'),
    workspaceFixture: inRoot('test/fixtures/workspace'),
  });
  const outdir = await outputDirFor('activation');
  const suite = path.join(outdir, 'suite.js');
  try {
    await build({
      entryPoints: [inRoot('test/bench/vscode/activationSuite.ts')],
      outfile: suite,
      bundle: true,
      format: 'cjs',
      platform: 'node',
      external: ['vscode'],
      logLevel: 'warning',
    });
    const resultsFile = path.join(home.dir, 'results.jsonl');
    const id = which === 'bare' ? `${bareManifest.publisher}.${bareManifest.name}` : 'keepit.keepit';
    const extension = path.join(home.dir, 'extension');
    await makeExtension(which, extension);
    const env = { ...home.env, KEEPIT_TEST_RESULTS: resultsFile, KEEPIT_BENCH_EXTENSION: id };
    const window = await openInServer({ home, env, suite, extension, artefacts: path.join(home.dir, 'logs') });
    try {
      await Promise.race([window.gone, new Promise((resolve) => setTimeout(resolve, TIMEOUT_MS).unref())]);
    } finally {
      await window.close();
    }
    const { wasActive, timeMs } = JSON.parse(await readFile(resultsFile, 'utf8'));
    if (wasActive) throw new Error(`${id} was active before it could be measured.`);
    return { timeMs };
  } finally {
    await rm(outdir, { recursive: true, force: true });
    await home.dispose();
  }
}

const which = process.argv[2];
if (which !== 'keepit' && which !== 'bare') throw new Error('node scripts/measureActivation.mjs keepit|bare');
console.log(JSON.stringify(await measure(which)));
