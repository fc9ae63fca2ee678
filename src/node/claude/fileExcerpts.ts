import { open, type FileHandle } from 'node:fs/promises';
import type { ExcerptReader } from '../../core/material/toolDetails';
import type { ByteRange } from '../../core/transcript/types';
import { READ_NO_FOLLOW } from '../files/links';
import { fill } from '../forgetting/erasedRuns';
import type { ForgottenFile } from '../forgetting/forgottenFile';
import { asUnreadable } from './asUnreadable';

/** Pieces that lie closer together than this are read in one go. */
const MAX_GAP_BYTES = 32 * 1024;
const MAX_READ_BYTES = 1024 * 1024;

interface Piece {
  readonly index: number;
  readonly start: number;
  readonly end: number;
}

/** Pieces that are read in one go. */
interface Group {
  readonly start: number;
  end: number;
  readonly pieces: Piece[];
}

/** Reads pieces of one transcript file. A piece that is not there any more is empty. */
export class FileExcerpts implements ExcerptReader {
  private handle: Promise<FileHandle> | undefined;
  private readonly decoder = new TextDecoder();

  /** What is forgotten is not read. */
  constructor(
    private readonly file: string,
    private readonly forgotten?: Pick<ForgottenFile, 'runsOf'>,
  ) {}

  /** Throws `TranscriptUnreadableError`: what is made of half of a session must not pass for the whole. */
  async read(ranges: readonly ByteRange[], maxBytes: number, signal?: AbortSignal): Promise<readonly string[]> {
    const texts = ranges.map(() => '');
    this.handle ??= open(this.file, READ_NO_FOLLOW);
    const handle = await this.handle.catch((error: unknown) => {
      throw asUnreadable(this.file, error);
    });
    const erased = (await this.forgotten?.runsOf(this.file)) ?? [];
    for (const group of groupsOf(ranges, maxBytes)) {
      signal?.throwIfAborted();
      const length = group.end - group.start;
      const { buffer, bytesRead } = await handle
        .read(Buffer.allocUnsafe(length), 0, length, group.start)
        .catch((error: unknown) => {
          throw asUnreadable(this.file, error);
        });
      fill(buffer, group.start, erased);
      for (const { index, start, end } of group.pieces) {
        const from = start - group.start;
        texts[index] = this.decoder.decode(buffer.subarray(from, Math.min(end - group.start, bytesRead)));
      }
    }
    return texts;
  }

  async close(): Promise<void> {
    const handle = await this.handle?.catch(() => undefined);
    await handle?.close();
  }
}

/** Pieces in file order, those close to one another together; they may overlap. */
function groupsOf(ranges: readonly ByteRange[], maxBytes: number): Group[] {
  const pieces = ranges.map(({ offset, length }, index) => {
    return { index, start: offset, end: offset + Math.min(length, maxBytes) };
  });
  pieces.sort((a, b) => a.start - b.start);
  const groups: Group[] = [];
  for (const piece of pieces) {
    const last = groups.at(-1);
    const isNear = last !== undefined && piece.start - last.end <= MAX_GAP_BYTES;
    if (isNear && piece.end - last.start <= MAX_READ_BYTES) {
      last.pieces.push(piece);
      last.end = Math.max(last.end, piece.end);
    } else {
      groups.push({ start: piece.start, end: piece.end, pieces: [piece] });
    }
  }
  return groups;
}
