import { parsedJson } from '../text/ownValue';
import * as z from 'zod/mini';
import { type Bytes, ByteReader, ByteWriter, numbersIn } from './bytes';
import { firstFrom } from './order';
import { COLUMNS, type Postings, type SegmentTables, type Term } from './segment';

/** Raise it when the same words give other terms, or tables are laid out otherwise. */
const FORMAT = 8;

const sizeSchema = z.int().check(z.gte(0));
const indexedSchema = z.object({ sessionId: z.string(), path: z.string(), bytes: z.number(), mtimeMs: z.number() });

/** Which sessions the tables are of, each as its file was then, and how large each table is. */
const headSchema = z.object({
  format: z.literal(FORMAT),
  sessions: z.array(indexedSchema),
  passages: sizeSchema,
  documents: sizeSchema,
  words: sizeSchema,
  /** Bytes: of what one passage means, and of the tables that follow the columns. */
  meaning: sizeSchema,
  terms: sizeSchema,
  blocks: sizeSchema,
  postings: sizeSchema,
});
type Head = z.infer<typeof headSchema>;

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
/** Terms of a block: all but the first are told by what they have in common with the one before. */
const BLOCK = 32;
/** Of each block: where its terms begin, and where their postings do. */
const BLOCK_BYTES = 8;

/** As bytes: a head, columns of numbers, what passages mean, all terms in blocks, where these begin, and postings as differences. */
export function encodeTables({ sessions, tables }: StoredTables): Uint8Array {
  const terms = new TermWriter();
  for (const { rest, term } of tables.termsBehind('')) terms.add(rest, term);
  const meanings = new ByteWriter();
  for (let passage = 0; passage < tables.lengths.length; passage++) meanings.addAll(bytesOf(tables.meaning(passage)));
  const [passages, documents, words] = [tables.lengths.length, tables.holders.length, tables.words];
  const sizes: Omit<Head, 'format' | 'sessions'> = {
    ...{ passages, documents, words, meaning: meanings.length / Math.max(1, passages) },
    ...{ terms: terms.terms.length, blocks: terms.blocks.length / 2, postings: terms.postings.length },
  };
  const head = encoder.encode(JSON.stringify({ format: FORMAT, sessions, ...sizes }));
  const writer = new ByteWriter();
  writer.addAll(bytesOf(Uint32Array.of(head.length)));
  writer.addAll(head);
  for (const name of [...OF_PASSAGES, ...OF_DOCUMENTS]) writer.addAll(bytesOf(COLUMNS[name].from(tables[name])));
  writer.addAll(meanings.bytes());
  writer.addAll(terms.terms.bytes());
  writer.addAll(bytesOf(Uint32Array.from(terms.blocks)));
  writer.addAll(terms.postings.bytes());
  return writer.bytes();
}

/** Puts terms one after the other, each with how many passages hold it and how many bytes its postings take. */
class TermWriter {
  readonly terms = new ByteWriter();
  readonly postings = new ByteWriter();
  readonly blocks: number[] = [];
  private before = '';
  private count = 0;

  add(whole: string, term: Term): void {
    const isFirst = this.count++ % BLOCK === 0;
    if (isFirst) this.blocks.push(this.terms.length, this.postings.length);
    let common = 0;
    while (!isFirst && common < whole.length && whole[common] === this.before[common]) common += 1;
    if (/[\ud800-\udbff]/.test(whole.charAt(common - 1))) common -= 1; // a character is not cut in two
    const start = this.postings.length;
    addPostings(this.postings, term.postings());
    this.terms.addNumber(common);
    this.terms.addText(whole.slice(common));
    this.terms.addNumber(term.holders);
    this.terms.addNumber(this.postings.length - start);
    this.before = whole;
  }
}

/** Undefined for what is no such file, or of another format. */
export function decodeTables(bytes: Bytes): StoredTables | undefined {
  const head = headOf(bytes);
  if (head === undefined) return undefined;
  return { sessions: head.sessions, tables: new TablesInBytes(bytes, head) };
}

interface HeadAt extends Head {
  /** Where the columns begin. */
  readonly start: number;
}

function headOf(bytes: Bytes): HeadAt | undefined {
  if (bytes.length < HEAD_LENGTH) return undefined;
  const start = HEAD_LENGTH + (numbersIn(bytes.read(0, HEAD_LENGTH))[0] ?? 0);
  if (start > bytes.length) return undefined;
  const head = headSchema.safeParse(parsedJson(decoder.decode(bytes.read(HEAD_LENGTH, start)))).data;
  if (head === undefined) return undefined;
  const { passages, documents, meaning, terms, blocks, postings } = head;
  const columns = passages * widthOf(OF_PASSAGES) + documents * widthOf(OF_DOCUMENTS) + passages * meaning;
  return start + columns + terms + blocks * BLOCK_BYTES + postings === bytes.length ? { ...head, start } : undefined;
}

function widthOf(names: readonly (keyof typeof COLUMNS)[]): number {
  return names.reduce((sum, name) => sum + COLUMNS[name].BYTES_PER_ELEMENT, 0);
}

/** Columns are read at once, since every search goes by them; terms and what passages mean when they are asked for. */
class TablesInBytes implements SegmentTables {
  readonly documents: ArrayLike<number>;
  readonly lengths: ArrayLike<number>;
  readonly isAside: ArrayLike<number>;
  readonly messages: ArrayLike<number>;
  readonly holders: ArrayLike<number>;
  readonly exchanges: ArrayLike<number>;
  readonly seconds: ArrayLike<number>;
  readonly places: ArrayLike<number>;
  readonly words: number;
  private readonly meanings: number;
  private readonly postingsAt: number;
  private readonly blocksAt: number;
  /** Where the terms of each block begin, and where their postings do. */
  private readonly blockStarts: Uint32Array;
  /** The first terms of the blocks that were looked at. */
  private readonly firsts: string[] = [];

