import { errorText, KeepitError } from '../../text/keepitError';
import type { SetupInstall, SetupRecord } from '../../model/setupRecord';
import type { DoctorCheck } from '../../sessions/results';
import { JsoncError } from './jsonc';
import { isEnabled, obstacleIn, ownCalls } from './ownEntries';
import { settingsFile } from './setupPlanner';
import type { SetupMachine } from './setupTypes';

const AGAIN = 'Run `keepit install-hooks` again.';

/** What a settings file has of Keepit's. */
interface Found {
  path: string;
  isEnabled: boolean;
  /** The calls of its hooks, one by one. */
  calls: string[];
  problem?: string;
}

/** Whether what was set up is still so, and works. */
export async function checkSetup(
  machine: SetupMachine,
  record: SetupRecord,
  signal?: AbortSignal,
): Promise<DoctorCheck[]> {
  const { installs } = record;
  const found = await readAll(machine, installs);
  if (installs.length === 0 && found.every((one) => !one.isEnabled && one.calls.length === 0)) {
    const detail = 'is not set up; `keepit install-hooks` does that';
    return [{ name: 'claude code hooks', ok: true, detail }];
  }
  return [hooksCheck(machine, installs, found), await copyCheck(machine), await runtimeCheck(machine, record, signal)];
}

async function readAll(machine: SetupMachine, installs: readonly SetupInstall[]): Promise<Found[]> {
  const paths = new Set([
    settingsFile({ scope: 'user' }, machine),
    ...installs.map((install) => settingsFile(install, machine)),
  ]);
  return Promise.all([...paths].map((path) => read(machine, path)));
}

async function read(machine: SetupMachine, path: string): Promise<Found> {
  try {
    const text = (await machine.readText(path)) ?? '{}';
    if (text.trim() === '') return { path, isEnabled: false, calls: [] };
    const problem = obstacleIn(text);
    const own = { path, isEnabled: isEnabled(text), calls: ownCalls(text) };
    return problem === undefined ? own : { ...own, problem };
  } catch (error) {
    if (!(error instanceof JsoncError) && !(error instanceof KeepitError)) throw error;
    return { path, isEnabled: false, calls: [], problem: `cannot be read: ${errorText(error)}` };
  }
}

function hooksCheck(machine: SetupMachine, installs: readonly SetupInstall[], found: readonly Found[]): DoctorCheck {
  const name = 'claude code hooks';
  const problems = [
    ...found.flatMap(({ path, problem }) => (problem === undefined ? [] : [`${path} ${problem}`])),
    ...installs.flatMap((install) => missing(install, settingsFile(install, machine), found)),
    ...doubled(found),
  ];
  if (problems.length > 0) {
    const hint = '`keepit uninstall-hooks` takes everything of Keepit’s out; `keepit install-hooks` puts it in again.';
    return { name, ok: false, detail: problems.join(' · '), hint };
  }
  const places = installs.map(
    ({ mode, scope, folder = '' }) => `${mode}, ${scope === 'user' ? 'for you' : `${scope}: ${folder}`}`,
  );
  return { name, ok: true, detail: places.length === 0 ? 'are there, set up with another store' : places.join(' · ') };
}

function missing({ mode }: SetupInstall, path: string, found: readonly Found[]): string[] {
  const own = found.find((one) => one.path === path);
  if (own === undefined || own.problem !== undefined) return [];
  const isThere = mode === 'plugin' ? own.isEnabled : own.calls.length > 0;
  return isThere ? [] : [`what was put into ${path} is not there any more`];
}

function doubled(found: readonly Found[]): string[] {
  const twice = found.filter(({ calls }) => new Set(calls).size < calls.length);
  const problems = twice.map(({ path }) => `${path} has the same hook twice`);
  const isMixed = found.some((one) => one.isEnabled) && found.some(({ calls }) => calls.length > 0);
  return isMixed ? [...problems, 'Keepit is there as a plugin and as plain hooks: each hook runs twice'] : problems;
}

async function copyCheck(machine: SetupMachine): Promise<DoctorCheck> {
  const name = 'claude code plugin';
  const copy = await machine.copiedPlugin();
  if (copy === undefined) return { name, ok: false, detail: `there is none in ${machine.pluginDir}`, hint: AGAIN };
  const damaged = await machine.damagedFiles(copy);
  if (damaged.length > 0) {
    const detail = `not as it was written: ${damaged.slice(0, 3).join(', ')}${damaged.length > 3 ? ' …' : ''}`;
    return { name, ok: false, detail, hint: 'Run `keepit doctor --repair`.', isRepairable: true };
  }
  const carried = await machine.carriedPlugin();
  const isOlder = carried !== undefined && carried.path !== copy.path && carried.version !== copy.version;
  const detail = `version ${copy.version} in ${copy.path}${isOlder ? `; this Keepit carries ${carried.version}` : ''}`;
  return { name, ok: true, detail };
}

async function runtimeCheck(
  machine: SetupMachine,
  { runtime }: SetupRecord,
  signal?: AbortSignal,
): Promise<DoctorCheck> {
  const name = 'hook runtime';
  if (runtime === undefined) return { name, ok: false, detail: 'unknown', hint: AGAIN };
  const answer = await machine.tryRun(runtime, signal);
  const program = runtime.kind === 'path' ? 'node' : runtime.file;
  if ('version' in answer) return { name, ok: true, detail: `${program}, version ${runtime.version}` };
  return {
    name,
    ok: false,
    detail: `${program} does not run the hooks: ${answer.problem}`,
    hint: 'Run `keepit doctor --repair`.',
    isRepairable: true,
  };
}
