import assert from 'node:assert/strict';
import { closest } from '../../../src/cli/suggestion';

const known = ['discover', 'register', 'unregister', 'sessions', 'show', 'stats', 'sync'];

describe('a suggestion', () => {
  it('is the nearest word', () => {
    assert.equal(closest('regster', known), 'register');
    assert.equal(closest('sessoin', known), 'sessions');
    assert.equal(closest('snyc', known), 'sync');
    assert.equal(closest('STATS', known), 'stats');
  });

  it('takes the beginning of a word for the word', () => {
    assert.equal(closest('disc', known), 'discover');
  });

  it('is none when nothing is near', () => {
    assert.equal(closest('banana', known), undefined);
    assert.equal(closest('', known), undefined);
    assert.equal(closest('x'.repeat(100_000), known), undefined);
  });
});
