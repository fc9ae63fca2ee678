import assert from 'node:assert/strict';
import { collectUnits } from '../../../../../src/core/versions/local/collectUnits';
import { findSuperseded } from '../../../../../src/core/versions/local/supersession';
import { sourceMessages } from '../../../support/sourceMessages';

/** What is left of sentences of the human's, one message each. */
function left(...rules: readonly string[]): string[] {
  const messages = sourceMessages(...rules.map((rule) => ['human' as const, rule] as const));
  const { units } = collectUnits(messages, { starts: new Set(), hasRepeats: false });
  const superseded = findSuperseded(units);
  return units.filter((_, index) => !superseded.has(index)).map(({ text }) => text);
}

describe('findSuperseded', () => {
  it('lets the later of two rules about the same ending stand, in other words as well', () => {
    const later = 'Going forward, please end all your variable names with `_b`.';
    assert.deepEqual(left("Always end variable names with '_a'.", later), [later]);
  });

  it('keeps rules about beginnings beside rules about ends', () => {
    const rules = ["Always end variable names with '_a'.", "Always start variable names with 'x_'."];
    assert.deepEqual(left(...rules), rules);
  });

  it('keeps rules about different things', () => {
    const rules = [
      "Always start function names with 'x_'.",
      "Always start function argument names with 'y_'.",
      "Always start class names with 'z_'.",
    ];
    assert.deepEqual(left(...rules), rules);
  });

  it('drops what is forbidden later, and what is allowed later', () => {
    const later = 'From now on, never use a debugger.';
    assert.deepEqual(left('Always use a debugger.', later), [later]);
  });

  it('keeps decorators and imports that come beside others', () => {
    const rules = [
      "Always add the '@retry' decorator to all methods.",
      "Always add the '@timer' decorator to all methods.",
    ];
    assert.deepEqual(left(...rules), rules);
  });

  it('never drops a newer rule for an older one', () => {
    const rules = [
      "Always end method names with '_m'.",
      'The parser is fast.',
      "Now end method names with '_n' instead.",
    ];
    assert.deepEqual(left(...rules), rules.slice(1));
  });

  it('keeps the first of two units that say the same', () => {
    assert.deepEqual(left('Use pnpm for all packages.', 'Use pnpm, for all packages!'), ['Use pnpm for all packages.']);
  });
});
