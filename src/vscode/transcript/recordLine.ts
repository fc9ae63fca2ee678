import { open } from 'node:fs/promises';

const CHUNK_BYTES = 1024 * 1024;
const NEWLINE = 0x0a;

/** A record of more than this is no longer something that an editor shows well. */
const MAX_RECORD_BYTES = 32 * 1024 * 1024;

/** Finds one line in chunks of a file, and keeps nothing but it. */
class LineFinder {
  private readonly parts: Uint8Array[] = [];
  private line = 1;
  private length = 0;

  constructor(private readonly wanted: number) {}

  /** True once the line is complete. The chunk is not kept. */
  feed(chunk: Uint8Array): boolean {
    let start = 0;
    while (this.line < this.wanted) {
      const newline = chunk.indexOf(NEWLINE, start);
      if (newline === -1) return false;
      this.line += 1;
      start = newline + 1;
    }
    const newline = chunk.indexOf(NEWLINE, start);
    const part = chunk.slice(start, newline === -1 ? chunk.length : newline);
    this.parts.push(part);
    this.length += part.length;
    return newline !== -1 || this.length > MAX_RECORD_BYTES;
  }

  text(): string {
    return new TextDecoder().decode(Buffer.concat(this.parts));
  }
}

/** Line `wanted` (1-based) of a file that is read once, up to there, and never held in memory as a whole. */
export async function readLine(file: string, wanted: number, signal?: AbortSignal): Promise<string> {
  const finder = new LineFinder(wanted);
  const handle = await open(file, 'r');
  try {
    const buffer = new Uint8Array(CHUNK_BYTES);
    for (;;) {
      signal?.throwIfAborted();
      const { bytesRead } = await handle.read(buffer, 0, CHUNK_BYTES);
      if (bytesRead === 0 || finder.feed(buffer.subarray(0, bytesRead))) return finder.text();
    }
  } finally {
    await handle.close();
  }
}
