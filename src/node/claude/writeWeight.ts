import type { Stats } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { TranscriptEditError, type TranscriptEditReason } from '../../core/sessions/transcriptEditError';
import type { TranscriptEditor, WeightOverwrite } from '../../core/sessions/transcriptEditor';
import { errorCode } from '../files/errorCode';
import { ownValue } from '../../core/text/ownValue';
import { WRITE_NO_FOLLOW } from '../files/links';

const WEIGHT = /^\d\.\d\d$/;

const reasons: Readonly<Record<string, TranscriptEditReason>> = {
  ENOENT: 'changed',
  EACCES: 'not-permitted',
  EPERM: 'not-permitted',
  EROFS: 'not-permitted',
  ELOOP: 'link',
};

/** Writes weights into transcripts on disk. */
export class FileTranscriptEditor implements TranscriptEditor {
  async overwriteWeight(path: string, edit: WeightOverwrite): Promise<void> {
    if (!WEIGHT.test(edit.before) || !WEIGHT.test(edit.after)) throw new TypeError('A weight has four characters');
    try {
      const handle = await open(path, WRITE_NO_FOLLOW);
      try {
        await writeWeight(handle, path, edit);
      } finally {
        await handle.close();
      }
    } catch (error) {
      if (error instanceof TranscriptEditError || errorCode(error) === undefined) throw error;
      throw new TranscriptEditError(ownValue(reasons, errorCode(error) ?? '') ?? 'io', path, { cause: error });
    }
  }
}

async function writeWeight(handle: FileHandle, path: string, edit: WeightOverwrite): Promise<void> {
  const { seen, literal, weightAt, before, after } = edit;
  const stats = await handle.stat();
  if (!isAsSeen(stats, seen)) throw new TranscriptEditError('changed', path);
  // Whatever has the other name, a kept original above all, would change with this file.
  if (stats.nlink > 1) throw new TranscriptEditError('shared', path);
  const expected = Buffer.from(literal.bytes);
  if (expected.toString('latin1', weightAt, weightAt + before.length) !== before) {
    throw new TranscriptEditError('not-there', path);
  }
  if (!(await read(handle, literal)).equals(expected)) throw new TranscriptEditError('changed', path);
  // Four bytes in place: no moment at which the file is shorter, and a writer that appends meanwhile is not in the way.
  await write(handle, Buffer.from(after, 'latin1'), literal.offset + weightAt);
  await handle.sync();
  expected.write(after, weightAt, 'latin1');
  if (!(await read(handle, literal)).equals(expected)) throw new TranscriptEditError('io', path);
  const { size } = await handle.stat();
  // Claude Code deletes by date: writing must neither prolong a transcript's life nor make the session look used. A millisecond
  // is enough for editors, indexes and caches, which go by date and size, to read the file again.
  if (size === stats.size) await handle.utimes(stats.atimeMs / 1000, (stats.mtimeMs + 1) / 1000);
}

/** Dates that were restored may have lost what is finer than a millisecond. */
function isAsSeen(stats: Stats, seen: WeightOverwrite['seen']): boolean {
  return stats.isFile() && stats.size === seen.bytes && Math.abs(stats.mtimeMs - seen.mtimeMs) < 1;
}

async function read(handle: FileHandle, { offset, bytes }: WeightOverwrite['literal']): Promise<Buffer> {
  const buffer = Buffer.alloc(bytes.length);
  for (let done = 0; done < buffer.length;) {
    const { bytesRead } = await handle.read(buffer, done, buffer.length - done, offset + done);
    if (bytesRead === 0) return buffer.subarray(0, done);
    done += bytesRead;
  }
  return buffer;
}

async function write(handle: FileHandle, bytes: Buffer, offset: number): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, offset + done);
    done += bytesWritten;
  }
}
