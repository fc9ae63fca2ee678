import { constants, setPriority } from 'node:os';
import { changedLines, changeWord, pluginText, runtimeText } from '../../core/claude/view/setupRows';
import type { SetupMode, SetupScope } from '../../core/model/setupRecord';
import { SetupError } from '../../core/claude/setup/setupError';
import type { SetupPlan, SetupRequest } from '../../core/claude/setup/setupTypes';
import { CliFailure } from '../cliErrors';
import { type Answer, type Command, type CommandContext, type OptionSpecs, type Page, flag, valued } from '../command';
import type { CommandInput } from '../commandInput';
import { changedText, renderFields } from '../terminal';
import { ConfigError, PROJECT_PREFIX } from '../../core/sessions/configSettings';
import { projectToRemember, rememberedText, type ProjectToRemember } from '../projectOf';
import { closest } from '../suggestion';
import type { DoctorCheck } from '../../core/sessions/results';

const scopes = ['user', 'project', 'local'] as const satisfies readonly SetupScope[];
const modes = ['plugin', 'plain'] as const satisfies readonly SetupMode[];

const options: OptionSpecs = {
  scope: valued(
    'SCOPE',
    'user: for all your projects (default) · project: this one, shared with others · local: this one, on this machine',
  ),
  'dry-run': flag('Only show what would change'),
  yes: flag('Do not ask', 'y'),
};

const FOLDER = 'For `project` and `local` the folder is the current one, or what --project names.';

export const installHooks: Command = {
  name: 'install-hooks',
  group: 'Keepit itself',
  summary: 'Set Claude Code up: hooks, slash commands, agent, and the server of tools',
  details: [
    'Every changed line is shown; on a terminal you are asked first. Comments and formatting of your settings stay, and `keepit uninstall-hooks` gives them back byte for byte.',
    'As a plugin, Claude Code gets a copy of it in the store. --as plain puts hooks into its settings and the commands /summarize, /synthesize and /recall into its folder instead.',
    FOLDER,
  ],
  options: { ...options, as: valued('HOW', 'plugin (default) or plain') },
  examples: ['install-hooks', 'install-hooks --dry-run', 'install-hooks --scope project --as plain'],
  async run(input, context) {
    const mode = input.oneOf('as', modes) ?? modes[0];
    const plan = await context.memory.setup.planInstall({ mode, ...placeOf(input, context) }, context.signal);
    // Without a person to ask, a project is written to only by `--yes`.
    const mayAsk = context.confirm !== undefined || input.has('yes');
    const project = mayAsk ? await projectToRemember(context) : undefined;
    return carryOut(plan, input, context, project);
  },
};

export const uninstallHooks: Command = {
  name: 'uninstall-hooks',
  group: 'Keepit itself',
  summary: 'Take Keepit out of Claude Code again',
  details: [
    'Files that are as Keepit left them become what they were before, byte for byte. In files that were changed since, only what is Keepit’s goes. What is in memory stays.',
    FOLDER,
  ],
  options,
  examples: ['uninstall-hooks', 'uninstall-hooks --scope project --dry-run'],
  async run(input, context) {
    const plan = await context.memory.setup.planUninstall(placeOf(input, context), context.signal);
    return carryOut(plan, input, context);
  },
};

export const pluginPath: Command = {
  name: 'plugin path',
  group: 'Keepit itself',
  summary: 'Print the folder of the plugin for Claude Code',
  details: ['It is a plugin and a marketplace at once: for `claude --plugin-dir`, or `claude plugin marketplace add`.'],
  examples: ['plugin path', 'plugin path --json'],
  async run(_input, { memory }) {
    const { available, plugin, installs } = await memory.setup.status();
    const found = available ?? plugin;
    if (found === undefined) throw new SetupError('no-plugin', 'this installation of Keepit');
    return { json: { ...found, installed: plugin ?? null, installs }, text: () => found.path };
  },
};

function placeOf(input: CommandInput, { scope: lookup }: CommandContext): Omit<SetupRequest, 'mode'> {
  const scope = input.oneOf('scope', scopes) ?? scopes[0];
  return scope === 'user' ? { scope } : { scope, folder: lookup.folder() };
}

