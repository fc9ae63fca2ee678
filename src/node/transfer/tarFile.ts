import { open, type FileHandle } from 'node:fs/promises';

/*
 * Plain tar (POSIX.1-2001), as every system can unpack: what a person keeps for years must not need us to be read. Names go into extended
 * headers always, as those of projects are long.
 */

const BLOCK_BYTES = 512;
const CHUNK_BYTES = 1024 * 1024;
const [FILE, EXTENDED] = ['0', 'x'];

/** A file in an archive. `content` is to be read before the next one is asked for. */
export interface TarEntry {
  readonly name: string;
  readonly bytes: number;
  readonly content: AsyncIterable<Buffer>;
}

/** Writes the header of a file, its content and its filling. `content` has exactly so many bytes. */
export async function writeEntry(to: FileHandle, { name, bytes, content }: TarEntry, modified: Date): Promise<void> {
  const record = extendedRecord(name);
  await to.writeFile(
    Buffer.concat([header({ name: 'name', bytes: record.length, type: EXTENDED, modified }), padded(record)]),
  );
  await to.writeFile(header({ name: shortName(name), bytes, type: FILE, modified }));
  let written = 0;
  for await (const chunk of content) {
    await to.writeFile(chunk);
    written += chunk.length;
  }
  if (written !== bytes) throw new RangeError(`${name} has ${written} bytes, not ${bytes}`);
  await to.writeFile(Buffer.alloc(fillingOf(bytes)));
}

/** What ends an archive. */
export async function writeEnd(to: FileHandle): Promise<void> {
  await to.writeFile(Buffer.alloc(2 * BLOCK_BYTES));
}

function shortName(name: string): string {
  return (
    name
      .split('/')
      .at(-1)
      ?.replace(/[^\x20-\x7e]/g, '_')
      .slice(-99) ?? 'file'
  );
}

/** `28 path=projects/…`: its own length first, which counts itself. */
function extendedRecord(name: string): Buffer {
  const rest = Buffer.byteLength(` path=${name}\n`);
  let length = rest + 1;
  while (String(length).length + rest !== length) length = String(length).length + rest;
  return Buffer.from(`${length} path=${name}\n`, 'utf8');
}

function padded(content: Buffer): Buffer {
  return Buffer.concat([content, Buffer.alloc(fillingOf(content.length))]);
}

function fillingOf(bytes: number): number {
  return (BLOCK_BYTES - (bytes % BLOCK_BYTES)) % BLOCK_BYTES;
}

function header({
  name,
  bytes,
  type,
  modified,
}: {
  name: string;
  bytes: number;
  type: string | undefined;
  modified: Date;
}): Buffer {
  const block = Buffer.alloc(BLOCK_BYTES);
  const octal = (value: number, at: number, width: number): void => {
    block.write(value.toString(8).padStart(width - 1, '0'), at, 'latin1');
  };
  block.write(name, 0, 'latin1');
  octal(0o600, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(bytes, 124, 12);
  octal(Math.floor(modified.getTime() / 1000), 136, 12);
  block.write('        ', 148, 'latin1');
  block.write(type ?? '0', 156, 'latin1');
  block.write('ustar\x0000', 257, 'latin1');
  octal(
    block.reduce((sum, byte) => sum + byte, 0),
    148,
    7,
  );
  return block;
}

/** The files of an archive in their order. Throws `RangeError` for one that is cut off, or none. */
export async function* readEntries(file: string, signal?: AbortSignal): AsyncIterable<TarEntry> {
  const handle = await open(file, 'r');
  try {
    const { size } = await handle.stat();
    let name: string | undefined;
    for (let at = 0; ;) {
      signal?.throwIfAborted();
      const block = await readExactly(handle, at, BLOCK_BYTES);
      if (block.every((byte) => byte === 0)) return;
      const { bytes, type } = readHeader(block);
      const start = at + BLOCK_BYTES;
      if (start + bytes > size) throw new RangeError('it is cut off');
      at = start + bytes + fillingOf(bytes);
      if (type === EXTENDED) name = pathIn((await readExactly(handle, start, bytes)).toString('utf8'));
      else {
        if (name === undefined) throw new RangeError('a file in it has no name');
        yield { name, bytes, content: chunksOf(handle, start, bytes) };
        name = undefined;
      }
    }
  } finally {
    await handle.close();
  }
}

function readHeader(block: Buffer): { bytes: number; type: string } {
  const sum = Number.parseInt(block.toString('latin1', 148, 156), 8);
  const blank = Buffer.from(block).fill(' ', 148, 156);
  if (sum !== blank.reduce((all, byte) => all + byte, 0))
    throw new RangeError('it is no tar file, or a part of it is damaged');
  return { bytes: Number.parseInt(block.toString('latin1', 124, 136), 8), type: block.toString('latin1', 156, 157) };
}

function pathIn(records: string): string | undefined {
  return /^\d+ path=(.*)$/m.exec(records)?.[1];
}

async function* chunksOf(handle: FileHandle, start: number, bytes: number): AsyncIterable<Buffer> {
  for (let done = 0; done < bytes;) {
    const chunk = await readExactly(handle, start + done, Math.min(CHUNK_BYTES, bytes - done));
    done += chunk.length;
    yield chunk;
  }
}

async function readExactly(handle: FileHandle, start: number, bytes: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(bytes);
  for (let done = 0; done < bytes;) {
    const { bytesRead } = await handle.read(buffer, done, bytes - done, start + done);
    if (bytesRead === 0) throw new RangeError('it is cut off');
    done += bytesRead;
  }
  return buffer;
}
