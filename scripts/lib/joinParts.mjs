// What an entry of a split bundle loads at once is one file: esbuild makes one for each set of entries that share something, up to
// eighty small ones, and a program that is over in a moment spends a fifth of its time on opening them.
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { build } from 'esbuild';

/** `import {a as b} from "./part.mjs"` and `import "./part.mjs"`, as esbuild writes them. */
const IMPORT = /\bimport\s*(?:\{([^}]*)\}\s*from\s*)?"\.\/([^"]+)"/g;

/**
 * Joins the parts that `entry` loads at once into one, and leads all others there; what is imported on demand stays as it is.
 * @param {{ outputs: Record<string, any> }} metafile of the build that has written the parts
 * @param {{ root: string, entry: string, joined: string, options: import('esbuild').BuildOptions }} how `joined` is the new file's name
 * @returns {Promise<{ outputs: Record<string, any> }>} what there is now
 */
export async function joinParts(metafile, { root, entry, joined, options }) {
  const { outputs } = metafile;
  const parts = [...partsOf(outputs, entry)];
  if (parts.length < 2) return metafile;
  const indexOf = new Map(parts.map((part, index) => [path.basename(part), index]));
  const dir = path.dirname(entry);
  const result = await build({
    absWorkingDir: root,
    stdin: {
      contents: parts.map((part, index) => exported(part, index, outputs)).join('\n'),
      resolveDir: path.join(root, dir),
    },
    outfile: joined,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: options.target,
    minify: options.minify,
    sourcemap: options.sourcemap,
    sourcesContent: false,
    legalComments: 'none',
    logLevel: 'warning',
    metafile: true,
    external: options.external,
    plugins: [onlyThese(indexOf)],
  });
  const others = Object.keys(outputs).filter((file) => file.endsWith('.mjs') && !parts.includes(file));
  for (const file of others) await lead(path.join(root, file), indexOf, path.basename(joined));
  for (const part of parts)
    for (const ending of ['', '.map']) await rm(path.join(root, part + ending), { force: true });
  return { outputs: described(outputs, { parts, joined, made: result.metafile.outputs }) };
}

/** Those that load nothing which is imported on demand elsewhere: that has to stay a file of its own, and may not come first. */
function partsOf(outputs, entry) {
  const loaded = new Set();
  const load = (file, found) => {
    for (const imported of importsOf(outputs[file])) {
      if (found.has(imported)) continue;
      found.add(imported);
      load(imported, found);
    }
    return found;
  };
  load(entry, loaded);
  const mayJoin = (file) => outputs[file].entryPoint === undefined;
  return new Set([...loaded].filter((file) => mayJoin(file) && [...load(file, new Set())].every(mayJoin)));
}

function importsOf({ imports }) {
  return imports.filter(({ kind, external }) => kind === 'import-statement' && !external).map((one) => one.path);
}

function exported(part, index, outputs) {
  const from = JSON.stringify(`./${path.basename(part)}`);
  const names = outputs[part].exports.map((name) => `${name} as ${nameIn(index, name)}`);
  return names.length === 0 ? `import ${from};` : `export { ${names.join(', ')} } from ${from};`;
}

function nameIn(index, name) {
  return `p${index}_${name}`;
}

function onlyThese(indexOf) {
  return {
    name: 'only these parts',
    setup(building) {
      building.onResolve({ filter: /^\.\// }, ({ path: asked }) => {
        return indexOf.has(path.basename(asked)) ? undefined : { path: asked, external: true };
      });
    },
  };
}

/** As many lines as before, so that source maps hold. */
async function lead(file, indexOf, joined) {
  const text = await readFile(file, 'utf8');
  const led = text.replace(IMPORT, (statement, names, from) => {
    const index = indexOf.get(from);
    if (index === undefined) return statement;
    const renamed = names?.replace(/([\w$]+)(\s+as\s+[\w$]+)?/g, (_name, name, as) => {
      return `${nameIn(index, name)}${as ?? ` as ${name}`}`;
    });
    return renamed === undefined ? `import "./${joined}"` : `import {${renamed}} from "./${joined}"`;
  });
  await writeFile(file, led);
}

function described(outputs, { parts, joined, made }) {
  const isPart = (file) => parts.some((part) => file === part || file === `${part}.map`);
  const led = ({ path: to, ...one }) => ({ ...one, path: isPart(to) ? joined : to });
  const inputs = {};
  for (const part of parts) {
    for (const [file, { bytesInOutput }] of Object.entries(outputs[part].inputs)) {
      inputs[file] = { bytesInOutput: (inputs[file]?.bytesInOutput ?? 0) + bytesInOutput };
    }
  }
  const rest = Object.entries(outputs).filter(([file]) => !isPart(file));
  const imports = parts.flatMap((part) => outputs[part].imports).filter(({ path: to }) => !isPart(to));
  return {
    ...Object.fromEntries(rest.map(([file, output]) => [file, { ...output, imports: output.imports.map(led) }])),
    ...made,
    [joined]: { ...made[joined], inputs, imports },
  };
}
