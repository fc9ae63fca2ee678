import { structuredPatch } from 'diff';
import type { SetupInstall, SetupMode, SetupScope } from '../../model/setupRecord';
import type { FileChange, SetupPlan, SetupStatus } from '../setup/setupTypes';
import { escapeMarkdown } from '../../text/cleanText';
import { joinParts, type Formats } from '../../text/formats';
import { type TreeNode, treeRow } from '../../sessions/view/treeNode';

const scopeNames: Record<SetupScope, string> = {
  user: 'for you, in all projects',
  project: 'in this project, for everybody',
  local: 'in this project, for you alone',
};

const modeNames: Record<SetupMode, string> = { plugin: 'as a plugin', plain: 'as plain hooks and commands' };

/** `for you, in all projects`. */
export function scopeName({ scope, folder }: Pick<SetupInstall, 'scope' | 'folder'>, isHere = true): string {
  return isHere ? scopeNames[scope] : `in ${folder ?? ''}`;
}

/** One place where Keepit is set up. */
export function installRow(
  install: SetupInstall,
  { plugin, available, runtime }: SetupStatus,
  isHere: boolean,
): TreeNode {
  const { mode, scope, folder } = install;
  const version = plugin?.version ?? '';
  const runs = runtimeText({ runtime });
  const isOlder = available !== undefined && plugin !== undefined && available.version !== plugin.version;
  return treeRow({
    id: `inside:install:${scope}:${folder ?? ''}`,
    kind: 'install',
    label: `Set up ${scopeName(install, isHere)}`,
    description: joinParts([mode === 'plugin' ? 'plugin' : 'plain hooks', version]),
    tooltip: joinParts(
      [
        `**Set up ${escapeMarkdown(`${scopeName(install, isHere)}, ${modeNames[mode]}`)}**`,
        folder === undefined ? '' : `$(folder) ${escapeMarkdown(folder)}`,
        plugin === undefined
          ? '$(warning) The plugin’s files are gone: run the Doctor'
          : `$(package) ${escapeMarkdown(`${plugin.path}, version ${plugin.version}${isOlder ? `; this Keepit carries ${available.version}` : ''}`)}`,
        runs === undefined ? '' : `$(server-process) ${escapeMarkdown(runs)}`,
      ],
      '\n\n',
    ),
    icon: plugin === undefined ? { id: 'warning', color: 'list.warningForeground' } : { id: 'plug' },
    contextValue: `install ${scope}`,
    file: folder,
  });
}

/** One of the answers to the question where, or how, to set up. */
export interface SetupChoice<T> {
  readonly value: T;
  readonly label: string;
  readonly description: string;
  readonly detail: string;
  readonly icon: string;
}

/** Where Keepit can be set up; `settings` are the files that this is about. */
export function scopeChoices(
  installs: readonly SetupInstall[],
  settings: Readonly<Partial<Record<SetupScope, string>>>,
  folder: string | undefined,
): SetupChoice<SetupScope>[] {
  const icons: Record<SetupScope, string> = { user: 'account', project: 'organization', local: 'folder' };
  const labels: Record<SetupScope, string> = {
    user: 'For me, in all projects',
    project: 'In this project, for everybody',
    local: 'In this project, for me alone',
  };
  const details: Record<SetupScope, string> = {
    user: 'Every session of yours has its memory.',
    project: 'The settings are part of the project: who has them as well is asked to install the plugin.',
    local: 'Only sessions of yours in this project; git does not see these settings.',
  };
  return (['user', 'project', 'local'] as const).flatMap((scope) => {
    const file = settings[scope];
    if (file === undefined) return [];
    const before = installs.find(
      (install) => install.scope === scope && (scope === 'user' || install.folder === folder),
    );
    const description = before === undefined ? file : `set up already, ${modeNames[before.mode]}`;
    return [{ value: scope, label: labels[scope], description, detail: details[scope], icon: icons[scope] }];
  });
}

