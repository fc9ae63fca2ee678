import { isPinned } from '../keepits/decay';
import type { DecayContext } from '../sessions/results';
import { escapeMarkdown, oneLine } from '../text/cleanText';
import type { KeepitMark, MarkProblem } from './keepitMarks';
import { decayRows, outcomeIcons, outcomeWords, outlookOf, weightLabel } from './keepitOutlook';
import { stateWords } from './keepitTree';
import type { TranscriptDocument } from '../sessions/document/transcriptDocument';

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
