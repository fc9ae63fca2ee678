/**
 * Makes words of a transcript safe to stand in a document: one array entry per line, nothing in a line that an editor
 * would take for a line end, hide, or stumble over. The words themselves are never changed.
 */

/** All that some editor or terminal takes for a line end. VS Code asks the user about U+2028 and U+2029. */
const LINE_END = /\r\n|[\n\r\u0085\u2028\u2029]/;

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

function pushBroken(lines: string[], line: string): void {
  let start = 0;
  while (line.length - start > MAX_LINE_LENGTH) {
    let end = start + MAX_LINE_LENGTH;
    const last = line.charCodeAt(end - 1);
    if (last >= 0xd800 && last <= 0xdbff) end -= 1; // not between the halves of a pair
    lines.push(line.slice(start, end));
    start = end;
  }
  lines.push(line.slice(start));
}

/** The lines of a text, without blank ones at its beginning and end. Linear; never empty strings only. */
export function cleanLines(text: string): string[] {
  const lines: string[] = [];
  for (const line of text.split(LINE_END)) {
    const clean = cleanLine(line).trimEnd();
    if (clean === '' && lines.length === 0) continue;
    if (clean.length > MAX_LINE_LENGTH) pushBroken(lines, clean);
    else lines.push(clean);
  }
  while (lines.at(-1) === '') lines.pop();
  return lines;
}

/** A text in one line of at most `maxLength` characters, for titles and labels. */
export function oneLine(text: string, maxLength: number): string {
  // Only what can be shown is looked at: the text may have megabytes.
  const flat = cleanLine(text.slice(0, maxLength * 4).replace(/\s+/g, ' ')).trim();
  if (flat.length <= maxLength) return flat;
  const cut = flat.slice(0, maxLength - 1);
  return `${/[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut}…`;
}

/** Text as Markdown shows it literally, for tooltips: titles are written by people and models, not by us. */
export function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_{}[\]()#+\-.!|<>&~$]/g, '\\$&');
}
