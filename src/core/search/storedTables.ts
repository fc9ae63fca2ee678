import * as z from 'zod/mini';
import { COLUMNS, type Postings, type SegmentTables } from './segment';

/** Raise it when the same words give other terms, or tables are laid out otherwise. */
const FORMAT = 4;

const sizeSchema = z.int().check(z.gte(0));
const indexedSchema = z.object({ sessionId: z.string(), path: z.string(), bytes: z.number(), mtimeMs: z.number() });

/** Which sessions the tables are of, each as its file was then, and how large each table is. */
const headSchema = z.object({
  format: z.literal(FORMAT),
  sessions: z.array(indexedSchema),
  passages: sizeSchema,
  documents: sizeSchema,
  terms: sizeSchema,
  meanings: sizeSchema,
});

/** A session and the file that its words were read from. */
export type IndexedSession = z.infer<typeof indexedSchema>;
export type IndexedFile = Omit<IndexedSession, 'sessionId'>;

/** The tables of some sessions; documents name their session by its place in the list. */
export interface StoredTables {
  readonly sessions: readonly IndexedSession[];
  readonly tables: SegmentTables;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const HEAD_LENGTH = 4;
const OF_PASSAGES = ['documents', 'lengths', 'isAside'] as const;
const OF_DOCUMENTS = ['messages', 'holders', 'exchanges', 'seconds', 'places'] as const;

/** As bytes: a head, columns of numbers, all terms, and their postings as differences. */
export function encodeTables({ sessions, tables }: StoredTables): Uint8Array {
  const termBytes = new ByteWriter();
  const postingBytes = new ByteWriter();
  const ends: number[] = [];
  for (let at = 0; at < tables.terms.length; at++) {
    termBytes.addAll(encoder.encode(tables.terms.at(at) ?? ''));
    ends.push(termBytes.length);
    addPostings(postingBytes, tables.postings(at));
    ends.push(postingBytes.length);
  }
  const sizes = { passages: tables.lengths.length, documents: tables.holders.length, terms: tables.terms.length };
  const { meanings } = tables;
  const head = encoder.encode(JSON.stringify({ format: FORMAT, sessions, ...sizes, meanings: meanings.length }));
  const writer = new ByteWriter();
  const columns = [...OF_PASSAGES, ...OF_DOCUMENTS].map((name) => bytesOf(COLUMNS[name].from(tables[name])));
  const counted = [
    bytesOf(Uint32Array.of(head.length)),
    head,
    ...columns,
    bytesOf(meanings),
    bytesOf(Uint32Array.from(ends)),
  ];
  for (const piece of [...counted, termBytes.bytes(), postingBytes.bytes()]) writer.addAll(piece);
  return writer.bytes();
}

/** Undefined for what is no such file, or of another format. */
export function decodeTables(bytes: Uint8Array): StoredTables | undefined {
  const start = new Reader(bytes, 0);
  const headLength = start.numbers(Uint32Array, 1)[0] ?? 0;
  const head = headSchema.safeParse(parsed(decoder.decode(bytes.subarray(HEAD_LENGTH, HEAD_LENGTH + headLength))));
  if (!head.success) return undefined;
  const { passages, documents, terms, sessions, meanings } = head.data;
  const reader = new Reader(bytes, HEAD_LENGTH + headLength);
  const columns = {
    documents: reader.numbers(COLUMNS.documents, passages),
    lengths: reader.numbers(COLUMNS.lengths, passages),
    isAside: reader.numbers(COLUMNS.isAside, passages),
    messages: reader.numbers(COLUMNS.messages, documents),
    holders: reader.numbers(COLUMNS.holders, documents),
    exchanges: reader.numbers(COLUMNS.exchanges, documents),
    seconds: reader.numbers(COLUMNS.seconds, documents),
    places: reader.numbers(COLUMNS.places, documents),
    meanings: reader.numbers(Int8Array, meanings),
  };
  const ends = reader.numbers(Uint32Array, 2 * terms);
  if (reader.isShort) return undefined;
  const termBytes = bytes.subarray(reader.at, reader.at + (ends[2 * terms - 2] ?? 0));
  const postingBytes = bytes.subarray(reader.at + termBytes.length);
  const termAt = (at: number): string | undefined =>
    at < 0 || at >= terms ? undefined : decoder.decode(termBytes.subarray(ends[2 * at - 2] ?? 0, ends[2 * at]));
  const posted = new PostingsReader(postingBytes, passages);
  const postings = (at: number): Postings => posted.read(ends[2 * at - 1] ?? 0, ends[2 * at + 1] ?? 0);
  return { sessions, tables: { ...columns, terms: { length: terms, at: termAt }, postings } };
}

function addPostings(writer: ByteWriter, { passages, counts }: Postings): void {
  let last = -1;
  for (let at = 0; at < passages.length; at++) {
    const [passage = 0, count = 1] = [passages[at], counts[at]];
    // One bit tells whether a count follows: most words stand in a passage once.
    writer.addNumber((passage - last - 1) * 2 + (count === 1 ? 0 : 1));
    if (count !== 1) writer.addNumber(count);
    last = passage;
  }
}

/** Takes postings apart, always in the same place: they are many, and looked at one after the other. */
class PostingsReader {
  private readonly passages: Uint32Array;
  private readonly counts: Uint16Array;
  private at = 0;

