import { isShown, deletionNote, claudeTokensText, calibrationText } from '../../core/sessions/view/sessionTree';
import type {
  DiscoveredProject,
  Discovery,
  ReaderFigures,
  SessionDetails,
  MessageRow,
  MemoryStats,
} from '../../core/sessions/results';
import { type Command, type CommandContext, type Page, valued } from '../command';
import { sessionCells, sessionColumns, tokenText } from '../sessionCells';
import { renderTable, type Cell, type Column, renderFields } from '../terminal';
import { storedKeepits } from '../../core/keepits/effectiveKeepits';
import { tokensOf } from '../../core/sessions/discoveredSession';
import type { SessionManifestEntry } from '../../core/model/manifest';
import { oneLine, cleanLines } from '../../core/text/cleanText';
import { formatAge, formatCount, shortId, timeOf, formatBytes, joinParts } from '../../core/text/formats';
import { titleOf } from '../../core/sessions/sessionTitle';
import { keepitLines } from '../../core/sessions/view/memoryDialogs';

export const discover: Command = {
  name: 'discover',
  group: 'Sessions',
  summary: "List the sessions in Claude Code's folder, in memory or not",
  details: [
    'Reads what has changed since the last time, and nothing else. Token figures with a ~ are estimates.',
    'Sessions without any message are left out of the table; --json has them all.',
  ],
  examples: ['discover', 'discover --all-projects', "discover --json | jq -r '.projects[].sessions[].sessionId'"],
  async run(_input, context: CommandContext) {
    const request = { ...(await context.scope.projectIds()), onProgress: context.onProgress };
    const discovery = await context.memory.sessions.discover(request, context.signal);
    return { json: discovery, text: (page) => discoveryText(discovery, page) };
  },
};

function discoveryText({ projects }: Discovery, page: Page): string {
  if (projects.length === 0) return 'Claude Code has no sessions here.';
  return projects.map((project) => projectLines(project, page).join('\n')).join('\n\n');
}

function projectLines(project: DiscoveredProject, page: Page): string[] {
  const sessions = project.sessions.filter(isShown);
  const { style, formats } = page;
  const name = `${style.paint('strong', project.displayName)}  ${style.paint('quiet', project.originalPath)}`;
  const problems = [project, ...(project.skipped ?? [])].flatMap(({ problem }) => problem ?? []);
  const heading = [name, ...problems.map((problem) => `  ${style.paint('bad', problem)}`)];
  if (sessions.length === 0) {
    return project.problem === undefined ? [...heading, '  No messages in any session.'] : heading;
  }
  const inMemory = sessions.filter(({ registered }) => registered).length;
  const rows = sessions.map((session) => sessionCells(session, page));
  return [
    ...heading,
    ...renderTable(sessionColumns, rows, { style, width: page.width, indent: 2 }),
    style.paint('quiet', `  ${formats.plural(sessions.length, 'session')}, ${formats.exact(inMemory)} in memory`),
  ];
}

const PROJECT_LENGTH = 24;

const SESSION_COLUMNS: readonly Column[] = [
  { title: 'Session' },
  { title: 'Last message', align: 'right' },
  { title: 'Messages', align: 'right' },
  { title: 'Tokens', align: 'right' },
  { title: 'Keepits', align: 'right' },
  { title: 'Versions', align: 'right' },
  { title: 'Project' },
  { title: 'Title', isFlexible: true },
];

export const sessions: Command = {
  name: 'sessions',
  group: 'Memory',
  summary: 'List the sessions that are in memory',
  examples: ['sessions', 'sessions --project ~/code/tidewatch --json'],
  async run(_input, { scope, memory }) {
    const projectId = await scope.projectId();
    const entries = await memory.sessions.list(projectId);
    const isMixed = projectId === undefined;
    return { json: { sessions: entries }, text: (page) => sessionsText(entries, isMixed, page) };
  },
};

