import { createHmac } from 'node:crypto';
import { ERASED } from '../../core/text/secrets/privateText';
import type { ErasedWords, Forgotten } from '../../core/model/forgotten';

/** Bytes of a file that say what was erased. */
export interface Run {
  readonly start: number;
  readonly end: number;
  /** What takes their place, where that is known. */
  readonly by?: Buffer;
}

/** Shorter words stand in everything. */
export const LEAST_BYTES = 6;
/** By so many bytes it is told where words may begin. */
const WINDOW_BYTES = 4;
const BUCKET_BITS = 12;
const HASH_CHARS = 32;

/** What holds a keepit in a text that was made, as it is or in JSON. */
const [MARKER, END_MARKER] = [/##keepit\d\.\d\d##\s*$/i, /^(?:\s|\\+n)*##keepit:end##|^(?=\s*?(?:\n|\\+n|"|$))/i];
const MARKER_CHARS = 24;

const [QUOTE, BACKSLASH, COLON, SPACE] = [0x22, 0x5c, 0x3a, 0x20];
const RECORD_ID = /"uuid"\s*:\s*"([^"]{1,64})"/g;
const TIME = /"timestamp"\s*:\s*"([^"]{1,40})"/;

/** Fields of a record that hold its place in the conversation, and nothing that was said. */
const STRUCTURE = new Set(
  (
    'type role uuid parentUuid logicalParentUuid leafUuid sessionId timestamp id tool_use_id toolUseID parentToolUseID name cwd version ' +
    'model requestId messageId agentId stop_reason userType media_type subtype operation level permissionMode service_tier entrypoint'
  ).split(' '),
);

type Marks = Pick<Forgotten, 'key' | 'words' | 'records' | 'pauses'>;

