import { sumOf, countUp } from '../../text/ownValue';
import type { ModelFacts } from '../../model/models';
import type { Segment, SummaryRequest } from '../types';
import type { SourceMessage, SourceTool } from '../../material/types';

/** A run of messages that is to become text of a given size. */
interface ChunkPart {
  readonly from: number;
  readonly to: number;
  readonly targetTokens: number;
}

/** What one call is given: turns that belong together, as large as the model and its prices allow. */
export interface Chunk {
  readonly parts: readonly ChunkPart[];
  readonly text: string;
  /** Of `text`, in o200k_base. */
  readonly tokens: number;
  readonly targetTokens: number;
}

/** Larger prompts fit into the windows of some models, but summaries get worse and nothing gets cheaper. */
const LARGEST_CHUNK_TOKENS = 150_000;

/** Room in a window for what is not transcript: instructions, sizes, thinking. */
const RESERVED_TOKENS = 24_000;

/** A window too small for even one piece of a message cannot be used. */
const SMALLEST_CHUNK_TOKENS = 4_000;

/** How much transcript one call may hold, in o200k_base; undefined when the model's window is too small to be of use. */
export function chunkTokens(facts: ModelFacts): number | undefined {
  const room = facts.contextTokens > 4 * RESERVED_TOKENS ? RESERVED_TOKENS : facts.contextTokens / 4;
  const window = facts.contextTokens - room;
  const cheap = (facts.longPrompt?.overTokens ?? Infinity) - room / 4;
  const tokens = Math.floor(Math.min(window, cheap) / facts.tokenFactor);
  return tokens < SMALLEST_CHUNK_TOKENS ? undefined : Math.min(tokens, LARGEST_CHUNK_TOKENS);
}

interface Piece {
  readonly message: number;
  readonly segment: number;
  readonly isTurnStart: boolean;
  readonly text: string;
  readonly tokens: number;
}

/** Cuts a request into chunks of at most `maxTokens`, between turns where that leaves no chunk nearly empty. */
export async function chunksOf(request: SummaryRequest, maxTokens: number, signal?: AbortSignal): Promise<Chunk[]> {
  const pieces = await piecesOf(request, signal);
  const totals = new Map<number, number>();
  for (const { segment, tokens } of pieces) countUp(totals, segment, tokens);
  return runsOf(pieces, maxTokens).map((run) => chunkOf(run, request.segments, totals));
}

/** Counting and taking out secrets take some milliseconds for this many characters. */
const CHARACTERS_PER_SLICE = 30_000;

async function piecesOf({ messages, segments, counter }: SummaryRequest, signal?: AbortSignal): Promise<Piece[]> {
  const pieces: Piece[] = [];
  let characters = 0;
  for (const message of messages) {
    const segment = segments.findIndex(({ from, to }) => message.index >= from && message.index <= to);
    if (segment < 0) continue;
    for (const [index, text] of messagePieces(message).entries()) {
      const isTurnStart = index === 0 && startsTurn(message);
      pieces.push({ message: message.index, segment, isTurnStart, text, tokens: counter.count(text) + 1 });
      characters += text.length;
      if (characters < CHARACTERS_PER_SLICE) continue;
      characters = 0;
      signal?.throwIfAborted();
    }
  }
  return pieces;
}

function startsTurn({ role, origin }: SourceMessage): boolean {
  return role === 'user' && origin !== 'queued';
}

function runsOf(pieces: readonly Piece[], maxTokens: number): Piece[][] {
  const runs: Piece[][] = [];
  let start = 0;
  while (start < pieces.length) {
    const end = endOfRun(pieces, start, maxTokens);
    runs.push(pieces.slice(start, end));
    start = end;
  }
  return runs;
}

function endOfRun(pieces: readonly Piece[], start: number, maxTokens: number): number {
  let tokens = 0;
  let lastTurn = start;
  for (let index = start; index < pieces.length; index += 1) {
    const piece = pieces[index];
    if (piece === undefined) break;
    if (index > start && piece.isTurnStart && tokens >= maxTokens / 2) lastTurn = index;
    if (index > start && tokens + piece.tokens > maxTokens) return lastTurn > start ? lastTurn : index;
    tokens += piece.tokens;
  }
  return pieces.length;
}

function chunkOf(run: readonly Piece[], segments: readonly Segment[], totals: ReadonlyMap<number, number>): Chunk {
  const parts: ChunkPart[] = [];
  for (const segment of new Set(run.map((piece) => piece.segment))) {
    const own = run.filter((piece) => piece.segment === segment);
    const tokens = sumOf(own, (piece) => piece.tokens);
    const share = tokens / (totals.get(segment) ?? tokens);
    const targetTokens = Math.max(1, Math.round((segments[segment]?.targetTokens ?? 0) * share));
    parts.push({ from: own[0]?.message ?? 0, to: own.at(-1)?.message ?? 0, targetTokens });
  }
  return {
    parts,
    text: run.map(({ text }) => text).join('\n\n'),
    tokens: sumOf(run, ({ tokens }) => tokens),
    targetTokens: sumOf(parts, (part) => part.targetTokens),
  };
}

/** Longer texts are cut into pieces of this many characters at most, at the end of a line where there is one. */
const PIECE_CHARACTERS = 24_000;

/**
 * A message as a model reads it, in pieces that each stand for themselves: a session can be cut between any two of them. Secrets
 * and private passages are out of it already, as of everything that a summarizer is given.
 */
function messagePieces(message: SourceMessage): string[] {
  const parts: string[] = [];
  const toolsAfter = (texts: number) => message.tools.filter(({ afterText }) => afterText === texts).map(toolText);
  parts.push(...toolsAfter(0));
  for (const [index, { text }] of message.texts.entries()) parts.push(text, ...toolsAfter(index + 1));
  const label = `[${message.index}] ${message.role === 'user' ? 'HUMAN' : 'ASSISTANT'}`;
  const pieces = packed(parts.flatMap((part) => sliced(part.trim())));
  return pieces.map((piece, index) => `${label}${index === 0 ? '' : ' (continued)'}\n${piece}`);
}

function toolText({ name, target, input, result, isError }: SourceTool): string {
  const asked = Object.keys(input).length === 0 ? '' : ` ${JSON.stringify(input)}`;
  const answer = result === '' ? '' : `\n${isError ? 'failed:' : 'printed:'} ${result}`;
  return `{tool ${name}${target === '' ? '' : `: ${target}`}}${asked}${answer}`;
}

function sliced(text: string): string[] {
  const slices: string[] = [];
  let rest = text;
  while (rest.length > PIECE_CHARACTERS) {
    const line = rest.lastIndexOf('\n', PIECE_CHARACTERS);
    const end = wholeCharacters(rest, line > PIECE_CHARACTERS / 2 ? line : PIECE_CHARACTERS);
    slices.push(rest.slice(0, end));
    rest = rest.slice(end);
  }
  if (rest.trim() !== '') slices.push(rest);
  return slices;
}

/** Not between the two halves of a character. */
function wholeCharacters(text: string, end: number): number {
  const unit = text.charCodeAt(end - 1);
  return unit >= 0xd800 && unit <= 0xdbff ? end - 1 : end;
}

function packed(parts: readonly string[]): string[] {
  const pieces: string[] = [];
  for (const part of parts) {
    const last = pieces.at(-1);
    if (last !== undefined && last.length + part.length <= PIECE_CHARACTERS)
      pieces[pieces.length - 1] = `${last}\n${part}`;
    else pieces.push(part);
  }
  return pieces;
}
