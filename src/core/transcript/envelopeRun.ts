import type { JsonCursor } from './jsonCursor';
import { Literal } from './literal';

/** The fields that say where a record was written: the same in thousands of records one after the other. */
export interface Envelope {
  isSidechain?: boolean | undefined;
  sessionId?: string | undefined;
  cwd?: string | undefined;
  version?: string | undefined;
  gitBranch?: string | undefined;
}

/** Fewer fields than these in a row are not worth comparing. */
const MIN_FIELDS = 3;

/** Quotes around the key, a colon, a comma. */
const KEY_OVERHEAD = 4;

interface KnownRun {
  readonly literal: Literal;
  readonly envelope: Envelope;
}

/**
 * Reads the run of envelope fields in one comparison when it is byte for byte that of an earlier record. A third of all
 * keys of a transcript are in such runs; reading them one by one took a quarter of the time.
 */
export class EnvelopeRuns {
  /** By the key that a run begins with. */
  private readonly known = new Map<string, KnownRun>();
  private firstKey = '';
  private start = 0;
  private end = 0;
  private fields = 0;
  private envelope: Envelope = {};

  /** What the run at the cursor says, if it is known; the cursor is then behind it. It stands behind the colon of `key`. */
  recall(key: string, cursor: JsonCursor): Envelope | undefined {
    const run = this.known.get(key);
    return run !== undefined && cursor.consume(run.literal) ? run.envelope : undefined;
  }

  /** Notes that the value of an envelope key was read from `[start, end)`; `value` adds what it said. */
  extend(key: string, start: number, end: number, value: Envelope): void {
    if (this.fields === 0 || start !== this.end + key.length + KEY_OVERHEAD) this.begin(key, start);
    this.end = end;
    this.fields++;
    Object.assign(this.envelope, value);
  }

  /** Called at the end of each record, with the bytes that it was read from. */
  finishRecord(bytes: Uint8Array): void {
    if (this.fields >= MIN_FIELDS) {
      const literal = new Literal(bytes, this.start, this.end);
      this.known.set(this.firstKey, { literal, envelope: this.envelope });
    }
    this.fields = 0;
  }

  /** Called instead when the record turned out to be broken: nothing of it is remembered. */
  forgetRecord(): void {
    this.fields = 0;
  }

  private begin(key: string, start: number): void {
    this.firstKey = key;
    this.start = start;
    this.fields = 0;
    this.envelope = {};
  }
}
