import { readFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod/mini';
import type { CompressionEstimate, CompressionRequest, SummarizerName } from '../../core/versions/types';
import type { CompressionResult } from '../../core/versions/versionListing';
import {
  aggressivenessSchema,
  keepitModeSchema,
  tierConfigSchema,
  tierPresetSchema,
  type CompressionScope,
  type ReceiptEntry,
  type TierConfig,
} from '../../core/model/compression';
import { shortId, formatAge, formatCount, formatDuration } from '../../core/text/formats';
import {
  fidelityKinds,
  fidelityText,
  keptText,
  makerText,
  moneyText,
  rangeText,
  ratioText,
  settingsText,
} from '../../core/versions/view/versionTexts';
import { CliFailure } from '../cliErrors';
import { type Command, type CommandContext, type Page, flag, valued } from '../command';
import { type CommandInput, maxCostOf } from '../commandInput';
import { renderFields, renderTable, type Column } from '../terminal';
import { formatUsd } from '../../core/versions/models/cost';
import {
  entriesOfDay,
  ledgerTotals,
  promptTokensOf,
  type LedgerTotals,
} from '../../core/versions/models/ledgeredCalls';
import type { LedgerEntry } from '../../core/model/ledger';

const providers = ['local', 'anthropic', 'claude-cli', 'vscode-lm'] as const satisfies readonly SummarizerName[];

export const compress: Command = {
  name: 'compress',
  group: 'Versions',
  summary: 'Make a smaller version of a session; the original stays as it is',
  details: [
    'Keepits that survive are cut out before anything is summarized and put back byte for byte; a version whose receipt does not check out is not written. Without options: the preset of the project, the whole session, the built-in compressor, which asks no model.',
    'Levels: --preset gentle, standard or aggressive cuts old messages harder than new ones; --ratio and --level cut all alike. --tiers reads a JSON list of {endPercent, compactionRatio, aggressiveness} from a file.',
    '--delta compresses what came after the last part, as the next part; --part N makes another version of a part.',
  ],
  args: [{ name: 'session', help: 'the session; it has to be in memory', arity: 'one' }],
  options: {
    mode: valued('MODE', 'uniform or tiered; follows from the other options'),
    ratio: valued('N', 'How much smaller: 30 for 30:1'),
    level: valued('LEVEL', 'light (or minimal), moderate or aggressive'),
    preset: valued('PRESET', 'gentle (1), standard (2) or aggressive (3)'),
    tiers: valued('FILE', 'Tiers of your own'),
    distance: valued('N', 'How many sessions ago; without it, as computed'),
    'keepit-mode': valued('MODE', 'decay, preserve-all or ignore (pinned ones always stay)'),
    'skip-first': valued('N', 'Leave out the first messages of the session'),
    whole: flag('The whole session (the default)'),
    delta: flag('What came after the last part'),
    part: valued('N', 'One part again'),
    provider: valued('NAME', providers.join(', ')),
    model: valued('MODEL', 'A model, or its alias in the configuration'),
    'max-cost': valued('USD', 'Refuse to spend more'),
    'dry-run': flag('Only tell what the version would be like'),
    yes: flag('Do not ask before a model is paid for', 'y'),
  },
  examples: [
    'compress e3580bc6',
    'compress e3580bc6 --ratio 30 --level aggressive',
    'compress e3580bc6 --delta --preset gentle',
    'compress e3580bc6 --provider anthropic --model sonnet --dry-run',
  ],
  async run(input, context) {
    const { scope, memory, onProgress, signal } = context;
    const request = await requestOf(input);
    const ref = await scope.session(input.required(0), signal);
    if (input.has('dry-run')) {
      const estimate = await memory.versions.preview(ref, request, signal);
      return { json: { estimate }, text: (page) => estimateText(estimate, page) };
    }
    if (isPaid(request) && request.maxCostUsd === undefined && !input.has('yes')) {
      await confirmCost(await memory.versions.preview(ref, request, signal), input, context);
    }
    const made = await memory.versions.compress(ref, request, onProgress, signal);
    return { json: { version: { ...made.version, files: made.files } }, text: (page) => madeText(made, page) };
  },
};

async function requestOf(input: CommandInput): Promise<CompressionRequest> {
  const tiersFile = input.text('tiers');
  const level = input.text('level')?.toLowerCase();
  const preset = input.text('preset')?.toLowerCase();
  const mode = input.oneOf('mode', ['uniform', 'tiered']);
  const isUniform = mode === 'uniform' || input.has('ratio') || input.has('level');
  if (isUniform && (mode === 'tiered' || input.has('preset') || input.has('tiers')))
    throw input.wrong('--ratio and --level cut all alike, --preset and --tiers by age: they exclude one another.');
  return {
    scope: scopeOf(input),
    mode,
    compactionRatio: ratioOf(input),
    aggressiveness: input.oneOf('level', aggressivenessSchema.options, level === 'light' ? 'minimal' : level),
    tierPreset: input.oneOf('preset', tierPresetSchema.options, presetNames.get(preset ?? '') ?? preset),
    isLevel: mode === undefined && (preset === undefined || presetNames.has(preset)),
    customTiers: tiersFile === undefined ? undefined : await readTiers(input, tiersFile),
    skipFirstMessages: input.count('skip-first'),
    keepitMode: input.oneOf('keepit-mode', keepitModeSchema.options),
    sessionDistance: input.count('distance'),
    provider: input.oneOf('provider', providers),
    model: input.text('model'),
    maxCostUsd: maxCostOf(input),
  };
}

/** Seed 001's levels by their numbers. */
const presetNames: ReadonlyMap<string, string> = new Map([
  ['1', 'gentle'],
  ['2', 'standard'],
  ['3', 'aggressive'],
]);

function scopeOf(input: CommandInput): CompressionScope {
  const partNumber = input.count('part');
  const given = [input.has('whole'), input.has('delta'), partNumber !== undefined].filter(Boolean);
  if (given.length > 1) throw input.wrong('--whole, --delta and --part exclude one another.');
  if (partNumber !== undefined) return { kind: 'part', partNumber };
  return { kind: input.has('delta') ? 'delta' : 'whole' };
}

function ratioOf(input: CommandInput): number | undefined {
  const text = input.text('ratio');
  if (text === undefined) return undefined;
  const ratio = Number(/^(\d{1,9}(?:\.\d{1,9})?)(?::1)?$/.exec(text)?.[1]);
  if (!(ratio >= 1)) throw input.wrong(`--ratio takes a number from 1, not ${JSON.stringify(text)}.`);
  return ratio;
}

async function readTiers(input: CommandInput, file: string): Promise<TierConfig[]> {
  const wrong = (problem: string) => input.wrong(`--tiers ${file}: ${problem}.`);
  const text = await readFile(path.resolve(file), 'utf8').catch(() => {
    throw wrong('it cannot be read');
  });
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw wrong('it is not JSON');
  }
  const tiers = z.array(tierConfigSchema).safeParse(parsed);
  if (!tiers.success) throw wrong('it is not a list of {endPercent, compactionRatio, aggressiveness}');
  return tiers.data;
}

