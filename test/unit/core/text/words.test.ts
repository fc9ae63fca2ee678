import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { wordsOf } from '../../../../src/core/text/words';

describe('words', () => {
  it('are the same in a text of ASCII alone as in one of all scripts', () => {
    const token = fc.constantFrom(
      'don’t',
      "don't",
      'parseLine',
      'HTTP',
      '429',
      '__init__',
      'Retry-After',
      'a.b',
      'the',
      'tests',
      ' ',
      '\n',
      '\t',
      '`',
      '"',
      '~',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(token, fc.string({ maxLength: 8 }))), (tokens) => {
        const text = tokens.join('').replace(/[^\s!-~]/g, "'");
        assert.deepEqual(wordsOf(text), wordsOf(`${text} é`).slice(0, -1));
      }),
    );
  });
});
