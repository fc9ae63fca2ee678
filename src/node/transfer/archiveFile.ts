import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readFile, stat, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { ReadableStream } from 'node:stream/web';
import * as z from 'zod/mini';
import { TransferError, type ImportRequest } from '../../core/memoryPorts';
import { isSafeSegment, SCHEMA_VERSION, schemaVersionSchema } from '../../core/model/fields';
import type { OnProgress } from '../../core/sessions/results';
import { parsedJson, sumOf } from '../../core/text/ownValue';
import { createFile, FOLDER_MODE, placeNew } from '../files/atomicFile';
import { errorCode } from '../files/errorCode';
import { jsonText } from '../store/storedJson';
import { readEntries, tarOf, type TarEntry } from './tarFile';

/*
 * An archive is a tar file, whose last file says what the others are and what they hash to. With a passphrase it is encrypted in the format
 * of age, which other programs can decrypt: scrypt for the passphrase, ChaCha20-Poly1305 in chunks. No byte is handed on before its chunk
 * is known to be what was encrypted.
 */

/** The last file of an archive: what is in it. */
const CONTENTS = 'keepit-archive.json';

const contentsSchema = z.object({
  version: schemaVersionSchema,
  createdAt: z.string(),
  projects: z.array(
    z.object({
      projectId: z.string(),
      originalPath: z.string(),
      displayName: z.string(),
      /** What git calls `origin` there. */
      remote: z.optional(z.string()),
      /** Its folder in that repository; none for all of it. */
      below: z.optional(z.string()),
    }),
  ),
  files: z.array(z.object({ name: z.string(), bytes: z.number(), sha256: z.string() })),
});
export type Contents = z.infer<typeof contentsSchema>;

/** A file that goes into an archive: where it lies, or what it says. */
export interface ArchiveSource {
  readonly name: string;
  readonly file?: string;
  readonly text?: string;
}

/** What goes into an archive of a project. */
export interface ArchivedProject {
  readonly listed: Contents['projects'][number];
  readonly sources: readonly ArchiveSource[];
}

interface NewArchive {
  readonly file: string;
  readonly passphrase?: string | undefined;
  readonly projects: readonly ArchivedProject[];
  readonly now: Date;
}

/** Writes an archive in one step. Throws `TransferError` where a file is there already. */
export async function writeArchive(
  { file, passphrase, projects, now }: NewArchive,
  onProgress?: OnProgress,
  signal?: AbortSignal,
): Promise<{ bytes: number; files: number }> {
  const contents: Contents = { version: SCHEMA_VERSION, createdAt: '', projects: [], files: [] };
  const plain = tarOf(entriesOf(projects, contents, now, onProgress));
  let bytes = 0;
  const write = async (to: FileHandle): Promise<void> => {
    for await (const chunk of passphrase === undefined ? plain : await encrypted(plain, passphrase)) {
      signal?.throwIfAborted();
      await to.writeFile(chunk);
    }
    await to.sync();
    bytes = (await to.stat()).size;
  };
  await placeNew(file, (temporary) => createFile(temporary, write)).catch((error: unknown) => {
    throw errorCode(error) === 'EEXIST' ? new TransferError('file-there', file) : error;
  });
  return { bytes, files: contents.files.length };
}

/** All files, and last what they are, which is entered into `contents` meanwhile. */
async function* entriesOf(
  projects: readonly ArchivedProject[],
  contents: Contents,
  now: Date,
  onProgress?: OnProgress,
): AsyncGenerator<TarEntry & { modified: Date }> {
  const total = sumOf(projects, ({ sources }) => sources.length);
  for (const { listed, sources } of projects) {
    contents.projects.push(listed);
    for (const source of sources) {
      onProgress?.({ step: 'export', done: contents.files.length, total, label: listed.displayName });
      const hash = createHash('sha256');
      const entry = await entryOf(source, now);
      yield { ...entry, content: hashed(entry.content, hash) };
      contents.files.push({ name: entry.name, bytes: entry.bytes, sha256: hash.digest('hex') });
    }
  }
  contents.createdAt = now.toISOString();
  yield entryOf({ name: CONTENTS, text: jsonText(contents) }, now);
}

async function entryOf({ name, file, text = '' }: ArchiveSource, now: Date): Promise<TarEntry & { modified: Date }> {
  if (file === undefined) {
    const content = Buffer.from(text, 'utf8');
    return { name, bytes: content.length, modified: now, content: Readable.from([content]) };
  }
  const { size: bytes, mtime: modified } = await stat(file);
  const content = bytes === 0 ? Readable.from([]) : createReadStream(file, { end: bytes - 1 });
  return { name, bytes, modified, content };
}

async function* hashed(content: AsyncIterable<Buffer>, hash: Hash): AsyncGenerator<Buffer> {
  for await (const chunk of content) {
    hash.update(chunk);
    yield chunk;
  }
}

