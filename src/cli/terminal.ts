import { randomBytes } from 'node:crypto';
import { cleanLines, visibleControls, oneLine } from '../core/text/cleanText';
import type { OnProgress, Progress } from '../core/sessions/results';
import { sumOf } from '../core/text/ownValue';

/** What a piece of text means; colour only repeats what its words say already. */
type Tone = 'plain' | 'strong' | 'quiet' | 'good' | 'warning' | 'bad' | 'accent';

const ESCAPE = '\u001b[';

const codes: Record<Exclude<Tone, 'plain'>, readonly [open: number, close: number]> = {
  strong: [1, 22],
  quiet: [2, 22],
  good: [32, 39],
  warning: [33, 39],
  bad: [31, 39],
  accent: [36, 39],
};

/** Paints text, or leaves it as it is where colours are not wanted. */
export class Style {
  readonly isColored: boolean;

  constructor(isColored: boolean) {
    this.isColored = isColored;
  }

  paint(tone: Tone, text: string): string {
    if (!this.isColored || tone === 'plain' || text === '') return text;
    const [open, close] = codes[tone];
    return `${ownSequence(`${ESCAPE}${open}m`)}${text}${ownSequence(`${ESCAPE}${close}m`)}`;
  }
}

const signs: ReadonlyMap<string, Tone> = new Map([
  ['+', 'good'],
  ['-', 'bad'],
  ['@', 'accent'],
]);

/** Lines of a diff, painted by their signs. */
export function changedText(lines: readonly string[], style: Pick<Style, 'paint'>): string[] {
  return lines.flatMap((line) =>
    cleanLines(line).map((clean) => style.paint(signs.get(line.charAt(0)) ?? 'quiet', clean)),
  );
}

/**
 * Whether a stream gets colours. `FORCE_COLOR` and `NO_COLOR` are asked in this order, as Node itself does; without
 * them, a terminal that is not `dumb` does.
 */
export function wantsColor(isTty: boolean, env: Readonly<Record<string, string | undefined>>): boolean {
  const forced = env.FORCE_COLOR;
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  if (env.NO_COLOR !== undefined && env.NO_COLOR !== '') return false;
  return isTty && env.TERM !== 'dumb';
}

/*
 * What is printed holds words of transcripts and files, and those may hold anything: sequences that move the cursor, set the
 * title, or turn the direction of writing. So nothing that controls a terminal leaves this program but what it has marked as
 * its own, with a key that no text can know.
 */

const KEY = randomBytes(8).toString('hex');
const [OPEN, CLOSE] = ['\ue000', '\ue001'];
const OWN = new RegExp(`${OPEN}${KEY}:([0-9a-f]*)${CLOSE}`, 'g');

/** A control sequence of our own, as text: the one writer makes it real. */
export function ownSequence(sequence: string): string {
  return `${OPEN}${KEY}:${Buffer.from(sequence, 'latin1').toString('hex')}${CLOSE}`;
}

/** A text as it leaves for a stream. A terminal gets no control character but ours; a file or a pipe gets every character as it is. */
export function terminalText(text: string, isTty: boolean): string {
  const shown = isTty ? visibleControls(text) : text;
  return shown.replace(OWN, (_mark, hex: string) => Buffer.from(hex, 'hex').toString('latin1'));
}

/** The one writer of everything that is printed. */
export function guarded(stream: CliStream): CliStream {
  const { isTty, columns } = stream;
  return { isTty, columns, write: (text) => stream.write(terminalText(text, isTty)) };
}

/** Made when it is first needed: that takes milliseconds, and most texts are plain. */
let segmenter: Intl.Segmenter | undefined;

function graphemesOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  return segmenter.segment(text);
}

/** East Asian wide and full-width characters, by block: two columns in every terminal. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]/u;

/** An emoji that is drawn as a picture by itself, or is made one by U+FE0F. */
const PICTURE = /\p{Emoji_Presentation}|\p{Extended_Pictographic}\ufe0f/u;

const INVISIBLE = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}]+$/u;

function graphemeWidth(grapheme: string): number {
  if (INVISIBLE.test(grapheme)) return 0;
  return WIDE.test(grapheme) || PICTURE.test(grapheme) ? 2 : 1;
}

/** Columns that a text without escape sequences takes in a terminal. */
export function textWidth(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemesOf(text)) width += graphemeWidth(segment);
  return width;
}

/** The text itself when it fits, else its beginning with an ellipsis; never half a character. */
export function truncate(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  let width = 0;
  let kept = '';
  for (const { segment } of graphemesOf(text)) {
    width += graphemeWidth(segment);
    if (width > columns - 1) break;
    kept += segment;
  }
  return columns <= 0 ? '' : `${kept.trimEnd()}…`;
}

/** Filled with blanks to a number of columns. */
export function pad(text: string, columns: number, align: 'left' | 'right'): string {
  const blanks = ' '.repeat(Math.max(0, columns - textWidth(text)));
  return align === 'left' ? text + blanks : blanks + text;
}

/** Words in lines of at most `columns`; a word that is longer stands alone. */
export function wrap(text: string, columns: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && textWidth(line) + 1 + textWidth(word) > columns) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  lines.push(line);
  return lines;
}

/** A cell's words, and what they mean. */
export interface Cell {
  text: string;
  tone?: Tone;
}

interface TableOptions {
  style: Style;
  /** Columns of the terminal; Infinity where there is none, so that nothing is cut in a pipe. */
  width: number;
  indent?: number;
}

const GAP = '  ';
const FLEXIBLE_MIN = 12;

