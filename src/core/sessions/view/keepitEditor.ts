import { isPinned } from '../../keepits/decay';
import type { DecayContext } from '../results';
import { escapeMarkdown, oneLine } from '../../text/cleanText';
import type { TranscriptDocument } from '../document/transcriptDocument';
import { markerText, weightPresets, parseWeight, weightName } from '../../keepits/weights';
import { parseKeepits } from '../../keepits/markerParser';
import type { KeepitMark, MarkProblem, LineRange, MarkBand, MarkIndex } from './keepitMarks';
import { decayRows, outcomeIcons, outcomeWords, outlookOf, weightLabel, presetTitle, decayLine } from './keepitOutlook';
import { stateWords } from './keepitTree';

/** What can be done with a keepit where it is shown. */
export type KeepitAction = 'changeWeight' | 'pin' | 'unpin' | 'remove' | 'restore' | 'markMessage';

/** A line of small print above a line of a document. */
export interface KeepitLens {
  readonly title: string;
  readonly tooltip: string;
  readonly action: KeepitAction;
}

/** What the fate of a document's keepits depends on. */
export interface MarkFate {
  readonly context: DecayContext;
  readonly distance: number;
}

const PREVIEW_LENGTH = 60;
/** The editor drops a plain space behind an icon. */
const ICON_GAP = '\u00a0';

/** What stands above a keepit: what it weighs, how far it reaches, and what can be done with it. */
export function lensesOf(mark: KeepitMark, { context, distance }: MarkFate): KeepitLens[] {
  const label = weightLabel(mark.weight);
  const what = `“${oneLine(mark.preview, PREVIEW_LENGTH)}”`;
  if (mark.state === 'removed') {
    const title = `$(trash)${ICON_GAP}${label} · removed`;
    return [
      { title, tooltip: stateWords.removed.sentence, action: 'restore' },
      { title: 'Restore', tooltip: `Make ${what} a keepit again`, action: 'restore' },
    ];
  }
  const { outcome, reach, now } = outlookOf(mark.weight, context, distance);
  const isLive = mark.state === 'live';
  const fate = isLive ? reach : mark.state === 'abandoned' ? stateWords.abandoned.word : stateWords.orphaned.word;
  const icon = isLive ? outcomeIcons[outcome] : 'discard';
  const wasOther = mark.weight === mark.ownWeight ? '' : ` (was ${mark.ownWeight.toFixed(2)})`;
  const pin: KeepitLens = isPinned(mark.weight, context.config)
    ? { title: 'Unpin', tooltip: `Let ${what} fade with age: it becomes critical`, action: 'unpin' }
    : { title: 'Pin', tooltip: `Never lose ${what}`, action: 'pin' };
  return [
    { title: `$(${icon})${ICON_GAP}${label}${wasOther} · ${fate}`, tooltip: now, action: 'changeWeight' },
    { title: 'Change weight', tooltip: `Weigh ${what} anew`, action: 'changeWeight' },
    pin,
    { title: 'Remove', tooltip: `Do not keep ${what} any more. This can be undone.`, action: 'remove' },
  ];
}

/** What stands above a marker that does not count, where the words behind it can be kept all the same; nothing where they cannot. */
export function problemLens({ problem, fix }: MarkProblem): Pick<KeepitLens, 'title' | 'tooltip'> | undefined {
  if (fix === undefined) return undefined;
  return {
    title: `$(info)${ICON_GAP}Does not count · Keep as ${weightLabel(fix.weight)}`,
    tooltip: `${problem} Mark what follows beside the transcript, which stays as it is.`,
  };
}

/** The headings of the messages that can be marked as a whole: nothing in them is marked, or not any more. */
export function markableHeadings({ said }: TranscriptDocument, marks: readonly KeepitMark[]): number[] {
  const headings = new Set<number>();
  const marked = new Set<number>();
  const starts = marks.filter(({ state }) => state !== 'removed').map(({ range }) => range.start.line);
  let next = 0;
  for (const { headingLine, line, starts: lines, isLive } of said) {
    while ((starts[next] ?? Infinity) < line) next += 1;
    if ((starts[next] ?? Infinity) < line + lines.length) marked.add(headingLine);
    if (isLive) headings.add(headingLine);
  }
  return [...headings].filter((line) => !marked.has(line));
}

