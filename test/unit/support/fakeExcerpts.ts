import type { ExcerptReader } from '../../../src/core/material/toolDetails';
import type { ByteRange } from '../../../src/core/transcript/types';
import type { FakeClaudeFolder } from './fakeClaudeFolder';

/** Pieces of a file of the fake folder. */
export class FakeExcerpts implements ExcerptReader {
  readonly #folder: FakeClaudeFolder;
  readonly #path: string;

  constructor(folder: FakeClaudeFolder, path: string) {
    this.#folder = folder;
    this.#path = path;
  }

  async read(ranges: readonly ByteRange[], maxBytes: number): Promise<readonly string[]> {
    const bytes = this.#folder.files.get(this.#path)?.bytes ?? new Uint8Array();
    const decoder = new TextDecoder();
    return ranges.map(({ offset, length }) =>
      decoder.decode(bytes.subarray(offset, offset + Math.min(length, maxBytes))),
    );
  }

  async close(): Promise<void> {
    // there is nothing to close
  }
}
