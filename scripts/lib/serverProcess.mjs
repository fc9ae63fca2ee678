// Starts the embedded VS Code. It knows no folder of this repository: tests bundle it, and pass it what it needs.
import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';

const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 5_000;

/** What Chromium is started with: no sandbox (containers), no GPU, and nothing that calls home. */
export const chromiumFlags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

function argumentsOf({ serverMain, dataDir, extensionsDir, connectionToken, isDriven, asksForTrust }) {
  return [
    serverMain,
    '--host',
    '127.0.0.1',
    '--port',
    '0', // the system picks a free one, so that any number of servers can run
    ...(connectionToken === undefined ? ['--without-connection-token'] : ['--connection-token', connectionToken]),
    '--accept-server-license-terms',
    // Without it the page ignores an extension under development; with it no notification pops up.
    ...(isDriven ? ['--enable-smoke-test-driver'] : []),
    '--server-data-dir',
    dataDir,
    '--extensions-dir',
    extensionsDir,
    '--telemetry-level',
    'off',
    ...(asksForTrust ? [] : ['--disable-workspace-trust']),
  ];
}

function portIn(output) {
  const match = /Extension host agent listening on (\d+)/.exec(output);
  return match === null ? undefined : Number(match[1]);
}

function killTree(child, signal) {
  try {
    if (process.platform === 'win32') spawn('taskkill', ['/pid', String(child.pid), '/t', '/f']);
    else process.kill(-child.pid, signal);
  } catch (error) {
    if (error.code !== 'ESRCH') throw error; // gone already: that is what was asked for
  }
}

/** Ends the server with everything that it started: extension hosts, file watchers. */
async function stop(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  killTree(child, 'SIGTERM');
  const timer = setTimeout(() => killTree(child, 'SIGKILL'), STOP_TIMEOUT_MS);
  await ended;
  clearTimeout(timer);
}

const INTERRUPTED = 130;

/**
 * The server has a process group of its own, which the terminal's Ctrl-C does not reach: whatever ends this process
 * ends the server first.
 */
function endWithProcess(child) {
  const kill = () => killTree(child, 'SIGKILL');
  const interrupt = () => void stop(child).then(() => process.exit(INTERRUPTED));
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  process.once('exit', kill);
  for (const signal of signals) process.once(signal, interrupt);
  child.once('exit', () => {
    process.off('exit', kill);
    for (const signal of signals) process.off(signal, interrupt);
  });
}

/** Without what a VS Code that happens to run this process tells its children: the server is not one of them. */
function withoutOuterVscode(env) {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/^(VSCODE_|ELECTRON_|NODE_OPTIONS$)/.test(name)));
}

/**
 * Starts a server on a free port of this machine, and waits until it answers. Its output, which is long because of the
 * native modules that it does without, goes to `logFile`.
 * @param {import('./serverProcess.d.mts').ServerOptions} options
 */
export async function startServer(options) {
  await mkdir(options.dataDir, { recursive: true });
  await mkdir(path.dirname(options.logFile), { recursive: true });
  const log = createWriteStream(options.logFile, { flags: 'a' });
  const child = spawn(options.node, argumentsOf(options), {
    env: withoutOuterVscode(options.env),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: process.platform !== 'win32', // a process group of its own, so that stop() reaches its children
  });
  const stopIt = () => stop(child);
  endWithProcess(child);
  child.stderr.pipe(log, { end: false });
  const port = await new Promise((resolve, reject) => {
    let output = '';
    const failed = (reason) => reject(new Error(`VS Code's server ${reason}; see ${options.logFile}`));
    const timer = setTimeout(failed, START_TIMEOUT_MS, 'did not start in time');
    child.once('error', (error) => failed(`could not be started (${error.message})`));
    child.once('exit', () => failed('ended at once'));
    child.stdout.on('data', (text) => {
      log.write(text);
      if (output === undefined) return;
      output += String(text);
      const found = portIn(output);
      if (found === undefined) return;
      output = undefined;
      clearTimeout(timer);
      resolve(found);
    });
  }).catch(async (error) => {
    await stopIt();
    throw error;
  });
  return {
    port,
    url: `http://127.0.0.1:${port}/`,
    connectionToken: options.connectionToken,
    stop: stopIt,
    ended: new Promise((resolve) => child.once('exit', resolve)),
  };
}

/**
 * The address at which the workbench opens a folder, with the extension under development when one is given, and with
 * the suite that its extension host is to run.
 */
export function workbenchUrl(server, { folder, extension, tests }) {
  const remote = (file) => `vscode-remote://127.0.0.1:${server.port}${toUriPath(file)}`;
  const payload = [];
  if (extension !== undefined) payload.push(['extensionDevelopmentPath', remote(extension)]);
  if (tests !== undefined) payload.push(['extensionTestsPath', remote(tests)], ['enableProposedApi', '']);
  const kind = folder.endsWith('.code-workspace') ? 'workspace' : 'folder';
  const query = new URLSearchParams({ [kind]: toUriPath(folder) });
  if (server.connectionToken !== undefined) query.set('tkn', server.connectionToken);
  if (payload.length > 0) query.set('payload', JSON.stringify(payload));
  return `${server.url}?${query}`;
}

function toUriPath(file) {
  const slashed = path.resolve(file).split(path.sep).join('/');
  return slashed.startsWith('/') ? slashed : `/${slashed}`;
}
