import assert from 'node:assert/strict';
import { hasPhrase, isMadeOf, phrasesIn, type PhraseKind } from '../../../../src/core/text/phrases';

describe('The phrases of the languages', () => {
  it('are found as whole words, as beginnings of words, and around any word', () => {
    for (const [kind, text, isThere] of [
      ['rules', 'You must not do that', true],
      ['rules', 'Mustard on top', false],
      ['decides', 'We decided on Vite', true],
      ['decides', 'We replaced axios with fetch', true],
      ['decides', 'Nothing was replaced', false],
      ['rules', 'N’utilise pas axios', true],
      ['rules', '今後は axios を使わないで', true],
    ] as const satisfies readonly (readonly [PhraseKind, string, boolean])[])
      assert.equal(hasPhrase(kind, text), isThere, text);
  });

  it('stand where they stand', () => {
    assert.deepEqual(phrasesIn('contrasts', 'Use fetch instead of axios'), [{ start: 10, end: 20 }]);
  });

  it('may be all that a text is made of', () => {
    assert.ok(isMadeOf('ok, yes', ['agrees', 'opener']));
    assert.ok(!isMadeOf('ok, use Vite', ['agrees', 'opener']));
  });
});
