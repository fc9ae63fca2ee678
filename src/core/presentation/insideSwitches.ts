import type { HookSettings } from '../model/hookSettings';
import { escapeMarkdown } from '../text/cleanText';
import type { TreeNode } from './treeNode';
import { treeRow } from './treeRow';

/** What the switches are about: hooks of all projects, and whether new sessions of the shown one are added to memory. */
export interface InsideSwitches {
  readonly hooks: HookSettings;
  readonly newSessions: { readonly isOn: boolean; readonly key: string };
}

type HookSwitch =
  | 'sessionStart'
  | 'userPromptSubmit'
  | 'reminders'
  | 'postToolUse'
  | 'stop'
  | 'preCompact'
  | 'sessionEnd'
  | 'syncRulesToClaudeMd';

/** In the order in which a session meets them. */
const hookSpecs: readonly { readonly name: HookSwitch; readonly label: string; readonly about: string }[] = [
  { name: 'sessionStart', label: 'SessionStart', about: 'gives its ID, and what you armed or what the project knows' },
  { name: 'userPromptSubmit', label: 'UserPromptSubmit', about: 'gives the project’s rules' },
  { name: 'reminders', label: 'Reminders', about: 'up to three, where memory knows much about a prompt' },
  { name: 'postToolUse', label: 'PostToolUse', about: 'takes in what is new while tools run' },
  { name: 'stop', label: 'Stop', about: 'takes in what is new after each answer' },
  { name: 'preCompact', label: 'PreCompact', about: 'hands keepits and decisions to Claude’s compaction' },
  { name: 'sessionEnd', label: 'SessionEnd', about: 'takes in the rest' },
  {
    name: 'syncRulesToClaudeMd',
    label: 'Rules in CLAUDE.md',
    about: 'kept in a marked block of it, where Keepit is enabled',
  },
];

const newSessionsSpec = { label: 'Add New Sessions to Memory', about: 'else only those that you add are taken in' };

/** One row for each switch, and how many are on. */
export function switchesGroup({ hooks, newSessions }: InsideSwitches): TreeNode {
  const rows = [
    ...hookSpecs.map(({ name, label, about }) => switchRow(label, about, { key: `hooks.${name}`, isOn: hooks[name] })),
    switchRow(newSessionsSpec.label, newSessionsSpec.about, newSessions),
  ];
  const off = hookSpecs.filter(({ name }) => name !== 'syncRulesToClaudeMd' && !hooks[name]).length;
  return treeRow({
    id: 'inside:switches',
    kind: 'knowledge',
    label: 'Hooks',
    description: off === 0 ? 'all on' : `${off} off`,
    tooltip: 'What Keepit may do inside Claude Code. A switch holds from the next hook on, in all sessions.',
    icon: { id: 'settings' },
    contextValue: 'switches',
    fold: 'collapsed',
    children: rows,
  });
}

function switchRow(label: string, about: string, toggle: { readonly key: string; readonly isOn: boolean }): TreeNode {
  return treeRow({
    id: `inside:switch:${toggle.key}`,
    kind: 'switch',
    label,
    description: about,
    tooltip: `**${escapeMarkdown(label)}**: ${escapeMarkdown(about)}\n\n\`${toggle.key}\` is ${toggle.isOn ? 'on' : 'off'}`,
    contextValue: toggle.isOn ? 'switch on' : 'switch off',
    spoken: `${label}, ${toggle.isOn ? 'on' : 'off'}, ${about}`,
    toggle,
  });
}

/** What was switched, in one line. */
export function switchedText(label: string, isOn: boolean): string {
  return `${label} is ${isOn ? 'on' : 'off'}: it holds from the next hook on.`;
}
