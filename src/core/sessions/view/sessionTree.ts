import { pushTo, sumOf } from '../../text/ownValue';
import type { CalibratedTokens, Calibration } from '../../text/tokens/calibration';
import {
  formatCount,
  formatAge,
  formatBytes,
  joinParts,
  timeOf,
  TITLE_LENGTH,
  titleOf,
  type Formats,
} from '../../text/formats';
import type { Config } from '../../model/config';
import type { DiscoveredProject, DiscoveredSession, SessionRef, SubAgentConversation } from '../results';
import { escapeMarkdown, oneLine } from '../../text/cleanText';
import { type NodeIcon, type TreeNode, wordMatcher } from './treeNode';

/** What the trees depend on besides the sessions. */
export interface TreeContext {
  readonly formats: Formats;
  readonly nowMs: number;
  /** From how many days before its deletion on a session that is not in memory is warned about. */
  readonly warningDays: number;
  /** Whether tokens are told before they are counted exactly. */
  readonly showsEstimates: boolean;
}

interface SessionTreeOptions extends TreeContext {
  /** By month, or one after the other. */
  readonly view: Config['ui']['defaultView'];
}

interface ProjectTreeOptions extends TreeContext {
  /** The project of the open workspace: it comes first. */
  readonly currentProjectId?: string;
  /** The project whose sessions are shown. */
  readonly shownProjectId?: string;
}

/** Whether a session is worth a row: nothing was said in an empty one, unless somebody kept it or it cannot be read. */
export function isShown(session: DiscoveredSession): boolean {
  return session.messages > 0 || session.registered || session.isUncounted === true || session.problem !== undefined;
}

/** The sessions of a project, newest first. By month, the newest is open. */
export function sessionTree(project: DiscoveredProject, options: SessionTreeOptions): TreeNode[] {
  const sessions = project.sessions.filter(isShown).sort((a, b) => lastTimeOf(b) - lastTimeOf(a));
  const nodes =
    options.view === 'list'
      ? sessions.map((session) => sessionNode(session, options))
      : monthNodes(project, sessions, options);
  return project.problem === undefined ? nodes : [problemNode(project, project.problem), ...nodes];
}

function monthNodes(
  project: DiscoveredProject,
  sessions: readonly DiscoveredSession[],
  options: SessionTreeOptions,
): TreeNode[] {
  const byMonth = new Map<string, DiscoveredSession[]>();
  for (const session of sessions) pushTo(byMonth, options.formats.monthKey(lastTimeOf(session)), session);
  return [...byMonth].map(([key, list], index) => monthNode(project, key, list, { ...options, isOpen: index === 0 }));
}

function monthNode(
  project: DiscoveredProject,
  key: string,
  sessions: readonly DiscoveredSession[],
  options: SessionTreeOptions & { isOpen: boolean },
): TreeNode {
  const { formats } = options;
  const label = formats.monthOf(lastTimeOf(sessions[0]));
  const kept = sessions.filter((session) => session.registered).length;
  const tokens = tokensTold(sessions, options);
  const description = joinParts([
    formats.plural(sessions.length, 'session'),
    tokens,
    kept === 0 ? '' : `${kept} in memory`,
  ]);
  return {
    id: `month:${project.projectId}:${key}`,
    kind: 'month',
    label,
    description,
    tooltip: `${escapeMarkdown(label)}: ${description}`,
    contextValue: kept < sessions.length ? 'month notAllInMemory' : 'month',
    spoken: joinParts(
      [label, formats.plural(sessions.length, 'session'), tokens && `${tokens} tokens`, `${kept} in memory`],
      ', ',
    ),
    fold: options.isOpen ? 'expanded' : 'collapsed',
    children: sessions.map((session) => sessionNode(session, options)),
    projectId: project.projectId,
  };
}

/** How many tokens sessions have, `~105k` for an estimate; '' where that is not known exactly, and nothing else is wanted. */
function tokensTold(sessions: readonly DiscoveredSession[], { showsEstimates }: TreeContext): string {
  const isEstimate = sessions.some(({ tokens }) => tokens.kind === 'estimate');
  if ((isEstimate && !showsEstimates) || sessions.some(({ isUncounted }) => isUncounted)) return '';
  return `${isEstimate ? '~' : ''}${formatCount(sumOf(sessions, ({ tokens }) => tokens.count))}`;
}

