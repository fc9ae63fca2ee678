import type { Style, Tone } from './style';
import { pad, textWidth, truncate } from './textWidth';

export interface Column {
  title: string;
  align?: 'left' | 'right';
  /** Gives way when the terminal is narrow: its cells are cut, all others stay whole. */
  isFlexible?: boolean;
}

/** A cell's words, and what they mean. */
export interface Cell {
  text: string;
  tone?: Tone;
}

export interface TableOptions {
  style: Style;
  /** Columns of the terminal; Infinity where there is none, so that nothing is cut in a pipe. */
  width: number;
  indent?: number;
}

const GAP = '  ';
const FLEXIBLE_MIN = 12;

function columnWidths(columns: readonly Column[], rows: readonly (readonly Cell[])[], available: number): number[] {
  const widths = columns.map((column, i) =>
    Math.max(textWidth(column.title), ...rows.map((row) => textWidth(row[i]?.text ?? ''))),
  );
  const total = widths.reduce((sum, width) => sum + width, 0) + GAP.length * (columns.length - 1);
  const flexible = columns.findIndex((column) => column.isFlexible);
  const widest = widths[flexible];
  if (widest !== undefined && total > available) {
    widths[flexible] = Math.max(Math.min(FLEXIBLE_MIN, widest), widest - (total - available));
  }
  return widths;
}

/**
 * An aligned table with a quiet heading. Columns without any text in them, the heading aside, are left out. Lines have
 * no trailing blanks, and no frame: a table is to be read, and to be cut by `awk`.
 */
export function renderTable(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  options: TableOptions,
): string[] {
  const used = columns.map((_, i) => rows.some((row) => (row[i]?.text ?? '') !== ''));
  const shown = columns.filter((_, i) => used[i]);
  const cells = rows.map((row) => row.filter((_, i) => used[i]));
  const indent = ' '.repeat(options.indent ?? 0);
  const widths = columnWidths(shown, cells, options.width - indent.length);
  const line = (row: readonly Cell[]) => {
    const texts = shown.map((column, i) => {
      const { text, tone = 'plain' } = row[i] ?? { text: '' };
      const width = widths[i] ?? 0;
      const isLast = i === shown.length - 1 && column.align !== 'right';
      const cut = truncate(text, width);
      return padPainted(options.style.paint(tone, cut), cut, isLast ? 0 : width, column.align ?? 'left');
    });
    return `${indent}${texts.join(GAP)}`.trimEnd();
  };
  return [line(shown.map(({ title }) => ({ text: title, tone: 'quiet' }))), ...cells.map(line)];
}

/** Padding is measured on the plain text: escape sequences take no columns. */
function padPainted(painted: string, plain: string, width: number, align: 'left' | 'right'): string {
  return pad(plain, width, align).replace(plain, () => painted);
}

/** `label  value` lines with the labels aligned; entries without a value are left out. */
export function renderFacts(
  facts: readonly (readonly [label: string, value: string | undefined])[],
  options: { style: Style; indent?: number },
): string[] {
  const given = facts.filter((fact): fact is readonly [string, string] => fact[1] !== undefined && fact[1] !== '');
  const width = Math.max(0, ...given.map(([label]) => textWidth(label)));
  const indent = ' '.repeat(options.indent ?? 0);
  return given.map(
    ([label, value]) => `${indent}${options.style.paint('quiet', pad(label, width, 'left'))}${GAP}${value}`,
  );
}
