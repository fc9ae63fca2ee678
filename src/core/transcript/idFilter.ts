import { digitAt, digitsText } from './digits';
import type { IdHash } from './hashIndex';

const BITS_PER_DIGIT = 6;
const BITS_PER_ID = 16;
const PROBES = 6;

/**
 * Tells of an id whether it may be in a set: a no is certain, a yes is wrong once in a thousand times. It is a text of
 * three characters an id, and is asked as it is: a set of 100,000 ids need not be rebuilt to learn that the next is new.
 */
export class IdFilter {
  private readonly bits: number;

  constructor(readonly text: string) {
    this.bits = text.length * BITS_PER_DIGIT;
  }

  has({ low, high }: IdHash): boolean {
    const { bits, text } = this;
    if (bits === 0) return false;
    const step = stepOf(low, high);
    for (let probe = 0, at = low >>> 0; probe < PROBES; probe++, at = (at + step) >>> 0) {
      const bit = at % bits;
      const digit = digitAt(text, Math.floor(bit / BITS_PER_DIGIT));
      if (((digit >> (bit % BITS_PER_DIGIT)) & 1) === 0) return false;
    }
    return true;
  }
}

/** Makes the filter of so many ids. */
export class IdFilterBuilder {
  private readonly digits: Uint8Array;

  constructor(ids: number) {
    this.digits = new Uint8Array(Math.ceil((ids * BITS_PER_ID) / BITS_PER_DIGIT));
  }

  add({ low, high }: IdHash): void {
    const { digits } = this;
    const bits = digits.length * BITS_PER_DIGIT;
    const step = stepOf(low, high);
    for (let probe = 0, at = low >>> 0; probe < PROBES; probe++, at = (at + step) >>> 0) {
      const bit = at % bits;
      const place = Math.floor(bit / BITS_PER_DIGIT);
      digits[place] = (digits[place] ?? 0) | (1 << (bit % BITS_PER_DIGIT));
    }
  }

  text(): string {
    return digitsText(this.digits);
  }
}

/** Odd, so that the probes of an id differ. */
function stepOf(low: number, high: number): number {
  return (Math.imul(high ^ (low >>> 16), 0x9e3779b1) | 1) >>> 0;
}