  constructor(
    private readonly bytes: Uint8Array,
    most: number,
  ) {
    this.passages = new Uint32Array(most);
    this.counts = new Uint16Array(most);
  }

  read(start: number, end: number): Postings {
    let [found, last] = [0, -1];
    for (this.at = start; this.at < end && found < this.passages.length; found++) {
      const step = this.next();
      last += (step >>> 1) + 1;
      this.passages[found] = last;
      this.counts[found] = step % 2 === 1 ? this.next() : 1;
    }
    return { passages: this.passages.subarray(0, found), counts: this.counts.subarray(0, found) };
  }

  private next(): number {
    let byte = this.bytes[this.at++] ?? 0;
    let value = byte & 0x7f;
    for (let factor = 0x80; byte >= 0x80 && this.at < this.bytes.length; factor *= 0x80) {
      byte = this.bytes[this.at++] ?? 0;
      value += (byte & 0x7f) * factor;
    }
    return value;
  }
}

/** Bytes that grow. */
class ByteWriter {
  length = 0;
  private held = new Uint8Array(1024);

  addAll(bytes: Uint8Array): void {
    this.makeRoom(bytes.length);
    this.held.set(bytes, this.length);
    this.length += bytes.length;
  }

  /** Seven bits a byte, the lowest first. */
  addNumber(value: number): void {
    this.makeRoom(8);
    let left = value;
    while (left >= 0x80) {
      this.held[this.length++] = (left % 0x80) | 0x80;
      left = Math.floor(left / 0x80);
    }
    this.held[this.length++] = left;
  }

  bytes(): Uint8Array {
    return this.held.subarray(0, this.length);
  }

  private makeRoom(more: number): void {
    if (this.length + more <= this.held.length) return;
    const larger = new Uint8Array(Math.max(this.length + more, 2 * this.held.length));
    larger.set(this.bytes());
    this.held = larger;
  }
}

interface NumbersOf<T> {
  readonly BYTES_PER_ELEMENT: number;
  new (buffer: ArrayBufferLike): T;
}

/** Takes columns one after the other, copied to where their numbers can be read. */
class Reader {
  isShort = false;

  constructor(
    private readonly bytes: Uint8Array,
    public at: number,
  ) {}

  numbers<T>(type: NumbersOf<T>, length: number): T {
    const end = this.at + length * type.BYTES_PER_ELEMENT;
    this.isShort ||= end > this.bytes.length;
    // A host's own kind of bytes may share its buffer with others, and slices of it as well.
    const column = new type(new Uint8Array(this.isShort ? [] : this.bytes.subarray(this.at, end)).buffer);
    this.at = end;
    return column;
  }
}

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined; // not ours, or torn: made again
  }
}
