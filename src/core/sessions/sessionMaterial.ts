import { type FoundKeepits, findKeepits } from '../keepits/effectiveKeepits';
import { textPlaces } from '../keepits/collectKeepits';
import type { ExcerptReader, OpenExcerpts } from '../material/toolDetails';
import { type TokenCounter, ExactEstimator } from '../text/tokens/tokenCounter';
import { IMAGE_TOKENS } from '../transcript/toolReader';
import type { ByteRange, Conversation, Message, ToolStep } from '../transcript/types';
import { generosityFor, piecesOfTool, sourceTool, type ToolPieces } from '../material/toolExcerpts';
import type { SourceMessage, SourceTool } from '../material/types';
import type { ClaudeFolder } from '../transcript/claudeFolder';
import { readConversation } from './readConversation';
import type { LiveMessages } from './sessionParts';
import { sumOf } from '../text/ownValue';

/** A session as it is compressed: what was said, and excerpts of what its tools did. Held in memory, so bounded by what was said. */
export interface SessionMaterial {
  readonly messages: readonly SourceMessage[];
  /** Messages, `to` not included, with all that their tools were given and answered; read again, and not kept. */
  readonly whole: (from: number, to: number, signal?: AbortSignal) => Promise<SourceMessage[]>;
  /** The keepits of the transcript, and what is needed to place those that were added. */
  readonly found: FoundKeepits;
  /** The message that holds each record, by the record's uuid. */
  readonly messageOf: ReadonlyMap<string, number>;
  readonly live: LiveMessages;
  /** Whether the last message may still grow, if the session is in use. */
  readonly isLastOpen: boolean;
  readonly title: string;
  /** Somebody named it; else its title is how it begins. */
  readonly isNamed: boolean;
  /** Bytes of the transcript that were read. */
  readonly bytes: number;
}

export interface MaterialReaderParts {
  readonly claude: ClaudeFolder;
  /** Reads pieces of one transcript; whoever opens it closes it. */
  readonly openExcerpts: OpenExcerpts;
}

/** Pieces are read for so many messages at once: what is read and not kept is never much. */
const MESSAGES_PER_READ = 50;
/** No piece of an excerpt is longer. */
const MAX_PIECE_BYTES = 2 * 1024 * 1024;
/** So generous that nothing which is no longer than a piece may be is cut. */
const WHOLE = 100_000;

/** Reads what compressing works on. */
export class MaterialReader {
  constructor(private readonly parts: MaterialReaderParts) {}

  /** All live messages of a transcript, counted exactly. Throws `TranscriptUnreadableError`. */
  async read(path: string, counter: TokenCounter, signal?: AbortSignal): Promise<SessionMaterial> {
    const conversation = await readConversation(
      this.parts.claude,
      path,
      { estimator: new ExactEstimator(counter) },
      signal,
    );
    const { messages: said } = conversation;
    const messages = await this.sources(path, said, { generosity: generosityFor(stepsOf(said)), signal });
    return materialOf(conversation, messages, async (from, to, abort) =>
      this.sources(path, said.slice(from, to), { generosity: WHOLE, signal: abort }),
    );
  }

  private async sources(
    path: string,
    said: readonly Message[],
    { generosity, signal }: { readonly generosity: number; readonly signal: AbortSignal | undefined },
  ): Promise<SourceMessage[]> {
    const excerpts = this.parts.openExcerpts(path);
    try {
      return await sourcesOf(said, { excerpts, generosity }, signal);
    } finally {
      await excerpts.close();
    }
  }
}

function stepsOf(messages: readonly Message[]): number {
  return sumOf(messages, ({ tools }) => tools.length);
}

interface Excerpts {
  readonly excerpts: ExcerptReader;
  readonly generosity: number;
}

/** Messages with the pieces of their tools that are worth reading again. */
export async function sourcesOf(
  said: readonly Message[],
  excerpts: Excerpts,
  signal?: AbortSignal,
): Promise<SourceMessage[]> {
  const messages: SourceMessage[] = [];
  for (let from = 0; from < said.length; from += MESSAGES_PER_READ)
    messages.push(...(await sourceMessages(said.slice(from, from + MESSAGES_PER_READ), excerpts, signal)));
  return messages;
}

