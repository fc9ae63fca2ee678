import type { TokenEstimator } from './tokenCounter';
import type { TokenCounter } from './tokenCounter';

const ESCAPE = /\\(?:u([0-9a-fA-F]{4})|([^u]))/g;
const ESCAPED = new Map(Object.entries({ b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }));

/** Lets the reader of transcripts count exactly, by the same walk over the same texts with which it estimates. */
export class ExactEstimator implements TokenEstimator {
  readonly #counter: TokenCounter;
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });

  constructor(counter: TokenCounter) {
    this.#counter = counter;
  }

  estimate(text: string): number {
    return this.#counter.count(text);
  }

  estimateBytes(bytes: Uint8Array, start: number, end: number): number {
    const json = this.#decoder.decode(bytes.subarray(start, end));
    return this.#counter.count(json.includes('\\') ? unescapeJson(json) : json);
  }
}

/** What the JSON text says: an escape counts as the character that it stands for. */
function unescapeJson(json: string): string {
  return json.replace(ESCAPE, (_all, unit: string | undefined, letter: string | undefined) =>
    unit === undefined ? (ESCAPED.get(letter ?? '') ?? letter ?? '') : String.fromCharCode(Number.parseInt(unit, 16)),
  );
}
