import { readNote } from './noteDocument';
import { singleSpaced } from '../../text/cleanText';

/** What a point of a summary is to a later reader. */
export type PointLabel = 'Status' | 'Decision' | 'Rule' | 'Done' | 'Discovery' | 'Fixed' | 'Open' | 'Question';

/** A point of a summary, whoever wrote it. */
export interface TrackingPoint {
  readonly label: PointLabel;
  /** In one line, without its label. */
  readonly text: string;
}

/** A summary as it was found. */
export interface ReadSummary {
  readonly title: string;
  readonly context: string;
  readonly points: readonly TrackingPoint[];
  /** The last day of the session, `2026-01-15`; absent where the summary does not say. */
  readonly date?: string | undefined;
}

const LABELLED =
  /^[-*+]\s+(?:\[[ xX]\]\s+)?(?:\*\*|__)?([\p{L}][\p{L} /-]{1,24}?)(?:\*\*|__)?\s*[:：](?:\*\*|__)?\s+(.+)$/su;
const ITEM = /^[-*+]\s+/;
const DONE = /^[-*+]\s+\[[xX]\]/;

/** Words with which people and models label their points. */
const labels: readonly (readonly [RegExp, PointLabel])[] = [
  [/^(?:status|progress|current|phase|milestone)/i, 'Status'],
  [/^(?:implemented|completed?|done)/i, 'Done'],
  [/^(?:decision|decided|chose|choice|architecture|design|approach|rejected)/i, 'Decision'],
  [/^(?:rule|preference|convention|constraint|requirement|guideline|always|never)/i, 'Rule'],
  [/^(?:fixed|fix|bug|solution|solved|resolved)/i, 'Fixed'],
  [/^(?:discover|learn|insight|finding|lesson|pattern|root cause|why)/i, 'Discovery'],
  [/^(?:open question|question)/i, 'Question'],
  [/^(?:open|todo|to do|next|pending|blocker|blocked|unresolved|issue|problem|remaining|follow)/i, 'Open'],
];

/** A point as a list item. */
export function pointText(label: PointLabel, text: string): string {
  return `- **${label}:** ${text}`;
}

/** Reads a summary that Keepit, a person or a model has written. A point with a label that says nothing is a discovery. */
export function readSummary(text: string): ReadSummary {
  const sections = readNote(text);
  const title = sections[0]?.blocks.find((block) => block.startsWith('# '))?.slice(2) ?? '';
  const context = sections.find(({ heading }) => /^##\s+context/i.test(heading))?.blocks.join(' ') ?? '';
  const points = sections
    .filter(({ heading }) => heading !== '---' && !/^##\s+(?:context|related|files)/i.test(heading))
    .flatMap(({ heading, blocks }) => blocks.flatMap((block) => pointOf(block, heading)));
  const dates = [...(sections.at(-1)?.blocks.join('\n') ?? '').matchAll(/\b\d{4}-\d\d-\d\d\b/g)].map(([date]) => date);
  const date = dates.at(-1);
  return { title: title.trim(), context: singleSpaced(context), points, date };
}

function pointOf(block: string, heading: string): TrackingPoint[] {
  if (!ITEM.test(block) || DONE.test(block)) return [];
  const [, word, rest] = LABELLED.exec(block) ?? [];
  const label = word === undefined ? undefined : labelOf(word);
  if (label !== undefined && rest !== undefined) return [{ label, text: singleSpaced(rest) }];
  const text = singleSpaced(block.replace(ITEM, ''));
  return text === ''
    ? []
    : [{ label: labelOf(heading.replace(/^#+\s+(?:key |active |current )?/i, '')) ?? 'Discovery', text }];
}

function labelOf(word: string): PointLabel | undefined {
  return labels.find(([pattern]) => pattern.test(word.trim()))?.[1];
}
