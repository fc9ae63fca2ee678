import { formatBytes, formatDuration, joinParts, type Formats, elapsedMs } from '../../text/formats';
import {
  rangesOfTool,
  thinkingLines,
  toolDetails,
  type DetailLimits,
  type ExcerptReader,
} from '../../material/toolDetails';
import type { ByteRange, Message, MessageOrigin, OpaqueBlock, ToolResult, ToolStep } from '../../transcript/types';
import { textPlaces } from '../../keepits/collectKeepits';
import { oneLine, placedLines } from '../../text/cleanText';
import {
  linePrefix,
  type AgentLink,
  type Anchor,
  type Fold,
  type OutlineEntry,
  type SaidBlock,
  type TranscriptDocument,
} from './transcriptDocument';

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

interface MessageOptions {
  readonly formats: Formats;
  readonly details: DetailLimits | undefined;
}

/** How a message begins. */
interface Opening {
  /** The turn's heading is the message's own, so it needs none. */
  readonly isTurnOpener: boolean;
  /** What the one who asks is called. */
  readonly asker: string;
  /** Part of the session's conversation. */
  readonly isLive: boolean;
}

const ORIGINS: Partial<Record<MessageOrigin, string>> = { queued: ', meanwhile', answer: ', in answer' };

const NAME_LENGTH = 80;

const TARGET_LENGTH = 160;

const SLOW_TOOL_MS = 1000;

/** Writes messages with their tool steps. The details of a turn are read in one go before its messages are written. */
export class MessageRenderer {
  private excerpts = new Map<ByteRange, string>();

  constructor(
    private readonly writer: DocumentWriter,
    private readonly options: MessageOptions,
    private readonly reader: ExcerptReader,
  ) {}

  /** Reads what {@link write} will show of these messages' tools and thoughts. */
  async prepare(messages: readonly Message[], signal?: AbortSignal): Promise<void> {
    this.excerpts = new Map();
    if (this.options.details === undefined) return;
    const ranges = messages.flatMap((message) => [
      ...message.blocks.flatMap((block) => (block.kind === 'thinking' ? [block.range] : [])),
      ...message.tools.flatMap(rangesOfTool),
    ]);
    if (ranges.length === 0) return;
    const texts = await this.reader.read(ranges, this.options.details.bytes, signal);
    this.excerpts = new Map(ranges.map((range, index) => [range, texts[index] ?? '']));
  }

  write(message: Message, { isTurnOpener, asker, isLive }: Opening): void {
    if (!isTurnOpener) this.heading(message, asker);
    const tools = [...message.tools].sort((a, b) => a.afterBlock - b.afterBlock);
    let next = 0;
    const toolsUpTo = (block: number): void => {
      if ((tools[next]?.afterBlock ?? Infinity) <= block) this.writer.gap();
      for (let step = tools[next]; step !== undefined && step.afterBlock <= block; step = tools[next]) {
        this.tool(step);
        next += 1;
      }
    };
    const blockIndexes = new Map([...textPlaces([message])].map((place) => [place.block, place.blockIndex]));
    for (const [index, block] of message.blocks.entries()) {
      toolsUpTo(index);
      this.writer.gap();
      if (block.kind !== 'text') this.opaque(block);
      else {
        const blockIndex = blockIndexes.get(block) ?? 0;
        const { text, uuid, line } = block;
        this.writer.said({ text, uuid, blockIndex, messageUuid: message.uuid, isLive }, line);
      }
    }
    toolsUpTo(Infinity);
  }

  private heading(message: Message, asker: string): void {
    const time = this.options.formats.time(message.timestamp);
    const who = message.role === 'assistant' ? 'Claude' : `${asker}${ORIGINS[message.origin] ?? ''}`;
    const words = oneLine(message.text, NAME_LENGTH);
    const tools = message.tools.map((step) => step.name).join(', ');
    const name = words !== '' ? words : tools !== '' ? oneLine(tools, NAME_LENGTH) : who;
    const entry = { kind: 'message', name, detail: joinParts([who, time]) } as const;
    this.writer.section(3, linePrefix.message + joinParts([who, time]), entry, message.line);
  }

  private tool(step: ToolStep): void {
    const target = step.target === '' ? '' : `  ${oneLine(step.target, TARGET_LENGTH)}`;
    const line = joinParts([`${oneLine(step.name, NAME_LENGTH)}${target}`, ...outcomeOf(step)]);
    this.writer.line(markOf(step.result) + line, step.line);
    const agentId = step.result?.agentId;
    if (agentId !== undefined) this.writer.linkToAgent(` → sub-agent ${oneLine(agentId, NAME_LENGTH)}`, agentId);
    const { details } = this.options;
    if (details === undefined) return;
    const texts = rangesOfTool(step).map((range) => this.excerpts.get(range) ?? '');
    this.writer.details(toolDetails(step, texts, details));
  }

  private opaque(block: OpaqueBlock): void {
    const size = formatBytes(block.range.length);
    if (block.kind !== 'thinking') {
      const name = block.kind === 'other' ? 'Something that is no text' : block.kind === 'image' ? 'Image' : 'Document';
      this.writer.line(`${linePrefix.note}${name} · ${size}`, block.line);
      return;
    }
    const { details } = this.options;
    if (details === undefined) return;
    const lines = thinkingLines(block, this.excerpts.get(block.range) ?? '', details);
    if (lines.length === 0) return; // only a signature is left of it
    this.writer.line(`${linePrefix.note}Thinking · ${size}`, block.line);
    this.writer.details(lines);
  }
}

function markOf(result: ToolResult | undefined): string {
  if (result === undefined) return linePrefix.toolWaiting;
  return result.isError ? linePrefix.toolFailed : linePrefix.toolDone;
}

/** How a tool step ended, in words: colours and marks are not for everybody. */
function outcomeOf({ result, timestamp }: ToolStep): string[] {
  if (result === undefined) return ['no result yet'];
  const tookMs = elapsedMs(timestamp, result.timestamp);
  return [
    result.isError ? 'failed' : '',
    formatBytes(result.bytes),
    tookMs >= SLOW_TOOL_MS ? formatDuration(tookMs) : '',
    result.images > 1 ? `${result.images} images` : result.images === 1 ? 'image' : '',
  ];
}
