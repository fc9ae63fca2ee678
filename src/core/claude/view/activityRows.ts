import type { HookSession } from '../hooks/hooksService';
import type { HookActivity, InjectedPiece } from '../../model/hookActivity';
import type { SessionRef } from '../../sessions/results';
import { escapeMarkdown, oneLine } from '../../text/cleanText';
import { baseName, formatAge, joinParts, shortId, type Formats } from '../../text/formats';
import { capturedText, firingText, formatMoment, formatTook, givenSentence, kindIcon, kindName } from './activityWords';
import { type NodeIcon, type TreeNode, treeRow } from '../../sessions/view/treeNode';
import { windowHint } from '../../text/windowHint';

const NOTE_LENGTH = 120;
const PROBLEM_LENGTH = 400;
const SOURCE_LENGTH = 80;

export interface InsideRowOptions {
  readonly formats: Formats;
  readonly nowMs: number;
  /** The title of a session, while its transcript is there. */
  readonly titleOf: (ref: SessionRef) => string | undefined;
}

/** A session in which hooks ran, and all that they did in it, oldest first. */
export interface InsideSession extends HookSession {
  readonly activity: readonly HookActivity[];
}

/** What Keepit gave to a session, and took in of it. What each hook did comes when it is unfolded. */
export function insideSessionRow(session: InsideSession, options: InsideRowOptions): TreeNode {
  const { projectId, sessionId, injectedTokens, capturedMessages, problems, lastAt } = session;
  const { formats, nowMs, titleOf } = options;
  const ref = { projectId, sessionId };
  const title = titleOf(ref) ?? `Session ${shortId(sessionId)}`;
  const troubled = problems === 0 ? '' : formats.plural(problems, 'problem');
  return treeRow({
    id: `inside:${projectId}:${sessionId}`,
    kind: 'session',
    label: title,
    description: joinParts([
      troubled,
      `${formats.plural(injectedTokens, 'token')} given`,
      capturedMessages === 0 ? '' : `${formats.plural(capturedMessages, 'message')} taken in`,
      formatAge(lastAt, nowMs),
    ]),
    tooltip: sessionTooltip(session, title, options),
    icon: problems === 0 ? { id: 'comment-discussion' } : { id: 'warning', color: 'list.errorForeground' },
    contextValue: titleOf(ref) === undefined ? 'insideSession gone' : 'insideSession session',
    fold: 'collapsed',
    projectId,
    session: ref,
  });
}

function sessionTooltip(session: InsideSession, title: string, { formats }: InsideRowOptions): string {
  const { activity, firings, firstAt, lastAt, sessionId, capturedMessages } = session;
  const problem = activity.findLast((one) => one.problem !== undefined)?.problem;
  const given = givenSentence(activity, formats);
  const lines = [
    `**${escapeMarkdown(title)}**`,
    escapeMarkdown(given === '' ? 'Keepit gave this session nothing yet.' : given),
    capturedMessages === 0 ? '' : `$(inbox) ${formats.plural(capturedMessages, 'message')} taken in`,
    `$(clock) ${escapeMarkdown(
      joinParts([`hooks ran ${formats.plural(firings, 'time')}`, formats.range(firstAt, lastAt), shortId(sessionId)]),
    )}`,
    problem === undefined ? '' : `$(error) ${escapeMarkdown(oneLine(problem, PROBLEM_LENGTH))}`,
  ];
  return joinParts(lines, '\n\n');
}

