import { placedLines } from '../../text/cleanText';
import type { AgentLink, Anchor, Fold, OutlineEntry, SaidBlock, TranscriptDocument } from './transcriptDocument';
import { linePrefix } from './transcriptDocument';

interface OpenSection {
  entry: { kind: OutlineEntry['kind']; name: string; detail: string; start: number; children: OutlineEntry[] };
  level: number;
}

interface NewEntry {
  kind: OutlineEntry['kind'];
  name: string;
  detail?: string;
}

/** Writes a transcript document from top to bottom; sections close by themselves when one of the same or a higher level opens. */
export class DocumentWriter {
  private readonly lines: string[] = [];
  private readonly anchors: Anchor[] = [];
  private readonly folds: Fold[] = [];
  private readonly outline: OutlineEntry[] = [];
  private readonly agentLinks: AgentLink[] = [];
  private readonly saidBlocks: SaidBlock[] = [];
  private readonly open: OpenSection[] = [];
  private lastHeading = -1;

  /** Lines written so far, which is also the number of the next line. */
  get lineCount(): number {
    return this.lines.length;
  }

  /** A line of our own. With `recordLine`, it shows that record of the transcript. */
  line(text: string, recordLine?: number): void {
    if (recordLine !== undefined) this.anchor(recordLine);
    this.lines.push(text);
  }

  /** One blank line, never two, and none between a heading and what it heads. */
  gap(): void {
    if (this.lines.length - 1 !== this.lastHeading) this.blank();
  }

  private blank(): void {
    if (this.lines.length > 0 && this.lines.at(-1) !== '') this.lines.push('');
  }

  /** Opens a section with its heading, which shows `recordLine`; level 1 holds the sections of level 2, and so on. */
  section(level: number, heading: string, entry: NewEntry, recordLine?: number): void {
    this.blank();
    this.closeDownTo(level);
    this.open.push({ level, entry: { detail: '', ...entry, start: this.lines.length, children: [] } });
    this.lastHeading = this.lines.length;
    if (recordLine !== undefined) this.anchor(recordLine);
    this.lines.push(heading);
  }

  /** What somebody said, in the message whose heading was written last. */
  said(block: Omit<SaidBlock, 'line' | 'headingLine' | 'starts'>, recordLine: number): void {
    const lines = placedLines(block.text);
    if (lines.length === 0) return;
    this.anchor(recordLine);
    const starts = lines.map(({ start }) => start);
    this.saidBlocks.push({ ...block, line: this.lines.length, headingLine: this.lastHeading, starts });
    for (const { text } of lines) this.lines.push(text === '' ? '' : linePrefix.said + text);
  }

  /** Details under the line written last, folded together with it. */
  details(lines: readonly string[]): void {
    if (lines.length === 0) return;
    const start = this.lines.length - 1;
    for (const line of lines) this.lines.push(line === '' ? linePrefix.details.trimEnd() : linePrefix.details + line);
    this.folds.push({ start, end: this.lines.length - 1, kind: 'details' });
  }

  /** Makes the end of the line written last a link to a sub-agent's transcript. */
  linkToAgent(text: string, agentId: string): void {
    const line = this.lines.length - 1;
    const before = this.lines[line] ?? '';
    this.lines[line] = before + text;
    this.agentLinks.push({ line, start: before.length, end: before.length + text.length, agentId });
  }

  /** The next line shows this record. */
  private anchor(recordLine: number): void {
    const last = this.anchors.at(-1);
    if (last?.recordLine === recordLine) return;
    if (last?.line === this.lines.length) this.anchors.pop();
    this.anchors.push({ line: this.lines.length, recordLine });
  }

  /** The document; the writer is not to be used afterwards. */
  finish(): TranscriptDocument {
    this.closeDownTo(0);
    return {
      text: `${this.lines.join('\n')}\n`,
      lineCount: this.lines.length,
      anchors: this.anchors,
      folds: this.folds,
      outline: this.outline,
      agentLinks: this.agentLinks,
      said: this.saidBlocks,
    };
  }

  private closeDownTo(level: number): void {
    for (let last = this.open.at(-1); last !== undefined && last.level >= level; last = this.open.at(-1)) {
      this.open.pop();
      const end = this.lastWrittenLine();
      const entry: OutlineEntry = { ...last.entry, end };
      (this.open.at(-1)?.entry.children ?? this.outline).push(entry);
      if (end > entry.start) this.folds.push({ start: entry.start, end, kind: 'section' });
    }
  }

  /** The gap before the next heading belongs to no section. */
  private lastWrittenLine(): number {
    const last = this.lines.length - 1;
    return this.lines[last] === '' ? last - 1 : last;
  }
}
