import assert from 'node:assert/strict';
import fc from 'fast-check';
import { globalOptions } from '../../../src/cli/commandLine';
import { hookArguments, OPTIONS_WITH_VALUE } from '../../../src/hooks/hookArguments';

describe('hookArguments', () => {
  it('finds the event and the piece, whatever stands around them', () => {
    const start = { event: 'SessionStart', piece: 1 };
    assert.deepEqual(hookArguments(['hook', 'SessionStart']), start);
    assert.deepEqual(hookArguments(['hook', 'SessionStart', 'extra', '--bogus']), start);
    assert.deepEqual(hookArguments(['--verbose', '--project', 'hook', 'hook', '--json', 'SessionStart']), start);
    assert.deepEqual(hookArguments(['-p', '/x', 'hook', 'SessionStart', '--help']), start);
    for (const args of [
      ['SessionStart', '--piece', '3'],
      ['--piece=3', 'SessionStart'],
      ['--piece', '3', 'SessionStart'],
    ]) {
      assert.deepEqual(hookArguments(['hook', ...args]), { event: 'SessionStart', piece: 3 });
    }
    for (const piece of ['', '0', '-1', '1.5', 'x']) {
      assert.deepEqual(hookArguments(['hook', 'SessionStart', '--piece', piece]), start, piece);
    }
  });

  it('takes a hook without an event for one, unless somebody asks what it is', () => {
    assert.deepEqual(hookArguments(['hook']), { event: '', piece: 1 });
    assert.deepEqual(hookArguments(['hook', '']), { event: '', piece: 1 });
    assert.deepEqual(hookArguments(['--json', 'hook', '--']), { event: '', piece: 1 });
    assert.equal(hookArguments(['hook', '--help']), undefined);
    assert.equal(hookArguments(['-h', 'hook']), undefined);
  });

  it('leaves other commands alone', () => {
    for (const argv of [[], ['search', 'hook'], ['--project', 'hook'], ['-p', 'hook', 'sessions'], ['help', 'hook']]) {
      assert.equal(hookArguments(argv), undefined, argv.join(' '));
    }
    fc.assert(
      fc.property(fc.array(fc.string()), (words) => hookArguments(['sessions', ...words, 'hook']) === undefined),
    );
  });

  it('knows the options of the program that take a value', () => {
    const options = Object.entries(globalOptions).filter(([, { type }]) => type === 'string');
    const names = options.flatMap(([name, { short }]) => [`--${name}`, ...(short === undefined ? [] : [`-${short}`])]);
    assert.deepEqual(names, OPTIONS_WITH_VALUE);
  });
});
