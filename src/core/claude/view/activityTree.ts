import type { SetupInstall } from '../../model/setupRecord';
import type { SetupStatus } from '../setup/setupTypes';
import { joinParts, type Formats } from '../../text/formats';
import type { HookSettings } from '../../model/hookSettings';
import { escapeMarkdown } from '../../text/cleanText';
import { reaches } from './armedText';
import { firingRow, insideSessionRow, type InsideRowOptions, type InsideSession } from './activityRows';
import { installRow } from './setupRows';
import { type TreeNode, treeRow } from '../../sessions/view/treeNode';
import { sumOf } from '../../text/ownValue';

/** What Keepit does inside Claude Code, for the project that is shown. */
export interface InsideContent {
  readonly setup: SetupStatus;
  readonly switches: InsideSwitches;
  /** The latest first. */
  readonly sessions: readonly InsideSession[];
}

export interface InsideTreeOptions extends InsideRowOptions {
  /** The folder of the project that is shown. */
  readonly folder: string | undefined;
  /** How many rows of a group are shown. */
  readonly limitOf: (group: string) => number;
}

/** So many rows of a group are shown at first, and so many more each time that more are asked for. */
export const INSIDE_PAGE = 100;

const SESSIONS = 'sessions';

/** Where it is set up, the switches, then the sessions. Nothing while there is nothing to tell of. */
export function insideTree({ setup, switches, sessions }: InsideContent, options: InsideTreeOptions): TreeNode[] {
  const { installs } = setup;
  if (installs.length === 0 && sessions.length === 0) return [];
  const own = installs.filter((install) => reaches(install, options.folder));
  return [
    ...(own.length === 0 ? [notSetUpRow(installs)] : []),
    ...[...own, ...installs.filter((install) => !own.includes(install))].map((install) =>
      installRow(install, setup, own.includes(install)),
    ),
    switchesGroup(switches),
    ...(sessions.length === 0 ? [waitingRow()] : sessionRows(sessions, options)),
  ];
}

function sessionRows(sessions: readonly InsideSession[], options: InsideTreeOptions): TreeNode[] {
  const shown = sessions.slice(0, options.limitOf(SESSIONS)).map((session) => insideSessionRow(session, options));
  const left = sessions.length - shown.length;
  return left === 0 ? shown : [...shown, moreRow(SESSIONS, left, options.formats)];
}

/** What hooks did in a session, the latest first. */
export function firingRows(session: InsideSession, options: InsideTreeOptions): TreeNode[] {
  const { projectId, sessionId, activity } = session;
  const limit = options.limitOf(sessionId);
  const first = Math.max(0, activity.length - limit);
  const rows = activity
    .slice(first)
    .map((firing, at) => firingRow({ projectId, sessionId }, first + at, firing, options))
    .reverse();
  return first === 0 ? rows : [...rows, moreRow(sessionId, first, options.formats)];
}

function moreRow(group: string, left: number, formats: Formats): TreeNode {
  return treeRow({
    id: `inside:more:${group}`,
    kind: 'more',
    label: `Show ${formats.exact(Math.min(left, INSIDE_PAGE))} more`,
    description: `${formats.exact(left)} earlier`,
    icon: { id: 'ellipsis' },
    contextValue: 'more',
    more: group,
  });
}

/** Hooks ran, or are set up elsewhere, but here nothing of it is known. */
function notSetUpRow(installs: readonly SetupInstall[]): TreeNode {
  return treeRow({
    id: 'inside:notSetUp',
    kind: 'install',
    label: 'Not set up for this project',
    description: 'set up Claude Code',
    tooltip:
      installs.length === 0
        ? 'Hooks have run here, but Keepit did not set them up, or they were taken out since.'
        : 'Keepit is set up in other projects only.',
    icon: { id: 'plug' },
    contextValue: 'notSetUp',
  });
}

function waitingRow(): TreeNode {
  return treeRow({
    id: 'inside:waiting',
    kind: 'newMessages',
    label: 'Waiting for a session',
    description: 'start a new one in this project: it is told here what Keepit does in it',
    icon: { id: 'watch' },
    contextValue: 'waiting',
  });
}

/** What was given altogether, for the head of the view. */
export function insideSummary({ sessions }: Pick<InsideContent, 'sessions'>, formats: Formats): string {
  if (sessions.length === 0) return '';
  const tokens = sumOf(sessions, ({ injectedTokens }) => injectedTokens);
  return joinParts([`${formats.plural(tokens, 'token')} given`, formats.plural(sessions.length, 'session')]);
}

/** What the switches are about: hooks of all projects, and whether new sessions of the shown one are added to memory. */
export interface InsideSwitches {
  readonly hooks: HookSettings;
  readonly newSessions: { readonly isOn: boolean; readonly key: string };
}

type HookSwitch =
  | 'sessionStart'
  | 'userPromptSubmit'
  | 'reminders'
  | 'fileNotes'
  | 'postToolUse'
  | 'stop'
  | 'preCompact'
  | 'sessionEnd'
  | 'syncRulesToClaudeMd';

/** In the order in which a session meets them. */
const hookSpecs: readonly { readonly name: HookSwitch; readonly label: string; readonly about: string }[] = [
  { name: 'sessionStart', label: 'SessionStart', about: 'gives its ID, and what you armed or what the project knows' },
  { name: 'userPromptSubmit', label: 'UserPromptSubmit', about: 'gives rules that others laid down meanwhile' },
  { name: 'reminders', label: 'Reminders', about: 'up to three, where memory knows much about a prompt' },
  { name: 'fileNotes', label: 'File Notes', about: 'what was decided about a file, as Claude opens or changes it' },
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
function switchesGroup({ hooks, newSessions }: InsideSwitches): TreeNode {
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
