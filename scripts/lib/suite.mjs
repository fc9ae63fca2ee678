import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** Whether a module is the program that was started, rather than a part of another. */
export function isMain(url) {
  return process.argv[1] !== undefined && path.resolve(process.argv[1]) === fileURLToPath(url);
}

/** One line for the counts of one or all suites; the very words that `npm test` ends with. */
export function summaryOf({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

/** Ends a script that ran one suite. */
export async function exitWith(suite) {
  const counts = await suite;
  console.log(summaryOf(counts));
  process.exitCode = counts.failed > 0 ? 1 : 0;
}