function isPaid({ provider }: CompressionRequest): boolean {
  return provider !== undefined && provider !== 'local';
}

async function confirmCost(estimate: CompressionEstimate, input: CommandInput, context: CommandContext) {
  const { confirm } = context;
  if (confirm === undefined) {
    throw input.wrong('Nobody can be asked here what it may cost: --max-cost USD is needed, or --yes.');
  }
  const { cost, settings, inputTokens } = estimate;
  const price = moneyText(cost.usd) === '' ? 'nothing that is known' : `about ${moneyText(cost.usd)}`;
  const tokens = context.formats.plural(inputTokens, 'token');
  const question = `${settings.model} will read ${tokens} in ${context.formats.plural(cost.calls, 'call')}, for ${price}. Go on?`;
  if (!(await confirm(question))) throw new CliFailure('not-compressed', input.required(0));
}

function estimateText(estimate: CompressionEstimate, page: Page): string {
  const { formats, style } = page;
  const { segments, receipt, cost } = estimate;
  return [
    style.paint('strong', `Would make ${rangeText(estimate.messageRange, formats)} ${settingsText(estimate.settings)}`),
    ...renderFields(
      [
        ['Part', estimate.partNumber === undefined ? undefined : String(estimate.partNumber)],
        [
          'From',
          `${formats.plural(estimate.inputTokens, 'token')}, ${formats.plural(estimate.inputMessages, 'message')}`,
        ],
        ['To', `about ${formats.plural(estimate.outputTokens, 'token')}, ${ratioText(estimate.compressionRatio)}`],
        ['Keepits', receiptText(receipt, estimate, page)],
        ['Cost', moneyText(cost.usd) || (cost.calls === 0 ? 'nothing' : formats.plural(cost.calls, 'call'))],
      ],
      { style, indent: 2 },
    ),
    ...renderTable(
      segmentColumns,
      segments.map(({ from, to, ratio, aggressiveness, inputTokens, targetTokens }) => [
        { text: `${from + 1}–${to + 1}` },
        { text: ratioText(ratio) },
        { text: aggressiveness },
        { text: formats.exact(inputTokens) },
        { text: formats.exact(targetTokens) },
      ]),
      { style, width: page.width, indent: 2 },
    ),
    ...receiptLines(receipt, page),
  ].join('\n');
}

