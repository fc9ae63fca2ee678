import assert from 'node:assert/strict';
import fc from 'fast-check';
import { hashBytes, hashId } from '../../../../src/core/transcript/hashIndex';

const encoder = new TextEncoder();

describe('the hash of an id', () => {
  it('is the same for its text and for its bytes, wherever they stand', () => {
    const plain = fc.string({ unit: 'grapheme-ascii' }).filter((id) => !id.includes('\\'));
    fc.assert(
      fc.property(plain, fc.string(), fc.string(), (id, before, after) => {
        const start = encoder.encode(before).length;
        const end = start + id.length;
        assert.deepEqual(hashBytes(encoder.encode(before + id + after), start, end), hashId(id));
      }),
    );
  });

  it('is not made of bytes that have to be decoded first', () => {
    for (const text of ['a\\u0041', 'é', 'a\nb', '\u0000']) {
      const bytes = encoder.encode(text);
      assert.equal(hashBytes(bytes, 0, bytes.length), undefined, text);
    }
  });
});
