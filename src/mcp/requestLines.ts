import { Transform } from 'node:stream';

/** What is kept of the beginning and the end of a line that is too long, to find there whose it is. */
const EDGE_BYTES = 4096;
const NEWLINE = 0x0a;
const STRING_OR_NUMBER = String.raw`("(?:[^"\\]|\\.){0,200}"|-?\d{1,20})`;
/** Before everything that is nested, or as the last of all: the `id` of the request itself. */
const ID_FIRST = new RegExp(String.raw`^\s*\{[^{}[\]]*?"id"\s*:\s*${STRING_OR_NUMBER}`);
const ID_LAST = new RegExp(String.raw`"id"\s*:\s*${STRING_OR_NUMBER}\s*\}\s*$`);

/** Whose line was too long; undefined when it does not say so at either end, or wants no answer. */
export type RequestId = string | number | undefined;

/**
 * Lets lines through whole, one at a time. One that is longer than `maxBytes` is told to `onTooLong` and dropped while it comes in: what
 * is held in memory is never more than `maxBytes` and a little.
 */
export function requestLines(maxBytes: number, onTooLong: (id: RequestId) => void): Transform {
  const stream = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      cutter.cut(chunk);
      done();
    },
  });
  const cutter = new LineCutter(maxBytes, { onLine: (line) => stream.push(line), onTooLong });
  return stream;
}

class LineCutter {
  #parts: Buffer[] = [];
  #bytes = 0;
  /** The edges of a line that is being dropped. */
  #dropped: { head: Buffer; tail: Buffer } | undefined;

  constructor(
    private readonly maxBytes: number,
    private readonly events: { onLine: (line: Buffer) => void; onTooLong: (id: RequestId) => void },
  ) {}

  cut(chunk: Buffer): void {
    for (let start = 0; start < chunk.length;) {
      const newline = chunk.indexOf(NEWLINE, start);
      const end = newline === -1 ? chunk.length : newline + 1;
      this.#take(chunk.subarray(start, end));
      if (newline !== -1) this.#endLine();
      start = end;
    }
  }

  #take(part: Buffer): void {
    if (this.#dropped !== undefined) {
      this.#dropped.tail = Buffer.concat([this.#dropped.tail, part.subarray(-EDGE_BYTES)]).subarray(-EDGE_BYTES);
      return;
    }
    this.#parts.push(part);
    this.#bytes += part.length;
    if (this.#bytes <= this.maxBytes) return;
    const line = Buffer.concat(this.#parts);
    this.#forget();
    this.#dropped = { head: Buffer.from(line.subarray(0, EDGE_BYTES)), tail: Buffer.from(line.subarray(-EDGE_BYTES)) };
  }

  #endLine(): void {
    const dropped = this.#dropped;
    if (dropped === undefined) {
      this.events.onLine(Buffer.concat(this.#parts));
      this.#forget();
      return;
    }
    this.#dropped = undefined;
    const id = ID_FIRST.exec(dropped.head.toString())?.[1] ?? ID_LAST.exec(dropped.tail.toString())?.[1];
    this.events.onTooLong(id === undefined ? undefined : idOf(id));
  }

  #forget(): void {
    this.#parts = [];
    this.#bytes = 0;
  }
}

function idOf(text: string): RequestId {
  try {
    const id: unknown = JSON.parse(text);
    return typeof id === 'string' || typeof id === 'number' ? id : undefined;
  } catch {
    return undefined; // what looks like one is none
  }
}
