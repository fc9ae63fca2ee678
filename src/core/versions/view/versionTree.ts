import { compareVersionIds, type ListedVersion, type VersionListing } from '../versionEntries';
import type { CompressionRecord, ReceiptEntry } from '../../model/compression';
import type { SessionRef } from '../../sessions/results';
import { oneLine, escapeMarkdown } from '../../text/cleanText';
import { formatAge, formatCount, joinParts, timeOf, type Formats } from '../../text/formats';
import type { TreeNode } from '../../sessions/view/treeNode';
import {
  fidelityText,
  keptText,
  levelTitles,
  rangeText,
  ratioText,
  settingsText,
  spokenRatio,
  versionLevel,
  versionTitle,
  type VersionLevel,
  fidelityParts,
  makerText,
} from './versionTexts';

interface VersionTreeOptions {
  readonly session: SessionRef;
  readonly formats: Formats;
  readonly nowMs: number;
  /** What a keepit marks, for receipts; undefined when it is not known any more. */
  readonly wordsOf: (markerId: string) => string | undefined;
}

/** By shape: how much of a session is left. */
const levelIcons: Record<VersionLevel, string> = {
  light: 'layers',
  moderate: 'layers-dot',
  aggressive: 'layers-active',
  custom: 'settings',
};

/**
 * The versions of a session by part (seed 001): what is new on top, then the newest part first, then versions of the whole
 * session; in each the newest version first. Empty when there are none: a view says then what can be done.
 */
export function versionTree(listing: VersionListing, options: VersionTreeOptions): TreeNode[] {
  if (listing.versions.length === 0) return [];
  const parts = [...listing.parts].sort((a, b) => b.partNumber - a.partNumber);
  const wholes = listing.versions.filter(({ partNumber }) => partNumber === undefined);
  return [
    ...newMessagesNodes(listing, options),
    ...parts.map((part) => partNode(listing, part, options)),
    ...(wholes.length === 0 ? [] : [wholeNode(listing, wholes, options)]),
  ];
}

/** Parts are behind the session, or up to date; where there are none, nothing is new that could become one. */
function newMessagesNodes({ delta, parts }: VersionListing, options: VersionTreeOptions): TreeNode[] {
  const { formats, session } = options;
  if (parts.length === 0) return [];
  const common = { id: `new:${session.sessionId}`, kind: 'newMessages', fold: 'none', children: [], session } as const;
  if (delta.newMessages === 0) {
    const all = `All messages are in ${parts.length === 1 ? 'part 1' : `parts 1 to ${parts.length}`}`;
    return [
      {
        ...common,
        label: 'New Messages',
        description: 'none',
        tooltip: `${all}.`,
        icon: { id: 'pass' },
        contextValue: 'newMessages none',
        spoken: `New messages: none. ${all}.`,
      },
    ];
  }
  const count = formats.plural(delta.newMessages, 'message');
  const range = delta.messageRange === undefined ? '' : rangeText(delta.messageRange, formats);
  const tokens = `${formatCount(delta.newTokens)} tokens`;
  return [
    {
      ...common,
      label: 'New Messages',
      description: joinParts([formats.exact(delta.newMessages), tokens, `will be part ${delta.nextPart}`]),
      tooltip: `${count} came after part ${delta.nextPart - 1} (${joinParts([range, tokens])}). Compressed, they become part ${delta.nextPart}; the parts before stay as they are.`,
      icon: { id: 'diff-added', color: 'charts.yellow' },
      contextValue: 'newMessages some',
      spoken: `New messages: ${count}, ${tokens}, not compressed yet, will be part ${delta.nextPart}`,
      scope: { kind: 'delta' },
    },
  ];
}

function partNode(
  listing: VersionListing,
  part: VersionListing['parts'][number],
  options: VersionTreeOptions,
): TreeNode {
  const { formats, session } = options;
  const { partNumber, messageRange } = part;
  const ids = new Set(part.versionIds);
  const versions = listing.versions.filter(({ versionId }) => ids.has(versionId));
  const range = rangeText(messageRange, formats);
  return {
    id: `part:${session.sessionId}:${partNumber}`,
    kind: 'part',
    label: `Part ${partNumber}`,
    description: range,
    tooltip: `**Part ${partNumber}**: ${range}, ${formats.plural(versions.length, 'version')}`,
    icon: { id: 'symbol-array' },
    contextValue: 'part',
    spoken: `Part ${partNumber}, ${range}, ${formats.plural(versions.length, 'version')}`,
    fold: 'expanded',
    children: rowsOf(versions, options),
    session,
    scope: { kind: 'part', partNumber },
  };
}

