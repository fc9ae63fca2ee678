// npm start: sets up what is missing, builds, and opens the extension on its sample memory. In desktop VS Code where
// `code` is there, else in an embedded VS Code at a local address; KEEPIT_START (desktop | server) decides otherwise.
// Nothing but Node itself is imported at the top: before the first step there are no dependencies.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ensureDependencies, requireNode } from './lib/dependencies.mjs';
import { cacheDir, root } from './lib/root.mjs';
import { explain, SetupError } from './lib/setupError.mjs';

const dataDir = path.join(cacheDir, 'start-data');

/** The window that opens this folder is the sample's: its store and Claude folder lie below, apart from the user's own. */
const sample = path.join(dataDir, 'keepit-sample');
const env = { ...process.env, KEEPIT_SAMPLE_FOLDER: sample };

const settings = {
  'git.openRepositoryInParentFolders': 'never', // the sample's folder lies in this checkout
  'workbench.startupEditor': 'none',
  'workbench.welcomePage.walkthroughs.openOnInstall': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'telemetry.telemetryLevel': 'off',
};

function commandOnPath(name) {
  const endings = process.platform === 'win32' ? ['.cmd', '.exe'] : [''];
  const folders = (process.env.PATH ?? '').split(path.delimiter).filter((folder) => folder !== '');
  const places = folders.flatMap((folder) => endings.map((ending) => path.join(folder, name + ending)));
  return places.find((place) => existsSync(place));
}

/** In the terminal of a remote window, `code` is a messenger to a VS Code elsewhere, which cannot load this folder. */
function desktopCommand() {
  return process.env.VSCODE_IPC_HOOK_CLI === undefined ? commandOnPath('code') : undefined;
}

async function startDesktop(code) {
  const args = [`--extensionDevelopmentPath=${root}`, '--new-window', '--wait'];
  if (process.getuid?.() === 0) args.push('--no-sandbox', `--user-data-dir=${path.join(dataDir, 'desktop')}`);
  args.push(sample);
  const isScript = code.endsWith('.cmd'); // which only a shell can start
  const child = isScript
    ? spawn('cmd.exe', ['/d', '/s', '/c', code, ...args], { env, stdio: 'inherit' })
    : spawn(code, args, { env, stdio: 'inherit' });
  console.log('Keepit opens in VS Code, in a window of its own. This ends when the window is closed, or with Ctrl-C.');
  process.once('SIGINT', () => child.kill('SIGINT'));
  process.once('SIGTERM', () => child.kill());
  process.exitCode = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (exitCode) => resolve(exitCode ?? 0));
  });
}

function openInBrowser(url) {
  const hasDisplay = Boolean(process.env.DISPLAY ?? process.env.WAYLAND_DISPLAY);
  const openers = {
    darwin: ['open', url],
    win32: ['rundll32', 'url.dll,FileProtocolHandler', url],
    linux: hasDisplay ? ['xdg-open', url] : undefined,
  };
  const opener = process.env.CI === undefined ? openers[process.platform] : undefined;
  if (opener === undefined) return;
  const child = spawn(opener[0], opener.slice(1), { stdio: 'ignore', detached: true });
  child.once('error', () => console.log('No browser could be opened from here: open the address above yourself.'));
  child.unref();
}

async function startEmbedded() {
  const { startServer, workbenchUrl } = await import('./lib/serverProcess.mjs');
  const { ensureVscodeServer } = await import('./lib/vscodeServer.mjs');
  const places = await ensureVscodeServer();
  const userDir = path.join(dataDir, 'server/data/User');
  if (!existsSync(path.join(userDir, 'settings.json'))) {
    await mkdir(userDir, { recursive: true });
    await writeFile(path.join(userDir, 'settings.json'), `${JSON.stringify(settings, null, 2)}\n`);
  }
  // Installed, as people will have it: a window with an extension under development shows no notifications, and this one
  // would miss VS Code's own themes, which lie below the repository's folder too.
  const { packageExtension } = await import('./package.mjs');
  const { installVsix } = await import('./lib/installVsix.mjs');
  const vsix = await packageExtension({ out: path.join(dataDir, 'keepit.vsix') });
  const extensionsDir = await installVsix(places, [vsix], dataDir);
  const server = await startServer({
    ...places,
    env,
    dataDir: path.join(dataDir, 'server'),
    extensionsDir,
    logFile: path.join(dataDir, 'server.log'),
    // This VS Code can do whatever its user can: other people and pages of this machine stay outside.
    connectionToken: randomBytes(16).toString('hex'),
  });
  const url = workbenchUrl(server, { folder: sample });
  console.log(`\nKeepit is open in an embedded VS Code, at\n\n  ${url}\n\nCtrl-C ends it.`);
  openInBrowser(url);
  await server.ended;
}

async function start() {
  const asked = process.env.KEEPIT_START ?? '';
  if (!['', 'desktop', 'server'].includes(asked)) {
    throw new SetupError(`KEEPIT_START is '${asked}'; it can be 'desktop' or 'server'.`);
  }
  const code = desktopCommand();
  if (asked === 'desktop' && code === undefined) {
    throw new SetupError(
      'There is no `code` command on PATH: install it from desktop VS Code, or leave KEEPIT_START out.',
    );
  }
  requireNode();
  await ensureDependencies();
  const { buildProducts } = await import('../esbuild.mjs');
  await buildProducts();
  await mkdir(sample, { recursive: true }); // the extension fills it
  await (asked !== 'server' && code !== undefined ? startDesktop(code) : startEmbedded());
}

try {
  await start();
} catch (error) {
  console.error(explain(error));
  process.exitCode = 1;
}
