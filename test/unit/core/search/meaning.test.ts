import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Meaning, nearness } from '../../../../src/core/search/meaning';
import { inMemory, rank } from '../../../../src/core/search/ranking';
import type { SearchDocument } from '../../../../src/core/search/searchDocument';
import { parseQuery } from '../../../../src/core/search/searchQuery';

const meaning = new Meaning(readFileSync('scripts/data/meaning.bin'));

function meanOf(text: string): Int8Array {
  return meaning.mean(parseQuery(text).terms.map(({ term }) => ({ place: meaning.placeOf(term), times: 1 })));
}

function found(query: string, texts: readonly string[]): string[] {
  const documents = texts.map((text, at): SearchDocument => ({
    kind: 'message',
    projectId: 'p',
    id: `${at}`,
    text,
    files: [],
    topics: [],
  }));
  const all = [inMemory(documents, undefined, meaning)];
  const ranking = rank(all, [parseQuery(query)], { isSingle: true, meaning, takes: () => () => true });
  return ranking.found.map(({ documents: [first = 0] }) => texts[first] ?? '');
}

describe('Meaning', () => {
  it('puts what means the same nearer than what does not', () => {
    const asked = meanOf('which doctor treats children');
    const near = nearness(asked, meanOf('the physician of our kids'));
    assert.ok(near > nearness(asked, meanOf('a train leaves the station at noon')));
    assert.ok(near > 0.5);
  });

  it('knows words that are near to one, also those that only developers hold for the same', () => {
    const terms = (term: string): string[] => meaning.near(term).map((one) => one.term);
    assert.ok(terms('doctor').includes('physician'));
    assert.ok(terms('config').includes('set'));
    assert.ok(meaning.near('doctor').every(({ near }) => near > 0.4 && near <= 1));
  });

  it('says nothing of words that it does not know, and of none', () => {
    assert.deepEqual(meaning.near('xyzzyplugh'), []);
    assert.ok(meaning.mean([{ place: meaning.placeOf('xyzzyplugh'), times: 3 }]).every((value) => value === 0));
    assert.equal(nearness(meaning.mean([]), meanOf('a doctor')), 0);
  });
});

describe('a search by meaning', () => {
  const texts = ['The physician examined my daughter.', 'We painted the kitchen yellow.', 'Tickets are cheap.'];

  it('finds what answers a question in other words', () => {
    assert.equal(found('which surgeon treats our children', texts)[0], texts[0]);
  });

  it('finds what somebody types in a word or two by these words alone', () => {
    assert.deepEqual(found('kitchen', texts), [texts[1]]);
  });
});
