import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 200;
const SIGNS = { passed: '✓', failed: '✗', skipped: '-', again: '↻' };

async function linesOf(file) {
  const text = await readFile(file, 'utf8').catch((error) => {
    if (error.code === 'ENOENT') return ''; // the suite has not started yet
    throw error;
  });
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

function print({ outcome, title, durationMs, error }) {
  console.log(`  ${SIGNS[outcome]} ${title}${durationMs > 100 ? ` (${durationMs} ms)` : ''}`);
  if (error !== undefined) console.log(error.replace(/^/gm, '      '));
}

/**
 * Follows the results file of a suite that runs in an extension host, prints its lines as they come, and returns the
 * counts when the suite has ended, `gone` settled without it, or the time is over. The last two are failures.
 * @param {string} file
 * @param {{ gone: Promise<unknown>, timeoutMs: number }} options
 */
export async function followResults(file, { gone, timeoutMs }) {
  const counts = { passed: 0, failed: 0, skipped: 0, failures: [] };
  let isGone = false;
  void Promise.resolve(gone).then(
    () => (isGone = true),
    () => (isGone = true),
  );
  const deadline = performance.now() + timeoutMs;
  for (let seen = 0; ;) {
    const wasGone = isGone; // asked before reading: what was written before the end is read
    const lines = await linesOf(file);
    for (const line of lines.slice(seen)) {
      if (line.outcome === 'end') return counts;
      if (line.outcome !== 'again') counts[line.outcome] += 1;
      if (line.outcome === 'failed') counts.failures.push(`${line.title}: ${String(line.error).split('\n', 1)[0]}`);
      print(line);
    }
    seen = lines.length;
    if (wasGone || performance.now() > deadline) {
      console.error(wasGone ? 'VS Code ended before its suite did.' : 'The suite in VS Code did not end in time.');
      return { ...counts, failed: counts.failed + 1 };
    }
    await sleep(POLL_MS);
  }
}
