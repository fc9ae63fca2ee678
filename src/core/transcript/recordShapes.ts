import type { ByteView } from './byteText';
import type { EnvelopeRuns } from './envelopeRun';
import type { ShapeRecorder } from './fieldTable';
import type { JsonCursor } from './jsonCursor';
import { Literal } from './literal';
import type { RawRecord } from './rawRecord';

/** With more than this, a transcript's records have nothing in common that would be worth remembering. */
const MAX_SHAPES = 1000;
const MAX_CHOICES = 64;
const MAX_VALUES = 64;

/** What does not vary in a record is a few hundred bytes; more means that text was taken for something constant. */
const MAX_LITERAL_BYTES = 1000;

/** Values up to this size are looked at byte by byte: the search that the host does takes longer to begin. */
const MAX_PLAIN_BYTES = 64;
const MAX_DIGITS = 15;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const CLOSE_OBJECT = 0x7d;
const ZERO = 0x30;
const NINE = 0x39;

interface Value {
  readonly start: number;
  readonly end: number;
  readonly runKey?: string | undefined;
  /** Reads the value at the cursor into the record that it was learned with. */
  readonly read: ((cursor: JsonCursor) => void) | undefined;
}

/** A record that was read, to be filled again from another of its shape. */
interface Shape {
  readonly record: RawRecord;
  readonly reads: readonly { readonly value: number; readonly read: (cursor: JsonCursor) => void }[];
}

/** Bytes that are the same in all records of a shape, and what comes after them. */
interface Step {
  readonly literal: Literal;
  /** The key of a run of envelope fields that may stand here; any other value is walked over. */
  readonly runKey: string | undefined;
  /** What may follow the value; none at the end of a record. */
  readonly next: Step[];
  shape: Shape | undefined;
}

/** Collects the variable values of one record. */
export class ShapeSample implements ShapeRecorder {
  readonly values: Value[] = [];
  isUsable = true;

  value(place: Omit<Value, 'read'>, read: ((cursor: JsonCursor) => void) | undefined): void {
    this.values.push({ ...place, read });
  }

  giveUp(): void {
    this.isUsable = false;
  }
}

/**
 * The shapes of the records that were read: the bytes between their variable values.
 *
 * Claude Code writes a few dozen kinds of records, in which everything but a handful of values is the same bytes again.
 * Where the bytes between the values are those of a record that was read before, reading key by key could only find what
 * it found then: so these are compared, and only the variable values are read, into the record of then. Values
 * are walked over and checked as always. It takes a quarter of the time, and a tenth while the engine has not compiled
 * anything yet.
 *
 * A record that is recalled is valid until the next one of its shape.
 */
export class RecordShapes {
  private steps: Step[] = [];
  private count = 0;
  private readonly starts = new Int32Array(MAX_VALUES);
  private readonly ends = new Int32Array(MAX_VALUES);

  /** The record at `start`, if it has a known shape. Throws `broken-record` as the reader of records does. */
  recall(
    { view, end }: { readonly view: ByteView; readonly end: number },
    start: number,
    { cursor, runs }: { cursor: JsonCursor; runs: EnvelopeRuns },
  ): RawRecord | undefined {
    const { bytes } = view;
    let choices = this.steps;
    let pos = start;
    for (let value = 0; value < MAX_VALUES; value++) {
      const step = stepAt(choices, view, pos);
      if (step === undefined) return undefined;
      pos += step.literal.size;
      if (step.shape !== undefined) return this.fill(step.shape, cursor, start, pos);
      this.starts[value] = pos;
      const valueEnd = step.runKey === undefined ? plainEnd(bytes, pos, end) : -1;
      if (valueEnd > 0) pos = valueEnd;
      else {
        cursor.pos = pos;
        if (step.runKey === undefined || runs.recall(step.runKey, cursor) === undefined) cursor.skip();
        pos = cursor.pos;
      }
      this.ends[value] = pos;
      choices = step.next;
    }
    return undefined;
  }

  /** Remembers the shape of a record that was read. */
  learn(view: ByteView, record: RawRecord, { values, isUsable }: ShapeSample): void {
    const end = values.at(-1)?.end ?? record.start;
    const literalBytes = values.reduce((sum, value) => sum - (value.end - value.start), record.end - record.start);
    if (!isUsable || literalBytes > MAX_LITERAL_BYTES || values.length >= MAX_VALUES) return;
    if (this.count >= MAX_SHAPES) this.forget();
    let choices = this.steps;
    let pos = record.start;
    for (const { start, end: valueEnd, runKey } of values) {
      choices = choice(choices, view, { start: pos, end: start, runKey }).next;
      pos = valueEnd;
    }
    const last = choice(choices, view, { start: end, end: record.end });
    const reads = values.flatMap(({ read }, value) => (read === undefined ? [] : [{ value, read }]));
    if (last.shape === undefined) this.count++;
    last.shape = { record, reads };
  }

  private fill({ record, reads }: Shape, cursor: JsonCursor, start: number, end: number): RawRecord {
    record.renew(start, end);
    for (const { value, read } of reads) {
      cursor.stepTo(this.starts[value] ?? 0, this.ends[value] ?? 0);
      read(cursor);
    }
    cursor.pos = end;
    return record;
  }

  private forget(): void {
    this.steps = [];
    this.count = 0;
  }
}

/** The end of a short string without escapes, or of a whole number: most values are one. -1 for all others. */
function plainEnd(bytes: Uint8Array, start: number, lineEnd: number): number {
  const limit = Math.min(lineEnd, start + MAX_PLAIN_BYTES);
  return bytes[start] === QUOTE ? shortStringEnd(bytes, start + 1, limit) : wholeNumberEnd(bytes, start, limit);
}

function shortStringEnd(bytes: Uint8Array, start: number, limit: number): number {
  for (let pos = start; pos < limit; pos++) {
    const byte = bytes[pos] ?? 0;
    if (byte === QUOTE) return pos + 1;
    if (byte === BACKSLASH) return -1;
  }
  return -1;
}

function wholeNumberEnd(bytes: Uint8Array, start: number, limit: number): number {
  for (let pos = start; pos < limit; pos++) {
    const byte = bytes[pos] ?? 0;
    if (byte >= ZERO && byte <= NINE) continue;
    const digits = pos - start;
    const isWhole = digits > 0 && digits <= MAX_DIGITS && (byte === COMMA || byte === CLOSE_OBJECT);
    return isWhole && (digits === 1 || bytes[start] !== ZERO) ? pos : -1;
  }
  return -1;
}

function stepAt(choices: readonly Step[], view: ByteView, pos: number): Step | undefined {
  for (const step of choices) if (step.literal.isAt(view, pos)) return step;
  return undefined;
}

function choice(choices: Step[], view: ByteView, { start, end, runKey }: Omit<Value, 'read'>): Step {
  for (const step of choices) {
    const isSame = step.literal.size === end - start && step.runKey === runKey;
    if (isSame && step.literal.isAt(view, start)) return step;
  }
  const step: Step = { literal: new Literal(view.bytes, start, end), runKey, next: [], shape: undefined };
  if (choices.length >= MAX_CHOICES) choices.pop();
  // One may be the beginning of another: a value that is a list here may be a string there. The longer tells more.
  const shorter = choices.findIndex(({ literal }) => literal.size < step.literal.size);
  choices.splice(shorter < 0 ? choices.length : shorter, 0, step);
  return step;
}