async function sourceMessages(
  messages: readonly Message[],
  { excerpts, generosity }: Excerpts,
  signal?: AbortSignal,
): Promise<SourceMessage[]> {
  const pieces = new Map<ToolStep, ToolPieces>();
  for (const { tools } of messages) for (const step of tools) pieces.set(step, piecesOfTool(step, generosity));
  const ranges = [...pieces.values()].flatMap(({ input, head, tail }) => [input, head, ...(tail ? [tail] : [])]);
  const texts = ranges.length === 0 ? [] : await excerpts.read(ranges, MAX_PIECE_BYTES, signal);
  const textOf = new Map<ByteRange, string>(ranges.map((range, index) => [range, texts[index] ?? '']));
  const read = (range: ByteRange | undefined): string => (range === undefined ? '' : (textOf.get(range) ?? ''));
  return messages.map((message) =>
    sourceMessage(message, (step, afterText) => {
      const { input, head, tail } = pieces.get(step) ?? piecesOfTool(step, generosity);
      return sourceTool(step, { input: read(input), head: read(head), tail: read(tail) }, { afterText, generosity });
    }),
  );
}

function sourceMessage(message: Message, toolOf: (step: ToolStep, afterText: number) => SourceTool): SourceMessage {
  const { index, uuid, role, origin, timestamp, blocks, tokens, resultTokens } = message;
  const textsBefore = (block: number): number => blocks.slice(0, block).filter(({ kind }) => kind === 'text').length;
  const shown = blocks.filter(({ kind }) => kind === 'image').length;
  const pictures = message.tools.reduce((sum, { result }) => sum + (result?.images ?? 0), shown);
  return {
    index,
    uuid,
    role,
    origin,
    ...(pictures > 0 && { pictureTokens: pictures * IMAGE_TOKENS }),
    timestamp,
    texts: [...textPlaces([message])].map(({ block, blockIndex }) => ({
      recordUuid: block.uuid,
      blockIndex,
      text: block.text,
    })),
    tools: message.tools.map((step) => toolOf(step, textsBefore(step.afterBlock))),
    tokens: tokens + resultTokens,
  };
}

/** Where parts end in a conversation, and whether its last message may still grow. */
export function liveMessages(conversation: Conversation): Pick<SessionMaterial, 'messageOf' | 'live' | 'isLastOpen'> {
  const messageOf = new Map<string, number>();
  for (const message of conversation.messages) {
    for (const uuid of recordsOf(message)) messageOf.set(uuid, message.index);
  }
  const last = conversation.messages.at(-1);
  const forks = forksOf(conversation);
  return {
    messageOf,
    live: { count: conversation.messages.length, seenUpTo: (uuid) => seenUpTo(uuid, messageOf, forks) },
    isLastOpen: last !== undefined && last.role === 'assistant' && last.stopReason !== 'end_turn',
  };
}

function materialOf(
  conversation: Conversation,
  messages: readonly SourceMessage[],
  whole: SessionMaterial['whole'],
): SessionMaterial {
  const { custom, ai, summary, firstWords } = conversation.titles;
  return {
    messages,
    whole,
    found: findKeepits(conversation),
    ...liveMessages(conversation),
    title: custom ?? ai ?? summary ?? firstWords ?? '',
    isNamed: (custom ?? ai ?? summary) !== undefined,
    bytes: conversation.end.offset,
  };
}

function recordsOf({ lineUuids, tools }: Message): string[] {
  return [...lineUuids, ...tools.flatMap(({ uuid, result }) => (result === undefined ? [uuid] : [uuid, result.uuid]))];
}

/** For every message that a rewind has left behind, the record after which the ways part. */
function forksOf({ abandoned }: Conversation): Map<string, string> {
  const forks = new Map<string, string>();
  for (const { forkUuid, messages } of abandoned) {
    for (const message of messages) for (const uuid of recordsOf(message)) forks.set(uuid, forkUuid ?? '');
  }
  return forks;
}

/** Branches may grow out of branches: follows them down to the live conversation. */
function seenUpTo(
  uuid: string,
  messageOf: ReadonlyMap<string, number>,
  forks: ReadonlyMap<string, string>,
): number | undefined {
  let at: string | undefined = uuid;
  for (let steps = 0; at !== undefined && steps <= forks.size; steps++) {
    const live = messageOf.get(at);
    if (live !== undefined) return live;
    at = forks.get(at);
    if (at === '') return -1;
  }
  return undefined;
}