/** What one hook did: when, how long it took, what it gave and took in; what went wrong stands out. */
export function firingRow(ref: SessionRef, index: number, firing: HookActivity, options: InsideRowOptions): TreeNode {
  const { formats, nowMs } = options;
  const { event, at, tookMs, injected, note, problem } = firing;
  const told = problem ?? (note && windowHint(note));
  const id = `firing:${ref.projectId}:${ref.sessionId}:${index}`;
  const firingRef = { ...ref, index };
  const children = [
    ...(problem === undefined ? [] : [problemRow(id, problem)]),
    ...(injected?.pieces ?? []).map((piece, at) => pieceRow(`${id}:${at}`, piece, formats)),
  ].map((row) => ({ ...row, firing: firingRef }));
  return treeRow({
    id,
    kind: 'firing',
    label: event,
    description: joinParts([
      firingText(firing, formats),
      told === undefined ? '' : oneLine(told, NOTE_LENGTH),
      formatTook(tookMs),
      formatMoment(at, nowMs, formats),
    ]),
    tooltip: firingTooltip(firing, formats),
    icon: firingIcon(firing),
    contextValue: problem === undefined ? 'firing' : 'firing problem',
    fold: children.length === 0 ? 'none' : 'collapsed',
    children,
    firing: firingRef,
  });
}

function firingIcon({ injected, captured, problem }: HookActivity): NodeIcon {
  if (problem !== undefined) return { id: 'error', color: 'list.errorForeground' };
  if (injected !== undefined) return { id: 'arrow-right', color: 'charts.green' };
  return captured !== undefined && captured.messages > 0
    ? { id: 'inbox', color: 'charts.blue' }
    : { id: 'dash', color: 'disabledForeground' };
}

function firingTooltip(firing: HookActivity, formats: Formats): string {
  const { event, source, at, tookMs, injected, note, problem } = firing;
  const lines = [
    `**${escapeMarkdown(joinParts([event, source]))}**`,
    ...(injected?.pieces ?? []).map(
      ({ kind, tokens, from }) =>
        `- ${escapeMarkdown(`${kindName(kind)}: ${formats.plural(tokens, 'token')}${from === undefined ? '' : ` from ${oneLine(from, SOURCE_LENGTH)}`}`)}`,
    ),
    capturedText(firing, formats) === '' ? '' : `$(inbox) ${escapeMarkdown(capturedText(firing, formats))}`,
    note === undefined ? '' : `$(info) ${escapeMarkdown(oneLine(windowHint(note), PROBLEM_LENGTH))}`,
    problem === undefined ? '' : `$(error) ${escapeMarkdown(oneLine(problem, PROBLEM_LENGTH))}`,
    `$(clock) ${escapeMarkdown(joinParts([formatTook(tookMs), formats.dateTime(at)]))}`,
  ];
  return joinParts(lines, '\n\n');
}

function pieceRow(id: string, piece: InjectedPiece, formats: Formats): TreeNode {
  const { kind, tokens, units, from, preview } = piece;
  const source = from === undefined ? '' : `from ${oneLine(from, SOURCE_LENGTH)}`;
  const begins = preview === undefined ? '' : oneLine(preview, NOTE_LENGTH);
  const size = `${formats.plural(tokens, 'token')}, ${formats.plural(units, 'character')}`;
  return treeRow({
    id,
    kind: 'piece',
    label: kindName(kind),
    description: joinParts([
      formats.plural(tokens, 'token'),
      from === undefined ? '' : `from ${fileName(from)}`,
      begins,
    ]),
    tooltip: joinParts(
      [
        `**${escapeMarkdown(kindName(kind))}**`,
        begins === '' ? '' : `“${escapeMarkdown(begins)}”`,
        escapeMarkdown(joinParts([size, source])),
      ],
      '\n\n',
    ),
    icon: { id: kindIcon(kind) },
    contextValue: 'piece',
  });
}

/** The last part of a path; all of what is none. */
function fileName(from: string): string {
  return oneLine(baseName(from), SOURCE_LENGTH);
}

function problemRow(firingId: string, problem: string): TreeNode {
  return treeRow({
    id: `${firingId}:problem`,
    kind: 'problem',
    label: oneLine(problem, PROBLEM_LENGTH),
    icon: { id: 'error', color: 'list.errorForeground' },
    contextValue: 'firing problem',
  });
}