  constructor(
    private readonly bytes: Bytes,
    private readonly head: HeadAt,
  ) {
    const { passages, documents, words, postings, blocks } = head;
    let at = head.start;
    const column = (name: keyof typeof COLUMNS, rows: number): ArrayLike<number> => {
      const start = at;
      at += COLUMNS[name].BYTES_PER_ELEMENT * rows;
      return new COLUMNS[name](new Uint8Array(bytes.read(start, at)).buffer);
    };
    this.documents = column('documents', passages);
    this.lengths = column('lengths', passages);
    this.isAside = column('isAside', passages);
    this.messages = column('messages', documents);
    this.holders = column('holders', documents);
    this.exchanges = column('exchanges', documents);
    this.seconds = column('seconds', documents);
    this.places = column('places', documents);
    this.meanings = at;
    this.words = words;
    this.postingsAt = bytes.length - postings;
    this.blocksAt = this.postingsAt - blocks * BLOCK_BYTES;
    this.blockStarts = numbersIn(bytes.read(this.blocksAt, this.postingsAt));
  }

  meaning(passage: number): Int8Array {
    const start = this.meanings + passage * this.head.meaning;
    const { buffer, byteOffset, length } = this.bytes.read(start, start + this.head.meaning);
    return new Int8Array(buffer, byteOffset, length);
  }

  term(term: string): Term | undefined {
    const from = firstFrom(this.head.blocks, (block) => this.firstOf(block) < term);
    const block = this.firstOf(from) === term ? from : from - 1;
    for (const { rest, term: found } of block < 0 ? [] : this.block(block, term))
      return rest === '' ? found : undefined;
    return undefined;
  }

  *termsBehind(start: string) {
    const { blocks } = this.head;
    const from = firstFrom(blocks, (block) => this.firstOf(block) < start);
    for (let block = Math.max(0, from - 1); block < blocks; block++) {
      if (block >= from && !this.firstOf(block).startsWith(start)) return;
      yield* this.block(block, start);
    }
  }

  private firstOf(block: number): string {
    let first = this.firsts[block];
    if (first === undefined) {
      const reader = new ByteReader(this.read(block));
      const whole: number[] = [];
      addUnits(whole, reader.number(), reader);
      this.firsts[block] = first = String.fromCharCode(...whole);
    }
    return first;
  }

  private read(block: number): Uint8Array {
    const { terms } = this.head;
    const [start = terms, , end = terms] = this.blockStarts.subarray(2 * block);
    return this.bytes.read(this.blocksAt - terms + start, this.blocksAt - terms + end);
  }

  /** The terms of a block that begin with something. Most begin otherwise: of these no text is made. */
  private *block(block: number, start: string) {
    const reader = new ByteReader(new Uint8Array(this.read(block))); // others are read meanwhile
    const whole: number[] = [];
    let at = this.postingsAt + (this.blockStarts[2 * block + 1] ?? 0);
    let same = 0;
    while (!reader.isAtEnd) {
      const common = reader.number();
      addUnits(whole, common, reader);
      const holders = reader.number();
      const from = at;
      at += reader.number();
      same = Math.min(same, common);
      while (same < start.length && whole[same] === start.charCodeAt(same)) same += 1;
      if (same < start.length) continue;
      const rest = String.fromCharCode(...whole.slice(same));
      yield { rest, term: new StoredTerm(this.bytes, holders, [from, at]) };
    }
  }
}

/** Puts the UTF-16 units of a term behind those that it has in common with the one before. */
function addUnits(whole: number[], common: number, reader: ByteReader): void {
  const end = reader.number() + reader.at;
  whole.length = common;
  for (let at = reader.at; at < end; at++) {
    const byte = reader.bytes[at] ?? 0;
    if (byte >= 0x80) {
      const text = decoder.decode(reader.bytes.subarray(reader.at, end));
      for (let unit = at - reader.at; unit < text.length; unit++) whole.push(text.charCodeAt(unit));
      break;
    }
    whole.push(byte);
  }
  reader.at = end;
}

/** Postings are many, and looked at one after the other: always in the same place. */
const room = { passages: new Uint32Array(1024), counts: new Uint16Array(1024) };

class StoredTerm implements Term {
  constructor(
    private readonly bytes: Bytes,
    readonly holders: number,
    private readonly range: readonly [start: number, end: number],
  ) {}

  postings(): Postings {
    if (room.passages.length < this.holders) {
      room.passages = new Uint32Array(2 * this.holders);
      room.counts = new Uint16Array(2 * this.holders);
    }
    const { passages, counts } = room;
    const bytes = this.bytes.read(...this.range);
    const reader = new ByteReader(bytes);
    let [found, last] = [0, -1];
    for (; reader.at < bytes.length && found < this.holders; found++) {
      const byte = bytes[reader.at] ?? 0;
      const step = byte < 0x80 ? byte : reader.number();
      if (byte < 0x80) reader.at += 1;
      last += (step >>> 1) + 1;
      passages[found] = last;
      counts[found] = step % 2 === 1 ? reader.number() : 1;
    }
    return { length: found, passages, counts };
  }
}

function addPostings(writer: ByteWriter, { passages, counts, length }: Postings): void {
  let last = -1;
  for (let at = 0; at < length; at++) {
    const [passage = 0, count = 1] = [passages[at], counts[at]];
    // One bit tells whether a count follows: most words stand in a passage once.
    writer.addNumber((passage - last - 1) * 2 + (count === 1 ? 0 : 1));
    if (count !== 1) writer.addNumber(count);
    last = passage;
  }
}

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