/** One session as a row. */
export function sessionNode(session: DiscoveredSession, context: TreeContext): TreeNode {
  const { formats, nowMs } = context;
  const title = titleOf(session);
  const isLosing = isExpiring(session, context.warningDays);
  const fresh = session.newMessages === 0 ? '' : `${formats.exact(session.newMessages)} new`;
  const fate = isLosing ? deletionNote(session.expiresInDays ?? 0, formats) : '';
  const state = joinParts([session.isLive ? 'live' : '', session.isOriginalGone ? 'kept copy' : '', fresh]);
  const age = formatAge(lastTimeOf(session), nowMs);
  // A narrow side bar cuts the end off: a warning comes first.
  const tokens = tokensTold([session], context);
  const facts = session.problem ?? joinParts([fate, tokens, age, state]);
  const memory = session.registered ? 'in memory' : 'not in memory';
  return {
    id: `session:${session.projectId}:${session.sessionId}`,
    kind: 'session',
    label: title,
    description: oneLine(facts, TITLE_LENGTH),
    tooltip: sessionTooltip(session, context),
    icon: sessionIcon(session, isLosing),
    contextValue: sessionFlags(session, isLosing),
    spoken: joinParts([title, memory, tokens && `${tokens} tokens`, age, state, fate, session.problem ?? ''], ', '),
    fold: session.subAgents > 0 && session.problem === undefined ? 'collapsed' : 'none',
    children: [],
    projectId: session.projectId,
    session: { projectId: session.projectId, sessionId: session.sessionId },
  };
}

/** A sub-agent as a row under its session. */
export function subAgentNode(session: SessionRef, agent: SubAgentConversation, formats: Formats): TreeNode {
  const { messages } = agent.conversation;
  const tokens = sumOf(messages, (message) => message.tokens + message.resultTokens);
  const label = oneLine(agent.title, TITLE_LENGTH) || `Sub-agent ${agent.agentId}`;
  const size = formats.plural(messages.length, 'message');
  return {
    id: `agent:${session.projectId}:${session.sessionId}:${agent.agentId}`,
    kind: 'subAgent',
    label,
    description: joinParts([formatCount(tokens), size]),
    tooltip: `**${escapeMarkdown(label)}**\n\nSub-agent · ${size} · about ${formatCount(tokens)} tokens`,
    icon: { id: 'robot' },
    contextValue: 'subAgent',
    spoken: `Sub-agent ${label}, ${size}, ${formatCount(tokens)} tokens`,
    fold: 'none',
    children: [],
    projectId: session.projectId,
    session: { projectId: session.projectId, sessionId: session.sessionId },
    agent: { id: agent.agentId, title: label },
  };
}

/** The shape says it: a filled bookmark is in memory, a warning is about to be lost, an archive box has only our copy left. */
function sessionIcon(session: DiscoveredSession, isLosing: boolean): NodeIcon {
  if (session.problem !== undefined) return { id: 'error', color: 'list.errorForeground' };
  if (session.isOriginalGone) return { id: 'archive', color: 'charts.green' };
  if (session.registered) return { id: 'bookmark', color: 'charts.green' };
  if (isLosing) return { id: 'warning', color: 'list.warningForeground' };
  return { id: session.isLive ? 'pulse' : 'circle-outline' };
}

function sessionFlags(session: DiscoveredSession, isLosing: boolean): string {
  return joinParts(
    [
      'session',
      session.registered && 'inMemory',
      !session.registered && session.problem === undefined && 'notInMemory',
      session.newMessages > 0 && 'new',
      session.isLive && 'live',
      isLosing && 'expiring',
      session.isOriginalGone && 'gone',
      session.problem !== undefined && 'problem',
    ],
    ' ',
  );
}

