import type { TextRange } from '../text/secrets/privateText';
interface OpenTag {
  readonly tag: string;
  readonly attributes: string;
}

/** What stands between an opening and a closing tag. */
export interface HarnessBlock extends OpenTag {
  readonly body: string;
}

interface PlacedBlock extends HarnessBlock {
  readonly at: number;
  /** Where its body begins, and where all of it ends, tails included. */
  readonly from: number;
  readonly end: number;
}

type IsMeant = (tag: OpenTag) => boolean;

const HARNESS_TAGS: ReadonlySet<string> = new Set(
  `
  system-reminder local-command-caveat local-command-stdout local-command-stderr command-name command-message command-args
  command-contents skill-format bash-input bash-stdout bash-stderr bash-exit-code task-notification teammate-message agent-message
  cross-session-message coordinator-relay fork-boilerplate remote-review remote-review-progress slack-ping slack-tag-message
  fetched-web-content mcp-resource-update mcp-polling-update post-tool-use-hook new-diagnostics user-prompt-submit-hook
  persisted-output
  `
    .trim()
    .split(/\s+/),
);

/** Typed with `#`: the tag is the harness's, the words in it are the human's. */
const MEMORY_TAG = 'user-memory-input';

/** What a model thought, where it leaked into words. */
export const THINKING_TAG = 'thinking';

const OPEN_TAG = /<([a-z][a-z0-9_-]*)(\s[^<>\n]{0,2000})?>/y;
/** With the spaces that a model reads over. */
const TAG_START = /<(?=\s{0,4}\/?\s{0,4}([a-z][a-z0-9_-]*))/gi;
/** What stands behind a notification's tag and belongs to it. */
const NOTIFICATION_TAIL =
  /(?:\s{0,200}(?:Read the output file to retrieve the result|Full transcript available at): [^\n]*)+/y;
const FENCE = /^[ \t]*(?:```|~~~)/gm;
const BLANK_LINE = /\n[ \t]*\r?\n/g;

/** A `<channel>` with a source is a message from there; one without is somebody's XML. */
export function isHarness({ tag, attributes }: OpenTag): boolean {
  if (tag === 'channel') return /^\s+source=/.test(attributes);
  return HARNESS_TAGS.has(tag) || tag.startsWith('ide_') || tag === MEMORY_TAG || tag === THINKING_TAG;
}

/**
 * A text in which no tag can be taken for one of the harness: for whatever is handed to a model, as `‹system-reminder>`. It stays as long
 * as it was: what fits still fits, and a place in it is the same place.
 */
export function withoutHarnessTags(text: string): string {
  return text.replace(TAG_START, (sign, tag: string) =>
    isHarness({ tag: tag.toLowerCase(), attributes: ' source=' }) ? '‹' : sign,
  );
}

/**
 * Cuts blocks out of a text. Only closed blocks count, and only where the harness would put them: beginning or ending a line, or running
 * over lines. Somebody who writes about `<system-reminder>x</system-reminder>` in the middle of a sentence, in backticks or in a code
 * fence, keeps every word.
 */
export function splitBlocks(text: string, isMeant: IsMeant): { pieces: TextRange[]; blocks: HarnessBlock[] } {
  const blocks: HarnessBlock[] = [];
  const pieces: TextRange[] = [];
  const fences = new FenceTracker(text);
  let kept = 0;
  const isCut = (block: PlacedBlock, next: NextFinder): boolean =>
    !fences.isFenced(block.at) && isStandalone(text, block, { kept, next });
  for (const block of blocksIn(text, isMeant, isCut)) {
    pieces.push({ start: kept, end: block.at });
    if (block.tag === MEMORY_TAG) pieces.push({ start: block.from, end: block.from + block.body.length });
    else blocks.push(block);
    kept = block.end;
  }
  pieces.push({ start: kept, end: text.length });
  return { pieces, blocks };
}

/**
 * Where blocks of the harness stand in the middle of a text: they belong to somebody's words, which show them. None reaches over a blank
 * line, and none depends on what stands beyond one: a paragraph shows the same wherever it is put.
 */
function harnessRanges(text: string): TextRange[] {
  const isShown = ({ tag, from, body }: PlacedBlock, next: NextFinder): boolean => {
    const blank = next.find(BLANK_LINE, from);
    return tag !== MEMORY_TAG && (blank < 0 || blank >= from + body.length);
  };
  return [...blocksIn(text, isHarness, isShown)].map(({ at: start, end }) => ({ start, end }));
}

/** The closed blocks in a text that are taken, without overlaps; never those behind a backtick. Linear. */
function* blocksIn(
  text: string,
  isMeant: IsMeant,
  isTaken: (block: PlacedBlock, next: NextFinder) => boolean,
): Generator<PlacedBlock> {
  if (!text.includes('</')) return;
  const next = new NextFinder(text);
  for (let at = text.indexOf('<'); at >= 0;) {
    const block = blockAt(text, at, { isMeant, next });
    const isFound = block !== undefined && text[at - 1] !== '`' && isTaken(block, next);
    if (isFound) yield block;
    at = text.indexOf('<', isFound ? block.end : at + 1);
  }
}

