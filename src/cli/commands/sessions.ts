import type { DiscoveredSession, ReaderFigures, SessionDetails, TokenFigure } from '../../core/sessions/results';
import { storedKeepits } from '../../core/keepits/effectiveKeepits';
import { tokensOf } from '../../core/sessions/discoveredSession';
import { oneLine, cleanLines } from '../../core/text/cleanText';
import { formatCount, shortId, timeOf, formatBytes, joinParts, titleOf } from '../../core/text/formats';
import { keepitLines } from '../../core/sessions/view/memoryDialogs';
import {
  calibrationText,
  claudeTokensText,
  deletionNote,
  isExpiring,
  isShown,
  lastTimeOf,
} from '../../core/sessions/view/sessionTree';
import { command } from '../command';
import { option, theSession, whole } from '../fields';
import type { Content, Lines, Page } from '../page';
import { sumOf } from '../../core/text/ownValue';

/** From how many days on the deletion of a transcript is worth a word. */
const WARNING_DAYS = 7;
const PROBLEM_LENGTH = 120;
const PROJECT_LENGTH = 24;
const TARGET_LENGTH = 100;
const BROKEN_SHOWN = 5;
const NONE = 'No sessions are in memory here. `keepit register --all` keeps them.';

/** `1.2k`, or `~1.2k` while it is an estimate. */
export function tokenText({ count, kind }: TokenFigure): string {
  return `${kind === 'estimate' && count > 0 ? '~' : ''}${formatCount(count)}`;
}

export const discover = command({
  name: 'discover',
  summary: "List the sessions in Claude Code's folder, in memory or not",
  details: [
    'Reads what has changed since the last time, and nothing else. Token figures with a ~ are estimates.',
    'Sessions without any message are left out of the table; --json has them all.',
  ],
  examples: ['discover', 'discover --all-projects', "discover --json | jq -r '.projects[].sessions[].sessionId'"],
  run: async (_input, { scope, memory, onProgress, signal }) =>
    memory.sessions.discover({ ...(await scope.projectIds()), onProgress }, signal),
  text({ projects }, page) {
    const { strong, quiet, bad, plural, exact } = page;
    const blocks = projects.map((project): Lines => {
      const sessions = project.sessions.filter(isShown);
      const problems = [project, ...(project.skipped ?? [])].flatMap(({ problem }) => problem ?? []);
      const inMemory = sessions.filter(({ registered }) => registered).length;
      return [
        `${strong(project.displayName)}  ${quiet(project.originalPath)}`,
        problems.map((problem) => `  ${bad(problem)}`),
        sessions.length > 0
          ? [
              page.table(sessions, (session) => sessionCells(session, page), 2),
              quiet(`  ${plural(sessions.length, 'session')}, ${exact(inMemory)} in memory`),
            ]
          : project.problem === undefined && '  No messages in any session.',
      ];
    });
    return blocks.length === 0
      ? 'Claude Code has no sessions here.'
      : blocks.map((block, index) => [index > 0 && '', block]);
  },
});

function sessionCells(session: DiscoveredSession, page: Page): Record<string, Content> {
  return {
    Session: ['accent', shortId(session.sessionId)],
    'Last used': page.age(lastTimeOf(session)),
    Messages: session.messages,
    Tokens: tokenText(session.tokens),
    'Title…': titleOf(session),
    Memory: state(session, page),
  };
}

function state(session: DiscoveredSession, { plural, exact, formats }: Page): Content {
  const { problem, isLive, brokenLines, registered, newMessages, isOriginalGone, expiresInDays = 0 } = session;
  if (problem !== undefined) return ['bad', oneLine(problem, PROBLEM_LENGTH)];
  const isFresh = newMessages > 0;
  const rest = joinParts([isLive && 'live', brokenLines > 0 && plural(brokenLines, 'damaged line')]);
  if (registered) {
    const kept = ['in memory', isFresh && `${exact(newMessages)} new`, isOriginalGone && 'the only copy', rest];
    return [isFresh ? 'warning' : 'good', joinParts(kept)];
  }
  if (!isExpiring(session, WARNING_DAYS)) return ['quiet', rest];
  return ['warning', joinParts([deletionNote(expiresInDays, formats), rest])];
}

