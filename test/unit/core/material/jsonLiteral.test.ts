import assert from 'node:assert/strict';
import fc from 'fast-check';
import { decodeLiteral } from '../../../../src/core/sessions/view/recordMarks';

/** A character as JSON may write it: itself, escaped by name, or by number. */
const written = fc
  .tuple(fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }), fc.boolean())
  .map(([character, isNumbered]) => {
    if (!isNumbered) return JSON.stringify(character).slice(1, -1);
    return [...Array(character.length).keys()]
      .map((index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`)
      .join('');
  });

describe('a JSON literal', () => {
  it('is decoded as JSON.parse does it, with the way back for every character', () => {
    fc.assert(
      fc.property(fc.array(written, { maxLength: 40 }), (parts) => {
        const literal = `"${parts.join('')}"`;
        const decoded = decodeLiteral(literal);
        assert.ok(decoded);
        assert.equal(decoded.text, JSON.parse(literal));
        for (let offset = 0; offset < decoded.text.length; offset += 1) {
          const from = decoded.rawOffset(offset);
          const piece = literal.slice(from, decoded.rawOffset(offset + 1));
          assert.equal(JSON.parse(`"${piece}"`), decoded.text.charAt(offset));
        }
        assert.equal(decoded.rawOffset(decoded.text.length), literal.length - 1);
      }),
    );
  });

  it('is undefined when it is none', () => {
    for (const text of ['', '"', '"a', 'a"', '12', '{"a":1}', '"\\x"', '"a" ']) {
      if (text === '"a" ') assert.equal(decodeLiteral(text)?.text, 'a');
      else assert.equal(decodeLiteral(text), undefined, text);
    }
  });
});