function blockAt(
  text: string,
  at: number,
  { isMeant, next }: { isMeant: IsMeant; next: NextFinder },
): PlacedBlock | undefined {
  OPEN_TAG.lastIndex = at;
  const open = OPEN_TAG.exec(text);
  if (open === null) return undefined;
  const [all, tag = '', attributes = ''] = open;
  if (!isMeant({ tag, attributes })) return undefined;
  const from = at + all.length;
  const close = next.find(`</${tag}>`, from);
  if (close < 0) return undefined;
  const end = close + tag.length + 3;
  const whole = tag === 'task-notification' ? tailEnd(text, end) : end;
  return { tag, attributes, body: text.slice(from, close), at, from, end: whole };
}

function tailEnd(text: string, from: number): number {
  NOTIFICATION_TAIL.lastIndex = from;
  return NOTIFICATION_TAIL.test(text) ? NOTIFICATION_TAIL.lastIndex : from;
}

function isStandalone(
  text: string,
  { at, from, end, body }: PlacedBlock,
  { kept, next }: { kept: number; next: NextFinder },
): boolean {
  const isLineStart =
    /(?:^|\n)[ \t]*$/.test(text.slice(Math.max(kept, at - 80), at)) || text.slice(kept, at).trim() === '';
  const isLineEnd = /^[ \t]*(?:\r?\n|$)/.test(text.slice(end, end + 80));
  const newline = next.find('\n', from);
  return isLineStart || isLineEnd || (newline >= 0 && newline < from + body.length);
}

/** Finds what comes next from places that only grow: each part of a text is searched once, however often it is asked for. */
class NextFinder {
  private readonly known = new Map<string | RegExp, number>();

  constructor(private readonly text: string) {}

  /** The first place at or after `from`, or -1. */
  find(wanted: string | RegExp, from: number): number {
    const known = this.known.get(wanted);
    if (known !== undefined && (known < 0 || known >= from)) return known;
    const found = typeof wanted === 'string' ? this.text.indexOf(wanted, from) : this.match(wanted, from);
    this.known.set(wanted, found);
    return found;
  }

  private match(wanted: RegExp, from: number): number {
    wanted.lastIndex = from;
    return wanted.exec(this.text)?.index ?? -1;
  }
}

/** Whether a position is inside a code fence; positions must be asked in rising order. */
class FenceTracker {
  private readonly marks: number[];
  private next = 0;

  constructor(text: string) {
    this.marks =
      text.includes('```') || text.includes('~~~') ? [...text.matchAll(FENCE)].map((match) => match.index) : [];
  }

  isFenced(at: number): boolean {
    while (this.next < this.marks.length && (this.marks[this.next] ?? at) < at) this.next++;
    return this.next % 2 === 1 && this.next < this.marks.length;
  }
}

/** A line that quotes somebody, as mail and Markdown do; also in an item of a list. */
const QUOTED_LINE = /^(?:[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t])*[ \t]*>/;
const MAX_LINE_HEAD = 256;

/** Whether a line quotes somebody. */
export function isQuotedLine(line: string): boolean {
  return QUOTED_LINE.test(line.slice(0, MAX_LINE_HEAD));
}

/**
 * What a text shows of others without saying it: quoted lines, and what the harness put into the middle. It is a part of what somebody
 * said, but no rule and no marker in it is theirs. In rising order of their starts; linear.
 */
export function shownRanges(text: string): TextRange[] {
  return [...quotedLines(text), ...harnessRanges(text)].sort((a, b) => a.start - b.start);
}

/** The text without what it shows of others: of a line, what stands around it is left. */
export function withoutShown(text: string): string {
  const ranges = shownRanges(text);
  if (ranges.length === 0) return text;
  let own = '';
  let position = 0;
  for (const { start, end } of ranges) {
    own += text.slice(position, Math.max(position, start));
    position = Math.max(position, end);
  }
  return own + text.slice(position);
}

function quotedLines(text: string): TextRange[] {
  const lines: TextRange[] = [];
  if (!text.includes('>')) return lines;
  for (let start = 0; start < text.length;) {
    const newline = text.indexOf('\n', start);
    const end = newline < 0 ? text.length : newline;
    if (isQuotedLine(text.slice(start, Math.min(end, start + MAX_LINE_HEAD)))) lines.push({ start, end });
    start = end + 1;
  }
  return lines;
}
