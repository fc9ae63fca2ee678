import { KeepitError, type ErrorText } from '../keepitError';

const magic = 0x3152504b; // "KPR1", read as a little-endian number
const headerBytes = 8;
const hashSeed = 0x811c9dc5;
const hashPrime = 0x01000193;
/** A slot holds the rank + 1 in its low bits and bits of the hash above, so that most misses are seen without reading the token. */
const rankBits = 18;
const rankMask = (1 << rankBits) - 1;

/** The hash under which `RankTable` and `PieceCache` look up `bytes[start, end)`. */
export function hashBytes(bytes: Uint8Array, start: number, end: number): number {
  let hash = hashSeed;
  for (let index = start; index < end; index++) hash = Math.imul(hash ^ (bytes[index] ?? 0), hashPrime);
  return hash ^ (hash >>> 15);
}

/**
 * The tokens of a byte-pair encoding, to be looked up by their bytes. Built from the content of the file that
 * `scripts/buildRanks.mjs` writes, which it keeps and reads in place: one typed array of slots is all that is made.
 */
export class RankTable {
  /** No token is longer, so that no longer run of bytes needs to be looked up. */
  readonly maxTokenBytes: number;
  /** Where the bytes of each token begin in the file; one more entry than there are tokens. */
  readonly #offsets: Uint32Array;
  readonly #slots: Int32Array;
  readonly #slotMask: number;
  /** Rank by two bytes, as these are looked up for every byte of every piece that is not a token. */
  readonly #pairRanks = new Int32Array(0x10000).fill(-1);

  /** Some 10 ms. Throws a `TokenRanksError` when the bytes are not a whole ranks file. */
  static from(file: Uint8Array): RankTable {
    const table = new RankTable(file);
    for (let rank = 0; rank < table.#offsets.length - 1; rank++) table.#insert(rank);
    return table;
  }

  private constructor(private readonly file: Uint8Array) {
    const count = tokenCountOf(file);
    this.#offsets = new Uint32Array(count + 1);
    let offset = headerBytes + count;
    let maxTokenBytes = 0;
    for (let rank = 0; rank < count; rank++) {
      const length = file[headerBytes + rank] ?? 0;
      this.#offsets[rank] = offset;
      offset += length;
      if (length > maxTokenBytes) maxTokenBytes = length;
    }
    if (offset !== file.length) throw new TokenRanksError('corrupt');
    this.#offsets[count] = offset;
    this.maxTokenBytes = maxTokenBytes;
    const slotCount = 2 ** Math.ceil(Math.log2(count * 2 + 2));
    this.#slotMask = slotCount - 1;
    this.#slots = new Int32Array(slotCount);
  }

  /** The rank of the token with exactly these bytes, -1 where there is none. `hash` is their `hashBytes`. */
  find(bytes: Uint8Array, start: number, end: number, hash: number): number {
    let slot = hash & this.#slotMask;
    for (;;) {
      const entry = this.#slots[slot] ?? 0;
      if (entry === 0) return -1;
      if ((entry ^ hash) >>> rankBits === 0) {
        const rank = (entry & rankMask) - 1;
        if (this.#holds(rank, bytes, start, end)) return rank;
      }
      slot = (slot + 1) & this.#slotMask;
    }
  }

  /** As `find`, for bytes whose hash is not known yet. */
  rankOf(bytes: Uint8Array, start: number, end: number): number {
    const length = end - start;
    if (length === 2) return this.#pairRanks[((bytes[start] ?? 0) << 8) | (bytes[start + 1] ?? 0)] ?? -1;
    return length > this.maxTokenBytes ? -1 : this.find(bytes, start, end, hashBytes(bytes, start, end));
  }

  #insert(rank: number): void {
    const start = this.#offsets[rank] ?? 0;
    const end = this.#offsets[rank + 1] ?? 0;
    const hash = hashBytes(this.file, start, end);
    let slot = hash & this.#slotMask;
    while (this.#slots[slot] !== 0) slot = (slot + 1) & this.#slotMask;
    this.#slots[slot] = (hash & ~rankMask) | (rank + 1);
    if (end - start === 2) this.#pairRanks[((this.file[start] ?? 0) << 8) | (this.file[start + 1] ?? 0)] = rank;
  }

  #holds(rank: number, bytes: Uint8Array, start: number, end: number): boolean {
    const from = this.#offsets[rank] ?? 0;
    if ((this.#offsets[rank + 1] ?? 0) - from !== end - start) return false;
    for (let index = start, own = from; index < end; index++, own++) {
      if (this.file[own] !== bytes[index]) return false;
    }
    return true;
  }
}

function tokenCountOf(file: Uint8Array): number {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  if (file.length < headerBytes || view.getUint32(0, true) !== magic) throw new TokenRanksError('corrupt');
  const count = view.getUint32(4, true);
  if (count >= rankMask || file.length < headerBytes + count) throw new TokenRanksError('corrupt');
  return count;
}

type TokenRanksErrorReason = 'missing' | 'unreadable' | 'corrupt';

const reinstall = 'Install Keepit again, or run `npm run build` in a checkout; estimates go on working.';

const texts: Record<TokenRanksErrorReason, ErrorText> = {
  missing: { message: 'The data for exact token counts is missing.', hint: reinstall },
  unreadable: {
    message: 'The data for exact token counts cannot be read.',
    hint: 'Check that you may read the folder in which Keepit is installed; estimates go on working.',
  },
  corrupt: { message: 'The data for exact token counts is damaged.', hint: reinstall },
};

/** The ranks that exact counting needs could not be had. */
export class TokenRanksError extends KeepitError {
  constructor(
    readonly reason: TokenRanksErrorReason,
    options?: { cause?: unknown },
  ) {
    super(`tokens-${reason}`, texts[reason], options);
  }
}
