import assert from 'node:assert/strict';
import fc from 'fast-check';
import { wordTokens } from '../../../../../src/core/versions/diff/diffRow';

function pieces(text: string): string[] {
  return wordTokens(text).map(({ start, end }) => text.slice(start, end));
}

describe('wordTokens', () => {
  it('makes a token of each word and sign, with the white space behind it', () => {
    assert.deepEqual(pieces('Use `parse_all()`,  then'), ['Use ', '`', 'parse_all', '(', ')', '`', ',  ', 'then']);
  });

  it('makes a token of each character where words are not separated', () => {
    assert.deepEqual(pieces('用 fetch代替'), ['用 ', 'fetch', '代', '替']);
  });

  it('keeps characters whole and loses nothing', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const tokens = wordTokens(text);
        assert.equal(tokens.map(({ start, end }) => text.slice(start, end)).join(''), text.trim() === '' ? '' : text);
        for (const { start } of tokens) assert.ok(!/^[\udc00-\udfff]/.test(text.slice(start)));
      }),
    );
  });
});
