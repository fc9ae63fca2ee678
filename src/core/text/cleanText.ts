/**
 * Makes words of a transcript safe to stand in a document: one array entry per line, nothing in a line that an editor
 * would take for a line end, hide, or stumble over. The words themselves are never changed.
 */

/** All that some editor or terminal takes for a line end. VS Code asks the user about U+2028 and U+2029. */
const LINE_END = /\r\n|[\n\r\u0085\u2028\u2029]/g;

const ESCAPE = String.fromCharCode(0x1b);
const BELL = String.fromCharCode(0x07);

/** Escape sequences of terminals: colours, cursor movements, titles. They are no words. */
const ANSI_SEQUENCE = new RegExp(
  `${ESCAPE}(?:\\[[0-?]*[ -/]*[@-~]|\\][^${BELL}${ESCAPE}]*(?:${BELL}|${ESCAPE}\\\\)?|[@-Z\\\\^_-])`,
  'g',
);

const CONTROL = /(?!\t)\p{Cc}/gu;

/** An editor stops drawing lines beyond 10,000 characters; longer ones go on in the next line. */
const MAX_LINE_LENGTH = 8000;

/** NUL is shown as ␀, escape as ␛: visible, and one character wide. */
function pictureOf(control: string): string {
  const code = control.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? '\u2421' : '\ufffd';
}

function cleanLine(line: string): string {
  return line.replace(ANSI_SEQUENCE, '').replace(CONTROL, pictureOf);
}

/**
 * What is not seen and makes text look like another one: directions of writing, fillers, characters without width, tags. Joiners
 * stay, which emoji and several scripts are written with.
 */
const FORGING =
  /[\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]|\udb40[\udc00-\udc7f]/g;

/** A text of several lines with everything visible that controls a terminal or forges text; lines and tabs stay. */
export function visibleControls(text: string): string {
  return text
    .replace(/\r\n/g, '\n')
    .replace(/(?![\n\t])\p{Cc}/gu, pictureOf)
    .replace(FORGING, '\ufffd');
}

function escapedUnits(text: string): string {
  return text.replace(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** JSON with the same characters written as escapes, so that it says what it said. */
export function escapedControls(json: string): string {
  return json.replace(/(?!\n)\p{Cc}/gu, escapedUnits).replace(FORGING, escapedUnits);
}

/** A line as it is shown, and where in its text it begins. */
interface PlacedLine {
  readonly text: string;
  /** UTF-16 offset. */
  readonly start: number;
}

function pushBroken(lines: PlacedLine[], line: string, source: { text: string; start: number }): void {
  let from = 0;
  let { start } = source;
  while (line.length - from > MAX_LINE_LENGTH) {
    let to = from + MAX_LINE_LENGTH;
    const last = line.charCodeAt(to - 1);
    if (last >= 0xd800 && last <= 0xdbff) to -= 1; // not between the halves of a pair
    lines.push({ text: line.slice(from, to), start });
    start = sourceOffset(source.text, start, to - from);
    from = to;
  }
  lines.push({ text: line.slice(from), start });
}

/** As {@link cleanLines}, with the place of each line. */
export function placedLines(text: string): PlacedLine[] {
  const lines: PlacedLine[] = [];
  let start = 0;
  for (const { index, length } of lineEnds(text)) {
    const line = cleanLine(text.slice(start, index)).trimEnd();
    if (line.length > MAX_LINE_LENGTH) pushBroken(lines, line, { text, start });
    else if (line !== '' || lines.length > 0) lines.push({ text: line, start });
    start = index + length;
  }
  while (lines.at(-1)?.text === '') lines.pop();
  return lines;
}

function* lineEnds(text: string): Generator<{ index: number; length: number }> {
  for (const { index, 0: end } of text.matchAll(LINE_END)) yield { index, length: end.length };
  yield { index: text.length, length: 0 };
}

/** The lines of a text, without blank ones at its beginning and end. Linear; never empty strings only. */
export function cleanLines(text: string): string[] {
  return placedLines(text).map((line) => line.text);
}

/** The offset in `text` of the character that is shown `column` characters behind the one at `start`, in the same line. */
export function sourceOffset(text: string, start: number, column: number): number {
  if (!text.slice(start, start + column).includes(ESCAPE)) return start + column;
  let at = start;
  for (let left = column; left > 0 && at < text.length;) {
    const hidden = sequenceLength(text, at);
    at += hidden === 0 ? 1 : hidden;
    if (hidden === 0) left -= 1;
  }
  return at;
}

/** How many characters behind the one at `start` the character at `offset` is shown: the reverse of {@link sourceOffset}. */
export function shownColumn(text: string, start: number, offset: number): number {
  if (!text.slice(start, offset).includes(ESCAPE)) return offset - start;
  let column = 0;
  for (let at = start; at < offset;) {
    const hidden = sequenceLength(text, at);
    at += hidden === 0 ? 1 : hidden;
    if (hidden === 0) column += 1;
  }
  return column;
}

const LONGEST_SEQUENCE = 4096;

/** The length of the escape sequence that begins here, within its line; 0 where none does. */
function sequenceLength(text: string, at: number): number {
  if (text[at] !== ESCAPE) return 0;
  const next = text.indexOf(ESCAPE, at + 1);
  // The next one may end it, and is the last that could belong to it.
  const end = Math.min(at + LONGEST_SEQUENCE, next === -1 ? text.length : next + 2);
  const line = text.slice(at, end).split(LINE_END, 1)[0] ?? '';
  ANSI_SEQUENCE.lastIndex = 0;
  const match = ANSI_SEQUENCE.exec(line);
  return match?.index === 0 ? match[0].length : 0;
}

/** A text in one line of at most `maxLength` characters, for titles and labels. */
export function oneLine(text: string, maxLength: number): string {
  // Only what can be shown is looked at: the text may have megabytes.
  const flat = cleanLine(text.slice(0, maxLength * 4).replace(/\s+/g, ' '))
    .replace(FORGING, '\ufffd')
    .trim();
  if (flat.length <= maxLength) return flat;
  const cut = flat.slice(0, maxLength - 1);
  return `${/[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut}…`;
}

/** Text as Markdown shows it literally, for tooltips: titles are written by people and models, not by us. */
export function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_{}[\]()#+\-.!|<>&~$]/g, '\\$&');
}

/** A text in one line: all white space becomes single spaces, with none at the ends. */
export function singleSpaced(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
