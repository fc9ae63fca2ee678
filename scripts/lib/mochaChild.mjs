// node mochaChild.mjs <options as JSON>: runs mocha over bundled test files and writes the counts to a file.
import { writeFile } from 'node:fs/promises';
import Mocha from 'mocha';

const { files, grep, timeoutMs, reporter, resultsFile } = JSON.parse(process.argv[2]);
const mocha = new Mocha({ timeout: timeoutMs, reporter, forbidOnly: true, ...(grep === undefined ? {} : { grep }) });
for (const file of files) mocha.addFile(file);
await mocha.loadFilesAsync();
const failures = [];
const skips = [];
const runner = mocha.run((failed) => {
  const { passes, pending } = runner.stats;
  void writeFile(resultsFile, JSON.stringify({ passed: passes, failed, skipped: pending, failures, skips })).then(
    () => {
      process.exit(failed > 0 ? 1 : 0); // a handle that somebody left open must not hang the run
    },
  );
});
runner.on('pending', (test) => skips.push(test.fullTitle()));
runner.on('fail', (test, error) => failures.push(`${test.fullTitle()}: ${String(error?.message).split('\n', 1)[0]}`));
