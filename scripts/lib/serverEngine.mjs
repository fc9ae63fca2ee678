import { createWriteStream } from 'node:fs';
import path from 'node:path';
import { chromium } from 'playwright-core';
import { ensureChromium } from './chromium.mjs';
import { chromiumFlags, startServer, workbenchUrl } from './serverProcess.mjs';
import { followResults } from './suiteResults.mjs';
import { ensureVscodeServer } from './vscodeServer.mjs';

const SUITE_TIMEOUT_MS = 300_000;

/**
 * @typedef {object} SuiteTask
 * @property {{ dir: string, workspace: string }} home
 * @property {NodeJS.ProcessEnv} env what the extension host sees
 * @property {string} suite the bundled file whose `run` the extension host calls
 * @property {string} extension the folder of the extension under development
 * @property {string} artefacts where logs and pictures go
 */

/**
 * Opens a window of the embedded server whose extension host runs a suite; a host belongs to a window.
 * `gone` settles when the suite has ended, well or not, or the server has died.
 * @param {SuiteTask} task
 */
export async function openInServer({ home, env, suite, extension, artefacts }) {
  const executablePath = await ensureChromium();
  const server = await startServer({
    isDriven: true,
    ...(await ensureVscodeServer()),
    env,
    dataDir: path.join(home.dir, 'server'),
    extensionsDir: path.join(home.dir, 'extensions'),
    logFile: path.join(artefacts, 'server.log'),
  });
  let browser;
  const close = async () => {
    await browser?.close();
    await server.stop();
  };
  try {
    browser = await chromium.launch({ executablePath, args: chromiumFlags });
    const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
    const log = createWriteStream(path.join(artefacts, 'window.log'));
    await page.exposeFunction('codeAutomationLog', (kind, args) => void log.write(`${kind} ${args.join(' ')}\n`));
    const exited = new Promise((resolve) => page.exposeFunction('codeAutomationExit', resolve));
    await page.goto(workbenchUrl(server, { folder: home.workspace, extension, tests: suite }));
    return { page, gone: Promise.race([server.ended, exited]), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Runs a test suite in the extension host of the embedded server, and returns its counts.
 * @param {SuiteTask & { resultsFile: string }} task
 */
export async function runInEngine(task) {
  const { page, gone, close } = await openInServer(task);
  try {
    const counts = await followResults(task.resultsFile, { gone, timeoutMs: SUITE_TIMEOUT_MS });
    if (counts.failed > 0) {
      await page.screenshot({ path: path.join(task.artefacts, 'window.png') });
      console.error(`  A picture of the window, its log and the server's: ${task.artefacts}`);
    }
    return counts;
  } finally {
    await close();
  }
}
