import { constants, setPriority } from 'node:os';
import { changedLines, changeWord, pluginText, runtimeText } from '../../core/claude/view/setupRows';
import { type SetupPlan, type SetupRequest, SetupError } from '../../core/claude/setup/setupTypes';
import { CliFailure } from '../cliErrors';
import { agree, command } from '../command';
import type { CommandContext } from '../context';
import { argument, flag, oneOf, option, text, yes } from '../fields';
import { linesOf, type Lines, type Page } from '../page';
import { changedText } from '../terminal';
import { ConfigError, PROJECT_PREFIX } from '../../core/sessions/configSettings';
import { projectToRemember, rememberedText, type ProjectToRemember } from '../projectOf';
import { closest } from '../suggestion';
import type { Remembered } from '../../core/claude/remembering';

const place = {
  scope: option(
    oneOf(['user', 'project', 'local']),
    'SCOPE',
    'user: for all your projects (default) · project: this one, shared with others · local: this one, on this machine',
  ),
  dryRun: flag('Only show what would change'),
  yes,
};

const FOLDER = 'For `project` and `local` the folder is the current one, or what --project names.';

interface CarriedOut {
  readonly plan: SetupPlan;
  readonly project: ProjectToRemember | undefined;
  readonly remembered: Remembered | undefined;
  readonly isDryRun: boolean;
  readonly undo: string | undefined;
}

/** What both commands tell. */
const told = {
  json({ plan: { action, request, files, plugin, runtime, notes }, project, isDryRun, undo }: CarriedOut) {
    return {
      action,
      mode: request.mode,
      scope: request.scope,
      folder: request.folder,
      files: files.map((change) => ({
        path: change.path,
        change: changeWord(change),
        diff: changedLines(change).join('\n'),
      })),
      plugin,
      runtime,
      notes,
      isWritten: !isDryRun,
      remembered: project === undefined ? null : { projectId: project.projectId, dir: project.dir },
      undo,
    };
  },
  text: ({ plan, project, remembered, isDryRun, undo }: CarriedOut, page: Page): Lines => [
    planLines(plan, page.style),
    offer(project),
    '',
    verdict(plan, isDryRun, undo, page),
    remembered && rememberedText(remembered, page),
  ],
} as const;

export const installHooks = command({
  ...told,
  name: 'install-hooks',
  summary: 'Set Claude Code up: hooks, slash commands, agent, and the server of tools',
  details: [
    'Every changed line is shown; on a terminal you are asked first. Comments and formatting of your settings stay, and `keepit uninstall-hooks` gives them back byte for byte.',
    'As a plugin, Claude Code gets a copy of it in the store. --as plain puts hooks into its settings and the commands /summarize, /synthesize and /recall into its folder instead.',
    FOLDER,
  ],
  input: { ...place, as: option(oneOf(['plugin', 'plain']), 'HOW', 'plugin (default) or plain') },
  examples: ['install-hooks', 'install-hooks --dry-run', 'install-hooks --scope project --as plain'],
  async run({ scope, as: mode = 'plugin', dryRun, yes: isSure }, context) {
    const plan = await context.memory.setup.planInstall({ mode, ...placeOf(scope, context) }, context.signal);
    // Without a person to ask, a project is written to only by `--yes`.
    const mayAsk = context.confirm !== undefined || isSure;
    return carryOut(plan, dryRun, context, mayAsk ? await projectToRemember(context) : undefined);
  },
});

export const uninstallHooks = command({
  ...told,
  name: 'uninstall-hooks',
  summary: 'Take Keepit out of Claude Code again',
  details: [
    'Files that are as Keepit left them become what they were before, byte for byte. In files that were changed since, only what is Keepit’s goes. What is in memory stays.',
    FOLDER,
  ],
  input: place,
  examples: ['uninstall-hooks', 'uninstall-hooks --scope project --dry-run'],
  run: async ({ scope, dryRun }, context) =>
    carryOut(await context.memory.setup.planUninstall(placeOf(scope, context), context.signal), dryRun, context),
});

function placeOf(scope: SetupRequest['scope'] = 'user', context: CommandContext): Omit<SetupRequest, 'mode'> {
  return scope === 'user' ? { scope } : { scope, folder: context.scope.folder() };
}

async function carryOut(
  plan: SetupPlan,
  isDryRun: boolean,
  context: CommandContext,
  project?: ProjectToRemember,
): Promise<CarriedOut> {
  const { memory, onProgress, signal } = context;
  const { scope } = plan.request;
  const undo = `keepit uninstall-hooks${scope === 'user' ? '' : ` --scope ${scope}`}`;
  const done = { plan, project, isDryRun, undo: plan.action === 'install' ? undo : undefined };
  if (isDryRun) return { ...done, remembered: undefined };
  const shown = linesOf([planLines(plan, { paint: (_tone, line) => line }), offer(project)]);
  await agree(`${shown.join('\n')}\n\nDo this?`, 'Claude Code', context, 'left-alone');
  await memory.setup.apply(plan, signal);
  const remembered =
    project && (await memory.layers.remember(project.projectId, { folder: project.folder }, onProgress, signal));
  return { ...done, remembered };
}

