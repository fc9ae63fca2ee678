/*
 * Plain tar (POSIX.1-2001), as every system can unpack: what a person keeps for years must not need us to be read. Names go into extended
 * headers always, as those of projects are long.
 */

const BLOCK_BYTES = 512;
const CHUNK_BYTES = 1024 * 1024;
/** No path is longer on any system. */
const MOST_NAME_BYTES = 64 * 1024;
const [FILE, EXTENDED] = ['0', 'x'];

/** A file in an archive. `content` has exactly so many bytes, and is to be read before the next file is asked for. */
export interface TarEntry {
  readonly name: string;
  readonly bytes: number;
  readonly content: AsyncIterable<Buffer>;
}

/** The bytes of an archive of these files. */
export async function* tarOf(entries: AsyncIterable<TarEntry & { readonly modified: Date }>): AsyncGenerator<Buffer> {
  for await (const { name, bytes, content, modified } of entries) {
    const record = extendedRecord(name);
    yield header({ name: 'name', bytes: record.length, type: EXTENDED, modified });
    yield padded(record);
    yield header({ name: shortName(name), bytes, type: FILE, modified });
    let written = 0;
    for await (const chunk of content) {
      yield chunk;
      written += chunk.length;
    }
    if (written !== bytes) throw new RangeError(`${name} has ${written} bytes, not ${bytes}`);
    yield Buffer.alloc(fillingOf(bytes));
  }
  yield Buffer.alloc(2 * BLOCK_BYTES);
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

/** The files of an archive in their order; all of it is read. Throws `RangeError` for one that is cut off, or none. */
export async function* readEntries(archive: AsyncIterable<Uint8Array>): AsyncGenerator<TarEntry> {
  const bytes = new Bytes(archive);
  let name: string | undefined;
  for (;;) {
    const block = await bytes.exactly(BLOCK_BYTES);
    if (block.every((byte) => byte === 0)) break;
    const { size, type } = readHeader(block);
    if (type === EXTENDED) {
      if (size > MOST_NAME_BYTES) throw damaged();
      name = pathIn((await bytes.exactly(size)).toString('utf8'));
    } else {
      if (name === undefined) throw new RangeError('a file in it has no name');
      yield { name, bytes: size, content: bytes.next(size) };
      name = undefined;
    }
    await bytes.exactly(fillingOf(size));
  }
  await bytes.end();
}

function readHeader(block: Buffer): { size: number; type: string } {
  const sum = Number.parseInt(block.toString('latin1', 148, 156), 8);
  const blank = Buffer.from(block).fill(' ', 148, 156);
  const size = Number.parseInt(block.toString('latin1', 124, 136), 8);
  if (sum !== blank.reduce((all, byte) => all + byte, 0) || Number.isNaN(size)) throw damaged();
  return { size, type: block.toString('latin1', 156, 157) };
}

function damaged(): RangeError {
  return new RangeError('it is no tar file, or a part of it is damaged');
}

function pathIn(records: string): string | undefined {
  return /^\d+ path=(.*)$/m.exec(records)?.[1];
}

/** What comes in pieces, by sizes that are asked for. */
class Bytes {
  readonly #pieces: AsyncIterator<Uint8Array, unknown>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(archive: AsyncIterable<Uint8Array>) {
    this.#pieces = archive[Symbol.asyncIterator]();
  }

  async *next(size: number): AsyncGenerator<Buffer> {
    for (let left = size; left > 0;) {
      const piece = await this.#some(Math.min(left, CHUNK_BYTES));
      if (piece.length === 0) throw new RangeError('it is cut off');
      left -= piece.length;
      yield piece;
    }
  }

  async exactly(size: number): Promise<Buffer> {
    const pieces: Buffer[] = [];
    for await (const piece of this.next(size)) pieces.push(piece);
    return pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Buffer.concat(pieces);
  }

  /** To the last byte: what is encrypted is whole only then. */
  async end(): Promise<void> {
    while ((await this.#some(CHUNK_BYTES)).length > 0);
  }

  /** At least one byte, and none at the end. */
  async #some(most: number): Promise<Buffer> {
    while (this.#rest.length === 0) {
      const piece = await this.#pieces.next();
      if (piece.done === true) return this.#rest;
      const { buffer, byteOffset, byteLength } = piece.value;
      this.#rest = Buffer.from(buffer, byteOffset, byteLength);
    }
    const piece = this.#rest.subarray(0, most);
    this.#rest = this.#rest.subarray(piece.length);
    return piece;
  }
}
