import type { KeepitMarker } from '../../model/keepit';
import { weightName } from '../../keepits/weights';
import type {
  DiscoveredProject,
  DiscoveredSession,
  RegisterResult,
  RegistrationPreview,
  SyncResult,
  UnregisterPreview,
} from '../results';
import { formatBytes, formatCount, joinParts, shortId, titleOf, type Formats } from '../../text/formats';
import { claudeTokensText, isExpiring, isShown, lastTimeOf } from './sessionTree';
import { countUp, sumOf } from '../../text/ownValue';

/** The words of a dialog: a question in one line, and what to know before answering it. */
export interface DialogText {
  readonly title: string;
  readonly detail: string;
}

const SESSIONS_LISTED = 12;

/** `##keepit1.00## (2 pinned)`, one line per weight, heaviest first. */
export function keepitLines(keepits: readonly KeepitMarker[]): string[] {
  const byWeight = new Map<string, number>();
  for (const { weight } of keepits) countUp(byWeight, weight.toFixed(2));
  return [...byWeight]
    .sort(([a], [b]) => Number(b) - Number(a))
    .map(([weight, count]) => `##keepit${weight}## (${count} ${weightName(Number(weight))})`);
}

/** What "Add to Memory" asks before anything is written (seed 000, 5.1). */
export function addDialog(previews: readonly RegistrationPreview[], formats: Formats): DialogText {
  const [only] = previews;
  if (previews.length === 1 && only !== undefined) return addOneDialog(only, formats);
  const sum = (figure: (preview: RegistrationPreview) => number): number =>
    sumOf(previews, (preview) => figure(preview));
  const keepits = previews.flatMap((preview) => preview.keepits);
  const lines = [
    ...listed(previews.map(titleOf), formats),
    '',
    `Messages: ${formats.exact(sum(({ messages }) => messages))} | Tokens: ${formats.exact(sum(({ tokens }) => tokens.count))}`,
    `Space: at most ${formatBytes(sum(({ bytes }) => bytes))}; nothing where the disk can share it`,
    ...keepitSection(
      keepits,
      sum(({ malformedKeepits }) => malformedKeepits),
      formats,
    ),
  ];
  return { title: `Add ${formats.plural(previews.length, 'session')} to memory?`, detail: lines.join('\n') };
}

function addOneDialog(preview: RegistrationPreview, formats: Formats): DialogText {
  const range = formats.range(preview.firstTimestamp, preview.lastTimestamp);
  const about = preview.tokens.kind === 'estimate' ? 'about ' : '';
  const lines = [
    titleOf(preview),
    `Session: ${shortId(preview.sessionId)}`,
    `Messages: ${formats.exact(preview.messages)} | Tokens: ${about}${formats.exact(preview.tokens.count)}`,
    range === '' ? '' : `Time range: ${range}`,
    ...keepitSection(preview.keepits, preview.malformedKeepits, formats),
  ];
  return {
    title: preview.alreadyRegistered ? 'Bring what is new into memory?' : 'Add this session to memory?',
    detail: lines.filter((line, index) => line !== '' || index > 3).join('\n'),
  };
}

function keepitSection(keepits: readonly KeepitMarker[], malformed: number, formats: Formats): string[] {
  const lines = ['', `Detected ##keepit## markers: ${formats.exact(keepits.length)}`];
  lines.push(...keepitLines(keepits).map((line) => `   ${line}`));
  if (malformed > 0) {
    lines.push(`   ${formats.plural(malformed, 'marker')} with a weight that does not count, such as ##keepit0.8##`);
  }
  return lines;
}

/** What "Remove from Memory" asks: all that will be gone. */
export function removeDialog(previews: readonly UnregisterPreview[], formats: Formats): DialogText {
  const titles = previews.map(titleOf);
  const sum = (figure: (preview: UnregisterPreview) => number): number => sumOf(previews, (preview) => figure(preview));
  const lost = [
    counted(
      sum((preview) => preview.versions),
      'compressed version',
      formats,
    ),
    counted(
      sum((preview) => preview.keepits),
      'keepit',
      formats,
    ),
  ].filter((part) => part !== '');
  const freed = sum(({ bytes }) => bytes);
  const compositions = new Set(previews.flatMap((preview) => preview.compositions));
  const lines = [
    ...listed(titles, formats),
    '',
    `Goes with ${previews.length === 1 ? 'it' : 'them'}: ${lost.length === 0 ? 'nothing else' : lost.join(', ')}.`,
    compositions.size === 0 ? '' : `Stays, but cannot be rebuilt: ${[...compositions].join(', ')}.`,
    lastCopyNote(previews),
    freed === 0 ? '' : `This frees ${formatBytes(freed)}.`,
  ];
  const what = previews.length === 1 ? 'this session' : formats.plural(previews.length, 'session');
  const detail = lines.filter((line, index) => line !== '' || index === titles.length).join('\n');
  return { title: `Remove ${what} from memory?`, detail };
}

