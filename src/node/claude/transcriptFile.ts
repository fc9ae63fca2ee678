import { open, type FileHandle } from 'node:fs/promises';
import type { ExcerptReader } from '../../core/material/toolDetails';
import type { TranscriptFile } from '../../core/model/host';
import { TranscriptUnreadableError, type TranscriptUnreadableReason } from '../../core/transcript/claudeFolder';
import type { ByteRange } from '../../core/transcript/types';
import { errorCode, isGone } from '../files/errorCode';
import { READ_NO_FOLLOW } from '../files/links';
import { statNow } from '../files/statNow';
import { fill, type Run } from '../forgetting/erasedRuns';
import type { ForgottenFile } from '../forgetting/forgottenFile';

const reasons: ReadonlyMap<string, TranscriptUnreadableReason> = new Map([
  ['EACCES', 'not-permitted'],
  ['EPERM', 'not-permitted'],
  ['ELOOP', 'link'], // opened without following one
]);

/** The expected failure behind a system error on a transcript; everything that is no system error stays what it is. */
export function asUnreadable(path: string, error: unknown): unknown {
  const code = errorCode(error);
  if (code === undefined || error instanceof TranscriptUnreadableError) return error;
  if (isGone(error)) return new TranscriptUnreadableError('vanished', path, { cause: error });
  const reason = reasons.get(code) ?? 'io';
  return new TranscriptUnreadableError(reason, path, { cause: error });
}

/** Undefined for what is gone, or is no regular file: opening a pipe would wait for ever. */
export function statTranscript(file: string): TranscriptFile | undefined {
  try {
    const entry = statNow(file);
    if (!entry.isFile()) return undefined;
    const { size: bytes, mtimeMs, dev, ino } = entry;
    return { path: file, bytes, mtimeMs, fileId: `${dev}:${ino}` };
  } catch (error) {
    if (isGone(error) || errorCode(error) === 'ELOOP') return undefined;
    throw asUnreadable(file, error);
  }
}

/** The size of one read, and of the buffer that all reads of a file share. */
const CHUNK_BYTES = 256 * 1024;

/** The bytes of a transcript, piece by piece in one buffer, with what is erased written over. */
export async function* bytesOf(
  file: string,
  { start = 0, end, erased }: { start?: number; end?: number; erased: readonly Run[] },
  signal?: AbortSignal,
): AsyncIterable<Uint8Array> {
  const handle = await readable(file, open(file, READ_NO_FOLLOW));
  try {
    const last = end ?? (await readable(file, handle.stat())).size;
    const buffer = Buffer.allocUnsafe(Math.max(1, Math.min(CHUNK_BYTES, last - start)));
    for (let position = start; position < last;) {
      const wanted = Math.min(buffer.length, last - position);
      const { bytesRead } = await readable(file, handle.read(buffer, 0, wanted, position));
      signal?.throwIfAborted();
      if (bytesRead === 0) return; // the file was cut while it was read
      const piece = buffer.subarray(0, bytesRead);
      fill(piece, position, erased);
      position += bytesRead;
      yield piece;
    }
  } finally {
    await handle.close();
  }
}

async function readable<T>(file: string, work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    throw asUnreadable(file, error);
  });
}

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
    const handle = await readable(this.file, this.handle);
    const erased = (await this.forgotten?.runsOf(this.file)) ?? [];
    for (const group of groupsOf(ranges, maxBytes)) {
      signal?.throwIfAborted();
      const length = group.end - group.start;
      const reading = handle.read(Buffer.allocUnsafe(length), 0, length, group.start);
      const { buffer, bytesRead } = await readable(this.file, reading);
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
