import { parsedJson } from '../text/ownValue';
import * as z from 'zod/mini';
import type { ClaudeFolder } from '../transcript/claudeFolder';
import { readConversation } from '../sessions/readConversation';
import { MaterialReader, type MaterialReaderParts } from '../sessions/sessionMaterial';
import { type TokenCounter, countsNothing } from '../text/tokens/tokenCounter';
import { placeKey } from '../model/keepit';
import { textPlaces, withoutMarkersAt } from '../keepits/collectKeepits';
import { referenceOf, type FidelityReference } from '../versions/fidelity';
import type { ByteRange, CopiedMarkers, Message, MessageBlock, ToolStep } from '../transcript/types';
import type { MemoryStore } from '../model/host';
import { passagesOf, type BarePassage } from '../versions/passages';
import { readVersion, wholeBlocks } from '../versions/storedBlocks';
import type { ContextBlock, Piece, SourceSession } from './types';
import { cleanPiece, type CleanPiece } from './contextSection';

const inputSchema = z.record(z.string(), z.unknown());
const resultSchema = z.union([
  z.string(),
  z.array(z.union([z.string(), z.looseObject({ type: z.optional(z.string()), text: z.optional(z.string()) })])),
]);

interface OriginalMessage {
  readonly path: string;
  readonly message: Message;
  readonly words: ReadonlyMap<MessageBlock, string>;
}

/** The blocks of a transcript, in its order. Throws `TranscriptUnreadableError`. */
async function readOriginal(parts: PieceReaderParts, path: string, signal?: AbortSignal): Promise<ContextBlock[]> {
  const conversation = await readConversation(parts.claude, path, {}, signal);
  const blocks: ContextBlock[] = [];
  for (const message of conversation.messages) {
    const words = wordsOf(message, conversation.copiedMarkers);
    blocks.push(...(await blocksOfMessage(parts, { path, message, words }, signal)));
  }
  return blocks;
}

async function blocksOfMessage(
  parts: PieceReaderParts,
  { path, message, words }: OriginalMessage,
  signal?: AbortSignal,
): Promise<ContextBlock[]> {
  const { role, uuid } = message;
  const blocks: ContextBlock[] = [];
  let step = 0;
  const addSteps = async (before: number): Promise<void> => {
    for (
      let tool = message.tools[step];
      tool !== undefined && tool.afterBlock <= before;
      tool = message.tools[++step]
    ) {
      blocks.push(await toolBlock(parts, { path, source: uuid }, tool, signal));
    }
  };
  for (const [at, block] of message.blocks.entries()) {
    await addSteps(at);
    const text = words.get(block) ?? '';
    if (text.trim() !== '') blocks.push({ kind: 'said', role, text, sources: [uuid] });
  }
  await addSteps(Infinity);
  return blocks;
}

async function toolBlock(
  parts: PieceReaderParts,
  { path, source }: { readonly path: string; readonly source: string },
  step: ToolStep,
  signal?: AbortSignal,
): Promise<ContextBlock> {
  const input = inputSchema.safeParse(await jsonAt(parts, path, step.input, signal));
  const result = step.result === undefined ? undefined : await jsonAt(parts, path, step.result.range, signal);
  return {
    kind: 'tool',
    role: 'assistant',
    text: '',
    sources: [source],
    tool: {
      name: step.name,
      input: input.success ? input.data : {},
      // A call that was never answered has to be paired all the same.
      result: step.result === undefined ? '[no result]' : resultText(result),
      isError: step.result?.isError ?? false,
    },
  };
}

/** A JSON value of the file; undefined when it is not there any more as it was. */
async function jsonAt(
  parts: PieceReaderParts,
  path: string,
  { offset, length }: ByteRange,
  signal?: AbortSignal,
): Promise<unknown> {
  const bytes = new Uint8Array(length);
  let filled = 0;
  for await (const chunk of parts.claude.read(path, { start: offset, end: offset + length }, signal)) {
    bytes.set(chunk.subarray(0, length - filled), filled);
    filled += chunk.length;
  }
  // Undefined where it was rewritten since it was looked through: the step stays, its content does not.
  return parsedJson(new TextDecoder().decode(bytes.subarray(0, filled)));
}

/** What the text blocks of a message say. Markers that mark nothing where they stand would do so in a composition: those are left out. */
function wordsOf(message: Message, copied: CopiedMarkers = new Map()): Map<MessageBlock, string> {
  return new Map(
    [...textPlaces([message])].map(({ block, blockIndex }) => {
      const starts = copied.get(placeKey({ messageUuid: block.uuid, blockIndex })) ?? [];
      return [block, withoutMarkersAt(block.text, starts)];
    }),
  );
}

