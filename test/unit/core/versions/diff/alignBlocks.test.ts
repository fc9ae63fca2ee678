import assert from 'node:assert/strict';
import fc from 'fast-check';
import { alignBlocks } from '../../../../../src/core/versions/diff/diffRow';
import type { DiffBlock } from '../../../../../src/core/versions/diff/types';

function block(from: number, to = from, kind: DiffBlock['kind'] = 'note'): DiffBlock {
  return { kind, role: 'assistant', from, to, text: `${from}` };
}

function rows(a: readonly DiffBlock[], b: readonly DiffBlock[]): string[] {
  return alignBlocks(a, b).map(
    (row) => `${row.a.map(({ from }) => from).join()} | ${row.b.map(({ from }) => from).join()}`,
  );
}

const messages = (count: number): DiffBlock[] => Array.from({ length: count }, (_, at) => block(at, at, 'message'));

describe('alignBlocks', () => {
  it('puts a version’s block beside the messages up to its next one', () => {
    assert.deepEqual(rows(messages(6), [block(0), block(0), block(2, 3), block(4)]), [
      '0,1 | 0,0',
      '2,3 | 2',
      '4,5 | 4',
    ]);
  });

  it('shows messages before the first block by themselves', () => {
    assert.deepEqual(rows(messages(4), [block(2)]), ['0,1 | ', '2,3 | 2']);
  });

  it('begins a row of two versions where both begin something', () => {
    assert.deepEqual(rows([block(0), block(3), block(5)], [block(0), block(4), block(5)]), ['0,3 | 0,4', '5 | 5']);
  });

  it('does not put parts beside each other that cover other messages', () => {
    assert.deepEqual(rows([block(0), block(2)], [block(5), block(7)]), ['0 | ', '2 | ', ' | 5', ' | 7']);
  });

  it('shows every block once, in order, whatever the blocks are', () => {
    const blocks = fc
      .array(fc.record({ from: fc.nat(60), length: fc.nat(9) }), { maxLength: 60 })
      .map((all) => all.map(({ from, length }) => block(from, from + length)).toSorted((x, y) => x.from - y.from));
    fc.assert(
      fc.property(blocks, blocks, (a, b) => {
        const aligned = alignBlocks(a, b);
        assert.deepEqual(
          aligned.flatMap((row) => row.a),
          a,
        );
        assert.deepEqual(
          aligned.flatMap((row) => row.b),
          b,
        );
      }),
    );
  });
});
