// node mochaChild.mjs <options as JSON>: runs mocha over bundled test files and writes the counts to a file.
import { writeFile } from 'node:fs/promises';
import Mocha from 'mocha';

const { files, grep, timeoutMs, reporter, resultsFile } = JSON.parse(process.argv[2]);
const mocha = new Mocha({ timeout: timeoutMs, reporter, forbidOnly: true, ...(grep === undefined ? {} : { grep }) });
for (const file of files) mocha.addFile(file);
await mocha.loadFilesAsync();
const failures = [];
const skips = [];
const byFile = {};
const runner = mocha.run((failed) => {
  const { passes, pending } = runner.stats;
  const results = { passed: passes, failed, skipped: pending, failures, skips, byFile };
  void writeFile(resultsFile, JSON.stringify(results)).then(() => {
    process.exit(failed > 0 ? 1 : 0); // a handle that somebody left open must not hang the run
  });
});
function count({ file }, outcome) {
  byFile[file] ??= { passed: 0, failed: 0, skipped: 0 };
  byFile[file][outcome] += 1;
}
for (const file of files) byFile[file] = { passed: 0, failed: 0, skipped: 0 };
runner.on('pass', (test) => count(test, 'passed'));
runner.on('pending', (test) => {
  count(test, 'skipped');
  skips.push(test.fullTitle());
});
runner.on('fail', (test, error) => {
  count(test, 'failed');
  failures.push(`${test.fullTitle()}: ${String(error?.message).split('\n', 1)[0]}`);
});