function counted(count: number, noun: string, formats: Formats): string {
  return count === 0 ? '' : formats.plural(count, noun);
}

/** The most important of all: whether anything is left afterwards. */
function lastCopyNote(previews: readonly UnregisterPreview[]): string {
  const lastCopies = previews.filter((preview) => preview.isLastCopy).length;
  if (lastCopies === 0) return "Claude Code's own files are not touched.";
  const what = lastCopies < previews.length ? `${lastCopies} of them are` : lastCopies === 1 ? 'It is' : 'They are';
  return `${what} the last copy: Claude Code has deleted its own file already.`;
}

function listed(titles: readonly string[], formats: Formats): string[] {
  if (titles.length === 1) return [...titles];
  const named = titles.slice(0, SESSIONS_LISTED).map((title) => `• ${title}`);
  const more = titles.length - named.length;
  return more === 0 ? named : [...named, `… and ${formats.exact(more)} more`];
}

/** What was done, for a notification; failures are named. */
export function registerOutcome(result: RegisterResult, formats: Formats): string {
  const done = [
    result.registered.length === 0 ? '' : `${formats.plural(result.registered.length, 'session')} in memory now`,
    result.unchanged.length === 0 ? '' : `${formats.exact(result.unchanged.length)} had nothing new`,
    failures(result.failed),
  ];
  return sentence(done, 'There was nothing to add');
}

/** What a sync brought in. */
export function syncOutcome(result: SyncResult, formats: Formats): string {
  const messages = sumOf(result.synced, ({ newMessages }) => newMessages);
  const sessions = result.synced.filter(({ newMessages }) => newMessages > 0).length;
  const done = [
    messages === 0 ? '' : `${formats.plural(messages, 'new message')} from ${formats.plural(sessions, 'session')}`,
    failures(result.failed),
  ];
  return sentence(done, 'Everything in memory is up to date');
}

function failures(failed: readonly { session: string; error: string }[]): string {
  const [first] = failed;
  if (first === undefined) return '';
  const more = failed.length === 1 ? '' : ` (and ${failed.length - 1} more)`;
  return `${shortId(first.session)} failed: ${first.error.replace(/\.$/, '')}${more}`;
}

function sentence(parts: readonly string[], otherwise: string): string {
  const text = joinParts(parts, '; ');
  return `${text === '' ? otherwise : text}.`;
}

/** The sessions of a project that Claude Code will delete within `days` and memory does not have. */
export function expiringSessions(project: DiscoveredProject, days: number): DiscoveredSession[] {
  return project.sessions.filter((session) => isShown(session) && isExpiring(session, days));
}

/** The warning before Claude Code cleans up. */
export function retentionWarning(project: DiscoveredProject, sessions: readonly DiscoveredSession[]): string {
  const soonest = Math.max(0, Math.ceil(Math.min(...sessions.map(({ expiresInDays }) => expiresInDays ?? Infinity))));
  const when = soonest === 0 ? 'any time now' : soonest === 1 ? 'from tomorrow on' : `from ${soonest} days on`;
  const what =
    sessions.length === 1 ? `the session “${titleOf(sessions[0] ?? emptyTitle)}”` : `${sessions.length} sessions`;
  return `Claude Code will delete ${what} of ${project.displayName} ${when}. Memory does not have ${sessions.length === 1 ? 'it' : 'them'} yet.`;
}

const emptyTitle = { title: '', sessionId: '' };

/** What the status bar shows of the session that is being worked in. */
interface LiveStatus {
  readonly text: string;
  readonly tooltip: string;
  readonly spoken: string;
}

/** The project's live session, newest first; undefined when none is in use. */
export function liveSession(project: DiscoveredProject): DiscoveredSession | undefined {
  const live = project.sessions.filter((session) => session.isLive && session.problem === undefined);
  return live.sort((a, b) => lastTimeOf(b) - lastTimeOf(a))[0];
}

export function liveStatus(session: DiscoveredSession, formats: Formats): LiveStatus {
  const tokens = formatCount(session.tokens.count);
  const fresh = session.newMessages === 0 ? '' : `${formats.exact(session.newMessages)} new`;
  const memory = session.registered ? 'in memory' : 'not in memory';
  const icon = session.registered ? '$(bookmark)' : '$(circle-outline)';
  return {
    text: `${icon} Claude ${joinParts([tokens, fresh])}`,
    tooltip: [
      titleOf(session),
      joinParts([
        `${formats.exact(session.tokens.count)} tokens`,
        formats.plural(session.messages, 'message'),
        memory,
        fresh,
      ]),
      ...(session.claudeTokens === undefined ? [] : [claudeTokensText(session.claudeTokens)]),
    ].join('\n'),
    spoken: `Live Claude Code session, ${tokens} tokens, ${memory}${fresh === '' ? '' : `, ${fresh} messages`}`,
  };
}