/** How Keepit can be set up. */
export function modeChoices(): SetupChoice<SetupMode>[] {
  return [
    {
      value: 'plugin',
      label: 'As a plugin',
      description: 'recommended',
      detail: 'Hooks, /keepit:… commands, an agent that summarizes, a skill, and tools to search memory (MCP).',
      icon: 'extensions',
    },
    {
      value: 'plain',
      label: 'As plain hooks and commands',
      description: '',
      detail: 'Hooks in the settings, and the bare commands /summarize, /synthesize and /recall. No agent, no tools.',
      icon: 'list-flat',
    },
  ];
}

/** What is told and asked while the files are looked at. */
export interface SetupReview {
  readonly title: string;
  readonly question: string;
  readonly yes: string;
  /** What will be done, one fact per line, with an icon. */
  readonly facts: readonly { readonly icon: string; readonly text: string; readonly detail?: string }[];
}

/** Says everything that a plan does beside the files, which are shown themselves. */
export function setupReview(plan: SetupPlan, formats: Formats): SetupReview {
  const { action, request, files, notes, leftovers } = plan;
  const runs = runtimeText(plan);
  const where = scopeName(request);
  const isInstall = action === 'install';
  return {
    title: isInstall ? `Set up Claude Code ${where}` : `Remove Keepit from Claude Code ${where}`,
    question:
      files.length === 0
        ? 'No file of yours changes'
        : `${formats.plural(files.length, 'file')} as shown below, nothing else`,
    yes: isInstall ? 'Set Up' : 'Remove',
    facts: [
      ...files.map((change) => ({ icon: changeIcon(change), text: change.path, detail: changeWord(change) })),
      { icon: 'package', text: pluginText(plan) },
      ...(isInstall && runs !== undefined ? [{ icon: 'server-process', text: runs }] : []),
      ...leftovers.map((folder) => ({
        icon: 'trash',
        text: folder,
        detail: 'goes: Claude Code made it for the plugin',
      })),
      ...notes.map((note) => ({ icon: 'warning', text: note })),
    ],
  };
}

function changeIcon({ before, after }: FileChange): string {
  if (before === undefined) return 'diff-added';
  return after === undefined ? 'diff-removed' : 'diff-modified';
}

/** What was done, and what is next. */
export function setupOutcome({ action, request }: SetupPlan): string {
  const where = scopeName(request);
  return action === 'install'
    ? `Keepit is set up ${where}. Start a new Claude Code session: the view Inside Claude Code tells what it is given. Sessions that run already go on as before.`
    : `Keepit is out of Claude Code (${where}). What it remembers stays. Sessions that run already end as they began.`;
}

/** Whether taking a plan back brought every file to the bytes that it had. */
export function isUndone(plan: SetupPlan, undo: SetupPlan): boolean {
  const after = new Map(undo.files.map((file) => [file.path, file.after]));
  return plan.files.every(({ path, before }) => after.has(path) && after.get(path) === before);
}

/** What becomes of a file, in one word. */
export function changeWord({ before, after }: FileChange): 'made' | 'changed' | 'deleted' {
  if (before === undefined) return 'made';
  return after === undefined ? 'deleted' : 'changed';
}

/** The changed lines of a file with a few around them, each behind `+`, `-`, a space, or as `@@` with their places. */
export function changedLines({ before = '', after = '' }: FileChange): string[] {
  const { hunks } = structuredPatch('', '', before, after, '', '', { context: 2 });
  return hunks.flatMap(({ oldStart, newStart, lines }) => [`@@ -${oldStart} +${newStart} @@`, ...lines]);
}

/** What becomes of the copy of the plugin, in a sentence. */
export function pluginText({ plugin: { path, version, change } }: Pick<SetupPlan, 'plugin'>): string {
  const texts = {
    copy: `The plugin, version ${version}, is copied to ${path}.`,
    update: `The plugin in ${path} is brought up to version ${version}.`,
    keep: `The plugin in ${path} stays as it is.`,
    remove: `The plugin in ${path} is removed.`,
  };
  return texts[change];
}

/** What the hooks are run with, in a sentence. */
export function runtimeText({ runtime }: Pick<SetupPlan, 'runtime'>): string | undefined {
  if (runtime === undefined) return undefined;
  const { kind, file, version } = runtime;
  if (kind === 'path') return `Hooks are run with node, version ${version}.`;
  return `Hooks are run with ${file}${kind === 'electron' ? ', which is VS Code’s own Node' : ''}, version ${version}.`;
}
