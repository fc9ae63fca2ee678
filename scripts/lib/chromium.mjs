import { existsSync } from 'node:fs';
import path from 'node:path';
import { withLock } from './lock.mjs';
import { cacheDir } from './root.mjs';
import { run } from './run.mjs';
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
  return (knownPlaces[process.platform] ?? []).find((place) => existsSync(place));
}

/** The prefix that may install system packages here: nothing for root, sudo where it asks for no password. */
async function privilege() {
  if (process.platform !== 'linux' || !existsSync('/usr/bin/apt-get')) return undefined;
  if (process.getuid() === 0) return [];
  if (process.env.CI === undefined) return undefined; // on a person's own machine, the person decides
  const { code } = await run('sudo', ['-n', 'true'], { isQuiet: true });
  return code === 0 ? ['sudo', '-n'] : undefined;
}

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
    if (code !== 0) throw new SetupError(`apt-get ${step[0]} failed.\n${output.slice(-2_000)}\n${ADVICE}`);
  }
}

/** The path of a browser that Playwright can drive, installed first where that is possible and allowed. */
export async function ensureChromium() {
  const found = installedBrowser();
  if (found !== undefined) return found;
  const prefix = await privilege();
  if (prefix === undefined) throw new SetupError(ADVICE);
  await withLock(path.join(cacheDir, 'chromium.lock'), async () => {
    if (installedBrowser() === undefined) await installWithApt(prefix);
  });
  const installed = installedBrowser();
  if (installed === undefined) throw new SetupError(ADVICE);
  return installed;
}