/** The project is named where the sessions are of several. */
function sessionsText(entries: readonly SessionManifestEntry[], isMixed: boolean, page: Page): string {
  if (entries.length === 0) return 'No sessions are in memory here. `keepit register --all` keeps them.';
  const rows = entries.map((entry) => entryCells(entry, isMixed, page));
  return renderTable(SESSION_COLUMNS, rows, { style: page.style, width: page.width }).join('\n');
}

function entryCells(entry: SessionManifestEntry, isMixed: boolean, { formats, nowMs }: Page): Cell[] {
  const lastMs = timeOf(entry.lastTimestamp);
  const keepits = storedKeepits(entry).length;
  return [
    { text: shortId(entry.sessionId), tone: 'accent' },
    { text: lastMs === undefined ? '' : formatAge(lastMs, nowMs) },
    { text: formats.exact(entry.originalMessages) },
    { text: tokenText(tokensOf(entry)) },
    { text: keepits === 0 ? '' : formats.exact(keepits) },
    { text: entry.compressions.length === 0 ? '' : formats.exact(entry.compressions.length) },
    { text: isMixed ? oneLine(entry.metadata.projectName ?? '', PROJECT_LENGTH) : '' },
    { text: titleOf({ title: entry.metadata.title ?? '', sessionId: entry.sessionId }) },
  ];
}

const BROKEN_SHOWN = 5;

type Fact = readonly [label: string, value: string | undefined];

export const show: Command = {
  name: 'show',
  group: 'Sessions',
  summary: 'Show what is known of a session, and how its transcript was read',
  details: [
    'Every line of the transcript is accounted for: lines = used + skipped (by reason) + broken. A last line without an end, as while Claude Code writes it, is told apart.',
  ],
  args: [{ name: 'session', help: 'the session', arity: 'one' }],
  examples: ['show e3580bc6', 'show ./copy-of-a-session.jsonl --json'],
  async run(input, { scope, memory, signal }) {
    const details = await memory.sessions.show(await scope.session(input.required(0), signal), signal);
    return { json: details, text: (page) => detailsText(details, page) };
  },
};

function detailsText(details: SessionDetails, page: Page): string {
  const { session, delta, reader } = details;
  const title = 'metadata' in session ? (session.metadata.title ?? '') : session.title;
  const fresh = delta.newMessages === 0 ? 'nothing new' : page.formats.plural(delta.newMessages, 'new message');
  const own = 'metadata' in session ? registeredFacts(session, page) : discoveredFacts(session, page);
  const facts: Fact[] = [
    ['Session', session.sessionId],
    ...own,
    ['For Claude', details.claudeTokens && claudeTokensText(details.claudeTokens)],
    ['Since then', details.registered ? fresh : undefined],
    ['Versions', 'compressions' in session ? versionsText(session, delta, page) : undefined],
    ['Left out', details.redacted.map(({ kind, count }) => `${count} × ${kind}`).join(', ') || undefined],
    ['Lines', readerText(reader, page)],
  ];
  return [
    page.style.paint('strong', titleOf({ title, sessionId: session.sessionId })),
    ...renderFields(facts, { style: page.style, indent: 2 }),
    ...brokenLines(reader, page),
  ].join('\n');
}

function versionsText(
  { compressions }: Pick<SessionManifestEntry, 'compressions'>,
  { uncompressed, nextPart }: SessionDetails['delta'],
  { formats }: Page,
): string {
  if (compressions.length === 0) return 'none yet: `keepit compress` makes one';
  const wholes = formats.plural(compressions.length, 'version');
  const rest = `${formats.plural(uncompressed, 'message')} in no part yet, the next part is ${nextPart}`;
  return uncompressed === 0 ? `${wholes}; every message is in a part` : `${wholes}; ${rest}`;
}

