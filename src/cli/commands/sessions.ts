import { storedKeepits } from '../../core/keepits/effectiveKeepits';
import type { SessionManifestEntry } from '../../core/model/manifest';
import { oneLine } from '../../core/text/cleanText';
import { formatAge, formatCount, shortId, timeOf } from '../../core/text/formats';
import { titleOf } from '../../core/sessions/sessionTitle';
import type { Answer, Command, Page } from '../command';
import type { Cell, Column } from '../table';
import { renderTable } from '../table';

const PROJECT_LENGTH = 24;

const columns: readonly Column[] = [
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
  details: [],
  args: [],
  options: {},
  examples: ['sessions', 'sessions --project ~/code/tidewatch --json'],
  async run(_input, { scope, memory }): Promise<Answer> {
    const projectId = await scope.projectId();
    const entries = await memory.sessions(projectId);
    const isMixed = projectId === undefined;
    return { json: { sessions: entries }, text: (page) => sessionsText(entries, isMixed, page) };
  },
};

/** The project is named where the sessions are of several. */
function sessionsText(entries: readonly SessionManifestEntry[], isMixed: boolean, page: Page): string {
  if (entries.length === 0) return 'No sessions are in memory here. `keepit register --all` keeps them.';
  const rows = entries.map((entry) => entryCells(entry, isMixed, page));
  return renderTable(columns, rows, { style: page.style, width: page.width }).join('\n');
}

function entryCells(entry: SessionManifestEntry, isMixed: boolean, { formats, nowMs }: Page): Cell[] {
  const lastMs = timeOf(entry.lastTimestamp);
  const keepits = storedKeepits(entry).length;
  return [
    { text: shortId(entry.sessionId), tone: 'accent' },
    { text: lastMs === undefined ? '' : formatAge(lastMs, nowMs) },
    { text: formats.exact(entry.originalMessages) },
    { text: formatCount(entry.originalTokens) },
    { text: keepits === 0 ? '' : formats.exact(keepits) },
    { text: entry.compressions.length === 0 ? '' : formats.exact(entry.compressions.length) },
    { text: isMixed ? oneLine(entry.metadata.projectName ?? '', PROJECT_LENGTH) : '' },
    { text: titleOf({ title: entry.metadata.title ?? '', sessionId: entry.sessionId }) },
  ];
}