const segmentColumns: readonly Column[] = [
  { title: 'Messages' },
  { title: 'Ratio', align: 'right' },
  { title: 'Level' },
  { title: 'Tokens', align: 'right' },
  { title: 'Summary', align: 'right' },
];

function madeText({ version, files }: CompressionResult, page: Page): string {
  const { formats, style } = page;
  const { versionId, settings, inputTokens, outputTokens, outputMessages, fidelity, receipt = [] } = version;
  const asked = version.askedRatio === undefined ? '' : `, asked for ${ratioText(version.askedRatio)}`;
  const kinds = fidelityKinds.flatMap(({ kind, title }) =>
    fidelity === undefined ? [] : [`${title.toLowerCase()} ${fidelityText(fidelity[kind])}`],
  );
  return [
    `${style.paint('good', '✓')} ${style.paint('accent', versionId)}  ${settingsText(settings)}`,
    ...renderFields(
      [
        ['Messages', version.messageRange && rangeText(version.messageRange, formats).replace(/^messages? /, '')],
        [
          'Tokens',
          `${formats.exact(inputTokens ?? 0)} → ${formats.exact(outputTokens)}  (${ratioText(version.compressionRatio)}${asked}), ${formats.plural(outputMessages, 'message')}`,
        ],
        ['Fidelity', fidelity && `${fidelityText(fidelity.score)}  ${style.paint('quiet', kinds.join(', '))}`],
        ['Keepits', receiptText(receipt, version, page)],
        ['Made by', makerText(version, formats)],
        ...files.map((file, index) => [index === 0 ? 'Files' : '', file] as const),
      ],
      { style, indent: 2 },
    ),
    ...receiptLines(receipt, page),
  ].join('\n');
}

function receiptText(
  receipt: readonly ReceiptEntry[],
  { isExceededByKeepits }: { isExceededByKeepits?: boolean | undefined },
  { style }: Page,
): string {
  const preserved = receipt.filter(({ kept }) => kept).length;
  const text = keptText({ preserved, summarized: receipt.length - preserved, weights: {} });
  if (isExceededByKeepits !== true) return text;
  return `${text}; ${style.paint('warning', 'they alone take more than was asked for')}`;
}

function receiptLines(receipt: readonly ReceiptEntry[], { style }: Page): string[] {
  return receipt.map(({ markerId, weight, kept, reason }) => {
    const mark = kept ? style.paint('good', 'kept ') : style.paint('bad', 'faded');
    return `    ${mark}  ${style.paint('accent', shortId(markerId))}  ${weight.toFixed(2)}  ${style.paint('quiet', reason)}`;
  });
}

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
  options: {
    last: valued('N', `Show the last N calls (${SHOWN}); --json has all without it`),
  },
  examples: ['ledger', 'ledger --last 100', 'ledger --json'],
  async run(input, { memory }) {
    const last = input.count('last');
    const [entries, { models }] = [await memory.upkeep.ledger(), await memory.config.read()];
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
  const facts = renderFields(
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