async function carryOut(
  plan: SetupPlan,
  input: CommandInput,
  { memory, confirm, onProgress, signal }: CommandContext,
  project?: ProjectToRemember,
): Promise<Answer> {
  const isDryRun = input.has('dry-run');
  const offer =
    project === undefined
      ? []
      : [`${project.folder} is remembered from now on: its sessions are taken in, and known in ${project.dir}.`];
  if (!isDryRun && confirm !== undefined && !input.has('yes')) {
    const shown = planLines(plan, { style: { paint: (_tone, text) => text } });
    if (!(await confirm(`${[...shown, ...offer].join('\n')}\n\nDo this?`)))
      throw new CliFailure('left-alone', 'Claude Code');
  }
  if (!isDryRun) await memory.setup.apply(plan, signal);
  const remembered =
    isDryRun || project === undefined
      ? undefined
      : await memory.layers.remember(project.projectId, { folder: project.folder }, onProgress, signal);
  const { action, request, plugin, runtime, notes } = plan;
  const { scope, folder } = request;
  const files = plan.files.map((change) => ({
    path: change.path,
    change: changeWord(change),
    diff: changedLines(change).join('\n'),
  }));
  const undo =
    action === 'install' ? { undo: `keepit uninstall-hooks${scope === 'user' ? '' : ` --scope ${scope}`}` } : {};
  return {
    json: {
      action,
      mode: request.mode,
      scope,
      folder,
      files,
      plugin,
      runtime,
      notes,
      isWritten: !isDryRun,
      remembered: project === undefined ? null : { projectId: project.projectId, dir: project.dir },
      ...undo,
    },
    text: (page) =>
      [
        ...planLines(plan, page),
        ...offer,
        '',
        verdict(plan, isDryRun, undo.undo, page),
        ...(remembered === undefined ? [] : [rememberedText(remembered, page)]),
      ].join('\n'),
  };
}

function planLines(plan: SetupPlan, { style }: { style: Pick<Page['style'], 'paint'> }): string[] {
  const files = plan.files.flatMap((change) => [
    style.paint('strong', `${change.path}  (${changeWord(change)})`),
    ...changedText(changedLines(change), style),
    '',
  ]);
  const notes = plan.notes.map((note) => style.paint('warning', note));
  const runtime = plan.action === 'install' ? runtimeText(plan) : undefined;
  return [...files, pluginText(plan), ...(runtime === undefined ? [] : [runtime]), ...notes];
}

function verdict(plan: SetupPlan, isDryRun: boolean, undo: string | undefined, { style }: Page): string {
  if (isDryRun) return style.paint('quiet', 'Nothing was written: this was a dry run.');
  if (undo === undefined)
    return style.paint('good', '✓ Keepit is out of Claude Code. Sessions that run already keep it until they end.');
  const isSame = plan.files.length === 0 && plan.plugin.change === 'keep';
  const done = isSame ? '✓ Claude Code is set up already.' : '✓ Claude Code is set up: from the next session on.';
  return `${style.paint('good', done)}\nTo undo: ${undo}`;
}

type Setting = readonly [key: string, value: unknown];

const PROJECT_KEYS = '`project.…` are those of one project: the current folder’s, or the one that --project names.';

export const configGet: Command = {
  name: 'config get',
  group: 'Keepit itself',
  summary: 'Show one setting',
  details: [PROJECT_KEYS],
  args: [{ name: 'key', help: 'such as keepitDecay.compressionBase.light', arity: 'one' }],
  examples: ['config get defaults.compressionPreset', 'config get project.keepitDecayEnabled'],
  async run(input, { memory, scope }) {
    const key = input.required(0);
    const settings = isOfProject(key)
      ? settingsOf({ project: await memory.config.project(await projectOf(key, scope)) })
      : settingsOf(await memory.config.read());
    const value = valueOf(key, settings);
    return { json: { key, value }, text: () => valueText(value) };
  },
};

export const configSet: Command = {
  name: 'config set',
  group: 'Keepit itself',
  summary: 'Change one setting; what is not allowed is refused',
  details: [PROJECT_KEYS],
  args: [
    { name: 'key', help: 'such as defaults.autoRegisterSessions', arity: 'one' },
    { name: 'value', help: 'its new value', arity: 'one' },
  ],
  examples: [
    'config set defaults.autoRegisterSessions true',
    'config set storage.maxCacheSize 500MB',
    'config set project.keepitDecayEnabled false',
  ],
  async run(input, { memory, scope }) {
    const [key, text] = [input.required(0), input.required(1)];
    const changed = isOfProject(key)
      ? { project: await memory.config.setProject(await projectOf(key, scope), key, text) }
      : { config: await memory.config.set(key, text) };
    const value = valueOf(key, settingsOf(changed.config ?? changed));
    return { json: { key, value, ...changed }, text: () => `${key} = ${valueText(value)}` };
  },
};

export const configList: Command = {
  name: 'config list',
  group: 'Keepit itself',
  summary: 'Show all settings',
  details: [PROJECT_KEYS],
  examples: ['config list', 'config list --json'],
  async run(_input, { memory, scope }) {
    const config = await memory.config.read();
    const projectId = await scope.projectId();
    const isInMemory = projectId !== undefined && (await memory.sessions.list(projectId)).length > 0;
    const own = isInMemory ? { project: await memory.config.project(projectId) } : {};
    const facts = settingsOf({ ...config, ...own }).map(([key, value]) => [key, valueText(value)] as const);
    return { json: { config, ...own }, text: ({ style }) => renderFields(facts, { style }).join('\n') };
  },
};

function isOfProject(key: string): boolean {
  return key.startsWith(PROJECT_PREFIX) || `${key}.` === PROJECT_PREFIX;
}

async function projectOf(key: string, scope: Pick<CommandContext['scope'], 'projectId'>): Promise<string> {
  const projectId = await scope.projectId();
  if (projectId === undefined) throw new CliFailure('project-needed', key);
  return projectId;
}

