import assert from 'node:assert/strict';
import fc from 'fast-check';
import { markerIdOf } from '../../../../src/core/keepits/collectKeepits';

const identity = { messageUuid: 'u1', blockIndex: 0, start: 3, content: 'keep this' };

describe('markerIdOf', () => {
  it('never changes for the same marker: stored markers are found again by it', () => {
    assert.equal(markerIdOf(identity), markerIdOf({ ...identity }));
    assert.equal(markerIdOf(identity), '65667368b640b834');
  });

  it('differs by message, block, place and content', () => {
    const ids = [
      identity,
      { ...identity, messageUuid: 'u2' },
      { ...identity, blockIndex: 1 },
      { ...identity, start: 4 },
      { ...identity, content: 'keep that' },
    ].map(markerIdOf);
    assert.equal(new Set(ids).size, ids.length);
  });

  it('is 16 hex digits for any text, and spreads well over near-equal ones', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (content) =>
        /^[0-9a-f]{16}$/.test(markerIdOf({ ...identity, content })),
      ),
    );
    const ids = new Set(Array.from({ length: 100_000 }, (_, start) => markerIdOf({ ...identity, start })));
    assert.equal(ids.size, 100_000);
  });
});
