import { sumOf } from '../text/ownValue';
import type { SourceMessage, SourceTool } from '../material/types';
import { clip } from './local/draft';
import { spoken } from './local/noteWriter';
import { withoutMarkers } from './keepitBlock';
import {
  type Segment,
  type Summary,
  type SummaryBlock,
  type SummaryRequest,
  BLOCK_SEPARATOR,
  blockText,
} from './types';

/** A tool call and its answer, readable, and not to be taken for words of anybody. */
export function toolMarkdown({
  name,
  input,
  result,
  isError,
}: Pick<SourceTool, 'name' | 'input' | 'result' | 'isError'>): string {
  const given = Object.entries(input).map(
    ([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  const call = fenced([name, ...given].join('\n'), 'tool');
  return result === '' ? call : `${call}\n\n${fenced(result, isError ? 'error' : 'result')}`;
}

function fenced(text: string, language: string): string {
  const runs = [...text.matchAll(/~{3,}/g)].map(({ 0: run }) => run.length);
  const fence = '~'.repeat(Math.max(3, ...runs.map((length) => length + 1)));
  return `${fence}${language}\n${text}\n${fence}`;
}

/** A text or a tool call of a message, as it is. */
interface OriginalPiece {
  readonly block: SummaryBlock;
  /** With what stands between it and the next one. */
  readonly tokens: number;
  /** How many texts and tool calls of its message come before it. */
  readonly texts: number;
  readonly tools: number;
  /** What the summary is expected to say of all that comes before it. */
  readonly saidBefore: number;
}

/** How a segment is made as large as was asked. */
export interface FillParts {
  /** With one segment. */
  readonly request: SummaryRequest;
  readonly summarize: (request: SummaryRequest) => Promise<Summary>;
  /** Some of the request's messages with all that their tools were given and answered. */
  readonly whole: (from: number, to: number) => Promise<readonly SourceMessage[]>;
}

/** A version is as large as was asked when no more than this is missing. */
const ENOUGH = 0.98;
const MOST_ROUNDS = 4;
/** Fewer words than these are left out. */
const LEAST_TOKENS = 12;
const MESSAGES_PER_READ = 20;

/**
 * A summary of one segment that is as large as was asked. Where all that there is to tell is less, the newest messages stay as they are, as
 * many as it takes: a larger version says what a smaller one says, and more.
 */
export async function filledWithOriginal(parts: FillParts): Promise<Summary> {
  const { request, summarize } = parts;
  const all = await summarize(request);
  const [segment] = request.segments;
  if (segment === undefined || tokensOf(all.blocks, request) >= ENOUGH * segment.targetTokens) return all;
  const tail = new OriginalTail(parts, segment, all);
  let best: { readonly told: Summary; readonly blocks: readonly SummaryBlock[] } | undefined;
  let told = all;
  for (let round = 0; round < MOST_ROUNDS && (await tail.fit(tokensOf(told.blocks, request))); round++) {
    told = await summarize(tail.requestBefore());
    const blocks = tail.blocksAfter(tokensOf(told.blocks, request));
    if (blocks !== undefined) best = { told, blocks };
  }
  return best === undefined ? all : { ...best.told, blocks: [...best.told.blocks, ...best.blocks] };
}

function tokensOf(blocks: readonly SummaryBlock[], { counter }: SummaryRequest): number {
  return sumOf(blocks, (block) => counter.count(blockText(block) + BLOCK_SEPARATOR));
}

/** The newest pieces of a segment, which stay as they are. */
class OriginalTail {
  /** The newest first, as far as they were read; the first `count` of them stay. */
  private readonly pieces: OriginalPiece[] = [];
  private count = 0;
  private tokens = 0;
  private unread: number;
  private readonly said: number[];

  constructor(
    private readonly parts: FillParts,
    private readonly segment: Segment,
    all: Summary,
  ) {
    this.unread = segment.to + 1;
    this.said = saidBefore(all.blocks, parts.request, segment);
  }

  /** Takes in what there is room for beside a summary of what comes before, which takes `told` tokens now; false when that is as it was. */
  async fit(told: number): Promise<boolean> {
    const start = this.count;
    // The summary says more or less than was expected of it: it will say so much more or less of another beginning, too.
    const error = told - this.expected();
    this.count = 0;
    this.tokens = 0;
    for (let next = await this.next(); next !== undefined; next = await this.next()) {
      const tokens = this.tokens + next.tokens;
      if (tokens + Math.max(0, next.saidBefore + error) > this.segment.targetTokens) break;
      this.tokens = tokens;
      this.count++;
    }
    return this.count !== start;
  }

  /** What is to be summarized: all that comes before, in the knowledge of what follows. Nothing of it is left out for want of room. */
  requestBefore(): SummaryRequest {
    const { request } = this.parts;
    const { segment } = this;
    const first = this.pieces[this.count - 1];
    const at = first?.block.messages[0] ?? segment.to;
    const messages = request.messages.flatMap((message) => {
      if (first === undefined || message.index !== at) return [message];
      return [
        { ...message, texts: message.texts.slice(0, first.texts), tools: message.tools.slice(0, first.tools) },
        { ...message, texts: message.texts.slice(first.texts), tools: message.tools.slice(first.tools), index: at + 1 },
      ];
    });
    const before = { ...segment, to: at };
    return { ...request, messages, segments: [before, { ...segment, from: at + 1, targetTokens: 0 }] };
  }

  /** The pieces that stay, behind so much of the one before them as there is room for; undefined where there is none for them. */
  blocksAfter(told: number): SummaryBlock[] | undefined {
    const { counter } = this.parts.request;
    const room = this.segment.targetTokens - this.tokens - told;
    if (room < 0) return undefined;
    const blocks = this.pieces.slice(0, this.count).map(({ block }) => block);
    const next = this.pieces[this.count];
    const text = next === undefined || room < LEAST_TOKENS ? '' : clip(next.block.text, room - 2, counter);
    return [...blocks, ...(next === undefined || text === '' ? [] : [{ ...next.block, text }])].reverse();
  }

  private expected(): number {
    return this.pieces[this.count - 1]?.saidBefore ?? this.said.at(-1) ?? 0;
  }

  private async next(): Promise<OriginalPiece | undefined> {
    while (this.count === this.pieces.length && this.unread > this.segment.from) {
      const from = Math.max(this.segment.from, this.unread - MESSAGES_PER_READ);
      const messages = await this.parts.whole(from, this.unread);
      this.unread = from;
      for (const message of messages.toReversed()) this.pieces.push(...this.piecesOf(message).reverse());
    }
    return this.pieces[this.count];
  }

  private piecesOf(message: SourceMessage): OriginalPiece[] {
    const { counter } = this.parts.request;
    const parts = partsOf(message);
    const blocks = parts.map((part) => blockOf(part, message));
    const sizes = blocks.map(({ text }) => counter.count(text + BLOCK_SEPARATOR));
    const all = sumOf(sizes, (size) => size);
    const at = message.index - this.segment.from;
    const [before = 0, after = before] = [this.said[at], this.said[at + 1]];
    let sum = 0;
    let texts = 0;
    return blocks.flatMap((block, index) => {
      const tokens = sizes[index] ?? 0;
      const saidBefore = before + ((after - before) * sum) / Math.max(1, all);
      const piece = { block, tokens, saidBefore, texts, tools: index - texts };
      sum += tokens;
      if ('text' in (parts[index] ?? {})) texts++;
      return block.text === '' ? [] : [piece];
    });
  }
}

/** What a summary says of all messages before each, and of all. */
function saidBefore(blocks: readonly SummaryBlock[], request: SummaryRequest, { from, to }: Segment): number[] {
  const said = Array.from({ length: to - from + 1 }, () => 0);
  for (const block of blocks) {
    const share = tokensOf([block], request) / Math.max(1, block.messages.length);
    for (const message of block.messages) said[message - from] = (said[message - from] ?? 0) + share;
  }
  let sum = 0;
  return [0, ...said.map((tokens) => (sum += tokens))];
}

type MessagePart = { readonly text: string } | { readonly tool: SourceTool };

/** Texts and tool calls, in their order. */
function partsOf({ texts, tools }: SourceMessage): MessagePart[] {
  const toolsAt = (is: (afterText: number) => boolean): MessagePart[] =>
    tools.filter(({ afterText }) => is(afterText)).map((tool) => ({ tool }));
  const spokenParts = texts.flatMap(({ text }, at) => [...toolsAt((after) => after === at), { text }]);
  return [...spokenParts, ...toolsAt((after) => after >= texts.length)];
}

function blockOf(part: MessagePart, { role, index }: SourceMessage): SummaryBlock {
  const said = 'tool' in part ? toolMarkdown(part.tool) : part.text.trim();
  const isSpoken = 'text' in part && role === 'user' && said !== '';
  return { kind: 'note', role, text: withoutMarkers(isSpoken ? spoken(said) : said), messages: [index] };
}
