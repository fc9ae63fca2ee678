// npm run eval -- <name> […]: measures how good something is on real data. One program per name in test/eval.
import { buildRanks } from './buildRanks.mjs';
import { bundleForNode, filesBelow } from './lib/bundleTests.mjs';
import { inRoot } from './lib/root.mjs';
import { runNode } from './lib/run.mjs';
import path from 'node:path';

const [name, ...args] = process.argv.slice(2);
const programs = (await filesBelow(inRoot('test/eval'), '.ts')).filter(
  (file) => path.dirname(file) === inRoot('test/eval'),
);
const program = programs.find((file) => path.basename(file, '.ts') === name);
if (program === undefined) {
  const names = programs.map((file) => path.basename(file, '.ts')).join(' | ');
  console.error(`npm run eval -- <${names}> […]`);
  process.exitCode = 2;
} else {
  await buildRanks(inRoot('dist', 'o200k_base.bin'));
  const { files, dispose } = await bundleForNode([program], { name: 'eval' });
  try {
    const { code } = await runNode(['--enable-source-maps', files[0], ...args]);
    process.exitCode = code;
  } finally {
    await dispose();
  }
}
