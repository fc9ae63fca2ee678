import { errorText, KeepitError, failedCheck } from '../../text/keepitError';
import { SCHEMA_VERSION } from '../../model/fields';
import type { SetupInstall, SetupRecord, SetupRuntime } from '../../model/setupRecord';
import type { Clock } from '../../model/host';
import type { DoctorCheck } from '../../sessions/results';
import { ownValue } from '../../text/ownValue';
import {
  hooksFileSchema,
  PLUGIN_NAME,
  type Entry,
  isEnabled,
  obstacleIn,
  ownCalls,
  planFile,
  recordAfter,
  wantedBy,
  type FilePlan,
  type PlainParts,
  type Wanted,
  settingsFile,
} from './setupPlanner';
import { withRoot, withRuntime } from './runtimeWords';
import {
  type PluginChange,
  type PluginFolder,
  type SetupMachine,
  type SetupPlan,
  type SetupRequest,
  type SetupStatus,
  SetupError,
} from './setupTypes';
import { JsoncError } from './jsonc';

/** The commands that people have without the plugin too; the others need its tools. */
const PLAIN_COMMANDS = ['summarize.md', 'synthesize.md', 'recall.md'];

const NO_PARTS: PlainParts = { hooks: [], commands: new Map() };

/**
 * Sets Claude Code up for Keepit, and takes that back without a trace. What would be done is planned first, with every file as it would
 * be; nothing else is done then.
 */
export class ClaudeSetup {
  private readonly machine: SetupMachine;
  private readonly clock: Clock;

  constructor(machine: SetupMachine, clock: Clock) {
    this.machine = machine;
    this.clock = clock;
  }

  /** Changes nothing. Throws `SetupError` with what stands against it. */
  async planInstall(request: SetupRequest, signal?: AbortSignal): Promise<SetupPlan> {
    const record = await this.record();
    await this.checkFolder(request);
    const carried = await this.carried();
    const runtime = await this.machine.findRuntime(signal);
    const before = record.installs.find((install) => isAt(install, request));
    const others = record.installs.filter((install) => install !== before);
    refuseMixture(request, others);
    const isSame = before?.mode === request.mode;
    const install: SetupInstall = {
      mode: request.mode,
      scope: request.scope,
      ...(request.scope !== 'user' && { folder: request.folder }),
      at: isSame ? before.at : this.clock.now().toISOString(),
    };
    const parts = await this.plainParts(carried, runtime);
    const changed = before === undefined ? [install] : [before, install];
    const after = [...others, install];
    const plans = await this.planFiles(record, { changed, after }, parts);
    const isPluginGone = before?.mode === 'plugin' && !hasPlugin(after);
    if (isPluginGone) plans.push(await this.planNotes());
    return {
      action: 'install',
      request,
      ...told(plans),
      plugin: await this.pluginChange(carried, runtime, record.runtime),
      runtime,
      recordBefore: record,
      record: { ...recordAfter(record, after, plans), runtime },
      leftovers: isPluginGone ? this.leftovers() : [],
    };
  }

  /** Changes nothing. Finds what is Keepit's also where nothing is remembered of having put it there. */
  async planUninstall(request: Omit<SetupRequest, 'mode'>, signal?: AbortSignal): Promise<SetupPlan> {
    signal?.throwIfAborted();
    const record = await this.record();
    const before = record.installs.find((install) => isAt(install, request));
    const others = record.installs.filter((install) => install !== before);
    const at = before?.at ?? this.clock.now().toISOString();
    const gone: SetupInstall[] = (['plugin', 'plain'] as const).map((mode) => ({ ...request, mode, at }));
    const carried = await this.machine.carriedPlugin();
    const parts =
      carried === undefined ? NO_PARTS : await this.plainParts(carried, await this.machine.findRuntime(signal));
    const plans = await this.planFiles(record, { changed: gone, after: others }, parts);
    const isPluginGone = !hasPlugin(others);
    if (isPluginGone) plans.push(await this.planNotes());
    const isNothing = plans.every(({ change }) => change.before === change.after);
    if (before === undefined && isNothing) throw new SetupError('not-installed', whereOf(request));
    const copy = await this.machine.copiedPlugin();
    const isLast = others.length === 0;
    return {
      action: 'uninstall',
      request: { ...request, mode: before?.mode ?? 'plugin' },
      ...told(plans),
      plugin: {
        path: this.machine.pluginDir,
        version: copy?.version ?? '',
        change: isLast && copy !== undefined ? 'remove' : 'keep',
      },
      runtime: record.runtime,
      recordBefore: record,
      record: recordAfter(record, others, plans),
      leftovers: isPluginGone ? this.leftovers() : [],
    };
  }

