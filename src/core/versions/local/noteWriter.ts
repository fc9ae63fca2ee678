import { phrasesIn } from '../../text/phrases';
import type { SummaryBlock } from '../types';
import type { Unit, UnitList } from './unit';

/** A part of what was chosen, that stands under one heading. */
interface Section {
  readonly opening: number;
  readonly units: number[];
}

const LONGEST_HEADING = 90;
/** A sentence that is no longer is a heading as it is. */
const LONGEST_WHOLE = 140;
const SHORTEST_HEADING = 12;
const GREETING =
  /^(?:(?:hey|hi|hello|ok|okay|oh|great|thanks|thank you|cool|nice|now)(?:[,.!]\s*|\s+(?=claude|there|can|could|please|let|i\s)))*/i;
const REQUEST = /^(?:claude[,!.]?\s+)?(?:(?:can|could|would) you (?:please )?(?=\p{L})|please,?\s+)?/iu;
const CLAUSE = /[;:–—]\s|\s[-–—]\s|[，；：]|\.\s/gu;
const JOINS = ['joins', 'turns', 'because'] as const;

/** Writes chosen units as Markdown, in the order of the session. The same choice gives the same blocks. */
export class NoteWriter {
  constructor(private readonly list: UnitList) {}

  /** What a unit says in full. */
  textOf(unit: number): string {
    return this.unit(unit).text;
  }

  /** Whether a unit is lines of a program rather than words. */
  isCode(unit: number): boolean {
    const { kind } = this.unit(unit);
    return kind === 'code' || kind === 'detail';
  }

  /** `chosen` ascending; an episode with `headingFrom` units gets a heading that names what was asked; `clipped` replaces the text of units that are shown in part. */
  write(
    chosen: readonly number[],
    headingFrom: number,
    clipped: ReadonlyMap<number, string> = new Map(),
  ): SummaryBlock[] {
    const texts = new Map(clipped);
    const blocks: SummaryBlock[] = [];
    const sections = this.sections(chosen, headingFrom);
    for (const [at, section] of sections.entries()) {
      if (section.opening !== -1) blocks.push(this.heading(section, sections[at + 1], texts));
      blocks.push(...this.blocks(section.units, texts));
    }
    return blocks;
  }

  private unit(index: number): Unit {
    const unit = this.list.units[index];
    if (unit === undefined) throw new RangeError(`no unit ${String(index)}`);
    return unit;
  }

  /** An episode with much to tell gets a heading; what is short stays under the one before. */
  private sections(chosen: readonly number[], headingFrom: number): Section[] {
    const sections: Section[] = [];
    for (let at = 0; at < chosen.length;) {
      const first = chosen[at] ?? 0;
      const episode = this.list.episodes[first];
      let end = at;
      while (end < chosen.length && this.list.episodes[chosen[end] ?? 0] === episode) end++;
      const units = chosen.slice(at, end);
      const isHeaded = units.length >= headingFrom && this.canHead(first);
      const last = sections.at(-1);
      if (last === undefined || isHeaded) sections.push({ opening: isHeaded ? first : -1, units });
      else last.units.push(...units);
      at = end;
    }
    return sections;
  }

  private canHead(index: number): boolean {
    const { isOpening, text } = this.unit(index);
    return isOpening === true && headingOf(text).heading.length >= SHORTEST_HEADING;
  }

  /** The heading. A sentence that it says as a whole is not said again. */
  private heading({ opening, units }: Section, next: Section | undefined, texts: Map<number, string>): SummaryBlock {
    const { heading, isWhole } = headingOf(this.unit(opening).text);
    if (isWhole) texts.set(opening, '');
    const [first = 0] = this.unit(opening).messages;
    const following = next === undefined ? undefined : this.unit(next.units[0] ?? 0).messages[0];
    const last = Math.max(
      first,
      following === undefined ? lastMessageOf(units.map((unit) => this.unit(unit))) : following - 1,
    );
    const messages = Array.from({ length: last - first + 1 }, (_, offset) => first + offset);
    return { kind: 'heading', role: 'user', text: heading, messages };
  }

  private blocks(chosen: readonly number[], texts: ReadonlyMap<number, string>): SummaryBlock[] {
    const blocks: SummaryBlock[] = [];
    const shown = chosen.filter((unit) => texts.get(unit) !== '');
    for (let at = 0; at < shown.length;) {
      let end = at + 1;
      while (end < shown.length && this.isSameBlock(shown[at] ?? 0, shown[end - 1] ?? 0, shown[end] ?? 0)) end++;
      const units = shown.slice(at, end);
      const [first = 0] = units;
      const { role } = this.unit(first);
      const text = new BlockLines(this.list.units, texts).write(units);
      const messages = [...new Set(units.flatMap((unit) => this.unit(unit).messages))].sort((a, b) => a - b);
      blocks.push({ kind: 'note', role, text: role === 'user' ? spoken(text) : text, messages });
      at = end;
    }
    return blocks;
  }

  /** A message's units stand together; so do steps that follow each other. */
  private isSameBlock(first: number, last: number, next: number): boolean {
    const [one, before, after] = [this.unit(first), this.unit(last), this.unit(next)];
    if (one.role !== after.role) return false;
    const isTool = (unit: Unit): boolean => unit.kind === 'step' || unit.kind === 'detail';
    return (
      one.messages[0] === after.messages[0] ||
      after.kind === 'detail' ||
      (isTool(before) && isTool(after) && isTool(one))
    );
  }
}

function lastMessageOf(units: readonly Unit[]): number {
  return units.reduce((last, { messages }) => Math.max(last, messages.at(-1) ?? 0), 0);
}

