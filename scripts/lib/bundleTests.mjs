import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { build } from 'esbuild';
import { outputDirFor } from './outputDir.mjs';
import { root } from './root.mjs';

/** Makes `import … from 'vscode'` an error at build time, with the importing file's name. */
const noVscode = {
  name: 'no-vscode',
  setup(bundler) {
    bundler.onResolve({ filter: /^vscode$/ }, ({ importer }) => ({
      errors: [{ text: `'vscode' does not exist here; imported by ${path.relative(root, importer)}` }],
    }));
  },
};

/** All files below `folder` (or `folder` itself, when it is a file) whose names end with `ending`, sorted. */
export async function filesBelow(folder, ending) {
  if (folder.endsWith(ending)) return [folder];
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch((error) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith(ending))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort();
}

/**
 * Bundles TypeScript files as modules that Node runs directly; npm packages stay outside.
 * @param {string[]} entryPoints absolute paths
 * @param {{ name: string }} options
 * @returns {Promise<{ files: string[], dispose: () => Promise<void> }>} the bundles, in the order of the entry points
 */
export async function bundleForNode(entryPoints, { name }) {
  const outdir = await outputDirFor(name);
  const dispose = () => rm(outdir, { recursive: true, force: true });
  try {
    await build({
      absWorkingDir: root,
      entryPoints,
      outdir,
      outbase: root,
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      packages: 'external',
      sourcemap: true,
      outExtension: { '.js': '.mjs' },
      plugins: [noVscode],
      logLevel: 'warning',
    });
  } catch (error) {
    await dispose();
    throw error;
  }
  const files = entryPoints.map((entry) => path.join(outdir, path.relative(root, entry)).replace(/\.ts$/, '.mjs'));
  return { files, dispose };
}