  /** Does what a plan says, whole or not at all. Throws `SetupError`, with reason `changed` when a file is not as it was planned. */
  async apply(plan: SetupPlan, signal?: AbortSignal): Promise<void> {
    await this.machine.apply(plan, signal);
  }

  async status(): Promise<SetupStatus> {
    const [record, copy, carried] = [
      await this.record(),
      await this.machine.copiedPlugin(),
      await this.machine.carriedPlugin(),
    ];
    return {
      installs: record.installs,
      plugin: copy && { path: copy.path, version: copy.version },
      available: carried && { path: carried.path, version: carried.version },
      runtime: record.runtime,
    };
  }

  /**
   * Brings the copy that Claude Code loads up to date with the plugin that this Keepit carries, and with the runtime that is there now;
   * says whether it did. Never puts an older plugin in a newer one's place. To be called after start-up: it does nothing when nothing is set up.
   */
  async refresh(signal?: AbortSignal): Promise<boolean> {
    const record = await this.record();
    const [carried, copy] = [await this.machine.carriedPlugin(), await this.machine.copiedPlugin()];
    if (record.installs.length === 0 || carried === undefined) return false;
    if (copy !== undefined && compareVersions(carried.version, copy.version) < 0) return false;
    const runtime = await this.runtimeToKeep(record, signal);
    const { change } = await this.pluginChange(carried, runtime, record.runtime);
    if (change === 'keep') return false;
    await this.machine.copyPlugin(runtime, signal);
    return true;
  }

  /** For `doctor`. Never throws for what it finds; a repair mends the copy, and nothing of Claude Code's. */
  async checks({ repair }: { repair: boolean }, signal?: AbortSignal): Promise<DoctorCheck[]> {
    try {
      if (repair) await this.refresh(signal);
      return await checkSetup(this.machine, await this.record(), signal);
    } catch (error) {
      return [failedCheck('claude code hooks', error)];
    }
  }

  /** A runtime that still works is kept: VS Code and terminals see different ones, and must not take turns. */
  private async runtimeToKeep({ runtime }: SetupRecord, signal?: AbortSignal): Promise<SetupRuntime> {
    if (runtime !== undefined && 'version' in (await this.machine.tryRun(runtime, signal))) return runtime;
    return this.machine.findRuntime(signal);
  }

  private async record(): Promise<SetupRecord> {
    return (await this.machine.readRecord()) ?? { version: SCHEMA_VERSION, installs: [], files: {}, folders: [] };
  }

  private async carried(): Promise<PluginFolder> {
    const carried = (await this.machine.carriedPlugin()) ?? (await this.machine.copiedPlugin());
    if (carried === undefined) throw new SetupError('no-plugin', this.machine.pluginDir);
    return carried;
  }

  private async checkFolder({ scope, folder }: SetupRequest): Promise<void> {
    if (scope === 'user') return;
    if (folder === undefined || !(await this.machine.isFolder(folder))) throw new SetupError('no-folder', folder ?? '');
  }

  /** The files of all installations that change, each with what those that stay, or come, want of it. */
  private async planFiles(
    record: SetupRecord,
    { changed, after }: { changed: readonly SetupInstall[]; after: readonly SetupInstall[] },
    parts: PlainParts,
  ): Promise<FilePlan[]> {
    const wanted = after.flatMap((install) => wantedBy(install, this.machine, parts));
    const kinds = new Map<string, Wanted['kind']>();
    for (const { path, kind } of changed.flatMap((install) => wantedBy(install, this.machine, parts)))
      kinds.set(path, kind);
    const plans: FilePlan[] = [];
    for (const [path, kind] of kinds) {
      const now = { text: await this.machine.readText(path), touched: ownValue(record.files, path) };
      const own = wanted.filter((one) => one.path === path);
      if (own.length > 0 || now.text !== undefined) plans.push(planFile(path, kind, own, now));
      // Somebody else removed it, or an uninstallation that was cut short: only the record still knows it.
      else plans.push({ change: { path, before: undefined, after: undefined }, touched: undefined });
    }
    return plans;
  }

