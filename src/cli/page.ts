import { ownValue } from '../core/text/ownValue';
import { Formats, formatAge, timeOf } from '../core/text/formats';
import { renderFields, renderTable, type Style } from './terminal';

/** Lines for people; what is false or undefined is left out, so that a line can be given under a condition. */
export type Lines = string | false | undefined | readonly Lines[];

export function linesOf(lines: Lines): string[] {
  if (lines === undefined || lines === false) return [];
  return typeof lines === 'string' ? [lines] : lines.flatMap((one) => linesOf(one));
}

type Words = string | number | false | undefined;

/** What stands in a cell: words or a whole number, and what they mean. */
export type Content = Words | readonly [Tone, Words];

/** What a piece of text means; colour only repeats what its words say already. */
export type Tone = Parameters<Style['paint']>[0];

interface PageOptions {
  readonly style: Style;
  /** Columns; Infinity where there is no terminal. */
  readonly width: number;
  readonly formats: Formats;
  readonly nowMs: number;
}

/** What text for people is written on. Its functions can be taken apart: they know where they belong. */
export class Page {
  readonly style: Style;
  readonly width: number;
  readonly formats: Formats;
  readonly nowMs: number;
  readonly strong = this.painter('strong');
  readonly quiet = this.painter('quiet');
  readonly good = this.painter('good');
  readonly warning = this.painter('warning');
  readonly bad = this.painter('bad');
  readonly accent = this.painter('accent');

  constructor({ style, width, formats, nowMs }: PageOptions) {
    this.style = style;
    this.width = width;
    this.formats = formats;
    this.nowMs = nowMs;
  }

  /** How long ago; empty where nobody knows. */
  readonly age = (time: string | number | undefined): string => {
    const timeMs = typeof time === 'number' ? time : timeOf(time);
    return timeMs === undefined ? '' : formatAge(timeMs, this.nowMs);
  };

  readonly plural = (count: number, singular: string, plural?: string): string =>
    this.formats.plural(count, singular, plural);

  readonly exact = (count: number): string => this.formats.exact(count);

  /** A table with a row for each; the titles are those of the cells. One that ends with an ellipsis gives way first in a narrow terminal. */
  readonly table = <T>(
    rows: readonly T[],
    cells: (row: T) => Readonly<Record<string, Content>>,
    indent = 0,
  ): string[] => {
    const records = rows.map(cells);
    const titles = Object.keys(records[0] ?? {});
    const texts = records.map((record) => titles.map((title) => this.cell(ownValue(record, title))));
    return titles.length === 0 ? [] : renderTable(titles, texts, { style: this.style, width: this.width, indent });
  };

  /** `label  value` lines; a list takes a line for each of its values. */
  readonly fields = (facts: Readonly<Record<string, Words | readonly string[]>>, indent = 0): string[] => {
    const given = Object.entries(facts).flatMap(([label, value]) =>
      (typeof value === 'object' ? value : [this.words(value)]).map((text, index): [string, string] => [
        index === 0 ? label : '',
        text,
      ]),
    );
    return renderFields(given, { style: this.style, indent });
  };

  /** Any document: its words and figures as fields, its lists as tables. */
  readonly document = (document: object): Lines => {
    const entries = Object.entries(document).filter(([, value]) => value !== undefined && value !== null);
    const isPlain = ([, value]: [string, unknown]): boolean => typeof value !== 'object';
    const text = ([name, value]: [string, unknown]): [string, Words] => [labelOf(name), shown(value)];
    const lists = entries
      .filter((entry) => !isPlain(entry))
      .flatMap(([name, value]: [string, unknown]) => {
        const items: readonly unknown[] = Array.isArray(value) ? value : [value];
        const objects = items.filter((item) => typeof item === 'object' && item !== null);
        const lines: Lines =
          objects.length < items.length
            ? items.map((item) => `  ${String(shown(item))}`)
            : this.table(objects, (item) => Object.fromEntries(Object.entries(item).map(text)), 2);
        return items.length === 0 ? [] : [this.strong(labelOf(name)), lines];
      });
    return [this.fields(Object.fromEntries(entries.filter(isPlain).map(text))), lists];
  };

  private painter(tone: Tone): (text: string) => string {
    return (text) => this.style.paint(tone, text);
  }

  private cell(content: Content): { text: string; tone: Tone } {
    const [tone, words] = typeof content === 'object' ? content : (['plain', content] as const);
    return { text: this.words(words), tone };
  }

  private words(words: Words): string {
    return typeof words === 'number' ? this.exact(words) : words || '';
  }
}

/** `createdAt`: `Created at`. */
function labelOf(name: string): string {
  const words = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function shown(value: unknown): Words {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'string' || typeof value === 'number' ? value : JSON.stringify(value);
}