/** A number with what it counts: it stands to the right. */
const FIGURE = /^(?:now|[~$]?\d[\d.,/]*(?::1)?(?: ?(?:[%A-Z]|[A-Z]B|[kMG]|mo|min|[ydhs])){0,2}(?: ago)?)$/;
const GIVES_WAY = '…';

function columnWidths(titles: readonly string[], rows: readonly (readonly Cell[])[], available: number): number[] {
  const widths = titles.map((title, i) =>
    Math.max(textWidth(titleOf(title)), ...rows.map((row) => textWidth(row[i]?.text ?? ''))),
  );
  const total = sumOf(widths, (width) => width) + GAP.length * (titles.length - 1);
  const marked = titles.findIndex((title) => title.endsWith(GIVES_WAY));
  const flexible = marked === -1 ? widths.indexOf(Math.max(...widths)) : marked;
  const widest = widths[flexible] ?? 0;
  if (total > available) widths[flexible] = Math.max(Math.min(FLEXIBLE_MIN, widest), widest - (total - available));
  return widths;
}

function titleOf(title: string): string {
  return title.endsWith(GIVES_WAY) ? title.slice(0, -1) : title;
}

/**
 * An aligned table with a quiet heading, figures to the right. Columns without any text in them, the heading aside, are left out. In a
 * narrow terminal the column whose title ends with an ellipsis is cut, else the widest. Lines have no trailing blanks, and no frame: a
 * table is to be read, and to be cut by `awk`.
 */
export function renderTable(
  titles: readonly string[],
  rows: readonly (readonly Cell[])[],
  options: TableOptions,
): string[] {
  const used = titles.map((_, i) => rows.some((row) => (row[i]?.text ?? '') !== ''));
  const shown = titles.filter((_, i) => used[i]);
  const cells = rows.map((row) => row.filter((_, i) => used[i]));
  const indent = ' '.repeat(options.indent ?? 0);
  const widths = columnWidths(shown, cells, options.width - indent.length);
  const isFigure = ({ text, tone }: Cell): boolean => text === '' || (tone !== 'accent' && FIGURE.test(text));
  const isRight = shown.map((_, i) => cells.every((row) => isFigure(row[i] ?? { text: '' })));
  const line = (row: readonly Cell[]) => {
    const texts = shown.map((_, i) => {
      const { text, tone = 'plain' } = row[i] ?? { text: '' };
      const width = widths[i] ?? 0;
      const isLast = i === shown.length - 1 && isRight[i] !== true;
      const cut = truncate(text, width);
      const painted = options.style.paint(tone, cut);
      return pad(cut, isLast ? 0 : width, isRight[i] === true ? 'right' : 'left').replace(cut, () => painted);
    });
    return `${indent}${texts.join(GAP)}`.trimEnd();
  };
  return [line(shown.map((title) => ({ text: titleOf(title), tone: 'quiet' }))), ...cells.map(line)];
}

/** `label  value` lines with the labels aligned; entries without a value are left out. */
export function renderFields(
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

const INTERVAL_MS = 80;
const BAR_WIDTH = 20;
const LABEL_LENGTH = 80;
const CLEAR_LINE = ownSequence('\r\u001b[K');

const words: Record<Progress['step'], string> = {
  discover: 'Reading sessions',
  register: 'Adding to memory',
  sync: 'Syncing',
  count: 'Counting tokens',
  unregister: 'Removing',
  keepits: 'Reading keepits',
  compress: 'Compressing',
  compose: 'Composing',
  layer: 'Building layers',
  search: 'Searching',
  export: 'Exporting',
  import: 'Verifying',
  read: 'Having sessions read',
};

/** One line at the bottom of a terminal that tells how far the work is. Says nothing where there is no terminal. */
export class ProgressLine {
  private readonly stream: { isTty: boolean; columns: number; write(text: string): void };
  private readonly nowMs: () => number;
  private lastDrawnMs = -Infinity;
  private isShown = false;

  constructor(stream: { isTty: boolean; columns: number; write(text: string): void }, nowMs: () => number) {
    this.stream = stream;
    this.nowMs = nowMs;
  }

  readonly onProgress: OnProgress = (progress) => {
    if (!this.stream.isTty || this.nowMs() - this.lastDrawnMs < INTERVAL_MS) return;
    this.lastDrawnMs = this.nowMs();
    this.isShown = true;
    this.stream.write(CLEAR_LINE + truncate(progressText(progress), this.stream.columns - 1));
  };

  /** Takes the line away, so that other text can be written. */
  clear(): void {
    if (!this.isShown) return;
    this.isShown = false;
    this.stream.write(CLEAR_LINE);
  }
}

function progressText({ step, done, total, label }: Progress): string {
  const share = total > 0 ? Math.min(1, done / total) : 0;
  const filled = Math.round(share * BAR_WIDTH);
  const bar = '█'.repeat(filled) + '░'.repeat(BAR_WIDTH - filled);
  const percent = `${String(Math.floor(share * 100)).padStart(3)} %`;
  return `${words[step]} ${bar} ${percent}${label === undefined || label === '' ? '' : `  ${oneLine(label, LABEL_LENGTH)}`}`;
}

/** A stream of the process. */
export interface CliStream {
  readonly isTty: boolean;
  /** Columns of the terminal. */
  readonly columns: number;
  /** Resolves when the text has left the process. Rejects with {@link BrokenPipeError} when nobody reads any more. */
  write(text: string): Promise<void>;
}

/** The reader of our output has gone (`| head`): nothing is wrong, and there is nobody to tell. */
export class BrokenPipeError extends Error {
  constructor(options?: { cause?: unknown }) {
    super('nobody reads the output any more', options);
    this.name = 'BrokenPipeError';
  }
}
