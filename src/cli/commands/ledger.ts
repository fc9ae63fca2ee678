import { formatUsd } from '../../core/versions/models/cost';
import { entriesOfDay, ledgerTotals, promptTokensOf, type LedgerTotals } from '../../core/versions/models/ledgerTotals';
import type { LedgerEntry } from '../../core/model/ledger';
import { formatAge, formatCount, formatDuration, shortId } from '../../core/text/formats';
import type { Answer, Command, Page } from '../command';
import { renderFacts, renderTable, type Column } from '../table';

const columns: readonly Column[] = [
  { title: 'When' },
  { title: 'Model', isFlexible: true },
  { title: 'Through' },
  { title: 'Session' },
  { title: 'In', align: 'right' },
  { title: 'Out', align: 'right' },
  { title: 'Took', align: 'right' },
  { title: 'Cost', align: 'right' },
  { title: 'Outcome' },
];

/** More lines than this say nothing to a person at a terminal. */
const SHOWN = 20;

interface Ledger {
  readonly entries: readonly LedgerEntry[];
  readonly today: LedgerTotals;
  readonly total: LedgerTotals;
  readonly limits: { readonly runUsd: number; readonly dayUsd: number };
}

export const ledger: Command = {
  name: 'ledger',
  group: 'Keepit itself',
  summary: 'Show what asking models has cost',
  details: [
    'Every call of a model is one line of `ledger.jsonl` in the store, also one that failed. It holds no word of any session.',
    '`keepit config set models.limits.dayUsd 5` sets what may be spent in a day, `models.limits.runUsd` what one compression may cost.',
  ],
  args: [],
  options: {
    last: { type: 'string', value: 'N', help: `Show the last N calls (${SHOWN}); --json has all without it` },
  },
  examples: ['ledger', 'ledger --last 100', 'ledger --json'],
  async run(input, { memory }): Promise<Answer> {
    const last = input.count('last');
    const [entries, { models }] = [await memory.ledger(), await memory.readConfig()];
    const figures: Ledger = {
      entries: last === undefined ? entries : lastOf(entries, last),
      today: ledgerTotals(entriesOfDay(entries, new Date())),
      total: ledgerTotals(entries),
      limits: { runUsd: models.limits.runUsd, dayUsd: models.limits.dayUsd },
    };
    return { json: figures, text: (page) => ledgerText(figures, last ?? SHOWN, page) };
  },
};

function lastOf<T>(items: readonly T[], count: number): readonly T[] {
  return count === 0 ? [] : items.slice(-count);
}

function ledgerText({ entries, today, total, limits }: Ledger, shown: number, page: Page): string {
  const { style, width, nowMs } = page;
  if (total.calls === 0) return 'No model was asked yet. The provider `local`, which is the default, asks none.';
  const facts = renderFacts(
    [
      ['Today', `${formatUsd(today.usd)} of ${formatUsd(limits.dayUsd)}, ${totalsText(today, page)}`],
      ['Altogether', `${formatUsd(total.usd)}, ${totalsText(total, page)}`],
    ],
    { style },
  );
  const rows = [...lastOf(entries, shown)]
    .reverse()
    .map((entry) => [
      { text: formatAge(Date.parse(entry.at), nowMs) },
      { text: entry.model },
      { text: entry.provider },
      { text: entry.sessionId === undefined ? '' : shortId(entry.sessionId) },
      { text: formatCount(promptTokensOf(entry)) },
      { text: formatCount(entry.outputTokens) },
      { text: formatDuration(entry.durationMs) },
      { text: formatUsd(entry.usd) },
      entry.outcome === 'ok' ? { text: 'ok' } : { text: entry.outcome, tone: 'warning' as const },
    ]);
  return [...facts, ...(rows.length === 0 ? [] : ['', ...renderTable(columns, rows, { style, width })])].join('\n');
}

function totalsText({ calls, inputTokens, outputTokens }: LedgerTotals, { formats }: Page): string {
  return `${formats.plural(calls, 'call')}, ${formatCount(inputTokens)} tokens in and ${formatCount(outputTokens)} out`;
}
