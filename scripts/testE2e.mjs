// npm run test:e2e [-- <file>…] [-- --grep <pattern>]: the packaged extension, installed from its VSIX into a real VS Code,
// used through its window. Pictures of failures are kept in test-results/e2e.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, freemem, tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { filesBelow } from './lib/bundleTests.mjs';
import { ensureClaudeExtension, ensureOlderClaudeCode } from './lib/claudeCode.mjs';
import { ensureChromium } from './lib/chromium.mjs';
import { installVsix } from './lib/installVsix.mjs';
import { runMocha } from './lib/mocha.mjs';
import { inRoot, root } from './lib/root.mjs';
import { exitWith, isMain } from './lib/suite.mjs';
import { ensureVscodeServer } from './lib/vscodeServer.mjs';
import { packageExtension } from './package.mjs';

const TEST_TIMEOUT_MS = 180_000;

/** A window with its server and its browser takes up to 2 GB; the rest is for whatever else runs here. */
const FREE_BYTES_FOR_TWO = 6 * 2 ** 30;

/** A test mostly waits for its window: there are two at a time, where there is room for them. */
function windowsAtOnce() {
  return availableParallelism() > 1 && freemem() >= FREE_BYTES_FOR_TWO ? 2 : 1;
}

/** The tests of the product as it ships, in its real surroundings. Files of a folder of `test/e2e` share a window, one after the other. */
export async function testE2e(args = []) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { grep: { type: 'string' }, vsix: { type: 'string' } },
  });
  const places = positionals.length > 0 ? positionals.map((place) => path.resolve(place)) : [inRoot('test/e2e')];
  const files = (await Promise.all(places.map((place) => filesBelow(place, '.test.ts')))).flat();
  const chromium = await ensureChromium();
  const server = await ensureVscodeServer();
  const { file: claude } = await ensureOlderClaudeCode();
  const { file: claudeVsix } = await ensureClaudeExtension();
  const artefacts = inRoot('test-results/e2e');
  await rm(artefacts, { recursive: true, force: true });
  await mkdir(artefacts, { recursive: true });
  const dir = await mkdtemp(path.join(tmpdir(), 'keepit-e2e-'));
  try {
    const vsix = values.vsix ?? (await packageExtension({ out: path.join(dir, 'keepit.vsix') }));
    const extensionsDir = await installVsix(server, [vsix], dir);
    const more = path.join(dir, 'more');
    const withClaudeExtension = claudeVsix && (await installVsix(server, [vsix, claudeVsix], more));
    const stage = { root, ...server, chromium, claude, extensionsDir, withClaudeExtension, artefacts };
    return await runMocha(files, {
      name: 'e2e',
      timeoutMs: TEST_TIMEOUT_MS,
      reporter: 'spec',
      processes: Math.min(files.length, windowsAtOnce()),
      isEachAlone: true,
      partOf: (file) => (path.dirname(file) === inRoot('test/e2e') ? file : path.dirname(file)),
      hasSecondTry: true,
      env: { ...process.env, KEEPIT_E2E: JSON.stringify(stage) },
      ...(values.grep === undefined ? {} : { grep: values.grep }),
    });
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

if (isMain(import.meta.url)) await exitWith(testE2e(process.argv.slice(2)));