/** Unpacks an archive into a folder, and verifies all of it. Throws `TransferError`. */
export async function unpackArchive(
  { file, passphrase }: ImportRequest,
  folder: string,
  onProgress?: OnProgress,
  signal?: AbortSignal,
): Promise<Contents> {
  const found = new Map<string, { bytes: number; sha256: string }>();
  let done = 0;
  try {
    const { size: total } = await stat(file);
    for await (const entry of readEntries(await openArchive(file, passphrase, signal))) {
      signal?.throwIfAborted();
      onProgress?.({ step: 'import', done, total });
      done += entry.bytes;
      if (found.has(entry.name)) throw damaged(`${entry.name} is in it twice`);
      found.set(entry.name, await unpack(entry, folder));
    }
  } catch (error) {
    if (error instanceof RangeError)
      throw found.size === 0 ? new TransferError('no-archive', file) : damaged(error.message);
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'EISDIR') throw new TransferError('no-archive', file);
    throw error;
  }
  if (!found.has(CONTENTS)) throw found.size === 0 ? new TransferError('no-archive', file) : damaged('it has no end');
  const contents = await readContents(path.join(folder, CONTENTS));
  found.delete(CONTENTS);
  compare(contents, found);
  return contents;
}

function damaged(what: string): TransferError {
  return new TransferError('damaged-archive', what);
}

/** Throws unless exactly what was put in came out. */
function compare({ files }: Contents, found: Map<string, { bytes: number; sha256: string }>): void {
  for (const { name, bytes, sha256 } of files) {
    const there = found.get(name);
    if (there === undefined) throw damaged(`${name} is missing`);
    if (there.bytes !== bytes || there.sha256 !== sha256) throw damaged(`${name} is not what was put in`);
    found.delete(name);
  }
  const [strange] = found.keys();
  if (strange !== undefined) throw damaged(`${strange} does not belong into it`);
}

async function unpack({ name, content }: TarEntry, folder: string): Promise<{ bytes: number; sha256: string }> {
  const steps = name.split('/');
  const isOwn = name === CONTENTS || (steps[0] === 'projects' && steps.length > 2);
  if (!isOwn || !steps.every(isSafeSegment)) throw damaged(`${JSON.stringify(name)} is no name of ours`);
  const target = path.join(folder, ...steps);
  await mkdir(path.dirname(target), { recursive: true, mode: FOLDER_MODE });
  const hash = createHash('sha256');
  let bytes = 0;
  await createFile(target, async (handle) => {
    for await (const chunk of content) {
      hash.update(chunk);
      bytes += chunk.length;
      await handle.writeFile(chunk);
    }
    await handle.sync();
  });
  return { bytes, sha256: hash.digest('hex') };
}

async function readContents(file: string): Promise<Contents> {
  const checked = contentsSchema.safeParse(parsedJson(await readFile(file, 'utf8')));
  if (!checked.success) throw damaged('its list of contents cannot be read');
  const [major] = checked.data.version.split('.');
  if (Number(major) > Number(SCHEMA_VERSION.split('.')[0]))
    throw new TransferError('newer-archive', checked.data.version);
  return checked.data;
}

const HEAD = 'age-encryption.org/v1';
const CHUNK_BYTES = 1024 * 1024;

/** The same bytes, encrypted. */
async function encrypted(plain: AsyncIterable<Uint8Array>, passphrase: string): Promise<AsyncIterable<Uint8Array>> {
  const { Encrypter } = await import('age-encryption');
  const encrypter = new Encrypter();
  encrypter.setPassphrase(passphrase);
  return encrypter.encrypt(ReadableStream.from(plain));
}

/** The bytes of an archive, decrypted where it is encrypted. Throws `TransferError`, for a damaged one while it is read. */
async function openArchive(
  file: string,
  passphrase: string | undefined,
  signal?: AbortSignal,
): Promise<AsyncIterable<Uint8Array>> {
  const read = (end = Infinity): AsyncIterable<Uint8Array> =>
    createReadStream(file, { end, highWaterMark: CHUNK_BYTES, ...(signal !== undefined && { signal }) });
  const head: Uint8Array[] = [];
  for await (const piece of read(HEAD.length - 1)) head.push(piece);
  if (Buffer.concat(head).toString('latin1') !== HEAD) return read();
  if (passphrase === undefined) throw new TransferError('no-passphrase', file);
  const { Decrypter } = await import('age-encryption');
  const decrypter = new Decrypter();
  decrypter.addPassphrase(passphrase);
  try {
    return whole(await decrypter.decrypt(ReadableStream.from(read())));
  } catch (error) {
    signal?.throwIfAborted();
    const isWrong = error instanceof Error && error.message.startsWith('no identity matched');
    throw isWrong
      ? new TransferError('wrong-passphrase', file)
      : new TransferError('damaged-archive', 'its head is another');
  }
}

async function* whole(plain: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* plain;
  } catch (error) {
    if (error instanceof Error && 'code' in error) throw error; // the system's: the file could not be read
    throw new TransferError('damaged-archive', 'it is cut off, or a part of it is not what was encrypted');
  }
}
