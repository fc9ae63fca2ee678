import assert from 'node:assert/strict';
import { chunkLines, plainText, readPieces } from '../../../../../src/core/versions/local/pieces';

function told(markdown: string): string[] {
  return readPieces(markdown).map(({ kind, text }) => `${kind}: ${text}`);
}

describe('readPieces', () => {
  it('tells headings, sentences, items and code apart', () => {
    const markdown = '## Plan\nFirst this. Then\nthat.\n\n- one\n- two\n\n```ts\nconst a = 1;\n```\nDone.';
    assert.deepEqual(told(markdown), [
      'heading: Plan',
      'sentence: First this.',
      'sentence: Then that.',
      'item: one',
      'item: two',
      'code: const a = 1;',
      'sentence: Done.',
    ]);
  });

  it('takes a heading with nothing below it for words', () => {
    assert.deepEqual(told('# Never touch the queue'), ['sentence: Never touch the queue']);
    assert.deepEqual(told('## Done\nAll of it.\n\n## Next'), [
      'heading: Done',
      'sentence: All of it.',
      'sentence: Next',
    ]);
  });

  it('knows how deep an item stands', () => {
    const depths = readPieces('- a\n  - b\n    - c\n  - d\n- e').map(({ depth }) => depth);
    assert.deepEqual(depths, [0, 1, 2, 1, 0]);
  });

  it('reads the rows of a table as items, without its rules', () => {
    assert.deepEqual(told('| name | size |\n|---|---|\n| a | 1 |'), ['item: name | size', 'item: a | 1']);
  });

  it('takes pasted program lines for code', () => {
    const markdown = 'It fails:\n  at parse (src/a.ts:1:2)\n  at main (src/b.ts:3:4)\nWhy?';
    assert.deepEqual(told(markdown), [
      'sentence: It fails:',
      'code:   at parse (src/a.ts:1:2)\n  at main (src/b.ts:3:4)',
      'sentence: Why?',
    ]);
  });

  it('ends a fence that nothing closes with the text', () => {
    assert.deepEqual(told('```\nline one\nline two'), ['code: line one\nline two']);
  });
});

describe('plainText', () => {
  it('takes away emphasis and pictures, and keeps names with underscores', () => {
    assert.equal(
      plainText('✅ **Done**: `my_file_name` and __init__ stay, *really* 🎉'),
      'Done: `my_file_name` and __init__ stay, really',
    );
  });

  it('keeps the label of a link, and its address when it leads out', () => {
    assert.equal(
      plainText('See [a.ts](cci:1://file:///x/a.ts:0:0) and [docs](https://example.org/x).'),
      'See a.ts and docs (https://example.org/x).',
    );
  });
});

describe('chunkLines', () => {
  it('cuts at blank lines and after a dozen lines', () => {
    assert.deepEqual(chunkLines(['a', 'b', '', 'c']), ['a\nb', 'c']);
    assert.equal(chunkLines(Array.from({ length: 30 }, (_, index) => `line ${index}`)).length, 3);
  });
});
