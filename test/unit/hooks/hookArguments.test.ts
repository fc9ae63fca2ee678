import assert from 'node:assert/strict';
import fc from 'fast-check';
import { kebab } from '../../../src/cli/command';
import { globalFields } from '../../../src/cli/commandLine';
import { hookArguments, OPTIONS_WITH_VALUE } from '../../../src/hooks/hookArguments';

describe('hookArguments', () => {
  it('finds the event, whatever stands around it', () => {
    const start = { event: 'SessionStart', isLeftover: false, isFileNote: false };
    assert.deepEqual(hookArguments(['hook', 'SessionStart']), start);
    assert.deepEqual(hookArguments(['hook', 'SessionStart', 'extra', '--bogus']), start);
    assert.deepEqual(hookArguments(['--verbose', '--project', 'hook', 'hook', '--json', 'SessionStart']), start);
    assert.deepEqual(hookArguments(['-p', '/x', 'hook', 'SessionStart', '--help']), start);
  });

  it('tells the further hooks of an older set-up, which have nothing to say', () => {
    const leftover = { event: 'SessionStart', isLeftover: true, isFileNote: false };
    assert.deepEqual(hookArguments(['hook', 'SessionStart', '--piece', '3']), leftover);
    assert.deepEqual(hookArguments(['hook', '--piece', '2', 'SessionStart']), leftover);
    assert.deepEqual(hookArguments(['hook', 'SessionStart', '--piece', '1']), { ...leftover, isLeftover: false });
  });

  it('tells the hooks that ask about a file alone', () => {
    const note = { event: 'PreToolUse', isLeftover: false, isFileNote: true };
    assert.deepEqual(hookArguments(['hook', 'PreToolUse', '--file-note']), note);
  });

  it('takes a hook without an event for one, unless somebody asks what it is', () => {
    assert.deepEqual(hookArguments(['hook']), { event: '', isLeftover: false, isFileNote: false });
    assert.deepEqual(hookArguments(['hook', '']), { event: '', isLeftover: false, isFileNote: false });
    assert.deepEqual(hookArguments(['--json', 'hook', '--']), { event: '', isLeftover: false, isFileNote: false });
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
    const options = Object.entries(globalFields).filter(([, { value }]) => value !== undefined);
    const names = options.flatMap(([name, { short }]) => [
      `--${kebab(name)}`,
      ...(short === undefined ? [] : [`-${short}`]),
    ]);
    assert.deepEqual(names, OPTIONS_WITH_VALUE);
  });
});
