import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { explain } from './setupError.mjs';

/** Whether a module is the program that was started, rather than a part of another. */
export function isMain(url) {
  return process.argv[1] !== undefined && path.resolve(process.argv[1]) === fileURLToPath(url);
}

/** One line for the counts of one or all suites; the very words that `npm test` ends with. */
export function summaryOf({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

/** What a suite counts as that could not even start. */
export const BROKEN = Object.freeze({ passed: 0, failed: 1, skipped: 0 });

/** What the counts of several suites begin with. */
export const NONE = Object.freeze({ passed: 0, failed: 0, skipped: 0, failures: [] });

export function added(total, { passed, failed, skipped, failures = [] }) {
  return {
    passed: total.passed + passed,
    failed: total.failed + failed,
    skipped: total.skipped + skipped,
    failures: [...total.failures, ...failures],
  };
}

/** The counts of a suite; one that threw counts as one failure, and is told of. */
export function settle(suite) {
  return suite.catch((error) => {
    console.error(explain(error));
    return BROKEN;
  });
}

/** Ends a script that ran one suite. */
export async function exitWith(suite) {
  const counts = await settle(suite);
  console.log(summaryOf(counts));
  process.exitCode = counts.failed > 0 ? 1 : 0;
}
