/** The buffer for lines that span chunks is kept up to this size. */
const KEPT_BYTES = 4 * 1024 * 1024;
const FIRST_BYTES = 64 * 1024;

const NO_BYTES = new Uint8Array(0);

/** Keeps a buffer for whoever needs one next: new memory costs more than what is done with it. */
export class SpareBuffer {
  private spare: Uint8Array = NO_BYTES;

  /** A buffer of at least so many bytes that begins with those of `old`, which goes back. */
  grow(old: Uint8Array, used: number, bytes: number): Uint8Array {
    const wider = this.spare.length >= bytes ? this.spare : new Uint8Array(Math.max(bytes, FIRST_BYTES));
    if (wider === this.spare) this.spare = NO_BYTES;
    wider.set(old.subarray(0, used));
    this.giveBack(old);
    return wider;
  }

  giveBack(buffer: Uint8Array): void {
    if (buffer.length > this.spare.length && buffer.length <= KEPT_BYTES) this.spare = buffer;
  }
}