/** `will be deleted in 3 days`. Claude Code deletes at its next start once the time has come. */
export function deletionNote(days: number, formats: Formats): string {
  if (days < 0) return 'will be deleted any time now';
  const whole = Math.ceil(days);
  return whole === 0 ? 'will be deleted within a day' : `will be deleted in ${formats.plural(whole, 'day')}`;
}

function sessionTooltip(session: DiscoveredSession, { formats, warningDays, showsEstimates }: TreeContext): string {
  const startMs = timeOf(session.firstTimestamp) ?? session.mtimeMs;
  const isEstimate = session.tokens.kind === 'estimate';
  const tokens = `${isEstimate ? 'about ' : ''}${formats.exact(session.tokens.count)} tokens`;
  const rows: string[] = [
    `**${escapeMarkdown(titleOf(session))}**`,
    formats.range(startMs, lastTimeOf(session)),
    joinParts([
      formats.plural(session.messages, 'message'),
      isEstimate && !showsEstimates ? '' : tokens,
      formatBytes(session.bytes),
    ]),
    session.claudeTokens === undefined ? '' : escapeMarkdown(claudeTokensText(session.claudeTokens)),
    joinParts([
      session.gitBranch === undefined ? '' : `$(git-branch) ${escapeMarkdown(session.gitBranch)}`,
      session.subAgents === 0 ? '' : formats.plural(session.subAgents, 'sub-agent'),
      session.brokenLines === 0 ? '' : `${formats.plural(session.brokenLines, 'line')} could not be read`,
    ]),
    session.problem === undefined ? '' : `$(error) ${escapeMarkdown(session.problem)}`,
    memoryNote(session, formats),
    isExpiring(session, warningDays) && session.expiresInDays !== undefined
      ? `$(warning) Claude Code cleans up: ${deletionNote(session.expiresInDays, formats)}. Add it to memory to keep it.`
      : '',
    escapeMarkdown(session.cwd),
    `\`${session.sessionId.replaceAll('`', '')}\``,
  ];
  return joinParts(rows, '\n\n');
}

function memoryNote(session: DiscoveredSession, formats: Formats): string {
  if (!session.registered) return '$(circle-outline) Not in memory';
  if (session.isOriginalGone)
    return "$(archive) In memory. Claude Code's own file is gone or may not be read; this is the kept copy.";
  if (session.newMessages === 0) return '$(bookmark) In memory';
  return `$(bookmark) In memory, without its last ${formats.plural(session.newMessages, 'message')}: sync brings them in`;
}

function problemNode(project: DiscoveredProject, problem: string): TreeNode {
  return {
    id: `problem:${project.projectId}`,
    kind: 'problem',
    label: 'This project cannot be read completely',
    description: oneLine(problem, TITLE_LENGTH),
    tooltip: escapeMarkdown(problem),
    icon: { id: 'error', color: 'list.errorForeground' },
    contextValue: 'problem',
    spoken: `This project cannot be read completely: ${problem}`,
    fold: 'none',
    children: [],
    projectId: project.projectId,
  };
}

/** All projects: the open workspace's first, then by their newest session. */
export function projectTree(projects: readonly DiscoveredProject[], options: ProjectTreeOptions): TreeNode[] {
  const rank = (project: DiscoveredProject): number =>
    project.projectId === options.currentProjectId ? Infinity : lastTimeOf(project.sessions[0]);
  return [...projects].sort((a, b) => rank(b) - rank(a)).map((project) => projectNode(project, options));
}

