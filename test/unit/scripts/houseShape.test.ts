import assert from 'node:assert/strict';
import { cyclesIn, FIGURES, shapeProblems } from '../../../scripts/lib/houseShape.mjs';

describe('the shape of the house', () => {
  it('counts each knot of files that lead to one another once', () => {
    const imports = new Map([
      ['a', ['b', 'd']],
      ['b', ['c']],
      ['c', ['a', 'b']],
      ['d', ['e']],
      ['e', ['d']],
      ['f', ['a', 'd']],
    ]);
    assert.equal(
      cyclesIn([...imports.keys()], (node) => imports.get(node) ?? []),
      2,
    );
    assert.equal(
      cyclesIn(['a', 'b'], (node) => (node === 'a' ? ['b'] : [])),
      0,
    );
  });

  it('is held to what the table allows', () => {
    const shape = new Map([...FIGURES.keys()].map((name) => [name, 1000]));
    const table = [...FIGURES.values()].map((title) => `| ${title} | 1,000 |`);
    assert.deepEqual(shapeProblems(shape, table.join('\n')), []);
    const stricter = table.map((row) => row.replace('1,000', '999'));
    assert.equal(shapeProblems(shape, stricter.join('\n')).length, FIGURES.size);
    assert.equal(shapeProblems(shape, table.slice(1).join('\n')).length, 1);
  });
});
