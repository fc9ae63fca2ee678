import assert from 'node:assert/strict';
import fc from 'fast-check';
import { passagesOf } from '../../../../src/core/search/segment';
import { stemOf } from '../../../../src/core/search/searchTerms';

describe('passagesOf', () => {
  it('cuts where a paragraph ends, and leaves short texts whole', () => {
    assert.deepEqual(passagesOf('short'), [{ start: 0, end: 5 }]);
    const text = `${'a sentence of it. '.repeat(35)}\n\n${'more of it. '.repeat(60)}`;
    const [first] = passagesOf(text);
    assert.equal(first?.end, text.indexOf('\n\n') + 2);
  });

  it('loses nothing, and cuts no character in two', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1000, maxLength: 5000 }), (text) => {
        const passages = passagesOf(text);
        assert.equal(passages.map(({ start, end }) => text.slice(start, end)).join(''), text);
        for (const { start } of passages) assert.doesNotMatch(text.charAt(start), /[\udc00-\udfff]/);
      }),
    );
  });
});

describe('stemOf', () => {
  it('gives the forms of an English word one stem', () => {
    for (const forms of [
      ['retry', 'retries', 'retried', 'retrying'],
      ['cache', 'caches', 'cached', 'caching'],
      ['log', 'logs', 'logged', 'logging'],
      ['route', 'routes', 'routing'],
      ['authenticate', 'authenticated', 'authentication'],
      ['configure', 'configured', 'configuring'],
    ]) {
      assert.deepEqual(new Set(forms.map(stemOf)).size, 1, forms.map(stemOf).join(' '));
    }
    assert.notEqual(stemOf('file'), stemOf('filter'));
    assert.equal(stemOf('is'), 'is');
  });
});
