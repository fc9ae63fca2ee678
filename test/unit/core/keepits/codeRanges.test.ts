import assert from 'node:assert/strict';
import { findCodeBlocks } from '../../../../src/core/keepits/codeRanges';

const blocksOf = (text: string): string[] => findCodeBlocks(text).map(({ start, end }) => text.slice(start, end));

describe('findCodeBlocks', () => {
  it('finds fences with their lines, also in lists and where nothing closes them', () => {
    assert.deepEqual(blocksOf('a\n```ts\nb\n```\nc\n- ~~~\n  d\n  ~~~\n```\nopen'), [
      '```ts\nb\n```\n',
      '- ~~~\n  d\n  ~~~\n',
      '```\nopen',
    ]);
  });

  it('leaves code within a line', () => {
    assert.deepEqual(blocksOf('`a` and\n```b``` and ``c\nd``'), []);
  });
});
