/** A transcript made readable, as plain data: what an editor shows, folds, outlines and links, and where each line came from. */

/** A line of the document and the transcript record that it shows. */
export interface Anchor {
  /** 0-based line of the document. The anchor holds up to the next one. */
  readonly line: number;
  /** 1-based line of the transcript file. */
  readonly recordLine: number;
}

/** Lines that can be folded under `start`; both 0-based and inclusive. */
export interface Fold {
  readonly start: number;
  readonly end: number;
  /** `details` are folded when the document opens: what a tool was given and what it answered. */
  readonly kind: 'section' | 'details';
}

/** One entry of the outline; nested as the document is. */
export interface OutlineEntry {
  readonly kind: 'turn' | 'message' | 'compaction' | 'section' | 'agent';
  readonly name: string;
  readonly detail: string;
  readonly start: number;
  readonly end: number;
  readonly children: readonly OutlineEntry[];
}

/** A place in the document that leads to a sub-agent's own transcript. */
export interface AgentLink {
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly agentId: string;
}

/** A text block of a message, and where the document shows it. */
export interface SaidBlock {
  /** 0-based line of its first words. */
  readonly line: number;
  /** The heading of its message. */
  readonly headingLine: number;
  /** For each of its lines where in `text` that line begins, in UTF-16 offsets. */
  readonly starts: readonly number[];
  /** As it was said. */
  readonly text: string;
  /** The record that holds it, and which of that record's text blocks it is. */
  readonly uuid: string;
  readonly blockIndex: number;
  readonly messageUuid: string;
  /** Part of the conversation: not left behind by a rewind, and not a sub-agent's. */
  readonly isLive: boolean;
}

export interface TranscriptDocument {
  /** Lines joined by `\n`. */
  readonly text: string;
  readonly lineCount: number;
  /** Ascending by line. */
  readonly anchors: readonly Anchor[];
  readonly folds: readonly Fold[];
  readonly outline: readonly OutlineEntry[];
  readonly agentLinks: readonly AgentLink[];
  /** What was said. Ascending by line. */
  readonly said: readonly SaidBlock[];
}

/**
 * The first characters of a line say what it is, and no word of a transcript can imitate them: what somebody said is
 * indented, what a tool was given or answered stands behind a bar, and only our own lines begin at the left edge.
 */
export const linePrefix = {
  title: '# ',
  turn: '## ',
  message: '### ',
  said: '  ',
  details: '│ ',
  toolDone: '• ',
  toolFailed: '✗ ',
  toolWaiting: '◌ ',
  note: '◦ ',
  boundary: '═══ ',
} as const;

/** The record that a line of the document shows; undefined above the first one. Logarithmic. */
export function anchorAt(document: TranscriptDocument, line: number): Anchor | undefined {
  const { anchors } = document;
  let low = 0;
  let high = anchors.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((anchors[middle]?.line ?? Infinity) <= line) low = middle + 1;
    else high = middle;
  }
  return anchors[low - 1];
}

/** The first line that shows a record, or what comes right before it; undefined when the document shows nothing so early. */
export function lineOfRecord(document: TranscriptDocument, recordLine: number): number | undefined {
  let best: Anchor | undefined;
  for (const anchor of document.anchors) {
    if (anchor.recordLine > recordLine) continue;
    if (best === undefined || anchor.recordLine > best.recordLine) best = anchor;
  }
  return best?.line;
}

const HEADING = /^#{1,3} /;

/** The words of the message that a line belongs to, as they were said: no indentation, no tool steps. */
export function messageTextAt(lines: readonly string[], line: number): string {
  let start = line;
  while (start > 0 && !HEADING.test(lines[start] ?? '')) start -= 1;
  const words: string[] = [];
  for (let index = start + 1; index < lines.length; index += 1) {
    const text = lines[index] ?? '';
    if (HEADING.test(text) || text.startsWith(linePrefix.boundary)) break;
    if (text === '' || text.startsWith(linePrefix.said)) words.push(text.slice(linePrefix.said.length));
  }
  return words
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}
