import { deepEqual, equal } from 'node:assert/strict';
import { leftOutOf } from '../../../../../src/core/text/secrets/cleanText';
import { isErased, privateRanges, withoutPrivate } from '../../../../../src/core/text/secrets/privateText';

describe('private text', () => {
  it('is left out with its tags', () => {
    equal(withoutPrivate('Call <private>+49 170 1</private>me.'), 'Call me.');
    equal(withoutPrivate('a<PRIVATE>\n1\n</Private>b<private>2</private>c'), 'abc');
  });

  it('reaches to the end when nobody closed it', () => {
    equal(withoutPrivate('Public. <private>mine'), 'Public. ');
  });

  it('is not opened by a tag that is only talked about', () => {
    equal(withoutPrivate('Write `<private>` before it.'), 'Write `<private>` before it.');
  });

  it('ends where the first closing tag is, also when it was opened twice', () => {
    equal(withoutPrivate('a<private>b<private>c</private>d'), 'ad');
  });

  it('is told by its offsets', () => {
    deepEqual(privateRanges('ab<private>c</private>d'), [{ start: 2, end: 22 }]);
    deepEqual(privateRanges('nothing </private> here'), []);
  });

  it('is also what was erased, with the marker of a keepit of which nothing is left', () => {
    for (const [text, wanted] of [
      ['Use it. ##keepit0.90## [erased      ]', 'Use it. '],
      ['Use it. ##keepit0.90## [erased      ] on Fridays', 'Use it. ##keepit0.90##  on Fridays'],
      ['A [erased  ] b <private>[erased  ] c</private> d', 'A  b  d'],
      ['The word [erased is no filling', 'The word [erased is no filling'],
    ] as const)
      equal(withoutPrivate(text), wanted);
    deepEqual(['[erased ]', ' *** ', '[erased ] left', ''].map(isErased), [true, true, false, false]);
    deepEqual(leftOutOf('A [erased  ] b'), []);
  });
});
