import { cleanLines } from '../../core/text/cleanText';
import { changedLines, changeWord, pluginText, runtimeText } from '../../core/presentation/setupTexts';
import type { SetupMode, SetupScope } from '../../core/model/setupRecord';
import { SetupError } from '../../core/claude/setup/setupError';
import type { SetupPlan, SetupRequest } from '../../core/claude/setup/setupTypes';
import { CliFailure } from '../cliErrors';
import type { Answer, Command, CommandContext, OptionSpecs, Page } from '../command';
import type { CommandInput } from '../commandInput';
import type { Tone } from '../style';
import { ownValue } from '../../core/text/ownValue';

const scopes = ['user', 'project', 'local'] as const satisfies readonly SetupScope[];
const modes = ['plugin', 'plain'] as const satisfies readonly SetupMode[];

const options: OptionSpecs = {
  scope: {
    type: 'string',
    value: 'SCOPE',
    help: 'user: for all your projects (default) · project: this one, shared with others · local: this one, on this machine',
  },
  'dry-run': { type: 'boolean', help: 'Only show what would change' },
  yes: { type: 'boolean', short: 'y', help: 'Do not ask' },
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
  args: [],
  options: { ...options, as: { type: 'string', value: 'HOW', help: 'plugin (default) or plain' } },
  examples: ['install-hooks', 'install-hooks --dry-run', 'install-hooks --scope project --as plain'],
  async run(input, context): Promise<Answer> {
    const mode = oneOf(input, 'as', modes);
    const plan = await context.setup.planInstall({ mode, ...placeOf(input, context) }, context.signal);
    return carryOut(plan, input, context);
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
  args: [],
  options,
  examples: ['uninstall-hooks', 'uninstall-hooks --scope project --dry-run'],
  async run(input, context): Promise<Answer> {
    const plan = await context.setup.planUninstall(placeOf(input, context), context.signal);
    return carryOut(plan, input, context);
  },
};

export const pluginPath: Command = {
  name: 'plugin path',
  group: 'Keepit itself',
  summary: 'Print the folder of the plugin for Claude Code',
  details: ['It is a plugin and a marketplace at once: for `claude --plugin-dir`, or `claude plugin marketplace add`.'],
  args: [],
  options: {},
  examples: ['plugin path', 'plugin path --json'],
  async run(_input, { setup }): Promise<Answer> {
    const { available, plugin, installs } = await setup.status();
    const found = available ?? plugin;
    if (found === undefined) throw new SetupError('no-plugin', 'this installation of Keepit');
    return { json: { ...found, installed: plugin ?? null, installs }, text: () => found.path };
  },
};

function placeOf(input: CommandInput, { scope: lookup }: CommandContext): Omit<SetupRequest, 'mode'> {
  const scope = oneOf(input, 'scope', scopes);
  return scope === 'user' ? { scope } : { scope, folder: lookup.folder() };
}

/** The first one when none is given. */
function oneOf<T extends string>(input: CommandInput, option: string, allowed: readonly [T, ...T[]]): T {
  const text = input.text(option);
  if (text === undefined) return allowed[0];
  const found = allowed.find((one) => one === text);
  if (found === undefined) throw input.wrong(`--${option} is ${allowed.join(' or ')}, not ${JSON.stringify(text)}.`);
  return found;
}

async function carryOut(
  plan: SetupPlan,
  input: CommandInput,
  { setup, confirm, signal }: CommandContext,
): Promise<Answer> {
  const isDryRun = input.has('dry-run');
  if (!isDryRun && confirm !== undefined && !input.has('yes')) {
    const shown = planLines(plan, { style: { paint: (_tone, text) => text } }).join('\n');
    if (!(await confirm(`${shown}\n\nDo this?`))) throw new CliFailure('left-alone', 'Claude Code');
  }
  if (!isDryRun) await setup.apply(plan, signal);
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
    json: { action, mode: request.mode, scope, folder, files, plugin, runtime, notes, isWritten: !isDryRun, ...undo },
    text: (page) => [...planLines(plan, page), '', verdict(plan, isDryRun, undo.undo, page)].join('\n'),
  };
}

const tones: Readonly<Record<string, Tone>> = { '+': 'good', '-': 'bad', '@': 'accent' };

function planLines(plan: SetupPlan, { style }: { style: Pick<Page['style'], 'paint'> }): string[] {
  const files = plan.files.flatMap((change) => [
    style.paint('strong', `${change.path}  (${changeWord(change)})`),
    ...changedLines(change).flatMap((line) =>
      cleanLines(line).map((clean) => style.paint(ownValue(tones, line.charAt(0)) ?? 'quiet', clean)),
    ),
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
