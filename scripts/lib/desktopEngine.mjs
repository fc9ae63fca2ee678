import path from 'node:path';
import { runTests } from '@vscode/test-electron';
import { cacheDir } from './root.mjs';
import { followResults } from './suiteResults.mjs';

const VSCODE_VERSION = '1.139.1';
const SUITE_TIMEOUT_MS = 300_000;

/**
 * Runs a suite in desktop VS Code, which is downloaded on first use.
 * @param {{ home: { dir: string, workspace: string }, env: NodeJS.ProcessEnv, resultsFile: string, suite: string,
 *   extension: string }} task
 */
export async function runInEngine({ home, env, resultsFile, suite, extension }) {
  const isRoot = process.getuid?.() === 0;
  const ended = runTests({
    version: VSCODE_VERSION,
    cachePath: path.join(cacheDir, 'desktop'),
    extensionDevelopmentPath: extension,
    extensionTestsPath: suite,
    extensionTestsEnv: env,
    launchArgs: [
      home.workspace,
      '--disable-workspace-trust',
      '--disable-telemetry',
      `--user-data-dir=${path.join(home.dir, 'user-data')}`,
      `--extensions-dir=${path.join(home.dir, 'extensions')}`,
      ...(isRoot ? ['--no-sandbox'] : []),
    ],
  });
  const counts = await followResults(resultsFile, { gone: ended, timeoutMs: SUITE_TIMEOUT_MS });
  await ended.catch((error) => {
    if (counts.failed === 0) throw error; // failed tests have been told already; anything else has not
  });
  return counts;
}
