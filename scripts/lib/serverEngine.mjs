import { createWriteStream } from 'node:fs';
import path from 'node:path';
import { chromium } from 'playwright-core';
import { ensureChromium } from './chromium.mjs';
import { chromiumFlags, startServer, workbenchUrl } from './serverProcess.mjs';
import { followResults } from './suiteResults.mjs';
import { ensureVscodeServer } from './vscodeServer.mjs';

const SUITE_TIMEOUT_MS = 300_000;

/**
 * Runs a suite in the extension host of the embedded server. The host belongs to a window, so a browser opens one.
 * @param {{ home: { dir: string, workspace: string }, env: NodeJS.ProcessEnv, resultsFile: string, suite: string,
 *   extension: string, artefacts: string }} task
 */
export async function runInEngine({ home, env, resultsFile, suite, extension, artefacts }) {
  const executablePath = await ensureChromium();
  const { node, serverMain } = await ensureVscodeServer();
  const server = await startServer({
    node,
    serverMain,
    env,
    dataDir: path.join(home.dir, 'server'),
    extensionsDir: path.join(home.dir, 'extensions'),
    logFile: path.join(artefacts, 'server.log'),
  });
  let browser;
  try {
    browser = await chromium.launch({ executablePath, args: chromiumFlags });
    const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
    const log = createWriteStream(path.join(artefacts, 'window.log'));
    await page.exposeFunction('codeAutomationLog', (kind, args) => void log.write(`${kind} ${args.join(' ')}\n`));
    const exited = new Promise((resolve) => page.exposeFunction('codeAutomationExit', resolve));
    await page.goto(workbenchUrl(server, { folder: home.workspace, extension, tests: suite }));
    const gone = Promise.race([server.ended, exited]);
    const counts = await followResults(resultsFile, { gone, timeoutMs: SUITE_TIMEOUT_MS });
    if (counts.failed > 0) {
      await page.screenshot({ path: path.join(artefacts, 'window.png') });
      console.error(`  A picture of the window, its log and the server's: ${artefacts}`);
    }
    return counts;
  } finally {
    await browser?.close();
    await server.stop();
  }
}