/** What a hover over a keepit says, in Markdown, without its links (seed 000, 6.3). */
export function hoverOf(mark: KeepitMark, { context, distance }: MarkFate): string {
  const label = weightLabel(mark.weight);
  const written = mark.weight === mark.ownWeight ? '' : ` · the marker itself says ${mark.ownWeight.toFixed(2)}`;
  const added = mark.origin === 'overlay' ? ' · added beside the transcript' : '';
  const head = `**Keepit ${label}**${written}${added}`;
  if (mark.state !== 'live') return `${head}\n\n${stateWords[mark.state].sentence}`;
  const { reach, now } = outlookOf(mark.weight, context, distance);
  if (!context.isDecayOn) return `${head}\n\n${escapeMarkdown(reach)}`;
  const rows = decayRows(mark.weight, context.config).map(
    ({ where, outcome }) => `| ${where} | $(${outcomeIcons[outcome]}) ${outcomeWords[outcome]} |`,
  );
  const table = ['| Compressed | |', '|:--|:--|', ...rows].join('\n');
  return `${head}\n\n${escapeMarkdown(reach)} · ${escapeMarkdown(now)}\n\n${table}`;
}

/** Lines of a document, both ends included. */
interface LineSpan {
  readonly first: number;
  readonly last: number;
}

/** A place where a marker, or a note about one, is drawn. */
export interface Chip {
  readonly range: LineRange;
  /** What is drawn there and does not stand in the text. Short: an editor that wraps its lines makes no room for it. */
  readonly note?: { readonly side: 'before' | 'after'; readonly text: string };
}

/** What is drawn in the colours of one band. */
export interface BandDecorations {
  readonly spans: readonly LineRange[];
  readonly chips: readonly Chip[];
}

export const allBands: readonly MarkBand[] = [
  'pinned',
  'critical',
  'important',
  'notable',
  'minor',
  'hint',
  'inactive',
];

/** So many lines around what is visible are decorated too: scrolling by a little shows no bare text. */
const MARGIN_LINES = 60;

/** Visible parts, widened a little and joined where they meet; folded regions make several of one screen. */
export function withMargin(visible: readonly LineSpan[]): LineSpan[] {
  const joined: LineSpan[] = [];
  for (const { first, last } of [...visible].sort((a, b) => a.first - b.first)) {
    const from = Math.max(0, first - MARGIN_LINES);
    const to = last + MARGIN_LINES;
    const before = joined.at(-1);
    if (before !== undefined && from <= before.last + 1) {
      joined[joined.length - 1] = { first: before.first, last: Math.max(before.last, to) };
    } else joined.push({ first: from, last: to });
  }
  return joined;
}

/** What to draw in the visible parts of a document: costs as much as is in sight, however long the document is. */
export function decorationsIn(index: MarkIndex, parts: readonly LineSpan[]): ReadonlyMap<MarkBand, BandDecorations> {
  const bands = new Map<MarkBand, { spans: LineRange[]; chips: Chip[] }>();
  const drawn = new Set<KeepitMark>();
  for (const { first, last } of parts) {
    for (const mark of index.within(first, last)) {
      if (drawn.has(mark)) continue;
      drawn.add(mark);
      const band = bands.get(mark.band) ?? { spans: [], chips: [] };
      bands.set(mark.band, band);
      band.spans.push(mark.range);
      band.chips.push(...chipsOf(mark));
    }
  }
  return bands;
}

function chipsOf(mark: KeepitMark): Chip[] {
  const { range, chips, weight, ownWeight, state, origin } = mark;
  if (origin === 'overlay') {
    const text = state === 'removed' ? 'removed' : weight.toFixed(2);
    return [{ range: { start: range.start, end: range.start }, note: { side: 'before', text } }];
  }
  return chips.map((chip, index) => {
    const text =
      index > 0 ? '' : state === 'removed' ? 'removed' : weight === ownWeight ? '' : `→ ${weight.toFixed(2)}`;
    return text === '' ? { range: chip } : { range: chip, note: { side: 'after', text } };
  });
}

/** A document has no more marks than this in its overview ruler: it is a few hundred pixels high. */
const MAX_RULER_MARKS = 2000;

/** Where keepits begin, by band, for the overview ruler: evenly thinned out where there are very many. */
export function rulerMarks(marks: readonly KeepitMark[]): ReadonlyMap<MarkBand, readonly LineRange[]> {
  const step = Math.max(1, Math.ceil(marks.length / MAX_RULER_MARKS));
  const bands = new Map<MarkBand, LineRange[]>();
  for (let index = 0; index < marks.length; index += step) {
    const mark = marks[index];
    if (mark === undefined) break;
    const ranges = bands.get(mark.band) ?? [];
    bands.set(mark.band, ranges);
    ranges.push(mark.range);
  }
  return bands;
}