function wholeNode(
  { original }: VersionListing,
  versions: readonly ListedVersion[],
  options: VersionTreeOptions,
): TreeNode {
  const { formats, session } = options;
  const size = joinParts([formats.plural(original.messages, 'message'), formatCount(original.tokens)]);
  return {
    id: `whole:${session.sessionId}`,
    kind: 'part',
    label: 'Whole Session',
    description: size,
    tooltip: `**Whole session**: ${formats.plural(original.messages, 'message')}, ${formats.exact(original.tokens)} tokens, ${formats.plural(versions.length, 'version')}`,
    icon: { id: 'book' },
    contextValue: 'part whole',
    spoken: `Whole session, ${formats.plural(original.messages, 'message')}, ${formats.plural(versions.length, 'version')}`,
    fold: 'expanded',
    children: rowsOf(versions, options),
    session,
    scope: { kind: 'whole' },
  };
}

function rowsOf(versions: readonly ListedVersion[], options: VersionTreeOptions): TreeNode[] {
  const newestFirst = [...versions].sort((a, b) => compareVersionIds(b.versionId, a.versionId));
  return newestFirst.map((version) => versionNode(version, options));
}

/** One version as a row; what says most about it comes first, a narrow side bar cuts the end off. */
export function versionNode(version: ListedVersion, options: VersionTreeOptions): TreeNode {
  const { formats, nowMs, session } = options;
  const { versionId, settings, outputTokens, compressionRatio, fidelity, keepitStats, usedIn } = version;
  const level = versionLevel(settings);
  const isByModel = version.provider !== undefined && version.provider !== 'local';
  const model = isByModel ? oneLine(settings.model, 40) : '';
  const dates = datesOf(version, nowMs);
  const used = usedIn.length === 0 ? '' : `in ${formats.plural(usedIn.length, 'composition')}`;
  const kept = keptText(keepitStats);
  return {
    id: `version:${session.projectId}:${session.sessionId}:${versionId}`,
    kind: 'version',
    label: versionTitle(version),
    description: joinParts([
      formatCount(outputTokens),
      ratioText(compressionRatio),
      fidelity === undefined ? '' : `fidelity ${fidelityText(fidelity.score)}`,
      kept,
      model,
      dates.created,
      dates.used === undefined ? 'never used' : `used ${dates.used}`,
      used,
    ]),
    tooltip: versionTooltip(version, options),
    icon: { id: levelIcons[level] },
    contextValue: used === '' ? 'version unused' : 'version used',
    spoken: joinParts(
      [
        `Version ${versionId}`,
        levelTitles[level],
        settingsText(settings),
        `${formats.exact(outputTokens)} tokens`,
        `ratio ${spokenRatio(compressionRatio)}`,
        fidelity === undefined ? 'fidelity unknown' : `fidelity ${fidelityText(fidelity.score)}`,
        kept === '' ? 'no keepits' : `keepits: ${kept}`,
        model === '' ? '' : `by ${model}`,
        `made ${dates.created}`,
        dates.used === undefined ? 'never used' : `last used ${dates.used}`,
        used === '' ? 'in no composition' : used,
      ],
      ', ',
    ),
    fold: 'none',
    children: [],
    session,
    version: { ...session, versionId },
    scope: scopeOf(version),
  };
}

/** What a version covers: to compress the same again, at another level. */
export function scopeOf({ partNumber }: Pick<CompressionRecord, 'partNumber'>): NonNullable<TreeNode['scope']> {
  return partNumber === undefined ? { kind: 'whole' } : { kind: 'part', partNumber };
}

function datesOf(
  { createdAt, lastUsed }: CompressionRecord,
  nowMs: number,
): { created: string; used: string | undefined } {
  const createdMs = timeOf(createdAt);
  const usedMs = timeOf(lastUsed);
  return {
    created: createdMs === undefined ? '' : formatAge(createdMs, nowMs),
    used: usedMs === undefined ? undefined : formatAge(usedMs, nowMs),
  };
}

/** `Part 2` or `Whole session`, for headings and pickers. */
export function scopeTitle(scope: NonNullable<TreeNode['scope']>): string {
  if (scope.kind === 'delta') return 'New messages';
  return scope.kind === 'whole' ? 'Whole session' : `Part ${scope.partNumber}`;
}

interface VersionTooltipOptions {
  readonly formats: Formats;
  readonly wordsOf: (markerId: string) => string | undefined;
}

/** A hover is no place to scroll. */
const RECEIPT_ROWS = 12;
const WORDS_LENGTH = 60;
const NAMES_SHOWN = 5;

/** All that is known of a version, as Markdown: how it was made, what it still holds, and its receipt. */
function versionTooltip(version: ListedVersion, options: VersionTooltipOptions): string {
  const { formats } = options;
  const { fidelity } = version;
  return joinParts(
    [
      `**${version.versionId} · ${levelTitles[versionLevel(version.settings)]}** · ${escapeMarkdown(settingsText(version.settings))}`,
      sizeLine(version, formats),
      settingsLine(version),
      fidelity === undefined ? '' : `**Fidelity ${fidelityText(fidelity.score)}**: ${fidelityParts(fidelity)}`,
      receiptTable(version.receipt ?? [], options),
      datesLine(version, formats),
      escapeMarkdown(`Written by ${makerText(version, formats)}`),
      usedLine(version.usedIn),
      `\`${version.file.replaceAll('`', '')}.md\``,
    ],
    '\n\n',
  );
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
