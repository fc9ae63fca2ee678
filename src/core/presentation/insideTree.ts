import type { SetupInstall } from '../model/setupRecord';
import type { SetupStatus } from '../claude/setup/setupTypes';
import { reaches } from './armedText';
import { joinParts, type Formats } from '../text/formats';
import { firingRow, insideSessionRow, type InsideRowOptions, type InsideSession } from './insideRows';
import { installRow } from './insideSetup';
import { switchesGroup, type InsideSwitches } from './insideSwitches';
import type { TreeNode } from './treeNode';
import { treeRow } from './treeRow';

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
  const tokens = sessions.reduce((sum, { injectedTokens }) => sum + injectedTokens, 0);
  return joinParts([`${formats.plural(tokens, 'token')} given`, formats.plural(sessions.length, 'session')]);
}
