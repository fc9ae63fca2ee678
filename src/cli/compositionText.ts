import type { CompositionPreview, PreviewComponent } from '../core/compositions/compositionPreview';
import type { StoredComposition } from '../core/compositions/compositions';
import type { ComposedContextRecord, CompositionComponent } from '../core/model/composition';
import { formatCount, joinParts, shortId, timeOf } from '../core/text/formats';
import { oneLine } from '../core/text/cleanText';
import type { Page } from './command';
import { renderFacts, renderTable, type Cell, type Column } from './table';

const TEXT_LENGTH = 200;

const componentColumns: readonly Column[] = [
  { title: 'Session' },
  { title: 'Version' },
  { title: 'Tokens', align: 'right' },
  { title: 'Holds', align: 'right' },
  { title: 'Why', isFlexible: true },
];

const previewColumns: readonly Column[] = [
  { title: 'Session' },
  { title: 'Ago', align: 'right' },
  { title: 'Version' },
  { title: 'Tokens', align: 'right' },
  { title: 'Share of', align: 'right' },
  { title: 'Holds', align: 'right' },
  { title: 'Keepits', align: 'right' },
  { title: 'Title', isFlexible: true },
  { title: 'Why' },
];

/** A saved composition: what it is made of, and what is not in it. */
export function compositionText({ record, files, freshness }: StoredComposition, page: Page): string {
  const { style, formats, width } = page;
  const { components, omitted = [], redacted = [], deliveries = [] } = record;
  const builtMs = timeOf(record.builtAt ?? record.createdAt);
  const taken = redacted.map(({ kind, count }) => formats.plural(count, kind)).join(', ');
  return [
    `${style.paint('strong', record.name)}  ${sizeText(record, page)}`,
    ...renderFacts(
      [
        ['Made', builtMs === undefined ? undefined : formats.dateTime(builtMs)],
        ['Strategy', record.request?.strategy],
        ['Keepits', keepitsText(record, page)],
        ['Taken out', taken === '' ? undefined : taken],
        ['Delivered', deliveries.length === 0 ? undefined : deliveries.map(({ to }) => to).join(', ')],
        ['Used in', record.usedInSessions.map(shortId).join(', ')],
        ['Since then', freshness.isFresh ? undefined : freshness.reasons.join('; ')],
        ...files.map((file, index) => [index === 0 ? 'Files' : '', file] as const),
      ],
      { style, indent: 2 },
    ),
    '',
    ...renderTable(
      componentColumns,
      components.map((component) => componentCells(component)),
      { style, width },
    ),
    ...omittedLines(omitted, page),
  ].join('\n');
}

/** What would be composed. */
export function previewText(preview: CompositionPreview, page: Page): string {
  const { style, formats, width } = page;
  const { components, omitted, totalTokens, budget, shareOfWindow, fidelity, toMake, isMeasured } = preview;
  const summary = joinParts([
    `${isMeasured ? '' : 'about '}${formats.exact(totalTokens)} of ${formats.exact(budget)} tokens`,
    `${percent(shareOfWindow)} of the window`,
    `fidelity ${fidelity.toFixed(2)} of ${components.length}`,
    toMake === 0 ? '' : `${formats.plural(toMake, 'version')} to be made`,
  ]);
  const rows = components.map(previewCells);
  return [
    style.paint('strong', summary),
    ...renderTable(previewColumns, rows, { style, width }),
    ...omittedLines(omitted, page),
  ].join('\n');
}

/** `15,904 of 16,000 tokens · fidelity 3.20 of 4`. */
export function sizeText(record: ComposedContextRecord, { formats }: Page): string {
  const budget = record.budget === undefined ? '' : ` of ${formats.exact(record.budget)}`;
  return joinParts([
    `${formats.exact(record.totalTokens)}${budget} tokens`,
    record.fidelity === undefined ? '' : `fidelity ${record.fidelity.toFixed(2)} of ${record.components.length}`,
  ]);
}

export function percent(share: number): string {
  const value = share * 100;
  return `${value < 9.95 && value > 0 ? value.toFixed(1) : Math.round(value)} %`;
}

function keepitsText({ keepits }: ComposedContextRecord, { formats }: Page): string | undefined {
  if (keepits === undefined) return undefined;
  return joinParts([
    `${formats.exact(keepits.included)} in`,
    keepits.left === 0 ? '' : `${formats.exact(keepits.left)} out`,
  ]);
}

function componentCells({ sessionId, versionId, tokenContribution, fidelity, why }: CompositionComponent): Cell[] {
  return [
    { text: shortId(sessionId), tone: 'accent' },
    { text: versionId },
    { text: formatCount(tokenContribution) },
    { text: fidelity === undefined ? '' : percent(fidelity) },
    { text: why ?? '', tone: 'quiet' },
  ];
}

function previewCells(component: PreviewComponent): Cell[] {
  const { sessionId, distance, pick, originalTokens, title, why, keepitsIn, keepitsOut } = component;
  const keepits = keepitsIn.length + keepitsOut.length;
  return [
    { text: shortId(sessionId), tone: 'accent' },
    { text: String(distance) },
    {
      text: pick.versionIds.length > 0 ? pick.versionIds.join('+') : pick.kind,
      tone: pick.kind === 'nothing' ? 'bad' : 'plain',
    },
    { text: formatCount(pick.tokens) },
    { text: formatCount(originalTokens) },
    { text: percent(pick.fidelity) },
    { text: keepits === 0 ? '' : `${keepitsIn.length}/${keepits}` },
    { text: oneLine(title, TEXT_LENGTH) },
    { text: why, tone: 'quiet' },
  ];
}

function omittedLines(omitted: readonly { sessionId: string; reason: string }[], { style }: Page): string[] {
  if (omitted.length === 0) return [];
  const lines = omitted.map(({ sessionId, reason }) => `  ${style.paint('accent', shortId(sessionId))}  ${reason}`);
  return ['', style.paint('warning', 'Not in it:'), ...lines];
}
