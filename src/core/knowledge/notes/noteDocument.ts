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
