import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { withLock } from './lock.mjs';
import { cacheDir, inRoot } from './root.mjs';
import { run, runNode } from './run.mjs';
import { SetupError } from './setupError.mjs';

const windowsRoots = [process.env.PROGRAMFILES, process.env['PROGRAMFILES(X86)'], process.env.LOCALAPPDATA];

const knownPlaces = {
  linux: [
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome',
    '/usr/bin/google-chrome-stable',
    '/opt/google/chrome/chrome',
    '/usr/bin/microsoft-edge',
    '/snap/bin/chromium',
  ],
  darwin: [
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
    '/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
  ],
  win32: windowsRoots
    .filter((folder) => folder !== undefined)
    .flatMap((folder) => [
      path.join(folder, 'Google/Chrome/Application/chrome.exe'),
      path.join(folder, 'Microsoft/Edge/Application/msedge.exe'),
    ]),
};

const ADVICE =
  'No Chromium, Chrome or Edge was found. Install one (Debian, Ubuntu: `sudo apt-get install chromium`), or name one in KEEPIT_CHROME.';

function installedBrowser() {
  const named = process.env.KEEPIT_CHROME;
  if (named !== undefined && named !== '') {
    if (!existsSync(named)) throw new SetupError(`KEEPIT_CHROME names ${named}, which does not exist.`);
    return named;
  }
  return (knownPlaces[process.platform] ?? []).find((place) => existsSync(place)) ?? downloadedBrowser();
}

/** Playwright's own browser, in a folder that needs no rights. */
const downloadDir = path.join(cacheDir, 'browsers');

function downloadedBrowser() {
  if (!existsSync(downloadDir)) return undefined;
  const programs = ['chrome-headless-shell', 'chrome-headless-shell.exe', 'headless_shell'];
  return readdirSync(downloadDir, { recursive: true })
    .filter((file) => programs.includes(path.basename(file)))
    .map((file) => path.join(downloadDir, file))[0];
}

/** The prefix that may install system packages here: nothing for root, sudo where it asks for no password. */
async function privilege() {
  if (process.platform !== 'linux' || !existsSync('/usr/bin/apt-get')) return undefined;
  if (process.getuid() === 0) return [];
  if (process.env.CI === undefined) return undefined; // on a person's own machine, the person decides
  const { code } = await run('sudo', ['-n', 'true'], { isQuiet: true });
  return code === 0 ? ['sudo', '-n'] : undefined;
}

/** Why it could not be installed, or nothing. */
async function installWithApt(prefix) {
  console.log('Installing chromium (apt-get) …');
  const apt = (...args) => {
    const [command, ...rest] = [...prefix, 'env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', ...args];
    return run(command, rest, { isQuiet: true });
  };
  const steps = [
    ['update'],
    ['install', '-y', '--no-install-recommends', 'chromium', 'fonts-liberation', 'fonts-noto-core'],
  ];
  for (const step of steps) {
    const { code, output } = await apt(...step);
    if (code !== 0) return `apt-get ${step[0]} failed.\n${output.slice(-2_000)}\n`;
  }
  return '';
}

/** Why it could not be downloaded, or nothing. */
async function download() {
  console.log("Downloading Playwright's Chromium into .vscode-test …");
  const { code, output } = await runNode(
    [inRoot('node_modules/playwright-core/cli.js'), 'install', '--only-shell', '--no-progress', 'chromium'],
    { isQuiet: true, env: { ...process.env, PLAYWRIGHT_BROWSERS_PATH: downloadDir } },
  );
  return code === 0 ? '' : `It could not be downloaded.\n${output.slice(-1_000)}\n`;
}

/** The path of a browser that Playwright can drive. Where there is none, the system's package manager is asked for one, then Playwright. */
export async function ensureChromium() {
  const found = installedBrowser();
  if (found !== undefined) return found;
  let problems = '';
  await withLock(path.join(cacheDir, 'chromium.lock'), async () => {
    const prefix = await privilege();
    if (installedBrowser() === undefined && prefix !== undefined) problems += await installWithApt(prefix);
    if (installedBrowser() === undefined) problems += await download();
  });
  const installed = installedBrowser();
  if (installed === undefined) throw new SetupError(`${problems}${ADVICE}`);
  return installed;
}
