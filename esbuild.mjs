// Builds every product of the extension: `node esbuild.mjs [--production] [--watch]`.
// Development builds carry source maps; production builds are minified and carry none, they go into the VSIX.
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, context } from 'esbuild';

const root = path.dirname(fileURLToPath(import.meta.url));

/**
 * One row per bundle. Only the extension bundle may leave `vscode` to its host: anywhere else the import does not resolve,
 * so that code of the extension cannot leak into programs that run without VS Code.
 */
export const products = [
  { name: 'extension', entry: 'src/vscode/extension.ts', outfile: 'dist/extension.js', external: ['vscode'] },
  { name: 'cli', entry: 'src/cli/main.ts', outfile: 'dist/cli.js', external: [], executable: true },
  { name: 'scannerWorker', entry: 'src/node/threads/scannerWorker.ts', outfile: 'dist/scannerWorker.js', external: [] },
];

/** Scripts that compute a file of `dist/` rather than bundle it; each exports one function that writes the file. */
const generators = [{ script: 'scripts/buildRanks.mjs', run: 'buildRanks', outfile: 'dist/o200k_base.bin' }];

/** `import.meta.url` has no meaning in CommonJS: it becomes the bundle's own URL, as it would be in a module. */
const bundleUrl = 'const keepitBundleUrl = require("node:url").pathToFileURL(__filename).href;';

function optionsOf(product, isProduction) {
  return {
    absWorkingDir: root,
    entryPoints: [product.entry],
    outfile: product.outfile,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    external: product.external,
    define: { 'import.meta.url': 'keepitBundleUrl' },
    banner: { js: product.executable ? `#!/usr/bin/env node\n${bundleUrl}` : bundleUrl },
    minify: isProduction,
    sourcemap: !isProduction,
    sourcesContent: false,
    metafile: true,
    logLevel: 'warning',
    legalComments: 'none',
  };
}

async function generate() {
  for (const generator of generators) {
    const script = path.join(root, generator.script);
    if (!existsSync(script)) continue;
    const module = await import(pathToFileURL(script).href);
    await module[generator.run](path.join(root, generator.outfile));
  }
}

/** Writes `dist/sizes.json`, which the bench reads: bytes of each bundle, and of its largest inputs. */
async function reportSizes(results) {
  const sizes = results.map(({ product, metafile }) => {
    const output = Object.values(metafile.outputs).find((candidate) => candidate.entryPoint !== undefined);
    const inputs = Object.entries(output?.inputs ?? {}).map(([file, input]) => ({ file, bytes: input.bytesInOutput }));
    inputs.sort((a, b) => b.bytes - a.bytes);
    return { name: product.name, file: product.outfile, bytes: output?.bytes ?? 0, largest: inputs.slice(0, 10) };
  });
  await writeFile(path.join(root, 'dist/sizes.json'), `${JSON.stringify(sizes, null, 2)}\n`);
  return sizes;
}

/** What an older build left: a bundle that is no product any more must not ship. */
async function removeStale() {
  const current = new Set(products.flatMap(({ outfile }) => [outfile, `${outfile}.map`]));
  const names = await readdir(path.join(root, 'dist'));
  const stale = names.filter((name) => /\.js(\.map)?$/.test(name) && !current.has(`dist/${name}`));
  for (const name of stale) await rm(path.join(root, 'dist', name), { force: true });
}

/**
 * Builds all products.
 * @param {{ isProduction?: boolean }} [options]
 */
export async function buildProducts({ isProduction = false } = {}) {
  await mkdir(path.join(root, 'dist'), { recursive: true });
  await removeStale();
  await generate();
  const results = await Promise.all(
    products.map(async (product) => ({ product, ...(await build(optionsOf(product, isProduction))) })),
  );
  for (const { product } of results) {
    if (product.executable) await chmod(path.join(root, product.outfile), 0o755);
    if (isProduction) await rm(path.join(root, `${product.outfile}.map`), { force: true });
  }
  return reportSizes(results);
}

async function watchProducts() {
  await generate();
  for (const product of products) {
    const watcher = await context({ ...optionsOf(product, false), logLevel: 'info' });
    await watcher.watch();
  }
}

if (process.argv[1] !== undefined && path.resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  if (process.argv.includes('--watch')) {
    await watchProducts();
  } else {
    const sizes = await buildProducts({ isProduction: process.argv.includes('--production') }).catch((error) => {
      if (!Array.isArray(error.errors)) throw error; // else esbuild has told its errors itself
      process.exitCode = 1;
      return [];
    });
    for (const { file, bytes } of sizes) console.log(`${file}  ${(bytes / 1024).toFixed(1)} KB`);
  }
}
