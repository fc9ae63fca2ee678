import { chmod, constants, copyFile, link, lstat, open, utimes, type FileHandle } from 'node:fs/promises';
import { createFile, placeFile, FILE_MODE } from './atomicFile';
import { errorCode, unlessGone } from './errorCode';
import { READ_NO_FOLLOW, WRITE_NO_FOLLOW } from './links';

/** How a file can be taken over, best first: sharing the blocks, sharing the file, or bytes of its own. */
export type TakeMethod = 'clone' | 'link' | 'copy';

/** What stands for each way, best first, where it cannot be had. */
export const TAKE_METHODS: Readonly<Record<TakeMethod, readonly TakeMethod[]>> = {
  clone: ['clone', 'copy'],
  copy: ['copy'],
  link: ['clone', 'link', 'copy'],
};

const CHUNK_BYTES = 1024 * 1024;

/** What no other method would help against. */
const HOPELESS = new Set(['ENOENT', 'ENOSPC', 'EDQUOT', 'EROFS', 'ENAMETOOLONG', 'EIO', 'ELOOP']);

/**
 * Puts the content of a regular file in the place of `target`, in one step, by the first method that works here. The
 * source is never written, not even its mode; a link shares that with it. `source` must not be a symbolic link.
 */
export async function takeFile(
  source: string,
  target: string,
  methods: readonly TakeMethod[],
  signal?: AbortSignal,
): Promise<TakeMethod> {
  for (const method of methods.slice(0, -1)) {
    try {
      await placeFile(target, (temporary) => takers[method](source, temporary, signal));
      return method;
    } catch (error) {
      if (errorCode(error) === undefined || HOPELESS.has(errorCode(error) ?? '')) throw error;
    }
  }
  const last = methods.at(-1) ?? 'copy';
  await placeFile(target, (temporary) => takers[last](source, temporary, signal));
  return last;
}

const takers: Readonly<Record<TakeMethod, (source: string, target: string, signal?: AbortSignal) => Promise<void>>> = {
  clone: cloneFile,
  link,
  copy: copyWhole,
};

/** Gives a regular file a second name that is free, or where that cannot be, a copy with its date. */
export async function linkOrCopy(source: string, target: string): Promise<void> {
  try {
    await link(source, target);
  } catch (error) {
    if (HOPELESS.has(errorCode(error) ?? '')) throw error;
    await copyWhole(source, target);
  }
}

/** Whether two files are there that are one, or a copy of each other as `linkOrCopy` makes it. */
export async function isSameFile(one: string, other: string): Promise<boolean> {
  const [a, b] = [await unlessGone(lstat(one)), await unlessGone(lstat(other))];
  if (a === undefined || b === undefined) return false;
  return (a.dev === b.dev && a.ino === b.ino) || (a.size === b.size && Math.abs(a.mtimeMs - b.mtimeMs) < 1);
}

async function cloneFile(source: string, target: string): Promise<void> {
  await copyFile(source, target, constants.COPYFILE_FICLONE_FORCE | constants.COPYFILE_EXCL);
  await chmod(target, FILE_MODE);
  await withFile(target, READ_NO_FOLLOW, (handle) => handle.sync());
  await copyDate(source, target);
}

async function copyWhole(source: string, target: string, signal?: AbortSignal): Promise<void> {
  await createFile(target, async (to) => {
    await withFile(source, READ_NO_FOLLOW, async (from) =>
      copyRange(from, to, { start: 0, end: (await from.stat()).size }, signal),
    );
    await to.sync();
  });
  await copyDate(source, target);
}

/**
 * Appends what `source` has beyond the end of `target`. `target` must share its bytes with no other file. A failure
 * leaves it as long as it was; a crash leaves a beginning of the source, as it was before.
 */
export async function appendFrom(source: string, target: string, signal?: AbortSignal): Promise<void> {
  await withFile(target, WRITE_NO_FOLLOW, async (to) => {
    const { size: start } = await to.stat();
    try {
      await withFile(source, READ_NO_FOLLOW, async (from) =>
        copyRange(from, to, { start, end: (await from.stat()).size }, signal),
      );
      await to.sync();
    } catch (error) {
      await to.truncate(start);
      throw error;
    }
  });
  await copyDate(source, target);
}

/** The date of a transcript says how old the session is, for its copy as well. */
async function copyDate(source: string, target: string): Promise<void> {
  const { atimeMs, mtimeMs } = await withFile(source, READ_NO_FOLLOW, (handle) => handle.stat());
  await utimes(target, atimeMs / 1000, mtimeMs / 1000);
}

async function copyRange(
  from: FileHandle,
  to: FileHandle,
  { start, end }: { start: number; end: number },
  signal?: AbortSignal,
): Promise<void> {
  const buffer = new Uint8Array(Math.min(CHUNK_BYTES, Math.max(1, end - start)));
  for (let position = start; position < end;) {
    signal?.throwIfAborted();
    const { bytesRead } = await from.read(buffer, 0, Math.min(buffer.length, end - position), position);
    if (bytesRead === 0) return; // the source was cut while it was read
    await writeAll(to, buffer.subarray(0, bytesRead), position);
    position += bytesRead;
  }
}

async function writeAll(to: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const { bytesWritten } = await to.write(bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
  }
}

/** Whether `source` begins with the first `bytes` of `target`. */
export async function beginsWith(
  source: string,
  target: string,
  bytes: number,
  signal?: AbortSignal,
): Promise<boolean> {
  return withFile(source, READ_NO_FOLLOW, (a) =>
    withFile(target, READ_NO_FOLLOW, async (b) => {
      for (let at = 0; at < bytes; at += CHUNK_BYTES) {
        signal?.throwIfAborted();
        const length = Math.min(CHUNK_BYTES, bytes - at);
        const [left, right] = await Promise.all([readExactly(a, at, length), readExactly(b, at, length)]);
        if (!left.equals(right)) return false;
      }
      return true;
    }),
  );
}

async function readExactly(handle: FileHandle, start: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  let done = 0;
  while (done < length) {
    const { bytesRead } = await handle.read(buffer, done, length - done, start + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return buffer.subarray(0, done);
}

async function withFile<T>(file: string, flags: number, work: (handle: FileHandle) => Promise<T>): Promise<T> {
  const handle = await open(file, flags);
  try {
    return await work(handle);
  } finally {
    await handle.close();
  }
}