export const sessions = command({
  name: 'sessions',
  summary: 'List the sessions that are in memory',
  examples: ['sessions', 'sessions --project ~/code/tidewatch --json'],
  async run(_input, { scope, memory }) {
    const projectId = await scope.projectId();
    return { sessions: await memory.sessions.list(projectId), isMixed: projectId === undefined };
  },
  json: ({ sessions: all }) => ({ sessions: all }),
  text: ({ sessions: all, isMixed }, { table, age }) =>
    all.length === 0
      ? NONE
      : table(all, (entry) => ({
          Session: ['accent', shortId(entry.sessionId)],
          'Last message': age(entry.lastTimestamp),
          Messages: entry.originalMessages,
          Tokens: tokenText(tokensOf(entry)),
          Keepits: storedKeepits(entry).length || '',
          Versions: entry.compressions.length || '',
          // It is named where the sessions are of several.
          Project: isMixed && oneLine(entry.metadata.projectName ?? '', PROJECT_LENGTH),
          'Title…': titleOf({ title: entry.metadata.title ?? '', sessionId: entry.sessionId }),
        })),
});

export const show = command({
  name: 'show',
  summary: 'Show what is known of a session, and how its transcript was read',
  details: [
    'Every line of the transcript is accounted for: lines = used + skipped (by reason) + broken. Of lines that are used in part it says what is damaged. A last line without an end, as while Claude Code writes it, is told apart.',
  ],
  input: { session: theSession },
  examples: ['show e3580bc6', 'show ./copy-of-a-session.jsonl --json'],
  run: ({ session }, { memory, signal }) => memory.sessions.show(session, signal),
  text(details, page) {
    const { session, delta, reader, redacted, claudeTokens, registered } = details;
    const title = 'metadata' in session ? (session.metadata.title ?? '') : session.title;
    const unread = [...reader.broken, ...reader.salvaged];
    const rest = reader.brokenCount + reader.salvaged.length - Math.min(unread.length, BROKEN_SHOWN);
    return [
      page.strong(titleOf({ title, sessionId: session.sessionId })),
      page.fields(
        {
          Session: session.sessionId,
          ...('metadata' in session ? keptFacts(session, page) : foundFacts(session, page)),
          'For Claude': claudeTokens && claudeTokensText(claudeTokens),
          'Since then':
            registered && (delta.newMessages === 0 ? 'nothing new' : page.plural(delta.newMessages, 'new message')),
          Versions: 'compressions' in session && versionsText(session.compressions.length, delta, page),
          'Left out': redacted.map(({ kind, count }) => `${count} × ${kind}`).join(', '),
          Lines: readerText(reader, page),
        },
        2,
      ),
      unread.slice(0, BROKEN_SHOWN).map(({ line, error }) => `    ${page.warning(`line ${line}`)}: ${error}`),
      rest > 0 && `    … and ${page.exact(rest)} more, see --json`,
    ];
  },
});

function versionsText(versions: number, { uncompressed, nextPart }: SessionDetails['delta'], { plural }: Page): string {
  if (versions === 0) return 'none yet: `keepit compress` makes one';
  const rest = `${plural(uncompressed, 'message')} in no part yet, the next part is ${nextPart}`;
  return `${plural(versions, 'version')}; ${uncompressed === 0 ? 'every message is in a part' : rest}`;
}

type Session = SessionDetails['session'];

function keptFacts(session: Extract<Session, { metadata: object }>, page: Page): Record<string, string | undefined> {
  const { metadata, kept, registeredAt } = session;
  const sinceMs = timeOf(registeredAt);
  return {
    Memory: joinParts(['in memory', sinceMs !== undefined && `since ${page.formats.dateTime(sinceMs)}`]),
    Folder: metadata.cwd,
    Branch: metadata.gitBranch,
    Time: timesText(session, page),
    Messages: page.exact(session.originalMessages),
    Tokens: tokenText(tokensOf(session)),
    Models: metadata.models?.join(', '),
    Keepits: keepitLines(storedKeepits(session)).join(', '),
    Transcript: session.originalFile,
    Kept: kept && `${kept.file} (${kept.method}, ${formatBytes(kept.bytes)})`,
  };
}

function foundFacts(session: Exclude<Session, { metadata: object }>, page: Page): Record<string, string | undefined> {
  const { expiresInDays, subAgents } = session;
  const fate = expiresInDays !== undefined && deletionNote(expiresInDays, page.formats);
  return {
    Memory: joinParts(['not in memory', fate, session.isLive && 'in use']),
    Problem: session.problem,
    Folder: session.cwd,
    Branch: session.gitBranch,
    Time: timesText(session, page),
    Messages: page.exact(session.messages),
    Tokens: tokenText(session.tokens),
    'Sub-agents': subAgents === 0 ? undefined : page.exact(subAgents),
    Transcript: `${session.file} (${formatBytes(session.bytes)})`,
  };
}