function projectNode(project: DiscoveredProject, options: ProjectTreeOptions): TreeNode {
  const { formats, nowMs } = options;
  const shown = project.sessions.filter(isShown);
  const kept = shown.filter((session) => session.registered).length;
  const losing = shown.filter((session) => isExpiring(session, options.warningDays)).length;
  const newest = project.sessions[0];
  const isCurrent = project.projectId === options.currentProjectId;
  const isSelected = project.projectId === options.shownProjectId;
  const label = oneLine(project.displayName === '' ? project.projectId : project.displayName, TITLE_LENGTH);
  const facts = joinParts([
    losing === 0 ? '' : `${losing} about to be deleted`,
    `${formats.exact(kept)} of ${formats.exact(shown.length)} in memory`,
    newest === undefined ? '' : formatAge(lastTimeOf(newest), nowMs),
  ]);
  return {
    id: `project:${project.projectId}`,
    kind: 'project',
    label,
    description: project.problem === undefined ? facts : oneLine(project.problem, TITLE_LENGTH),
    tooltip: projectTooltip(project, shown, options),
    icon: projectIcon(project, losing, isSelected),
    contextValue: joinParts(
      [
        'project',
        kept < shown.length ? 'notAllInMemory' : '',
        kept > 0 ? 'someInMemory' : '',
        losing > 0 ? 'expiring' : '',
        project.problem === undefined ? '' : 'problem',
      ],
      ' ',
    ),
    spoken: joinParts(
      [label, isCurrent ? 'this workspace' : '', isSelected ? 'shown below' : '', facts, project.problem ?? ''],
      ', ',
    ),
    fold: 'none',
    children: [],
    projectId: project.projectId,
  };
}

function projectIcon(project: DiscoveredProject, losing: number, isSelected: boolean): NodeIcon {
  if (project.problem !== undefined) return { id: 'error', color: 'list.errorForeground' };
  if (losing > 0) return { id: 'warning', color: 'list.warningForeground' };
  return { id: isSelected ? 'folder-opened' : 'folder' };
}

function projectTooltip(
  project: DiscoveredProject,
  shown: readonly DiscoveredSession[],
  { formats, currentProjectId }: ProjectTreeOptions,
): string {
  const tokens = sumOf(shown, (session) => session.tokens.count);
  const bytes = sumOf(shown, (session) => session.bytes);
  const empty = project.sessions.length - shown.length;
  const rows = [
    `**${escapeMarkdown(project.displayName)}**`,
    escapeMarkdown(project.originalPath),
    joinParts([formats.plural(shown.length, 'session'), `${formatCount(tokens)} tokens`, formatBytes(bytes)]),
    empty === 0 ? '' : `${formats.plural(empty, 'empty session')} not shown`,
    project.projectId === currentProjectId ? '$(root-folder-opened) The project of this workspace' : '',
    project.problem === undefined ? '' : `$(error) ${escapeMarkdown(project.problem)}`,
  ];
  return joinParts(rows, '\n\n');
}

/** When something last happened in a session: what its records say, else the file's date. */
export function lastTimeOf(session: DiscoveredSession | undefined): number {
  return session === undefined ? 0 : (timeOf(session.lastTimestamp) ?? session.mtimeMs);
}

/** Whether Claude Code will delete a session within `days`, and memory does not have it. */
export function isExpiring(session: DiscoveredSession, days: number): boolean {
  return !session.registered && session.expiresInDays !== undefined && session.expiresInDays <= days;
}

/** A test for sessions by words that must all occur in the title, the id, the branch or the folder; made once for thousands of sessions. */
export function sessionMatcher(words: string): (session: DiscoveredSession) => boolean {
  const matches = wordMatcher(words);
  return (session) => matches([session.title, session.sessionId, session.gitBranch ?? '', session.cwd].join('\n'));
}

/** `12k as claude-opus-4-7 counts, ± 7 %`: what the session's own model would count, and how far that may be off. */
export function claudeTokensText({ model, tokens, medianErrorPct, isMeasured }: CalibratedTokens): string {
  const error = `± ${percent(medianErrorPct)}`;
  return `${formatCount(tokens)} as ${model} counts, ${error}${isMeasured ? '' : ', by sessions of others'}`;
}

/** `1.19 tokens for each of ours, ± 7 %, from 212 requests` */
export function calibrationText({ ratio, medianErrorPct, pairs }: Calibration): string {
  const origin = pairs === 0 ? 'as it is in sessions of others' : `from ${pairs} requests`;
  return `${ratio.toFixed(2)} tokens for each of ours, ± ${percent(medianErrorPct)}, ${origin}`;
}

function percent(value: number): string {
  return `${value < 10 ? Math.round(value * 10) / 10 : Math.round(value)} %`;
}