/** Words of the human, in the midst of others. */
export function spoken(text: string): string {
  return /^(?:- |```)/.test(text) ? `User:\n${text}` : `User: ${text}`;
}

/** What was asked, short enough for a heading, and whether that is the whole sentence; '' when it cannot be told in short. */
function headingOf(sentence: string): { heading: string; isWhole: boolean } {
  const bare = sentence
    .replace(GREETING, '')
    .replace(REQUEST, '')
    .replace(/(?<![\s.。!])[\s.。!]+$/u, '');
  const text = bare.length >= SHORTEST_HEADING ? bare : sentence;
  const capital = text.charAt(0).toUpperCase() + text.slice(1);
  if (capital.length <= LONGEST_WHOLE) return { heading: capital, isWhole: true };
  const beginning = capital.slice(0, LONGEST_HEADING);
  const joins = JOINS.flatMap((kind) => phrasesIn(kind, beginning)).filter(({ end }) => beginning[end] === ' ');
  const ends = [...[...beginning.matchAll(CLAUSE)].map(({ index }) => index), ...joins.map(({ start }) => start)];
  const last = Math.max(...ends, -1);
  const cut = last >= SHORTEST_HEADING * 2 ? last : capital.lastIndexOf(' ', LONGEST_HEADING);
  const heading = capital.slice(0, cut).replace(/,?\s{1,3}$/, '');
  return { heading: cut < SHORTEST_HEADING ? '' : `${heading}…`, isWhole: false };
}

/** The lines of one block. */
class BlockLines {
  private text = '';
  private depth = 0;
  private last: { unit: Unit; index: number } | undefined;
  private fence:
    { parent: number | undefined; paragraph: number; lines: string[]; opening: string; last: number } | undefined;

  constructor(
    private readonly units: readonly Unit[],
    private readonly texts: ReadonlyMap<number, string>,
  ) {}

  write(indexes: readonly number[]): string {
    for (const index of indexes) {
      const unit = this.units[index];
      if (unit !== undefined) this.add(unit, index);
    }
    this.closeFence();
    return this.text;
  }

  private add(unit: Unit, index: number): void {
    const text = this.texts.get(index) ?? unit.text;
    if (unit.kind === 'code' || unit.kind === 'detail') this.addCode(unit, text, index);
    else {
      this.closeFence();
      this.addLine(unit, text);
    }
    this.last = { unit, index };
  }

  private addLine(unit: Unit, text: string): void {
    const before = this.last?.unit;
    if (unit.kind === 'step') {
      this.addStep(unit, text, before);
      return;
    }
    const isContinued =
      before !== undefined &&
      before.kind === unit.kind &&
      before.paragraph === unit.paragraph &&
      before.messages[0] === unit.messages[0];
    if (isContinued) this.text += `${isUnspaced(this.text, text) ? '' : ' '}${text}`;
    else if (unit.kind === 'item') {
      const depth = before?.kind === 'item' ? Math.min(unit.depth ?? 0, this.depth + 1) : 0;
      this.depth = depth;
      this.newLine(`${'  '.repeat(depth)}- ${text}`, isListed(before));
    } else this.newLine(unit.kind === 'heading' ? `**${text}**` : guarded(text), false);
  }

  private addStep(unit: Unit, text: string, before: Unit | undefined): void {
    const isShared = unit.verb !== undefined && before?.kind === 'step' && before.verb === unit.verb;
    if (isShared) this.text += `, ${text}`;
    else this.newLine(unit.verb === undefined ? `- ${text}` : `- ${unit.verb} ${text}`, isListed(before));
  }

  private addCode(unit: Unit, text: string, index: number): void {
    const { fence } = this;
    if (fence !== undefined && fence.parent === unit.parent && fence.paragraph === unit.paragraph) {
      if (fence.last + 1 !== index) fence.lines.push('…');
      fence.lines.push(text);
      fence.last = index;
      return;
    }
    this.closeFence();
    const opening = unit.kind === 'code' ? (unit.language ?? '') : '';
    this.fence = { parent: unit.parent, paragraph: unit.paragraph, lines: [text], opening, last: index };
  }

  /** A single line of code is code in a line; more of them stand between fences that nothing in them can close. */
  private closeFence(): void {
    const { fence } = this;
    if (fence === undefined) return;
    this.fence = undefined;
    const code = fence.lines.join('\n');
    const isDetail = fence.parent !== undefined;
    if (!code.includes('\n') && !code.includes('`')) {
      this.newLine(isDetail ? `  \`${code.trim()}\`` : `\`${code.trim()}\``, isDetail);
      return;
    }
    const ticks = '`'.repeat(Math.max(3, longestRun(code) + 1));
    const block = `${ticks}${fence.opening}\n${code}\n${ticks}`;
    this.newLine(isDetail ? block.replace(/^/gm, '  ') : block, true);
  }

  private newLine(line: string, isTight: boolean): void {
    if (this.text !== '') this.text += isTight ? '\n' : '\n\n';
    this.text += line;
  }
}

function isListed(unit: Unit | undefined): boolean {
  return unit?.kind === 'item' || unit?.kind === 'step' || unit?.kind === 'detail';
}

/** Words that would be taken for a heading, a quotation or a list stay words. */
function guarded(text: string): string {
  return /^(?:#{1,6}\s|>|[-+*]\s|\d{1,9}[.)]\s|```|~~~)/.test(text) ? `\\${text}` : text;
}

function isUnspaced(before: string, text: string): boolean {
  return /[\u3000-\u30ff\u3400-\u9fff\uff00-\uffef]$/.test(before) && /^[\u3000-\u30ff\u3400-\u9fff「『（]/.test(text);
}

function longestRun(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((longest, run) => Math.max(longest, run.length), 0);
}
