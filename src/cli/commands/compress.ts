import path from 'node:path';
import * as z from 'zod/mini';
import type { CompressionEstimate, CompressionRequest } from '../../core/versions/types';
import type { CompressionResult } from '../../core/versions/versionEntries';
import {
  aggressivenessSchema,
  keepitModeSchema,
  tierConfigSchema,
  tierPresetSchema,
  type CompressionScope,
  type ReceiptEntry,
  type TierConfig,
  type TierPreset,
} from '../../core/model/compression';
import { shortId, formatCount, formatDuration } from '../../core/text/formats';
import {
  fidelityParts,
  fidelityText,
  keptText,
  makerText,
  moneyText,
  rangeText,
  ratioText,
  settingsText,
} from '../../core/versions/view/versionTexts';
import { agree, command } from '../command';
import type { CommandContext } from '../context';
import { flag, keptSession, oneOf, option, ratio, text, textOf, whole, yes, type Inputs, asking } from '../fields';
import type { Lines, Page } from '../page';
import { formatUsd } from '../../core/versions/models/cost';
import {
  entriesOfDay,
  ledgerTotals,
  promptTokensOf,
  type LedgerTotals,
} from '../../core/versions/models/ledgeredCalls';

/** Seed 001's levels by their numbers. */
const levels = { '1': 'gentle', '2': 'standard', '3': 'aggressive' } as const;
type LevelNumber = keyof typeof levels;
type PresetName = TierPreset | LevelNumber;

function isNumber(preset: PresetName): preset is LevelNumber {
  return preset in levels;
}

const input = {
  session: keptSession,
  mode: option(oneOf(['uniform', 'tiered']), 'MODE', 'uniform or tiered; follows from the other options'),
  ratio: option(ratio, 'N', 'How much smaller: 30 for 30:1'),
  level: option(
    oneOf(aggressivenessSchema.options, { light: 'minimal' }),
    'LEVEL',
    'light (or minimal), moderate or aggressive',
  ),
  preset: option(
    oneOf([...tierPresetSchema.options, '1', '2', '3']),
    'PRESET',
    'gentle (1), standard (2) or aggressive (3)',
  ),
  tiers: option(text, 'FILE', 'Tiers of your own'),
  distance: option(whole, 'N', 'How many sessions ago; without it, as computed'),
  keepitMode: option(
    oneOf(keepitModeSchema.options),
    'MODE',
    'decay, preserve-all or ignore (pinned ones always stay)',
  ),
  skipFirst: option(whole, 'N', 'Leave out the first messages of the session'),
  whole: flag('The whole session (the default)'),
  delta: flag('What came after the last part'),
  part: option(whole, 'N', 'One part again'),
  ...asking(['local', 'anthropic', 'claude-cli', 'vscode-lm']),
  dryRun: flag('Only tell what the version would be like'),
  yes,
};

export const compress = command({
  name: 'compress',
  summary: 'Make a smaller version of a session; the original stays as it is',
  details: [
    'Keepits that survive are cut out before anything is summarized and put back byte for byte; a version whose receipt does not check out is not written. Without options: the preset of the project, the whole session, the built-in compressor, which asks no model.',
    'Levels: --preset gentle, standard or aggressive cuts old messages harder than new ones; --ratio and --level cut all alike. --tiers reads a JSON list of {endPercent, compactionRatio, aggressiveness} from a file.',
    '--delta compresses what came after the last part, as the next part; --part N makes another version of a part.',
  ],
  input,
  examples: [
    'compress e3580bc6',
    'compress e3580bc6 --ratio 30 --level aggressive',
    'compress e3580bc6 --delta --preset gentle',
    'compress e3580bc6 --provider anthropic --model sonnet --dry-run',
  ],
  async run(said, context): Promise<{ estimate: CompressionEstimate } | { made: CompressionResult }> {
    const { memory, onProgress, signal } = context;
    const { session, provider, maxCost, dryRun, yes: isSure } = said;
    const request = await requestOf(said, context);
    if (dryRun) return { estimate: await memory.versions.preview(session, request, signal) };
    if (provider !== undefined && provider !== 'local' && maxCost === undefined && !isSure)
      await confirmCost(await memory.versions.preview(session, request, signal), session.sessionId, context);
    return { made: await memory.versions.compress(session, request, onProgress, signal) };
  },
  json: (result) => ('estimate' in result ? result : { version: { ...result.made.version, files: result.made.files } }),
  text: (result, page) => ('estimate' in result ? estimateText(result.estimate, page) : madeText(result.made, page)),
});

