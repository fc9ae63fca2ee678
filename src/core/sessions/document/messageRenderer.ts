import { textPlaces } from '../../keepits/collectKeepits';
import type { ByteRange, Message, MessageOrigin, OpaqueBlock, ToolResult, ToolStep } from '../../transcript/types';
import { oneLine } from '../../text/cleanText';
import type { DocumentWriter } from './documentWriter';
import { formatBytes, formatDuration, joinParts, timeOf, type Formats } from '../../text/formats';
import {
  rangesOfTool,
  thinkingLines,
  toolDetails,
  type DetailLimits,
  type ExcerptReader,
} from '../../material/toolDetails';
import { linePrefix } from './transcriptDocument';

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
    const timeMs = timeOf(message.timestamp);
    const time = timeMs === undefined ? '' : this.options.formats.time(timeMs);
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
  const startMs = timeOf(timestamp);
  const endMs = timeOf(result.timestamp);
  const tookMs = startMs === undefined || endMs === undefined ? 0 : endMs - startMs;
  return [
    result.isError ? 'failed' : '',
    formatBytes(result.bytes),
    tookMs >= SLOW_TOOL_MS ? formatDuration(tookMs) : '',
    result.images > 1 ? `${result.images} images` : result.images === 1 ? 'image' : '',
  ];
}
