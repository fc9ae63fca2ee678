// npm run bench [-- --only <text>] [--repeats <n>] [--json <file>] [--list] [--check]: every case in test/bench/cases.
import { mkdir } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { buildProducts } from '../esbuild.mjs';
import { bundleForNode, filesBelow } from './lib/bundleTests.mjs';
import { cacheDir, inRoot, root } from './lib/root.mjs';
import { runNode } from './lib/run.mjs';

await buildProducts({ isProduction: true }); // what ships is what is measured
await mkdir(cacheDir, { recursive: true });
const cases = await filesBelow(inRoot('test/bench/cases'), '.ts');
const entries = [inRoot('test/bench/main.ts'), inRoot('test/bench/childMain.ts'), ...cases];
const { files, dispose } = await bundleForNode(entries, { name: 'bench' });
try {
  const [main, childMain, ...caseFiles] = files;
  const env = { ...process.env, KEEPIT_BENCH: JSON.stringify({ root, cacheDir, childMain }) };
  const urls = caseFiles.map((file) => pathToFileURL(file).href);
  const { code } = await runNode(['--expose-gc', '--enable-source-maps', main, ...process.argv.slice(2), ...urls], {
    env,
  });
  process.exitCode = code;
} finally {
  await dispose();
}
