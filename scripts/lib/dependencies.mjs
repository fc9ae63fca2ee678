import { readFile } from 'node:fs/promises';
import { inRoot } from './root.mjs';
import { runNpm } from './run.mjs';
import { SetupError } from './setupError.mjs';

async function readJson(file) {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch {
    return undefined; // missing or half-written: both mean "install"
  }
}

/**
 * Whether node_modules holds what package-lock.json asks for. npm writes its own record of what it installed
 * (node_modules/.package-lock.json) as the last thing it does, so an interrupted installation counts as none.
 */
async function areDependenciesInstalled() {
  const [wanted, installed, manifest] = await Promise.all([
    readJson(inRoot('package-lock.json')),
    readJson(inRoot('node_modules/.package-lock.json')),
    readJson(inRoot('package.json')),
  ]);
  if (wanted === undefined || installed === undefined) return false;
  const asked = { ...manifest.dependencies, ...manifest.devDependencies };
  const areAllLocked = Object.keys(asked).every((name) => wanted.packages[`node_modules/${name}`] !== undefined);
  if (!areAllLocked) return false;
  return Object.entries(wanted.packages).every(([place, entry]) => {
    if (place === '') return true;
    const present = installed.packages[place];
    return present === undefined ? entry.optional === true || entry.peer === true : present.version === entry.version;
  });
}

/** Installs the project's dependencies exactly as locked, when they are missing or others are installed. */
export async function ensureDependencies() {
  if (await areDependenciesInstalled()) return;
  console.log('Installing dependencies (npm ci) …');
  const { code } = await runNpm(['ci', '--include=dev', '--no-audit', '--no-fund']);
  if (code !== 0) throw new SetupError('npm ci failed: the lines above say why.');
}

const OLDEST_NODE = 20;

/** Throws where this Node is too old to run the project. */
export function requireNode() {
  const major = Number(process.versions.node.split('.')[0]);
  if (major >= OLDEST_NODE) return;
  throw new SetupError(`Keepit needs Node ${OLDEST_NODE} or newer; this is ${process.versions.node}.`);
}