function registeredFacts(session: Extract<SessionDetails['session'], { metadata: object }>, page: Page): Fact[] {
  const { formats } = page;
  const { metadata, kept } = session;
  return [
    ['Memory', joinParts(['in memory', since(session.registeredAt, page)])],
    ['Folder', metadata.cwd],
    ['Branch', metadata.gitBranch],
    ['Time', range(session.firstTimestamp, session.lastTimestamp, page)],
    ['Messages', formats.exact(session.originalMessages)],
    ['Tokens', tokenText(tokensOf(session))],
    ['Models', metadata.models?.join(', ')],
    ['Keepits', keepitLines(storedKeepits(session)).join(', ')],
    ['Transcript', session.originalFile],
    ['Kept', kept === undefined ? undefined : `${kept.file} (${kept.method}, ${formatBytes(kept.bytes)})`],
  ];
}

function discoveredFacts(session: Exclude<SessionDetails['session'], { metadata: object }>, page: Page): Fact[] {
  const { formats } = page;
  const fate = session.expiresInDays === undefined ? '' : deletionNote(session.expiresInDays, formats);
  return [
    ['Memory', joinParts(['not in memory', fate, session.isLive ? 'in use' : ''])],
    ['Problem', session.problem],
    ['Folder', session.cwd],
    ['Branch', session.gitBranch],
    ['Time', range(session.firstTimestamp, session.lastTimestamp, page)],
    ['Messages', formats.exact(session.messages)],
    ['Tokens', tokenText(session.tokens)],
    ['Sub-agents', session.subAgents === 0 ? undefined : formats.exact(session.subAgents)],
    ['Transcript', `${session.file} (${formatBytes(session.bytes)})`],
  ];
}

function since(iso: string, { formats }: Page): string {
  const timeMs = timeOf(iso);
  return timeMs === undefined ? '' : `since ${formats.dateTime(timeMs)}`;
}

function range(first: string, last: string, { formats }: Page): string | undefined {
  const [startMs, endMs] = [timeOf(first), timeOf(last)];
  return startMs === undefined || endMs === undefined ? undefined : formats.range(startMs, endMs);
}

function readerText(reader: ReaderFigures, { formats }: Page): string {
  const skipped = Object.entries(reader.skipped).sort(([, a], [, b]) => b - a);
  const sum = skipped.reduce((total, [, count]) => total + count, 0);
  const reasons = skipped.map(([reason, count]) => `${formats.exact(count)} ${reason}`).join(', ');
  return joinParts([
    `${formats.exact(reader.lines)} lines`,
    `${formats.exact(reader.used)} used`,
    sum === 0 ? '' : `${formats.exact(sum)} skipped (${reasons})`,
    reader.brokenCount === 0 ? '' : `${formats.exact(reader.brokenCount)} broken`,
    reader.unfinished === undefined ? '' : `a last line without an end (${formatBytes(reader.unfinished.bytes)})`,
  ]);
}

function brokenLines({ broken, brokenCount }: ReaderFigures, { style, formats }: Page): string[] {
  const shown = broken.slice(0, BROKEN_SHOWN);
  const lines = shown.map(({ line, error }) => `    ${style.paint('warning', `line ${line}`)}: ${error}`);
  const rest = brokenCount - shown.length;
  return rest === 0 ? lines : [...lines, `    … and ${formats.exact(rest)} more, see --json`];
}

const TARGET_LENGTH = 100;

export const messages: Command = {
  name: 'messages',
  group: 'Sessions',
  summary: 'Print what was said in a session',
  details: [
    'The live conversation, without branches that were left by a rewind: what the human and the assistant said, and one line for each tool that was used.',
  ],
  args: [{ name: 'session', help: 'the session', arity: 'one' }],
  options: {
    from: valued('N', 'Begin with message N (the first is 0)'),
    to: valued('N', 'End with message N'),
  },
  examples: ['messages e3580bc6', 'messages e3580bc6 --from 10 --to 20', 'messages e3580bc6 | less -R'],
  async run(input, { scope, memory, signal }) {
    const from = input.count('from');
    const to = input.count('to');
    if (from !== undefined && to !== undefined && from > to) throw input.wrong('--from is behind --to.');
    const ref = await scope.session(input.required(0), signal);
    const rows = await memory.sessions.messages(ref, { from, to }, signal);
    return { json: { messages: rows }, text: (page) => messagesText(rows, page) };
  },
};

