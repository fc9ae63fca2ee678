import assert from 'node:assert/strict';
import fc from 'fast-check';
import { MaxHeap } from '../../../../../src/core/versions/local/selection';

describe('MaxHeap', () => {
  it('gives indexes by falling keys, among equal keys by rising indexes', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 9 })), (keys) => {
        const heap = new MaxHeap();
        keys.forEach((key, index) => heap.push(index, key));
        const expected = [...keys.keys()].sort((a, b) => (keys[b] ?? 0) - (keys[a] ?? 0) || a - b);
        assert.deepEqual(
          keys.map(() => heap.pop()),
          expected,
        );
      }),
    );
  });

  it('has nothing when it is empty', () => {
    assert.equal(new MaxHeap().pop(), -1);
    assert.equal(new MaxHeap().topKey, -Infinity);
  });
});