async function requestOf(said: Inputs<typeof input>, { wrong }: CommandContext): Promise<CompressionRequest> {
  const { mode, ratio: compactionRatio, level, preset, tiers } = said;
  const isUniform = mode === 'uniform' || compactionRatio !== undefined || level !== undefined;
  if (isUniform && (mode === 'tiered' || preset !== undefined || tiers !== undefined))
    throw wrong('--ratio and --level cut all alike, --preset and --tiers by age: they exclude one another.');
  return {
    scope: scopeOf(said, wrong),
    mode,
    compactionRatio,
    aggressiveness: level,
    tierPreset: preset !== undefined && isNumber(preset) ? levels[preset] : preset,
    isLevel: mode === undefined && (preset === undefined || isNumber(preset)),
    customTiers: tiers === undefined ? undefined : await readTiers(tiers, wrong),
    skipFirstMessages: said.skipFirst,
    keepitMode: said.keepitMode,
    sessionDistance: said.distance,
    provider: said.provider,
    model: said.model,
    maxCostUsd: said.maxCost,
  };
}

function scopeOf({ whole: all, delta, part }: Inputs<typeof input>, wrong: CommandContext['wrong']): CompressionScope {
  if ([all, delta, part !== undefined].filter(Boolean).length > 1)
    throw wrong('--whole, --delta and --part exclude one another.');
  return part === undefined ? { kind: delta ? 'delta' : 'whole' } : { kind: 'part', partNumber: part };
}

async function readTiers(file: string, wrong: CommandContext['wrong']): Promise<TierConfig[]> {
  const problem = (what: string): Error => wrong(`--tiers ${file}: ${what}.`);
  const json = await textOf(path.resolve(file), () => problem('it cannot be read'));
  let parsed: unknown;
  try {
    parsed = JSON.parse(json);
  } catch {
    throw problem('it is not JSON');
  }
  const tiers = z.array(tierConfigSchema).safeParse(parsed);
  if (!tiers.success) throw problem('it is not a list of {endPercent, compactionRatio, aggressiveness}');
  return tiers.data;
}

async function confirmCost(
  { cost, settings, inputTokens }: CompressionEstimate,
  sessionId: string,
  context: CommandContext,
) {
  const { confirm, formats, wrong } = context;
  if (confirm === undefined)
    throw wrong('Nobody can be asked here what it may cost: --max-cost USD is needed, or --yes.');
  const price = moneyText(cost.usd) === '' ? 'nothing that is known' : `about ${moneyText(cost.usd)}`;
  const [tokens, calls] = [formats.plural(inputTokens, 'token'), formats.plural(cost.calls, 'call')];
  const question = `${settings.model} will read ${tokens} in ${calls}, for ${price}. Go on?`;
  await agree(question, sessionId, context, 'not-compressed');
}

function estimateText(estimate: CompressionEstimate, page: Page): Lines {
  const { formats, strong, fields, plural } = page;
  const { segments, receipt, cost, inputTokens, inputMessages, outputTokens, partNumber } = estimate;
  return [
    strong(`Would make ${rangeText(estimate.messageRange, formats)} ${settingsText(estimate.settings)}`),
    fields(
      {
        Part: partNumber,
        From: `${plural(inputTokens, 'token')}, ${plural(inputMessages, 'message')}`,
        To: `about ${plural(outputTokens, 'token')}, ${ratioText(estimate.compressionRatio)}`,
        Keepits: receiptText(receipt, estimate, page),
        Cost: moneyText(cost.usd) || (cost.calls === 0 ? 'nothing' : plural(cost.calls, 'call')),
      },
      2,
    ),
    page.table(
      segments,
      (segment) => ({
        Messages: `${segment.from + 1}–${segment.to + 1}`,
        Ratio: ratioText(segment.ratio),
        Level: segment.aggressiveness,
        Tokens: segment.inputTokens,
        Summary: segment.targetTokens,
      }),
      2,
    ),
    receiptLines(receipt, page),
  ];
}

