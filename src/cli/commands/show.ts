import { storedKeepits } from '../../core/keepits/effectiveKeepits';
import { claudeTokensText } from '../../core/presentation/claudeTokensText';
import { keepitLines } from '../../core/presentation/memoryDialogs';
import { deletionNote } from '../../core/presentation/sessionTree';
import { titleOf } from '../../core/sessions/sessionTitle';
import { formatBytes, joinParts, timeOf } from '../../core/text/formats';
import type { SessionManifestEntry } from '../../core/model/manifest';
import type { ReaderFigures, SessionDetails } from '../../core/sessions/results';
import type { Answer, Command, Page } from '../command';
import { tokenText } from '../sessionCells';
import { renderFacts } from '../table';

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
  options: {},
  examples: ['show e3580bc6', 'show ./copy-of-a-session.jsonl --json'],
  async run(input, { scope, memory, signal }): Promise<Answer> {
    const details = await memory.show(await scope.session(input.required(0), signal), signal);
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
    ...renderFacts(facts, { style: page.style, indent: 2 }),
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
    ['Tokens', formats.exact(session.originalTokens)],
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
