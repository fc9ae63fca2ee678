import assert from 'node:assert/strict';
import { completionsOf, readTypedSearch } from '../../../../../src/core/search/view/typedSearch';

const NOW = new Date('2026-03-01T12:00:00Z');
const known = { projects: ['mailer', 'tide watch'], files: ['src/orders.ts', 'src/retry.ts'] };

function labels(line: string): string[] {
  return completionsOf(line, known).map(({ label }) => label);
}

describe('readTypedSearch', () => {
  it('takes filters out of the words, wherever they stand', () => {
    const typed = readTypedSearch('retry file:src/orders.ts back-off kind:fact KIND:keepit since:7d is:stated', NOW);
    assert.equal(typed.query, 'retry back-off');
    assert.deepEqual(typed.filter.files, ['src/orders.ts']);
    assert.deepEqual(typed.filter.kinds, ['fact', 'keepit']);
    assert.deepEqual(typed.filter.trusts, ['stated']);
    assert.equal(typed.filter.since, '2026-02-22T12:00:00.000Z');
    assert.equal(typed.problem, undefined);
  });

  it('takes values of several words in quotation marks, and leaves phrases to the query', () => {
    const typed = readTypedSearch('"exact words" topic:"rate limit" project:"tide watch"', NOW);
    assert.equal(typed.query, '"exact words"');
    assert.deepEqual(typed.filter.topics, ['rate limit']);
    assert.deepEqual(typed.projects, ['tide watch']);
  });

  it('leaves alone what only looks like a filter', () => {
    assert.equal(
      readTypedSearch('std::vector http://host:80 profile:x', NOW).query,
      'std::vector http://host:80 profile:x',
    );
  });

  it('reads weights from one on, and between two', () => {
    assert.equal(readTypedSearch('weight:0.75', NOW).filter.weightMin, 0.75);
    const { weightMin, weightMax } = readTypedSearch('weight:0.50-critical', NOW).filter;
    assert.deepEqual([weightMin, weightMax], [0.5, 0.9]);
  });

  it('says what cannot be meant, and goes on without it', () => {
    const kind = readTypedSearch('retry kind:facts', NOW);
    assert.match(kind.problem ?? '', /kind: is one of fact, /);
    assert.deepEqual([kind.query, kind.filter.kinds], ['retry', undefined]);
    assert.match(readTypedSearch('since:soon', NOW).problem ?? '', /"soon" is not a date/);
    assert.match(readTypedSearch('weight:7', NOW).problem ?? '', /between 0.00 and 1.00/);
  });

  it('takes no notice of a filter without a value', () => {
    const typed = readTypedSearch('retry file:', NOW);
    assert.deepEqual([typed.query, typed.filter.files, typed.problem], ['retry', undefined, undefined]);
  });
});

describe('completionsOf', () => {
  it('proposes all filters on an empty line, and those that a word begins', () => {
    assert.ok(labels('').includes('file:') && labels('').includes('is:'));
    assert.deepEqual(labels('retry we'), ['weight:']);
    assert.deepEqual(labels('retry logic'), []);
  });

  it('proposes the values of a filter that is begun', () => {
    assert.deepEqual(labels('retry kind:ke'), ['kind:keepit']);
    assert.deepEqual(labels('file:ord'), ['file:src/orders.ts']);
    assert.deepEqual(labels('is:'), [
      'is:stated',
      'is:proved',
      'is:pattern',
      'is:decision',
      'is:preference',
      'is:fact',
    ]);
  });

  it('gives the whole line as it goes on', () => {
    assert.equal(completionsOf('retry we', known)[0]?.line, 'retry weight:');
    assert.equal(completionsOf('retry project:tide', known)[0]?.line, 'retry project:"tide watch" ');
    assert.equal(readTypedSearch('retry project:"tide watch" ', NOW).projects[0], 'tide watch');
  });

  it('proposes nothing for what is written out', () => {
    assert.deepEqual(labels('kind:fact'), []);
    assert.deepEqual(labels('kind:fact '), []);
  });
});
