// Runs inside the extension host in place of a test suite: activates one extension and writes down how long that took.
import { appendFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { extensions } from 'vscode';

/** By then VS Code has started everything of its own. */
const SETTLE_MS = 5_000;

/** What VS Code calls. The time is that of reading, loading and activating the extension, as its users wait for it. */
export async function run(): Promise<void> {
  const { KEEPIT_TEST_RESULTS: resultsFile, KEEPIT_BENCH_EXTENSION: id } = process.env;
  if (resultsFile === undefined || id === undefined) throw new Error('This runs in npm run bench only.');
  const extension = extensions.getExtension(id);
  if (extension === undefined) throw new Error(`VS Code does not know ${id}.`);
  await sleep(SETTLE_MS);
  const wasActive = extension.isActive;
  const started = performance.now();
  await extension.activate();
  const timeMs = performance.now() - started;
  await appendFile(resultsFile, `${JSON.stringify({ id, wasActive, timeMs })}\n`);
}