/** A marker that is offered while somebody writes. */
interface MarkerCompletion {
  readonly label: string;
  readonly detail: string;
  /** Markdown. */
  readonly documentation: string;
  readonly insert: string;
}

/** What is replaced: the beginning of a marker before the cursor. */
interface CompletionRange {
  readonly start: number;
  readonly completions: readonly MarkerCompletion[];
}

const BEGUN = /(?:^|[^#])(##(?:k(?:e(?:e(?:p(?:i(?:t(?:\d(?:\.\d{0,2})?|:e?n?d?)?)?)?)?)?)?)?)$/i;
/** The signs that close a marker begin no other. */
const CLOSED = /##keepit[^#\s]*##$/i;
const END = '##keepit:end##';

/** The markers that can complete what stands before the cursor in its line; undefined where no marker has been begun. */
export function markerCompletions(
  line: string,
  textBefore: string,
  config: DecayContext['config'],
): CompletionRange | undefined {
  const begun = BEGUN.exec(line)?.[1];
  if (begun === undefined || CLOSED.test(line)) return undefined;
  const markers = weightPresets.map(({ name, weight }) => {
    const rows = decayRows(weight, config).map(({ where, outcome }) => `- ${where}: ${outcomeWords[outcome]}`);
    return {
      label: markerText(weight),
      detail: presetTitle(name),
      documentation: `What follows is **${name}**, up to the next marker or the end of the text.\n\n${rows.join('\n')}`,
      insert: `${markerText(weight)} `,
    };
  });
  const end = {
    label: END,
    detail: 'End of the keepit',
    documentation: 'What follows is not marked.',
    insert: END,
  };
  const before = textBefore.slice(0, textBefore.length - begun.length);
  return { start: line.length - begun.length, completions: isOpen(before) ? [end, ...markers] : markers };
}

/** Whether a marked span reaches to the end of a text. */
function isOpen(text: string): boolean {
  return parseKeepits(`${text}x`).spans.at(-1)?.end === text.length + 1;
}

/** One line of the list that a weight is chosen from. */
interface WeightChoice {
  readonly label: string;
  readonly description: string;
  /** What becomes of such a keepit, or what is wrong with what was typed. */
  readonly detail: string;
  /** Absent where nothing can be chosen: what was typed is no weight. */
  readonly weight?: number;
}

const NO_DECAY = `$(${outcomeIcons.survives}) survives everything: decay is off in this project`;

/**
 * What is offered while somebody types a weight: what was typed, if it is one, else what is wrong with it; then the presets.
 * Each with its decay preview, so that the preview follows every keystroke.
 */
export function weightChoices(
  typed: string,
  current: number | undefined,
  context: Pick<DecayContext, 'config' | 'isDecayOn'>,
): WeightChoice[] {
  const fateOf = (weight: number): string => (context.isDecayOn ? decayLine(weight, context.config) : NO_DECAY);
  const presets = weightPresets.map(({ name, weight }) => ({
    label: presetTitle(name),
    description: joined(weight.toFixed(2), weight === current ? 'now' : ''),
    detail: fateOf(weight),
    weight,
  }));
  const exactly = (weight: number): WeightChoice => ({ ...own(weight, current), detail: fateOf(weight), weight });
  const text = typed.trim();
  if (text === '') {
    const isPreset = current === undefined || presets.some(({ weight }) => weight === current);
    return isPreset ? presets : [exactly(current), ...presets];
  }
  const parsed = parseWeight(text);
  if ('weight' in parsed) {
    const { weight } = parsed;
    return [exactly(weight), ...presets.filter((preset) => preset.weight !== weight)];
  }
  const begun = presets.filter(({ label }) => label.toLowerCase().startsWith(text.toLowerCase()));
  if (begun.length > 0) return begun;
  return [{ label: `$(error) ${text}`, description: 'is no weight', detail: parsed.problem }, ...presets];
}

function own(weight: number, current: number | undefined): { label: string; description: string } {
  const preset = weightPresets.find((candidate) => candidate.weight === weight);
  const label = preset === undefined ? weightLabel(weight) : presetTitle(weightName(weight));
  return { label, description: joined(preset === undefined ? '' : weight.toFixed(2), weight === current ? 'now' : '') };
}

function joined(...parts: string[]): string {
  return parts.filter(Boolean).join(' · ');
}
