// npm run package: writes keepit-<version>.vsix, which is all that ships. vsce builds for production first (vscode:prepublish).
import { readFile, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { withBuildLock } from './lib/buildLock.mjs';
import { inRoot } from './lib/root.mjs';
import { runNode } from './lib/run.mjs';
import { isMain } from './lib/suite.mjs';

/**
 * @param {{ out?: string }} [options] where the VSIX goes; by default into the repository's folder, under its version
 * @returns {Promise<string>} the absolute path of the VSIX
 */
export async function packageExtension({ out } = {}) {
  const { name, version } = JSON.parse(await readFile(inRoot('package.json'), 'utf8'));
  const file = path.resolve(out ?? inRoot(`${name}-${version}.vsix`));
  await rm(file, { force: true });
  const vsce = [inRoot('node_modules/@vscode/vsce/vsce'), 'package', '--no-dependencies', '--out', file];
  const args = [...vsce, '--allow-missing-repository', '--no-rewrite-relative-links'];
  const { code, output } = await withBuildLock((env) => runNode(args, { env, isQuiet: true }));
  if (code !== 0) throw new Error(`vsce package failed:\n${output}`);
  return file;
}

if (isMain(import.meta.url)) {
  const { values } = parseArgs({ options: { out: { type: 'string' } } });
  const file = await packageExtension(values);
  console.log(`${file}  ${((await stat(file)).size / 1024).toFixed(1)} KB`);
}
