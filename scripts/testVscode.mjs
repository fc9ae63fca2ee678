// npm run test:vscode [-- --grep <pattern>]: one suite inside a real extension host, in one of two engines. The desktop
// build is used where there is a display and the build can be had, the embedded server elsewhere; KEEPIT_TEST_ENGINE
// (desktop | server) decides otherwise.
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { buildProducts } from '../esbuild.mjs';
import { filesBelow } from './lib/bundleTests.mjs';
import { outputDirFor } from './lib/outputDir.mjs';
import { inRoot, root } from './lib/root.mjs';
import { SetupError } from './lib/setupError.mjs';
import { inSlot } from './lib/slots.mjs';
import { exitWith, isMain } from './lib/suite.mjs';
import { makeTestHome } from './lib/testHome.mjs';

const PROBE_TIMEOUT_MS = 4_000;

/** The suite as the extension host loads it: CommonJS, with VS Code and npm packages left outside. */
async function bundleSuite() {
  const outdir = await outputDirFor('vscode');
  const tests = await filesBelow(inRoot('test/vscode'), '.test.ts');
  await build({
    absWorkingDir: root,
    entryPoints: [inRoot('test/vscode/index.ts'), ...tests],
    outdir,
    outbase: inRoot('test/vscode'),
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    sourcemap: 'inline',
    define: { 'import.meta.url': 'undefined' },
    logLevel: 'warning',
  });
  return { main: path.join(outdir, 'index.js'), dispose: () => rm(outdir, { recursive: true, force: true }) };
}

async function canHaveDesktop() {
  const hasDisplay = process.platform !== 'linux' || Boolean(process.env.DISPLAY ?? process.env.WAYLAND_DISPLAY);
  if (!hasDisplay) return false;
  try {
    const signal = AbortSignal.timeout(PROBE_TIMEOUT_MS);
    const answer = await fetch('https://update.code.visualstudio.com/api/releases/stable', { method: 'HEAD', signal });
    return answer.ok;
  } catch {
    return false; // no way to the download: the server needs only the npm registry
  }
}

async function chooseEngine() {
  const asked = process.env.KEEPIT_TEST_ENGINE ?? '';
  if (asked !== '' && asked !== 'desktop' && asked !== 'server') {
    throw new SetupError(`KEEPIT_TEST_ENGINE is '${asked}'; it can be 'desktop' or 'server'.`);
  }
  return asked || ((await canHaveDesktop()) ? 'desktop' : 'server');
}

/** The tests that run inside VS Code, with the products as they are built. */
export async function testVscode(args = []) {
  const { values } = parseArgs({ args, options: { grep: { type: 'string' } } });
  const engine = await chooseEngine();
  const { runInEngine } = await (engine === 'desktop'
    ? import('./lib/desktopEngine.mjs')
    : import('./lib/serverEngine.mjs'));
  const suite = await bundleSuite();
  const home = await makeTestHome({
    claudeFixture: inRoot('test/fixtures/claude-home'),
    workspaceFixture: inRoot('test/fixtures/workspace'),
  });
  const artefacts = inRoot('test-results/vscode');
  await mkdir(artefacts, { recursive: true });
  console.log(`  engine: ${engine}`);
  try {
    const resultsFile = path.join(home.dir, 'results.jsonl');
    const env = { ...home.env, KEEPIT_TEST_RESULTS: resultsFile, KEEPIT_TEST_ROOT: root };
    if (values.grep !== undefined) env.KEEPIT_TEST_GREP = values.grep;
    return await inSlot(() => runInEngine({ home, env, resultsFile, suite: suite.main, extension: root, artefacts }));
  } finally {
    await suite.dispose();
    await home.dispose();
  }
}

async function buildAndTest(args) {
  await buildProducts();
  return testVscode(args);
}

if (isMain(import.meta.url)) await exitWith(buildAndTest(process.argv.slice(2)));