/** All ways in which words stand in files: as they are, and as JSON in JSON writes them. */
function waysOf(words: string): string[] {
  const ways = new Set<string>();
  const isPlain = !/[^\x20-\x7e]/.test(words);
  for (let way = words, depth = 0; depth < 4; depth += 1) {
    ways.add(way);
    if (!isPlain) ways.add(way.replace(/[\x7f-\uffff]/g, escaped));
    way = JSON.stringify(way).slice(1, -1);
  }
  return [...ways];
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** What stands for words in the file of what is forgotten. */
export function markWords(key: string, words: string): ErasedWords[] {
  const keys = windowKeys(key);
  return waysOf(words).map((way) => {
    const bytes = Buffer.from(way, 'utf8');
    return { bytes: bytes.length, bucket: bucketOf(bytes.readInt32LE(0), keys), hash: keyedHash(key, bytes) };
  });
}

export function markRecord(key: string, uuid: string): string {
  return keyedHash(key, Buffer.from(uuid, 'utf8'));
}

function keyedHash(key: string, bytes: Buffer): string {
  return createHmac('sha256', Buffer.from(key, 'hex')).update(bytes).digest('hex').slice(0, HASH_CHARS);
}

function windowKeys(key: string): readonly [number, number] {
  const bytes = Buffer.from(key, 'hex');
  return [bytes.readInt32LE(0), bytes.readInt32LE(4) | 1];
}

function bucketOf(window: number, [add, times]: readonly [number, number]): number {
  return Math.imul(window ^ add, times) >>> (32 - BUCKET_BITS);
}

/** Finds what was erased, and what was said in a pause. Words are known by keyed hashes alone. */
export class ErasedRuns {
  readonly #key: string;
  readonly #windowKeys: readonly [number, number];
  readonly #byBucket = new Map<number, ErasedWords[]>();
  readonly #isBegin = new Uint8Array(2 ** BUCKET_BITS);
  readonly #records: ReadonlySet<string>;
  readonly #pauses: Marks['pauses'];
  /** A record without a time belongs to the one before it. */
  #isPaused = false;

  constructor({ key, words, records, pauses }: Marks) {
    this.#key = key;
    this.#windowKeys = windowKeys(key);
    for (const one of words) {
      this.#byBucket.set(one.bucket, [...(this.#byBucket.get(one.bucket) ?? []), one]);
      this.#isBegin[one.bucket] = 1;
    }
    this.#records = new Set(records);
    this.#pauses = pauses;
  }

  get isEmpty(): boolean {
    return this.#byBucket.size === 0 && this.#records.size === 0 && this.#pauses.length === 0;
  }

  /** Where erased words stand in a text; without what has been overwritten already. */
  wordsIn(bytes: Buffer): Run[] {
    const runs: Run[] = [];
    if (this.#byBucket.size === 0) return runs;
    for (let at = 0; at + WINDOW_BYTES <= bytes.length; at += 1) {
      const bucket = bucketOf(bytes.readInt32LE(at), this.#windowKeys);
      if (this.#isBegin[bucket] === 0) continue;
      for (const { bytes: length, hash } of this.#byBucket.get(bucket) ?? []) {
        if (at + length > bytes.length || keyedHash(this.#key, bytes.subarray(at, at + length)) !== hash) continue;
        runs.push({ start: at, end: at + length });
      }
    }
    return joined(runs);
  }

  /** Whether all of a record was erased. */
  hasRecord(uuid: string): boolean {
    return this.#records.has(markRecord(this.#key, uuid));
  }

  /** Where a record of a transcript says what was erased, or was said in a pause. Records are given in their order. */
  recordIn(line: Buffer): Run[] {
    const isWhole = (this.#records.size > 0 || this.#pauses.length > 0) && this.#isErased(line.toString('latin1'));
    return isWhole ? saidIn(line).filter((run) => !isFilled(line, run)) : this.wordsIn(line);
  }

  #isErased(line: string): boolean {
    const [, time] = TIME.exec(line) ?? [];
    if (time !== undefined) {
      this.#isPaused = this.#pauses.some(({ from, until }) => time >= from && (until === undefined || time < until));
    }
    if (this.#isPaused) return true;
    if (this.#records.size === 0) return false;
    return [...line.matchAll(RECORD_ID)].some(([, uuid = '']) => this.hasRecord(uuid));
  }
}

/** Every text of a record but those that hold it together. */
export function saidIn(line: Buffer): Run[] {
  const runs: Run[] = [];
  let key = '';
  for (let at = line.indexOf(QUOTE); at !== -1; at = line.indexOf(QUOTE, at)) {
    const start = at + 1;
    let end = start;
    while (end < line.length && line[end] !== QUOTE) end += line[end] === BACKSLASH ? 2 : 1;
    let next = end + 1;
    while (line[next] === SPACE) next += 1;
    if (line[next] === COLON) key = line.toString('latin1', start, end);
    else if (!STRUCTURE.has(key) && end > start) runs.push({ start, end: Math.min(end, line.length) });
    at = end + 1;
  }
  return runs;
}

/** Runs in their order, those that overlap as one. */
export function joined(runs: readonly Run[]): Run[] {
  const all: { start: number; end: number }[] = [];
  for (const run of [...runs].sort((a, b) => a.start - b.start)) {
    const last = all.at(-1);
    if (last !== undefined && run.start <= last.end) last.end = Math.max(last.end, run.end);
    else all.push({ ...run });
  }
  return all;
}

/** What stands in the place of so many bytes: as many, so that all that is known by its place stays where it is. */
function filling(length: number): Buffer {
  const text = length > ERASED.length ? `${ERASED}${' '.repeat(length - ERASED.length - 1)}]` : '*'.repeat(length);
  return Buffer.from(text, 'latin1');
}

/** The same runs; one that is all of a keepit goes with its markers, for nothing is left that they could mark. */
export function withMarkers(bytes: Buffer, runs: readonly Run[]): Run[] {
  return runs.map((run) => {
    const [marker] = MARKER.exec(bytes.toString('latin1', Math.max(0, run.start - MARKER_CHARS), run.start)) ?? [];
    const [end] = END_MARKER.exec(bytes.toString('latin1', run.end, run.end + MARKER_CHARS)) ?? [];
    if (marker === undefined || end === undefined) return run;
    const [from, to] = [run.start - marker.length, run.end + end.length];
    return { start: from, end: to, by: Buffer.alloc(to - from, ' ') };
  });
}

function isFilled(bytes: Buffer, { start, end }: Run): boolean {
  return bytes.subarray(start, end).equals(filling(end - start));
}

/** Overwrites runs in a piece of a file that begins at `offset`. */
export function fill(piece: Uint8Array, offset: number, runs: readonly Run[]): void {
  for (const { start, end, by = filling(end - start) } of runs) {
    const [from, to] = [Math.max(start, offset), Math.min(end, offset + piece.length)];
    if (from < to) piece.set(by.subarray(from - start, to - start), from - offset);
  }
}

/** What is quoted of a text is found by so many bytes of it. */
const GRAM_BYTES = 24;
const WORD = /[A-Za-z0-9_\x80-\xff]{4,}/g;
/** Where a text that is written into JSON is broken up. */
const BREAKS = /[\n\r\t"\\]+/;
const FILTER_BITS = 16;

/**
 * What is left of erased words in texts that were made of them: pieces of them, and single words that nobody else has said. What is said
 * elsewhere, too, is learnt first, and stays.
 */
export class Remains {
  readonly #grams = new Set<string>();
  readonly #words = new Set<string>();
  readonly #filter = new Uint8Array(2 ** FILTER_BITS);

  constructor(texts: Iterable<string>) {
    for (const text of texts) {
      for (const part of text.split(BREAKS)) {
        const piece = latin(part);
        for (const [word] of piece.matchAll(WORD)) this.#words.add(word.toLowerCase());
        for (let at = 0; at + GRAM_BYTES <= piece.length; at += 1) {
          this.#grams.add(piece.slice(at, at + GRAM_BYTES));
          this.#filter[filterOf(piece, at)] = 1;
        }
      }
    }
  }

  /** These bytes are said elsewhere, and not to be erased. */
  learn(bytes: Buffer): void {
    const text = bytes.toString('latin1');
    for (const at of this.#gramsIn(text)) this.#grams.delete(text.slice(at, at + GRAM_BYTES));
    for (const [word] of withoutEscapes(text).matchAll(WORD)) this.#words.delete(word.toLowerCase());
  }

  runsIn(bytes: Buffer): Run[] {
    const text = bytes.toString('latin1');
    const runs = this.#gramsIn(text).map((start) => ({ start, end: start + GRAM_BYTES }));
    for (const { 0: word, index } of withoutEscapes(text).matchAll(WORD))
      if (this.#words.has(word.toLowerCase())) runs.push({ start: index, end: index + word.length });
    return joined(runs);
  }

  #gramsIn(text: string): number[] {
    const found: number[] = [];
    if (this.#grams.size === 0) return found;
    for (let at = 0; at + GRAM_BYTES <= text.length; at += 1)
      if (this.#filter[filterOf(text, at)] === 1 && this.#grams.has(text.slice(at, at + GRAM_BYTES))) found.push(at);
    return found;
  }
}

/** The bytes of a text, each as one character. */
function latin(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

/** Of the same length, so that places stay. */
function withoutEscapes(text: string): string {
  return text.replace(/\\+(?:u[0-9a-fA-F]{4}|.)?/g, (found) => ' '.repeat(found.length));
}

function filterOf(text: string, at: number): number {
  const first = text.charCodeAt(at) | (text.charCodeAt(at + 1) << 8) | (text.charCodeAt(at + 2) << 16);
  return Math.imul(first ^ (text.charCodeAt(at + 3) << 24), 0x9e3779b1) >>> (32 - FILTER_BITS);
}
