import { strict as assert } from 'node:assert';
import fc from 'fast-check';
import { CARRY_OVER_TOKENS, rotate, ROTATION_TOKENS } from '../../../../../src/core/knowledge/rolling/rollingFiles';

/** One token per character, so that sizes can be read off the text. */
const counter = { count: (text: string) => text.length };

/** No character is cut in two. */
const isWhole = (text: string) => Buffer.from(text, 'utf8').toString('utf8') === text;

describe('rotate', () => {
  it('leaves a memory of at most 23,750 tokens as it is', () => {
    assert.equal(ROTATION_TOKENS, 23_750);
    assert.equal(CARRY_OVER_TOKENS, 2375);
    assert.equal(rotate('x'.repeat(23_750), counter), undefined);
    assert.notEqual(rotate('x'.repeat(23_751), counter), undefined);
  });

  it('goes on with the end of the memory, from the beginning of a line', () => {
    const rotation = rotate('a line of the memory\n'.repeat(1200), counter);
    assert.equal(rotation?.archives.length, 1);
    assert.equal(rotation.carryOver.startsWith('a line'), true);
    assert.equal(rotation.carryOver.length, 2373);
  });

  it('begins with a session where one begins soon enough', () => {
    const text = `${'x\n'.repeat(12_000)}## Session\n${'y\n'.repeat(1000)}`;
    assert.equal(rotate(text, counter)?.carryOver.startsWith('## Session'), true);
  });

  it('never loses a character, and keeps archives and carry-over within their sizes', () => {
    const line = fc.tuple(
      fc.constantFrom('a', 'words ', '😀', '## ', 'é\u0301'),
      fc.nat(4000),
      fc.constantFrom('\n', '\n\n', ''),
    );
    fc.assert(
      fc.property(fc.array(line, { minLength: 4, maxLength: 24 }), (lines) => {
        const text = lines.map(([unit, times, end]) => unit.repeat(times) + end).join('');
        const rotation = rotate(text, counter);
        if (rotation === undefined) {
          assert.equal(text.length <= ROTATION_TOKENS, true);
          return;
        }
        const { archives, carryOver } = rotation;
        assert.equal(archives.join(''), text);
        assert.equal(text.endsWith(carryOver), true);
        assert.equal(carryOver.length <= CARRY_OVER_TOKENS, true);
        assert.equal(
          archives.every((archive) => archive.length <= 2 * ROTATION_TOKENS && isWhole(archive)),
          true,
        );
        assert.equal(isWhole(carryOver), true);
      }),
      { numRuns: 100 },
    );
  });
});