function madeText({ version, files }: CompressionResult, page: Page): Lines {
  const { formats, good, accent, quiet, fields, exact, plural } = page;
  const { settings, inputTokens = 0, outputTokens, outputMessages, fidelity, receipt = [], messageRange } = version;
  const asked = version.askedRatio === undefined ? '' : `, asked for ${ratioText(version.askedRatio)}`;
  const sizes = `${exact(inputTokens)} → ${exact(outputTokens)}  (${ratioText(version.compressionRatio)}${asked})`;
  return [
    `${good('✓')} ${accent(version.versionId)}  ${settingsText(settings)}`,
    fields(
      {
        Messages: messageRange && rangeText(messageRange, formats).replace(/^messages? /, ''),
        Tokens: `${sizes}, ${plural(outputMessages, 'message')}`,
        Fidelity: fidelity && `${fidelityText(fidelity.score)}  ${quiet(fidelityParts(fidelity))}`,
        Keepits: receiptText(receipt, version, page),
        'Made by': makerText(version, formats),
        Files: files,
      },
      2,
    ),
    receiptLines(receipt, page),
  ];
}

function receiptText(
  receipt: readonly ReceiptEntry[],
  { isExceededByKeepits = false }: { isExceededByKeepits?: boolean | undefined },
  { warning }: Page,
): string {
  const preserved = receipt.filter(({ kept }) => kept).length;
  const kept = keptText({ preserved, summarized: receipt.length - preserved, weights: {} });
  return isExceededByKeepits ? `${kept}; ${warning('they alone take more than was asked for')}` : kept;
}

function receiptLines(receipt: readonly ReceiptEntry[], { good, bad, accent, quiet }: Page): string[] {
  return receipt.map(
    ({ markerId, weight, kept, reason }) =>
      `    ${kept ? good('kept ') : bad('faded')}  ${accent(shortId(markerId))}  ${weight.toFixed(2)}  ${quiet(reason)}`,
  );
}

/** More lines than this say nothing to a person at a terminal. */
const SHOWN = 20;

export const ledger = command({
  name: 'ledger',
  summary: 'Show what asking models has cost',
  details: [
    'Every call of a model is one line of `ledger.jsonl` in the store, also one that failed. It holds no word of any session.',
    '`keepit config set models.limits.dayUsd 5` sets what may be spent in a day, `models.limits.runUsd` what one compression may cost.',
  ],
  input: { last: option(whole, 'N', `Show the last N calls (${SHOWN}); --json has all without it`) },
  examples: ['ledger', 'ledger --last 100', 'ledger --json'],
  async run({ last }, { memory }) {
    const [entries, { models }] = [await memory.upkeep.ledger(), await memory.config.read()];
    return {
      entries: last === undefined ? entries : lastOf(entries, last),
      today: ledgerTotals(entriesOfDay(entries, new Date())),
      total: ledgerTotals(entries),
      limits: { runUsd: models.limits.runUsd, dayUsd: models.limits.dayUsd },
    };
  },
  text({ entries, today, total, limits }, page, { last = SHOWN }) {
    if (total.calls === 0) return 'No model was asked yet. The provider `local`, which is the default, asks none.';
    const sum = ({ calls, inputTokens, outputTokens }: LedgerTotals): string =>
      `${page.plural(calls, 'call')}, ${formatCount(inputTokens)} tokens in and ${formatCount(outputTokens)} out`;
    const rows = [...lastOf(entries, last)].reverse();
    return [
      page.fields({
        Today: `${formatUsd(today.usd)} of ${formatUsd(limits.dayUsd)}, ${sum(today)}`,
        Altogether: `${formatUsd(total.usd)}, ${sum(total)}`,
      }),
      rows.length > 0 && '',
      page.table(rows, (entry) => ({
        When: page.age(entry.at),
        'Model…': entry.model,
        Through: entry.provider,
        Session: entry.sessionId && shortId(entry.sessionId),
        In: formatCount(promptTokensOf(entry)),
        Out: formatCount(entry.outputTokens),
        Took: formatDuration(entry.durationMs),
        Cost: formatUsd(entry.usd),
        Outcome: [entry.outcome === 'ok' ? 'plain' : 'warning', entry.outcome],
      })),
    ];
  },
});

function lastOf<T>(items: readonly T[], count: number): readonly T[] {
  return count === 0 ? [] : items.slice(-count);
}