/** Every value with its dotted key. */
function settingsOf(settings: object): Setting[] {
  const flatten = (value: object, path: string): Setting[] =>
    Object.entries(value).flatMap(([name, inner]: [string, unknown]) => {
      const key = path === '' ? name : `${path}.${name}`;
      const isGroup = typeof inner === 'object' && inner !== null && !Array.isArray(inner);
      return isGroup ? flatten(inner, key) : [[key, inner] as const];
    });
  return flatten(settings, '');
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

export const hook: Command = {
  name: 'hook',
  group: 'Keepit itself',
  summary: 'Answer a hook of Claude Code, whose input comes on stdin',
  details: [
    'Claude Code calls it, once `keepit install-hooks` has told it to. What it puts out is what the model is given; the exit code is 0 whatever ' +
      'happens, and what went wrong stands in logs/hooks.log of the memory.',
  ],
  args: [
    {
      name: 'event',
      help: 'SessionStart, UserPromptSubmit, PostToolUse, Stop, PreCompact or SessionEnd',
      arity: 'one',
    },
  ],
  examples: ['hook SessionStart'],
  async run(input) {
    // It never comes here: no hook waits until the whole program is loaded, and none is told that it was called wrongly.
    throw input.wrong('Hooks are answered by a program of their own.');
  },
};

export const hookWork: Command = {
  name: 'hook-work',
  group: 'Keepit itself',
  summary: "Do what Claude Code's hooks asked for",
  details: [
    'Hooks start this by themselves, in the background: it takes sessions in, brings layers and rolling memory up to date, and makes ' +
      'ready what the next session is given. Nothing is lost when it is killed: the next hook starts it again.',
  ],
  options: {
    keep: valued('SESSION', 'only find what of this session must outlive its compaction'),
    transcript: valued('FILE', 'where Claude Code writes that session'),
  },
  examples: ['hook-work --project=-home-mira-code-tidewatch'],
  async run(input, { memory, signal }) {
    const projectId = input.text('project');
    if (projectId === undefined) throw input.wrong('It needs --project=<projectId>.');
    const sessionId = input.text('keep');
    if (sessionId === undefined) {
      yieldToOthers();
      const sessions = await memory.hooks.work(projectId, signal);
      return { json: { sessions }, text: () => `${sessions} sessions looked at.` };
    }
    await memory.hooks.keep({ projectId, sessionId }, input.text('transcript'), signal);
    return { json: { kept: sessionId }, text: () => `Looked at ${sessionId}.` };
  },
};

/** Nobody waits for this process, and somebody works while it runs. */
function yieldToOthers() {
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // Where that is not allowed, it runs as everybody else does.
  }
}

export const mcp: Command = {
  name: 'mcp',
  group: 'Keepit itself',
  summary: 'Serve memory to agents, as an MCP server over stdin and stdout',
  details: [
    'Agents start it themselves; at a terminal there is nothing to see. It offers tools to search memory, read messages, recall, list sessions, keepits and facts, compose contexts, mark keepits and propose facts, and the synthesis and compositions as resources.',
    'It works on the project of the folder that it is started in; CLAUDE_PROJECT_DIR, or the roots that a client tells, go first.',
    'To add it to Claude Code without the plugin: claude mcp add keepit -- keepit mcp',
  ],
  examples: ['mcp'],
  run(input) {
    // `keepit mcp` alone never comes here: the server is a program of its own, and stdout is its protocol's.
    throw input.wrong('The server takes no options: keepit mcp');
  },
};

export const doctor: Command = {
  name: 'doctor',
  group: 'Keepit itself',
  summary: 'Check folders, transcripts and the store; --repair mends what can be mended',
  details: [
    'The exit code tells whether the checks could be made; what they found is in the answer.',
    "Nothing of Claude Code's is ever changed, with or without --repair.",
  ],
  options: { repair: flag('Mend what can be mended; never deletes what it does not understand') },
  examples: ['doctor', 'doctor --repair', "doctor --json | jq '.checks[] | select(.ok | not)'"],
  async run(input, { memory, signal }) {
    const checks = await memory.upkeep.doctor({ repair: input.has('repair') }, signal);
    return { json: { checks }, text: (page) => checksText(checks, page) };
  },
};

function checksText(checks: readonly DoctorCheck[], page: Page): string {
  const bad = checks.filter(({ ok }) => !ok);
  const repairable = bad.some(({ isRepairable }) => isRepairable === true);
  const verdict =
    bad.length === 0
      ? page.style.paint('good', 'All is well.')
      : `${page.formats.plural(bad.length, 'check')} found something.${repairable ? ' `keepit doctor --repair` can mend some of it.' : ''}`;
  return [...checks.flatMap((check) => checkLines(check, page)), '', verdict].join('\n');
}

function checkLines({ name, ok, detail, hint }: DoctorCheck, { style }: Page): string[] {
  const mark = ok ? style.paint('good', '✓ ok    ') : style.paint('warning', '✗ look  ');
  const lines = [`${mark}${style.paint('strong', name)}  ${detail}`];
  if (!ok && hint !== undefined) lines.push(`         ${style.paint('quiet', hint)}`);
  return lines;
}