function offer(project: ProjectToRemember | undefined): Lines {
  return (
    project && `${project.folder} is remembered from now on: its sessions are taken in, and known in ${project.dir}.`
  );
}

function planLines(plan: SetupPlan, style: Pick<Page['style'], 'paint'>): Lines {
  return [
    plan.files.map((change) => [
      style.paint('strong', `${change.path}  (${changeWord(change)})`),
      changedText(changedLines(change), style),
      '',
    ]),
    pluginText(plan),
    plan.action === 'install' && runtimeText(plan),
    plan.notes.map((note) => style.paint('warning', note)),
  ];
}

function verdict(plan: SetupPlan, isDryRun: boolean, undo: string | undefined, { quiet, good }: Page): Lines {
  if (isDryRun) return quiet('Nothing was written: this was a dry run.');
  if (undo === undefined)
    return good('✓ Keepit is out of Claude Code. Sessions that run already keep it until they end.');
  const isSame = plan.files.length === 0 && plan.plugin.change === 'keep';
  const done = isSame ? '✓ Claude Code is set up already.' : '✓ Claude Code is set up: from the next session on.';
  return [good(done), `To undo: ${undo}`];
}

export const pluginPath = command({
  name: 'plugin path',
  summary: 'Print the folder of the plugin for Claude Code',
  details: ['It is a plugin and a marketplace at once: for `claude --plugin-dir`, or `claude plugin marketplace add`.'],
  examples: ['plugin path', 'plugin path --json'],
  async run(_input, { memory }) {
    const { available, plugin, installs } = await memory.setup.status();
    const found = available ?? plugin;
    if (found === undefined) throw new SetupError('no-plugin', 'this installation of Keepit');
    return { ...found, installed: plugin ?? null, installs };
  },
  text: ({ path }) => path,
});

type Setting = readonly [key: string, value: unknown];

const PROJECT_KEYS = '`project.…` are those of one project: the current folder’s, or the one that --project names.';

export const configGet = command({
  name: 'config get',
  summary: 'Show one setting',
  details: [PROJECT_KEYS],
  input: { key: argument(text, 'such as keepitDecay.compressionBase.light') },
  examples: ['config get defaults.compressionPreset', 'config get project.keepitDecayEnabled'],
  async run({ key }, context) {
    const { config } = context.memory;
    const settings = isOfProject(key)
      ? { project: await config.project(await projectOf(key, context)) }
      : await config.read();
    return { key, value: valueOf(key, settingsOf(settings)) };
  },
  text: ({ value }) => valueText(value),
});

export const configSet = command({
  name: 'config set',
  summary: 'Change one setting; what is not allowed is refused',
  details: [PROJECT_KEYS],
  input: {
    key: argument(text, 'such as defaults.autoRegisterSessions'),
    value: argument(text, 'its new value'),
  },
  examples: [
    'config set defaults.autoRegisterSessions true',
    'config set storage.maxCacheSize 500MB',
    'config set project.keepitDecayEnabled false',
  ],
  async run({ key, value: wanted }, context) {
    const { config } = context.memory;
    const changed = isOfProject(key)
      ? { project: await config.setProject(await projectOf(key, context), key, wanted) }
      : { config: await config.set(key, wanted) };
    return { key, value: valueOf(key, settingsOf(changed.config ?? changed)), ...changed };
  },
  text: ({ key, value }) => `${key} = ${valueText(value)}`,
});

export const configList = command({
  name: 'config list',
  summary: 'Show all settings',
  details: [PROJECT_KEYS],
  examples: ['config list', 'config list --json'],
  async run(_input, { memory, scope }) {
    const config = await memory.config.read();
    const projectId = await scope.projectId();
    const isInMemory = projectId !== undefined && (await memory.sessions.list(projectId)).length > 0;
    return { config, ...(isInMemory && { project: await memory.config.project(projectId) }) };
  },
  text: ({ config, ...own }, { fields }) =>
    fields(Object.fromEntries(settingsOf({ ...config, ...own }).map(([key, value]) => [key, valueText(value)]))),
});

function isOfProject(key: string): boolean {
  return `${key}.`.startsWith(PROJECT_PREFIX);
}

async function projectOf(key: string, { scope }: CommandContext): Promise<string> {
  const projectId = await scope.projectId();
  if (projectId === undefined) throw new CliFailure('project-needed', key);
  return projectId;
}

