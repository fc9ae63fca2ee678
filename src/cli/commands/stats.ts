import { calibrationText } from '../../core/presentation/claudeTokensText';
import { formatBytes, formatCount } from '../../core/text/formats';
import type { MemoryStats } from '../../core/sessions/results';
import type { Answer, Command, Page } from '../command';
import { renderFacts, renderTable, type Column } from '../table';

const columns: readonly Column[] = [
  { title: 'Project', isFlexible: true },
  { title: 'Sessions', align: 'right' },
  { title: 'Tokens', align: 'right' },
  { title: 'Size', align: 'right' },
];

export const stats: Command = {
  name: 'stats',
  group: 'Keepit itself',
  summary: 'Show how much is in memory, and what it takes on disk',
  details: [],
  args: [],
  options: {},
  examples: ['stats', 'stats --all-projects --json'],
  async run(_input, { scope, memory }): Promise<Answer> {
    const figures = await memory.stats(await scope.projectId());
    return { json: figures, text: (page) => statsText(figures, page) };
  },
};

function statsText(figures: MemoryStats, page: Page): string {
  const { style, formats } = page;
  if (figures.sessions === 0) return 'No sessions are in memory here. `keepit register --all` keeps them.';
  const linked = figures.linkedBytes === 0 ? '' : `, and ${formatBytes(figures.linkedBytes)} shared with Claude Code`;
  const facts = renderFacts(
    [
      ['Sessions', `${formats.exact(figures.sessions)} in ${formats.plural(figures.projects, 'project')}`],
      [
        'Saved',
        figures.savedSessions === 0
          ? undefined
          : `${formats.exact(figures.savedSessions)} that Claude Code has deleted`,
      ],
      ['Keepits', formats.exact(figures.keepits)],
      ['Tokens', formats.exact(figures.originalTokens)],
      ...figures.calibration.map((calibration) => [calibration.model, calibrationText(calibration)] as const),
      ['Transcripts', formatBytes(figures.originalBytes)],
      ['Versions', figures.versions === 0 ? undefined : versionsText(figures, page)],
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
  return [...facts, '', ...renderTable(columns, rows, { style, width: page.width })].join('\n');
}

function trashText({ trash }: MemoryStats, { formats }: Page): string | undefined {
  return trash.items === 0 ? undefined : `${formats.plural(trash.items, 'thing')}, ${formatBytes(trash.bytes)} of that`;
}

function versionsText({ versions, versionTokens, ratio, savedTokens }: MemoryStats, { formats }: Page): string {
  const size = `${formats.exact(versions)} with ${formats.exact(versionTokens)} tokens`;
  return `${size}, ${ratio.toFixed(1)} times smaller: ${formats.exact(savedTokens)} tokens saved`;
}
