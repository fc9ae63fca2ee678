import type { ListedVersion } from '../versions/versionListing';
import type { ReceiptEntry } from '../model/compression';
import { escapeMarkdown, oneLine } from '../text/cleanText';
import { joinParts, timeOf, type Formats } from '../text/formats';
import {
  fidelityKinds,
  fidelityText,
  levelTitles,
  makerText,
  rangeText,
  ratioText,
  settingsText,
  versionLevel,
} from './versionTexts';

export interface VersionTooltipOptions {
  readonly formats: Formats;
  readonly wordsOf: (markerId: string) => string | undefined;
}

/** A hover is no place to scroll. */
const RECEIPT_ROWS = 12;
const WORDS_LENGTH = 60;
const NAMES_SHOWN = 5;

/** All that is known of a version, as Markdown: how it was made, what it still holds, and its receipt. */
export function versionTooltip(version: ListedVersion, options: VersionTooltipOptions): string {
  const { formats } = options;
  return [
    `**${version.versionId} · ${levelTitles[versionLevel(version.settings)]}** · ${escapeMarkdown(settingsText(version.settings))}`,
    sizeLine(version, formats),
    settingsLine(version),
    fidelityTable(version),
    receiptTable(version.receipt ?? [], options),
    datesLine(version, formats),
    escapeMarkdown(`Written by ${makerText(version, formats)}`),
    usedLine(version.usedIn),
    `\`${version.file.replaceAll('`', '')}.md\``,
  ]
    .filter((row) => row !== '')
    .join('\n\n');
}

function sizeLine(version: ListedVersion, formats: Formats): string {
  const { inputTokens, outputTokens, compressionRatio, messageRange, outputMessages } = version;
  const before = inputTokens === undefined ? '' : `${formats.exact(inputTokens)} → `;
  return escapeMarkdown(
    joinParts([
      `${before}${formats.plural(outputTokens, 'token')}`,
      ratioText(compressionRatio),
      messageRange === undefined ? '' : rangeText(messageRange, formats),
      outputMessages === 0 ? '' : `in ${formats.plural(outputMessages, 'message')}`,
    ]),
  );
}

const keepitModes = {
  decay: '',
  'preserve-all': 'all keepits kept',
  ignore: 'keepits ignored, but for pinned ones',
} as const;

function settingsLine({ settings }: ListedVersion): string {
  const { sessionDistance, keepitMode, skipFirstMessages } = settings;
  return escapeMarkdown(
    joinParts([
      sessionDistance === undefined ? '' : `distance ${sessionDistance}`,
      keepitModes[keepitMode],
      skipFirstMessages === 0 ? '' : `without the first ${skipFirstMessages}`,
    ]),
  );
}

function fidelityTable({ fidelity }: ListedVersion): string {
  if (fidelity === undefined) return '';
  const cells = [
    `**Fidelity ${fidelityText(fidelity.score)}**`,
    ...fidelityKinds.map(({ kind }) => fidelityText(fidelity[kind])),
  ];
  return [
    row(['', ...fidelityKinds.map(({ title }) => title)]),
    row(['---', ...fidelityKinds.map(() => ':-:')]),
    row(cells),
  ].join('\n');
}

/** Kept ones first, the heaviest of each on top: what was lost is told even where the table is cut. */
function receiptTable(receipt: readonly ReceiptEntry[], { formats, wordsOf }: VersionTooltipOptions): string {
  if (receipt.length === 0) return '';
  const sorted = [...receipt].sort((a, b) => Number(b.kept) - Number(a.kept) || b.weight - a.weight);
  const shown = sorted.slice(0, RECEIPT_ROWS).map(({ markerId, weight, kept, reason }) => {
    const words = wordsOf(markerId) ?? '';
    const figure = weight.toFixed(2);
    return row([
      kept ? '$(pass) kept' : '$(circle-slash) faded',
      escapeMarkdown(reason.startsWith(figure) ? reason : joinParts([figure, reason])),
      escapeMarkdown(oneLine(words, WORDS_LENGTH)),
    ]);
  });
  const more = receipt.length - shown.length;
  return [
    row(['Keepit', 'Weight and threshold', '']),
    row([':--', ':--', ':--']),
    ...shown,
    ...(more === 0 ? [] : [row([`… and ${formats.exact(more)} more`, '', ''])]),
  ].join('\n');
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

function datesLine({ createdAt, lastUsed }: ListedVersion, formats: Formats): string {
  const createdMs = timeOf(createdAt);
  const usedMs = timeOf(lastUsed);
  return escapeMarkdown(
    joinParts([
      createdMs === undefined ? '' : `Made ${formats.dateTime(createdMs)}`,
      usedMs === undefined ? 'never used' : `last used ${formats.dateTime(usedMs)}`,
    ]),
  );
}

function usedLine(usedIn: readonly string[]): string {
  if (usedIn.length === 0) return 'In no composition';
  const names = usedIn.slice(0, NAMES_SHOWN).map((name) => escapeMarkdown(oneLine(name, WORDS_LENGTH)));
  const more = usedIn.length - names.length;
  return `$(link) In ${names.join(', ')}${more === 0 ? '' : ` and ${more} more`}`;
}
