// Puts the Claude Code plugin together in dist/claude-plugin: the static files, and in bin/ the command line with all that it
// loads. No package.json: with one, Claude Code would have npm install the plugin.
import { createHash } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { placeFile } from './lib/placeFile.mjs';
import { inRoot } from './lib/root.mjs';

/** The list of the plugin's own files, by which a copy of it is judged. */
const LIST = 'files.json';

async function filesIn(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
}

function hashOf(content) {
  return createHash('sha256').update(content).digest('hex');
}

/** The static files, under their names in the plugin; its version is that of the package. */
async function staticFiles(version) {
  const source = inRoot('src/claude-plugin');
  const manifest = path.join(source, '.claude-plugin', 'plugin.json');
  const files = new Map();
  for (const file of await filesIn(source)) {
    const name = path.relative(source, file).split(path.sep).join('/');
    const content = await readFile(file);
    const own = file === manifest ? `${JSON.stringify({ ...JSON.parse(content), version }, null, 2)}\n` : content;
    files.set(name, Buffer.from(own));
  }
  return files;
}

/**
 * @param {{ version: string, files: readonly string[], notices: string }} parts the package's version, and the built files that the command line
 *   loads, `dist/cli.js` among them; and the notices about the work of others in them
 */
export async function buildPlugin({ version, files: programs, notices }) {
  const folder = inRoot('dist/claude-plugin');
  const files = await staticFiles(version);
  for (const file of programs) {
    const name = path.basename(file) === 'cli.js' ? 'keepit.js' : path.basename(file);
    files.set(`bin/${name}`, await readFile(inRoot(file)));
  }
  files.set(path.basename(notices), await readFile(inRoot(notices)));
  const names = [...files.keys()].sort();
  const hashes = Object.fromEntries(names.map((name) => [name, hashOf(files.get(name))]));
  files.set(LIST, Buffer.from(`${JSON.stringify({ version, files: hashes }, null, 2)}\n`));
  for (const [name, content] of files) await placeFile(path.join(folder, name), content);
  for (const file of await filesIn(folder)) {
    const name = path.relative(folder, file).split(path.sep).join('/');
    if (!files.has(name) && !name.endsWith('.tmp')) await rm(file, { force: true });
  }
}