function messagesText(rows: readonly MessageRow[], page: Page): string {
  return rows.length === 0 ? 'No messages.' : rows.map((row) => messageText(row, page)).join('\n\n');
}

function messageText({ index, role, timestamp, text, tokens, tools }: MessageRow, page: Page): string {
  const { style, formats } = page;
  const timeMs = timeOf(timestamp);
  const who = role === 'user' ? 'Human' : 'Assistant';
  const facts = [`#${index}`, timeMs === undefined ? '' : formats.dateTime(timeMs), `${formatCount(tokens)} tokens`];
  return [
    `${style.paint(role === 'user' ? 'good' : 'accent', `▌${who}`)}  ${style.paint('quiet', joinParts(facts))}`,
    ...cleanLines(text),
    ...tools.map(({ name, target }) => style.paint('quiet', `  → ${oneLine(`${name} ${target}`, TARGET_LENGTH)}`)),
  ].join('\n');
}

const PROJECT_COLUMNS: readonly Column[] = [
  { title: 'Project', isFlexible: true },
  { title: 'Sessions', align: 'right' },
  { title: 'Tokens', align: 'right' },
  { title: 'Size', align: 'right' },
];

export const stats: Command = {
  name: 'stats',
  group: 'Keepit itself',
  summary: 'Show how much is in memory, and what it takes on disk',
  examples: ['stats', 'stats --all-projects --json'],
  async run(_input, { scope, memory }) {
    const figures = await memory.upkeep.stats(await scope.projectId());
    return { json: figures, text: (page) => statsText(figures, page) };
  },
};

function statsText(figures: MemoryStats, page: Page): string {
  const { style, formats } = page;
  if (figures.sessions === 0) return 'No sessions are in memory here. `keepit register --all` keeps them.';
  const linked = figures.linkedBytes === 0 ? '' : `, and ${formatBytes(figures.linkedBytes)} shared with Claude Code`;
  const facts = renderFields(
    [
      ['Sessions', `${formats.exact(figures.sessions)} in ${formats.plural(figures.projects, 'project')}`],
      [
        'Saved',
        figures.savedSessions === 0
          ? undefined
          : `${formats.exact(figures.savedSessions)} that Claude Code has deleted`,
      ],
      ['Keepits', formats.exact(figures.keepits)],
      ['Tokens', tokenText({ count: figures.originalTokens, kind: 'estimate' })],
      ...figures.calibration.map((calibration) => [calibration.model, calibrationText(calibration)] as const),
      ['Transcripts', formatBytes(figures.originalBytes)],
      ['Versions', figures.versions === 0 ? undefined : allVersionsText(figures, page)],
      ['Compositions', figures.compositions === 0 ? undefined : formats.exact(figures.compositions)],
      ['On disk', `${formatBytes(figures.storeBytes)}${linked}`],
      ['In the trash', trashText(figures, page)],
    ],
    { style },
  );
  const rows = figures.byProject.map(({ displayName, sessions, tokens, bytes }) => [
    { text: displayName },
    { text: formats.exact(sessions) },
    { text: formatCount(tokens) },
    { text: formatBytes(bytes) },
  ]);
  return [...facts, '', ...renderTable(PROJECT_COLUMNS, rows, { style, width: page.width })].join('\n');
}

function trashText({ trash }: MemoryStats, { formats }: Page): string | undefined {
  return trash.items === 0 ? undefined : `${formats.plural(trash.items, 'thing')}, ${formatBytes(trash.bytes)} of that`;
}

function allVersionsText({ versions, versionTokens, ratio, savedTokens }: MemoryStats, { formats }: Page): string {
  const size = `${formats.exact(versions)} with ${formats.exact(versionTokens)} tokens`;
  return `${size}, ${ratio.toFixed(1)} times smaller: ${formats.exact(savedTokens)} tokens saved`;
}
