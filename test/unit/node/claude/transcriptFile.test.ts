import assert from 'node:assert/strict';
import { TranscriptUnreadableError } from '../../../../src/core/transcript/claudeFolder';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { FileExcerpts } from '../../../../src/node/claude/transcriptFile';

describe('pieces of a transcript file', () => {
  let folder: string;
  let file: string;
  const lines = Array.from({ length: 3000 }, (_, index) => JSON.stringify({ index, text: 'é'.repeat(index % 700) }));
  const bytes = Buffer.from(lines.join('\n'));

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'keepit-excerpts-'));
    file = path.join(folder, 'session.jsonl');
    await writeFile(file, bytes);
  });
  after(() => rm(folder, { recursive: true }));

  it('are those of the ranges, in their order, cut where asked', async () => {
    const range = fc.record({ offset: fc.nat(bytes.length - 1), length: fc.integer({ min: 0, max: 100_000 }) });
    const excerpts = new FileExcerpts(file);
    await fc.assert(
      fc.asyncProperty(fc.array(range, { maxLength: 20 }), fc.integer({ min: 1, max: 9000 }), async (ranges, most) => {
        const expected = ranges.map(({ offset, length }) =>
          new TextDecoder().decode(bytes.subarray(offset, offset + Math.min(length, most))),
        );
        assert.deepEqual(await excerpts.read(ranges, most), expected);
      }),
    );
    await excerpts.close();
  });

  it('are refused when the file is gone, and empty when it is shorter than it was', async () => {
    const gone = new FileExcerpts(path.join(folder, 'gone.jsonl'));
    const isVanished = (error: unknown): boolean =>
      error instanceof TranscriptUnreadableError && error.reason === 'vanished';
    await assert.rejects(gone.read([{ offset: 0, length: 5 }], 10), isVanished);
    await gone.close();
    const excerpts = new FileExcerpts(file);
    assert.deepEqual(await excerpts.read([{ offset: bytes.length + 10, length: 5 }], 10), ['']);
    await excerpts.close();
  });
});
