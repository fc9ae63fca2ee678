import assert from 'node:assert/strict';
import fc from 'fast-check';
import { encodeRanks } from '../../../../../scripts/buildRanks.mjs';
import { clip } from '../../../../../src/core/versions/local/draft';
import { ExactTokenCounter } from '../../../../../src/core/text/tokens/exactTokenCounter';
import { mixedText } from '../../../support/mixedText';

describe('clip', () => {
  let counter: ExactTokenCounter;

  before(() => {
    counter = new ExactTokenCounter(encodeRanks());
  });

  it('cuts after whole words and says that it did', () => {
    assert.equal(
      clip('The cache is kept in memory, because the disk is slow.', 8, counter),
      'The cache is kept in memory…',
    );
  });

  it('leaves what fits as it is', () => {
    assert.equal(clip('Short enough.', 10, counter), 'Short enough.');
  });

  it('leaves no code span open', () => {
    assert.equal(clip('Call `read everything at once` now', 4, counter).split('`').length % 2, 1);
  });

  it('never takes more tokens than it may', () => {
    fc.assert(
      fc.property(mixedText, fc.integer({ min: 1, max: 40 }), (text, tokens) => {
        assert.ok(counter.count(clip(text, tokens, counter)) <= tokens);
      }),
    );
  });
});
