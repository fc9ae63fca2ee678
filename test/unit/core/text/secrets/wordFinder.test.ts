import { deepEqual, equal } from 'node:assert/strict';
import fc from 'fast-check';
import { WordFinder } from '../../../../../src/core/text/secrets/wordFinder';

describe('WordFinder', () => {
  it('finds nothing in a text without the words', () => {
    equal(new WordFinder(['key', 'token']).find('nothing to see'), undefined);
  });

  it('finds words in any letter case, within others and over each other, and says where they end', () => {
    const found = new WordFinder(['she', 'he', 'hers', 'пароль'], [1, 3]).find('uSHErs и Пароль');
    deepEqual(found?.words, [0, 1, 2, 3]);
    deepEqual(found.places, [1, 4, 3, 15]);
  });

  it('finds what looking for each word alone finds', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(
        fc.uniqueArray(word, { minLength: 1 }),
        fc.string({ unit: fc.constantFrom('a', 'b', 'c', ' ') }),
        (words, text) => {
          const expected = words.flatMap((one, at) => (text.includes(one) ? [at] : []));
          deepEqual(
            [...(new WordFinder(words).find(text)?.words ?? [])].sort((a, b) => a - b),
            expected,
          );
        },
      ),
    );
  });
});