/** Every value with its dotted key. */
function settingsOf(settings: object, before = ''): Setting[] {
  return Object.entries(settings).flatMap(([name, value]: [string, unknown]) => {
    const isGroup = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isGroup ? settingsOf(value, `${before}${name}.`) : [[before + name, value] as const];
  });
}

/** A key may name a group: `config get ui` shows all of it. */
function valueOf(key: string, settings: readonly Setting[]): unknown {
  const exact = settings.find(([name]) => name === key);
  if (exact !== undefined) return exact[1];
  const inside = settings.filter(([name]) => name.startsWith(`${key}.`));
  if (inside.length > 0) return Object.fromEntries(inside.map(([name, value]) => [name.slice(key.length + 1), value]));
  const keys = settings.map(([name]) => name);
  const near = closest(key, keys);
  throw new ConfigError('unknown-key', key, near === undefined ? keys : [near]);
}

function valueText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

export const hook = command({
  name: 'hook',
  summary: 'Answer a hook of Claude Code, whose input comes on stdin',
  details: [
    'Claude Code calls it, once `keepit install-hooks` has told it to. What it puts out is what the model is given; the exit code is 0 whatever ' +
      'happens, and what went wrong stands in logs/hooks.log of the memory.',
  ],
  input: {
    event: argument(text, 'SessionStart, UserPromptSubmit, PostToolUse, Stop, PreCompact or SessionEnd'),
  },
  examples: ['hook SessionStart'],
  run(_input, { wrong }) {
    // It never comes here: no hook waits until the whole program is loaded, and none is told that it was called wrongly.
    throw wrong('Hooks are answered by a program of their own.');
  },
});

export const hookWork = command({
  name: 'hook-work',
  summary: "Do what Claude Code's hooks asked for",
  details: [
    'Hooks start this by themselves, in the background: it takes sessions in, brings layers and rolling memory up to date, and makes ' +
      'ready what the next session is given. Nothing is lost when it is killed: the next hook starts it again.',
  ],
  input: {
    keep: option(text, 'SESSION', 'only find what of this session must outlive its compaction'),
    transcript: option(text, 'FILE', 'where Claude Code writes that session'),
  },
  examples: ['hook-work --project=-home-mira-code-tidewatch'],
  async run({ keep: sessionId, transcript }, { memory, scope, signal, wrong }) {
    const projectId = scope.asked;
    if (projectId === undefined) throw wrong('It needs --project=<projectId>.');
    if (sessionId === undefined) {
      yieldToOthers();
      return { sessions: await memory.hooks.work(projectId, signal) };
    }
    await memory.hooks.keep({ projectId, sessionId }, transcript, signal);
    return { kept: sessionId };
  },
});

/** Nobody waits for this process, and somebody works while it runs. */
function yieldToOthers() {
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // Where that is not allowed, it runs as everybody else does.
  }
}

export const mcp = command({
  name: 'mcp',
  summary: 'Serve memory to agents, as an MCP server over stdin and stdout',
  details: [
    'Agents start it themselves; at a terminal there is nothing to see. It offers tools to search memory, read messages, recall, list sessions, keepits and facts, compose contexts, mark keepits and propose facts, and the synthesis and compositions as resources.',
    'It works on the project of the folder that it is started in; CLAUDE_PROJECT_DIR, or the roots that a client tells, go first.',
    'To add it to Claude Code without the plugin: claude mcp add keepit -- keepit mcp',
  ],
  examples: ['mcp'],
  run(_input, { wrong }) {
    // `keepit mcp` alone never comes here: the server is a program of its own, and stdout is its protocol's.
    throw wrong('The server takes no options: keepit mcp');
  },
});

export const doctor = command({
  name: 'doctor',
  summary: 'Check folders, transcripts and the store; --repair mends what can be mended',
  details: [
    'The exit code tells whether the checks could be made; what they found is in the answer.',
    "Nothing of Claude Code's is ever changed, with or without --repair.",
  ],
  input: { repair: flag('Mend what can be mended; never deletes what it does not understand') },
  examples: ['doctor', 'doctor --repair', "doctor --json | jq '.checks[] | select(.ok | not)'"],
  run: async ({ repair }, { memory, signal }) => ({ checks: await memory.upkeep.doctor({ repair }, signal) }),
  text({ checks }, { good, warning, strong, quiet, plural }) {
    const bad = checks.filter(({ ok }) => !ok);
    const mends = bad.some(({ isRepairable }) => isRepairable === true);
    return [
      checks.map(({ name, ok, detail, hint }) => [
        `${ok ? good('✓ ok    ') : warning('✗ look  ')}${strong(name)}  ${detail}`,
        !ok && hint !== undefined && `         ${quiet(hint)}`,
      ]),
      '',
      bad.length === 0
        ? good('All is well.')
        : `${plural(bad.length, 'check')} found something.${mends ? ' `keepit doctor --repair` can mend some of it.' : ''}`,
    ];
  },
});
