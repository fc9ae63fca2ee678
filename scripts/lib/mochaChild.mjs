// node mochaChild.mjs <options as JSON>: runs mocha over bundled test files and writes the counts to a file.
import { writeFile } from 'node:fs/promises';
import Mocha from 'mocha';

const { files, grep, timeoutMs, reporter, resultsFile } = JSON.parse(process.argv[2]);
const mocha = new Mocha({ timeout: timeoutMs, reporter, forbidOnly: true, ...(grep === undefined ? {} : { grep }) });
for (const file of files) mocha.addFile(file);
await mocha.loadFilesAsync();
const runner = mocha.run((failures) => {
  const { passes, pending } = runner.stats;
  void writeFile(resultsFile, JSON.stringify({ passed: passes, failed: failures, skipped: pending })).then(() => {
    process.exit(failures > 0 ? 1 : 0); // a handle that somebody left open must not hang the run
  });
});