function resultText(value: unknown): string {
  const result = resultSchema.safeParse(value);
  if (!result.success) return '';
  if (typeof result.data === 'string') return result.data;
  return result.data
    .map((block) => (typeof block === 'string' ? block : (block.text ?? `[${block.type ?? 'block'}]`)))
    .join('\n');
}

interface PieceReaderParts extends MaterialReaderParts {
  readonly store: Pick<MemoryStore, 'versions'>;
  readonly claude: ClaudeFolder;
}

/** A session in its own words, and what of it is looked for in a shorter text. */
export interface SpokenSession {
  readonly passages: readonly BarePassage[];
  /** What its pieces are measured against. */
  readonly matters: FidelityReference;
}

/** About what three hundred versions say; those that were asked for longest ago are forgotten first. */
const REMEMBERED_CHARACTERS = 20_000_000;

/** Reads versions and originals as they may be told. */
export class PieceReader {
  readonly #pieces = new Remembered<CleanPiece>(REMEMBERED_CHARACTERS, charactersOf);
  readonly #spoken = new Remembered<SpokenSession>(REMEMBERED_CHARACTERS, spokenCharacters);

  constructor(private readonly parts: PieceReaderParts) {}

  /**
   * What a piece says. What was read before is not read again: figures follow every key, and a version does not change. Throws
   * `CompressionError` when the files of a version are gone, `TranscriptUnreadableError`.
   */
  async read(session: SourceSession, piece: Piece, signal?: AbortSignal): Promise<CleanPiece> {
    const version = session.versions.find(({ versionId }) => versionId === piece.versionId);
    const key =
      version === undefined
        ? await this.transcriptKey(session)
        : [session.ref.projectId, session.ref.sessionId, version.file, version.createdAt].join('\n');
    return this.#pieces.get(key, async () =>
      cleanPiece(
        version === undefined
          ? await readOriginal(this.parts, session.transcript ?? '', signal)
          : await readVersion(this.parts.store, session.ref, version),
      ),
    );
  }

  /** All that the original says and did, in passages. Throws `TranscriptUnreadableError`. */
  async spoken(
    session: SourceSession,
    { counter, hasSteps }: { readonly counter: TokenCounter; readonly hasSteps: boolean },
    signal?: AbortSignal,
  ): Promise<SpokenSession> {
    return this.#spoken.get(`${await this.transcriptKey(session)} ${String(hasSteps)}`, async () => {
      const { messages } = await new MaterialReader(this.parts).read(session.transcript ?? '', countsNothing, signal);
      return { passages: passagesOf(messages, counter, { hasSteps }), matters: referenceOf(messages, []) };
    });
  }

  /** A transcript is known by its size and date. */
  async transcriptKey({ transcript = '' }: SourceSession): Promise<string> {
    const file = await this.parts.claude.stat(transcript);
    return [transcript, file?.bytes, file?.mtimeMs].join('\n');
  }
}

/** What a version says that is not kept yet. */
export function madePiece(jsonl: string): CleanPiece {
  return cleanPiece(wholeBlocks(jsonl) ?? []);
}

/** What was made last, up to so much. */
export class Remembered<T> {
  /** In the order of use, the last used at the end. */
  readonly #values = new Map<string, { readonly value: T; readonly size: number }>();
  #size = 0;

  constructor(
    private readonly most: number,
    private readonly sizeOf: (value: T) => number,
  ) {}

  async get(key: string, read: () => Promise<T>): Promise<T> {
    const known = this.#values.get(key);
    const value = known === undefined ? await read() : known.value;
    const size = known?.size ?? this.sizeOf(value);
    this.#forget(key);
    this.#values.set(key, { value, size });
    this.#size += size;
    for (const oldest of this.#values.keys()) {
      if (this.#size <= this.most) break;
      this.#forget(oldest);
    }
    return value;
  }

  #forget(key: string): void {
    this.#size -= this.#values.get(key)?.size ?? 0;
    this.#values.delete(key);
  }
}

function charactersOf({ blocks }: CleanPiece): number {
  return blocks.reduce((sum, { text, tool }) => {
    const spoken = tool === undefined ? 0 : tool.result.length + JSON.stringify(tool.input).length;
    return sum + text.length + spoken;
  }, 0);
}

function spokenCharacters({ passages }: SpokenSession): number {
  return passages.reduce((sum, { text }) => sum + text.length, 0);
}
