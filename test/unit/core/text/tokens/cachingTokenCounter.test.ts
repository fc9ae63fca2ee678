import { strict as assert } from 'node:assert';
import fc from 'fast-check';
import { CachingTokenCounter, type TokenCounter } from '../../../../../src/core/text/tokens/tokenCounter';

/** Counts characters, and how often it was asked. */
class CountingCounter implements TokenCounter {
  readonly id = 'o200k_base';
  asked = 0;

  count(text: string): number {
    this.asked++;
    return text.length;
  }
}

const textOf = (name: string) => `${name} `.repeat(40);

describe('CachingTokenCounter', () => {
  it('counts a text once', () => {
    const inner = new CountingCounter();
    const cache = new CachingTokenCounter(inner);
    for (const name of ['alpha', 'beta', 'alpha', 'gamma', 'gamma']) {
      assert.equal(cache.count(textOf(name)), textOf(name).length);
    }
    assert.equal(inner.asked, 3);
    assert.equal(cache.id, 'o200k_base');
  });

  it('forgets what was asked for longest ago', () => {
    const inner = new CountingCounter();
    const cache = new CachingTokenCounter(inner, 2);
    for (const name of ['alpha', 'beta', 'alpha', 'gamma']) cache.count(textOf(name));
    assert.equal(cache.size, 2);
    assert.equal(inner.asked, 3);
    cache.count(textOf('alpha'));
    assert.equal(inner.asked, 3);
    cache.count(textOf('beta'));
    assert.equal(inner.asked, 4);
  });

  it('passes short texts on without remembering them', () => {
    const inner = new CountingCounter();
    const cache = new CachingTokenCounter(inner);
    assert.equal(cache.count('short'), 5);
    assert.equal(cache.size, 0);
  });

  it('never takes one text for another', () => {
    const inner = new CountingCounter();
    const cache = new CachingTokenCounter(inner);
    const filler = 'x'.repeat(64);
    const seen = new Set<string>();
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 6 }), fc.nat(64), (change, at) => {
        const text = filler.slice(0, at) + change + filler.slice(at);
        seen.add(text);
        assert.equal(cache.count(text), text.length);
      }),
      { numRuns: 3000 },
    );
    assert.equal(inner.asked, seen.size);
    assert.equal(cache.size, seen.size);
  });
});
