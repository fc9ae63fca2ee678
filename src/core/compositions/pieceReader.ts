import type { ClaudeFolder } from '../transcript/claudeFolder';
import { cleanPiece, type CleanPiece } from './cleanPiece';
import type { OriginalReader } from './originalReader';
import type { ContextBlock, Piece, SourceSession } from './types';
import { versionOfPiece, type VersionReader } from './versionReader';

export interface PieceReaderParts {
  readonly versions: VersionReader;
  readonly originals: OriginalReader;
  readonly claude: Pick<ClaudeFolder, 'stat'>;
}

/** About what three hundred versions say; those that were asked for longest ago are forgotten first. */
const REMEMBERED_CHARACTERS = 6_000_000;

/** Reads versions and originals as they may be told. */
export class PieceReader {
  /** In the order of use, the last used at the end. */
  readonly #remembered = new Map<string, { readonly piece: CleanPiece; readonly characters: number }>();
  #characters = 0;

  constructor(private readonly parts: PieceReaderParts) {}

  /**
   * What a piece says. With `mayRecall`, what was read before need not be read again: figures follow every key, and a version does not change.
   * Throws `CompressionError` when the files of a version are gone, `TranscriptUnreadableError`.
   */
  async read(
    session: SourceSession,
    piece: Piece,
    { mayRecall }: { readonly mayRecall: boolean },
    signal?: AbortSignal,
  ): Promise<CleanPiece> {
    const key = await this.#keyOf(session, piece);
    const known = mayRecall ? this.#remembered.get(key)?.piece : undefined;
    const read = known ?? cleanPiece(await this.#blocksOf(session, piece, signal));
    this.#remember(key, read);
    return read;
  }

  /** A version is known by when it was made, a transcript by its size and date. */
  async #keyOf({ ref, versions, transcript = '' }: SourceSession, piece: Piece): Promise<string> {
    const version = versionOfPiece(piece, versions);
    if (version !== undefined) return [ref.projectId, ref.sessionId, version.file, version.createdAt].join('\n');
    const file = await this.parts.claude.stat(transcript);
    return [transcript, file?.bytes, file?.mtimeMs].join('\n');
  }

  async #blocksOf(session: SourceSession, piece: Piece, signal?: AbortSignal): Promise<ContextBlock[]> {
    const version = versionOfPiece(piece, session.versions);
    if (version !== undefined) return this.parts.versions.read(session.ref, version);
    return this.parts.originals.read(session.transcript ?? '', signal);
  }

  #remember(key: string, piece: CleanPiece): void {
    this.#forget(key);
    const characters = charactersOf(piece);
    if (characters > REMEMBERED_CHARACTERS) return;
    this.#remembered.set(key, { piece, characters });
    this.#characters += characters;
    for (const oldest of this.#remembered.keys()) {
      if (this.#characters <= REMEMBERED_CHARACTERS) break;
      this.#forget(oldest);
    }
  }

  #forget(key: string): void {
    this.#characters -= this.#remembered.get(key)?.characters ?? 0;
    this.#remembered.delete(key);
  }
}

function charactersOf({ blocks }: CleanPiece): number {
  return blocks.reduce((sum, { text, tool }) => {
    const spoken = tool === undefined ? 0 : tool.result.length + JSON.stringify(tool.input).length;
    return sum + text.length + spoken;
  }, 0);
}