function timesText({ firstTimestamp, lastTimestamp }: Session, { formats }: Page): string | undefined {
  const [startMs, endMs] = [timeOf(firstTimestamp), timeOf(lastTimestamp)];
  return startMs === undefined || endMs === undefined ? undefined : formats.range(startMs, endMs);
}

function readerText(figures: ReaderFigures, { exact }: Page): string {
  const { lines, used, skipped, brokenCount, salvaged, unfinished } = figures;
  const byReason = Object.entries(skipped).sort(([, a], [, b]) => b - a);
  const sum = sumOf(byReason, ([, count]) => count);
  const reasons = byReason.map(([reason, count]) => `${exact(count)} ${reason}`).join(', ');
  return joinParts([
    `${exact(lines)} lines`,
    `${exact(used)} used`,
    sum > 0 && `${exact(sum)} skipped (${reasons})`,
    brokenCount > 0 && `${exact(brokenCount)} broken`,
    salvaged.length > 0 && `${exact(salvaged.length)} used in part`,
    unfinished && `a last line without an end (${formatBytes(unfinished.bytes)})`,
  ]);
}

export const messages = command({
  name: 'messages',
  summary: 'Print what was said in a session',
  details: [
    'The live conversation, without branches that were left by a rewind: what the human and the assistant said, and one line for each tool that was used.',
  ],
  input: {
    session: theSession,
    from: option(whole, 'N', 'Begin with message N (the first is 0)'),
    to: option(whole, 'N', 'End with message N'),
  },
  examples: ['messages e3580bc6', 'messages e3580bc6 --from 10 --to 20', 'messages e3580bc6 | less -R'],
  async run({ session, from, to }, { memory, signal, wrong }) {
    if (from !== undefined && to !== undefined && from > to) throw wrong('--from is behind --to.');
    return { messages: await memory.sessions.messages(session, { from, to }, signal) };
  },
  text: ({ messages: rows }, { quiet, good, accent, formats }) =>
    rows.length === 0
      ? 'No messages.'
      : rows.map(({ index, role, timestamp, text, tokens, tools }): Lines => {
          const timeMs = timeOf(timestamp);
          const time = timeMs !== undefined && formats.dateTime(timeMs);
          return [
            index !== rows[0]?.index && '',
            `${role === 'user' ? good('▌Human') : accent('▌Assistant')}  ${quiet(joinParts([`#${index}`, time, `${formatCount(tokens)} tokens`]))}`,
            cleanLines(text),
            tools.map(({ name, target }) => quiet(`  → ${oneLine(`${name} ${target}`, TARGET_LENGTH)}`)),
          ];
        }),
});

export const stats = command({
  name: 'stats',
  summary: 'Show how much is in memory, and what it takes on disk',
  examples: ['stats', 'stats --all-projects --json'],
  run: async (_input, { scope, memory }) => memory.upkeep.stats(await scope.projectId()),
  text(figures, { exact, plural, fields, table }) {
    const { sessions: count, savedSessions, linkedBytes, trash, versions, compositions, ratio } = figures;
    if (count === 0) return NONE;
    const linked = linkedBytes === 0 ? '' : `, and ${formatBytes(linkedBytes)} shared with Claude Code`;
    const sizes = `${exact(versions)} with ${exact(figures.versionTokens)} tokens`;
    return [
      fields({
        Sessions: `${exact(count)} in ${plural(figures.projects, 'project')}`,
        Saved: savedSessions > 0 && `${exact(savedSessions)} that Claude Code has deleted`,
        Keepits: figures.keepits,
        Tokens: tokenText({ count: figures.originalTokens, kind: 'estimate' }),
        ...Object.fromEntries(figures.calibration.map((one) => [one.model, calibrationText(one)])),
        Transcripts: formatBytes(figures.originalBytes),
        Versions:
          versions > 0 && `${sizes}, ${ratio.toFixed(1)} times smaller: ${exact(figures.savedTokens)} tokens saved`,
        Compositions: compositions > 0 && compositions,
        'On disk': `${formatBytes(figures.storeBytes)}${linked}`,
        'In the trash': trash.items > 0 && `${plural(trash.items, 'thing')}, ${formatBytes(trash.bytes)} of that`,
      }),
      '',
      table(figures.byProject, ({ displayName, sessions: some, tokens, bytes }) => ({
        'Project…': displayName,
        Sessions: some,
        Tokens: formatCount(tokens),
        Size: formatBytes(bytes),
      })),
    ];
  },
});
