import assert from 'node:assert/strict';
import { ConceptBook } from '../../../../src/core/knowledge/concepts';
import type { Exchange } from '../../../../src/core/model/layers';

function exchange(
  number: number,
  keywords: readonly string[],
  files: readonly string[] = [],
  topic = keywords[0],
): Exchange {
  return {
    id: `e${String(number).padStart(3, '0')}`,
    ts: `2026-01-05T09:${String(number % 60).padStart(2, '0')}:00Z`,
    summary: `Exchange ${number}`,
    details: '',
    files: [...files],
    keywords: [...keywords],
    l1_range: [1, 2],
    ...(topic !== undefined && { topic }),
  };
}

function book(...exchanges: readonly Exchange[]): ConceptBook {
  const concepts = new ConceptBook();
  for (const one of exchanges) concepts.put(one);
  return concepts;
}

describe('ConceptBook', () => {
  it('joins exchanges that have more than 30 % of files and keywords in common', () => {
    const { 0: concept, length } = book(
      exchange(1, ['rest', 'button', 'limit'], ['ui.js']),
      exchange(2, ['rest', 'reset'], ['ui.js']),
    ).all();
    assert.equal(length, 1);
    assert.deepEqual([concept?.id, concept?.name, concept?.exchanges], ['c001', 'Rest', ['e001', 'e002']]);
  });

  it('opens a concept for something else', () => {
    assert.equal(book(exchange(1, ['rest', 'button']), exchange(2, ['parser', 'tokens'])).all().length, 2);
  });

  it('changes nothing when an exchange is put again', () => {
    const concepts = book(exchange(1, ['rest', 'button']), exchange(2, ['rest', 'limit']));
    const before = JSON.stringify(concepts.all());
    concepts.put(exchange(2, ['rest', 'limit']));
    assert.equal(JSON.stringify(concepts.all()), before);
  });

  it('merges concepts that have become the same, and remembers the other name', () => {
    const shared = ['alpha', 'beta', 'gamma', 'delta'];
    const concepts = book(
      exchange(1, shared),
      exchange(2, ['epsilon']),
      exchange(3, ['epsilon', ...shared, 'zeta']),
      exchange(4, ['epsilon', ...shared, 'zeta']),
    );
    const all = concepts.all();
    assert.equal(all.flatMap(({ exchanges }) => exchanges).length, 4);
    assert.ok(all.length < 3);
  });

  it('splits off what has drifted away from what a concept is mostly about', () => {
    const concepts = book(
      ...[1, 2, 3, 4, 5, 6, 7].map((number) => exchange(number, ['login', 'session', 'cookie'], [], 'login')),
      exchange(8, ['login', 'session', 'cookie', 'banner'], [], 'login'),
      exchange(9, ['banner', 'colour', 'theme'], [], 'banner'),
    );
    assert.deepEqual(
      concepts.all().map(({ name }) => name),
      ['Login', 'Banner'],
    );
  });
});
