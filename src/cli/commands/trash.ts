import { formatBytes } from '../../core/text/formats';
import { trashTotals, type ProjectTrash } from '../../core/sessions/trashService';
import { CliFailure } from '../cliErrors';
import type { Answer, Command, Page } from '../command';
import { renderTable, type Column } from '../table';

const columns: readonly Column[] = [
  { title: 'In the trash', isFlexible: true },
  { title: 'Since' },
  { title: 'Size', align: 'right' },
];

export const trash: Command = {
  name: 'trash',
  group: 'Keepit itself',
  summary: 'Show what was taken out of memory and can still be brought back',
  details: [
    'Sessions, versions and compositions that were removed wait here. `keepit restore`, `version restore` and `composition restore` bring them back.',
    '`storage.trashDays` says after how many days versions and compositions are deleted for good (30; 0 means never); sessions stay until the trash is emptied.',
  ],
  args: [],
  options: {},
  examples: ['trash', 'trash --all-projects --json'],
  async run(_input, { scope, memory }): Promise<Answer> {
    const found = await memory.trash.list(await scope.projectId());
    return { json: { trash: found, ...trashTotals(found) }, text: (page) => trashText(found, page) };
  },
};

export const trashEmpty: Command = {
  name: 'trash empty',
  group: 'Keepit itself',
  summary: 'Delete for good what waits in the trash',
  details: ['Nothing brings it back. On a terminal it asks first.'],
  args: [],
  options: {
    'older-than': { type: 'string', value: 'DAYS', help: 'Only what has been there for so many days' },
    yes: { type: 'boolean', short: 'y', help: 'Do not ask' },
  },
  examples: ['trash empty', 'trash empty --older-than 7 --yes'],
  async run(input, { scope, memory, confirm, formats }): Promise<Answer> {
    const projectId = await scope.projectId();
    const days = input.count('older-than');
    if (confirm !== undefined && !input.has('yes')) {
      const { items, bytes } = trashTotals(await memory.trash.list(projectId));
      const age = days === undefined ? '' : ` that have been there for ${formats.plural(days, 'day')}`;
      const question = `Up to ${formats.plural(items, 'thing')} (${formatBytes(bytes)})${age} will be deleted for good.\nEmpty the trash?`;
      if (!(await confirm(question))) throw new CliFailure('declined', 'the trash');
    }
    const emptied = await memory.trash.empty(projectId, days);
    const { items, bytes } = trashTotals(emptied);
    return {
      json: { emptied, items, bytes },
      text: ({ style }) =>
        `${style.paint('good', '✓ deleted')}  ${formats.plural(items, 'thing')}, ${formatBytes(bytes)}`,
    };
  },
};

function trashText(found: readonly ProjectTrash[], { style, formats, width }: Page): string {
  if (found.length === 0) return 'The trash is empty.';
  const rows = found.flatMap(({ items }) =>
    items.map(({ name, discardedAt, bytes }) => [
      { text: name },
      { text: formats.dateTime(Date.parse(discardedAt)) },
      { text: formatBytes(bytes) },
    ]),
  );
  const { items, bytes } = trashTotals(found);
  const sum = `${formats.plural(items, 'thing')}, ${formatBytes(bytes)}. \`keepit trash empty\` deletes them for good.`;
  return [...renderTable(columns, rows, { style, width }), '', sum].join('\n');
}
