import { strict as assert } from 'node:assert';
import { crossCheck, pathsIn } from '../../../../../src/core/knowledge/notes/synthesis';
import { evolve, settle, type DatedPoint } from '../../../../../src/core/knowledge/notes/evolution';
import type { PointLabel } from '../../../../../src/core/knowledge/notes/noteDocument';

const point = (order: number, text: string, label: PointLabel = 'Decision'): DatedPoint => ({
  key: `${order} ${text}`,
  label,
  text,
  date: `2026-01-${10 + order}`,
  order,
});

describe('evolve', () => {
  const texts = (points: readonly DatedPoint[]) => points.map(({ text }) => text);

  it('lets a later choice for the same thing take the place of an earlier one', () => {
    const points = [point(0, 'Use Redis for the session cache.'), point(1, 'Use Postgres for the session cache.')];
    const { current, changes } = evolve(points);
    assert.deepEqual(texts(current), ['Use Postgres for the session cache.']);
    assert.deepEqual(
      changes.map(({ before, now }) => [...texts(before), now.text]),
      [['Use Redis for the session cache.', 'Use Postgres for the session cache.']],
    );
  });

  it('tells a chain of changes as one', () => {
    const points = [
      point(0, 'Use moment for dates.'),
      point(1, 'Use luxon for dates instead of moment.'),
      point(2, 'Switch from luxon to temporal.'),
    ];
    const { current, changes } = evolve(points);
    assert.deepEqual(texts(current), ['Switch from luxon to temporal.']);
    assert.equal(changes[0]?.before.length, 2);
  });

  it('keeps choices for different things, and what was said in one session', () => {
    const points = [
      point(0, 'Use Redis for the session cache.'),
      point(1, 'Use Postgres for the user accounts.'),
      point(1, 'Use SQLite for the user accounts.'),
    ];
    assert.equal(evolve(points).current.length, 3);
  });

  it('lets rules that are turned round go', () => {
    const points = [
      point(0, 'Always use semicolons in JavaScript.', 'Rule'),
      point(1, 'Never use semicolons in JavaScript.', 'Rule'),
    ];
    assert.deepEqual(texts(evolve(points).current), ['Never use semicolons in JavaScript.']);
  });
});

describe('settle', () => {
  it('takes a question for answered when a later session decides on it', () => {
    const open = [
      point(0, 'Which database stores the session tokens?', 'Question'),
      point(0, 'Write the migration guide.', 'Open'),
    ];
    const { current, changes } = settle(open, [point(1, 'Session tokens are stored in the Postgres database.')]);
    assert.deepEqual(
      current.map(({ text }) => text),
      ['Write the migration guide.'],
    );
    assert.equal(changes.length, 1);
  });
});

describe('crossCheck', () => {
  const look = {
    docs: [],
    missing: ['src/old.ts'],
    manifests: [
      { file: 'package.json', text: JSON.stringify({ dependencies: { joi: '1' }, devDependencies: { mocha: '1' } }) },
    ],
  };
  const found = (text: string) => crossCheck([point(0, text)], look).map((one) => one.found);

  it('finds packages that are not what was decided', () => {
    assert.deepEqual(found('Use zod for validation instead of joi.'), [
      'package.json still lists `joi`',
      'package.json does not list `zod`',
    ]);
    assert.deepEqual(found('Use the `vitest` package for tests.'), ['package.json does not list `vitest`']);
    assert.deepEqual(found('Use the mocha package for tests.'), []);
    assert.deepEqual(found('Use tabs for indentation.'), []);
  });

  it('finds paths at which nothing is any more', () => {
    const text = 'The parser lives in src/old.ts, see https://example.com/a/b.html and docs.';
    assert.deepEqual(pathsIn([point(0, text)]), ['src/old.ts']);
    assert.deepEqual(found(text), ['`src/old.ts` is not there']);
  });
});
