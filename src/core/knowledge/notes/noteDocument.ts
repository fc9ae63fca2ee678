import { singleSpaced } from '../../text/cleanText';

const LABELLED =
  /^[-*+]\s+(?:\[[ xX]\]\s+)?(?:\*\*|__)?([\p{L}][\p{L} /-]{1,24}?)(?:\*\*|__)?\s*[:：](?:\*\*|__)?\s+(.+)$/su;
const LIST_ITEM = /^[-*+]\s+/;
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
/** A piece of a note that Keepit writes: a list item or a paragraph. */
export interface NoteBlock {
  /** The same as long as it tells of the same thing, however that is worded. */
  readonly key: string;
  readonly text: string;
}

/** A part of a note. `heading` is its whole line, `## Context`; '' for what stands before the first one, `---` for the foot. */
export interface NoteSection {
  readonly heading: string;
  readonly blocks: readonly NoteBlock[];
}

/** A part of a note as it was found, whoever wrote it. */
export interface FoundSection {
  /** Tells it from all others of the note. */
  readonly id: string;
  readonly heading: string;
  readonly blocks: readonly string[];
}

/** The heading of the last lines of a note, below a rule. */
export const FOOT = '---';

const HEADING = /^#{2,3}\s+\S/;
const ITEM = /^(?:[-*+]|\d{1,9}[.)])\s/;
const ALONE = /^(?:#\s|#{4,6}\s|(?:-{3,}|\*{3,}|_{3,})\s*$)/;
const FENCE = /^\s*(`{3,}|~{3,})/;
const FRONT_MATTER = /^---\n[\s\S]*?\n---(?=\n|$)/;

/** Takes a Markdown text apart into sections and blocks. Every line that is not blank is in exactly one of them, as it stood. */
export function readNote(text: string): FoundSection[] {
  const lines = text.replace(/\r\n?/g, '\n');
  const front = FRONT_MATTER.exec(lines)?.[0];
  const reader = new NoteReader();
  if (front !== undefined) reader.addWhole(front);
  for (const line of lines.slice(front?.length ?? 0).split('\n')) reader.add(line);
  return identified(withFoot(reader.finish()));
}

/** The text of a note. Items stand close together, everything else is parted by a blank line. */
export function writeNote(sections: readonly { heading: string; blocks: readonly string[] }[]): string {
  let text = '';
  for (const { heading, blocks } of sections) {
    const parts = heading === '' ? blocks : [heading, ...blocks];
    for (const [at, part] of parts.entries()) {
      const isClose = ITEM.test(part) && ITEM.test(parts[at - 1] ?? '');
      text += `${text === '' ? '' : isClose ? '\n' : '\n\n'}${part}`;
    }
  }
  return `${text}\n`;
}

interface Draft {
  heading: string;
  blocks: string[];
}

class NoteReader {
  private readonly sections: Draft[] = [{ heading: '', blocks: [] }];
  private block: string[] = [];
  private blanks = 0;
  private fence: string | undefined;

  addWhole(block: string): void {
    this.sections.at(-1)?.blocks.push(block);
  }

  add(line: string): void {
    const run = FENCE.exec(line)?.[1];
    if (this.fence !== undefined) {
      this.block.push(line);
      if (run?.startsWith(this.fence) === true && line.trim() === run) this.fence = undefined;
      return;
    }
    if (line.trim() === '') {
      this.blanks++;
      return;
    }
    this.open(line);
    if (run !== undefined) this.fence = run;
  }

  finish(): Draft[] {
    this.close();
    return this.sections;
  }

  private open(line: string): void {
    const { blanks } = this;
    this.blanks = 0;
    if (HEADING.test(line)) {
      this.close();
      this.sections.push({ heading: line.trimEnd(), blocks: [] });
      return;
    }
    const isWithinItem = /^\s{2,}|^\t/.test(line) && ITEM.test(this.block[0] ?? '');
    if (blanks > 0 && isWithinItem) for (let blank = 0; blank < blanks; blank++) this.block.push('');
    else if (blanks > 0 || this.beginsBlock(line)) this.close();
    this.block.push(line);
    if (ALONE.test(line) && this.block.length === 1) this.close();
  }

  /** A rule right below words makes them a heading, and belongs to them. */
  private beginsBlock(line: string): boolean {
    if (/^-{3,}\s*$/.test(line) && this.block.length > 0 && !ITEM.test(this.block[0] ?? '')) return false;
    return ITEM.test(line) || ALONE.test(line) || FENCE.test(line);
  }

  private close(): void {
    if (this.block.length > 0) this.sections.at(-1)?.blocks.push(this.block.join('\n'));
    this.block = [];
    this.fence = undefined;
  }
}

/** What stands below the last rule of the last section is the foot. */
function withFoot(sections: Draft[]): Draft[] {
  const last = sections.at(-1);
  const at = last?.blocks.findLastIndex((block) => /^-{3,}\s*$/.test(block)) ?? -1;
  if (last === undefined || at === -1) return sections;
  const foot = { heading: FOOT, blocks: last.blocks.slice(at + 1) };
  return [...sections.slice(0, -1), { heading: last.heading, blocks: last.blocks.slice(0, at) }, foot];
}

function identified(sections: readonly Draft[]): FoundSection[] {
  const ids = new SectionIds();
  return sections.map((section) => ({ id: ids.of(section.heading), ...section }));
}

/** Gives sections their ids: a heading of the third level belongs to the second one above it, and no id is given twice. */
export class SectionIds {
  private parent = '';
  private readonly given = new Map<string, number>();

  of(heading: string): string {
    if (/^##\s/.test(heading)) this.parent = heading;
    const id = /^###\s/.test(heading) ? `${this.parent}\n${heading}` : heading;
    const times = (this.given.get(id) ?? 0) + 1;
    this.given.set(id, times);
    return times === 1 ? id : `${id}\n(${times})`;
  }
}

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
  if (!LIST_ITEM.test(block) || DONE.test(block)) return [];
  const [, word, rest] = LABELLED.exec(block) ?? [];
  const label = word === undefined ? undefined : labelOf(word);
  if (label !== undefined && rest !== undefined) return [{ label, text: singleSpaced(rest) }];
  const text = singleSpaced(block.replace(LIST_ITEM, ''));
  return text === ''
    ? []
    : [{ label: labelOf(heading.replace(/^#+\s+(?:key |active |current )?/i, '')) ?? 'Discovery', text }];
}

function labelOf(word: string): PointLabel | undefined {
  return labels.find(([pattern]) => pattern.test(word.trim()))?.[1];
}