  /** What Claude Code noted about the plugin when it loaded it. */
  private async planNotes(): Promise<FilePlan> {
    const path = this.machine.join(this.machine.claudeDir, 'plugins', 'installed_plugins.json');
    return planFile(path, 'plugins', [], { text: await this.machine.readText(path), touched: undefined });
  }

  private leftovers(): string[] {
    const below = (...parts: string[]): string => this.machine.join(this.machine.claudeDir, 'plugins', ...parts);
    return [below('cache', PLUGIN_NAME), below('data', `${PLUGIN_NAME}-${PLUGIN_NAME}`)];
  }

  /** Hooks and commands that call the copy by its path. */
  private async plainParts({ path }: PluginFolder, runtime: SetupRuntime): Promise<PlainParts> {
    const { machine } = this;
    const textOf = async (...parts: string[]): Promise<string> => {
      const text = await machine.readText(machine.join(path, ...parts));
      if (text === undefined) throw new SetupError('no-plugin', path);
      return withRoot(withRuntime(text, runtime, machine.platform), machine.pluginDir);
    };
    const { hooks } = hooksFileSchema.parse(JSON.parse(await textOf('hooks', 'hooks.json')));
    const entries = Object.entries(hooks).flatMap(([event, groups]) =>
      groups.map((item): Entry => ({ into: ['hooks', event], item })),
    );
    const commands = await Promise.all(
      PLAIN_COMMANDS.map(async (name): Promise<[string, string]> => [name, await textOf('commands', name)]),
    );
    return { hooks: entries, commands: new Map(commands) };
  }

  private async pluginChange(
    carried: PluginFolder,
    runtime: SetupRuntime,
    before: SetupRuntime | undefined,
  ): Promise<PluginChange> {
    const { pluginDir } = this.machine;
    const copy = await this.machine.copiedPlugin();
    const { version } = carried;
    if (copy === undefined) return { path: pluginDir, version, change: 'copy' };
    if (carried.path === copy.path) return { path: pluginDir, version, change: 'keep' }; // it is the copy itself that runs
    const isSame =
      JSON.stringify(copy.files) === JSON.stringify(carried.files) &&
      runtime.kind === before?.kind &&
      (runtime.kind === 'path' || runtime.file === before.file) &&
      (await this.machine.damagedFiles(copy)).length === 0;
    return { path: pluginDir, version, change: isSame ? 'keep' : 'update' };
  }
}

function hasPlugin(installs: readonly SetupInstall[]): boolean {
  return installs.some(({ mode }) => mode === 'plugin');
}

function isAt(install: SetupInstall, { scope, folder }: Omit<SetupRequest, 'mode'>): boolean {
  return install.scope === scope && (scope === 'user' || install.folder === folder);
}

/** A plugin and plain hooks in force together would run everything twice. */
function refuseMixture({ mode, scope, folder }: SetupRequest, others: readonly SetupInstall[]): void {
  const meets = (other: SetupInstall) => scope === 'user' || other.scope === 'user' || other.folder === folder;
  const mixed = others.find((other) => other.mode !== mode && meets(other));
  if (mixed === undefined) return;
  throw new SetupError('other-mode', whereOf(mixed), mixed.mode === 'plugin' ? 'a plugin' : 'plain hooks');
}

function whereOf({ scope, folder = '' }: Pick<SetupRequest, 'scope' | 'folder'>): string {
  if (scope === 'user') return 'for you';
  return scope === 'local' ? `in ${folder}, for this machine alone` : `in ${folder}`;
}

function told(plans: readonly FilePlan[]): Pick<SetupPlan, 'files' | 'notes'> {
  const files = plans.map(({ change }) => change).filter(({ before, after }) => before !== after);
  return { files, notes: plans.flatMap(({ note }) => note ?? []) };
}

/** Below 0 when `a` is older than `b`. */
function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((version) => version.split('.').map((part) => Number.parseInt(part, 10)));
  for (const at of [0, 1, 2]) {
    const difference = (left?.[at] ?? 0) - (right?.[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

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
async function checkSetup(machine: SetupMachine, record: SetupRecord, signal?: AbortSignal): Promise<DoctorCheck[]> {
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
