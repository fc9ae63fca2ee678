import { createHash } from 'node:crypto';
import { mkdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { isSafeSegment, SCHEMA_VERSION } from '../../core/model/fields';
import type { OnProgress } from '../../core/sessions/results';
import { parsedJson } from '../../core/text/ownValue';
import { TransferError, type ImportRequest } from '../../core/memoryPorts';
import { createFile, FOLDER_MODE } from '../files/atomicFile';
import { errorCode } from '../files/errorCode';
import { CONTENTS, contentsSchema, type Contents } from './exportArchive';
import { openArchive } from './passphrase';
import { readEntries, type TarEntry } from './tarFile';

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
