import { strict as assert } from 'node:assert';
import fc from 'fast-check';
import path from 'node:path';
import { isSafeSegment } from '../../../../src/core/model/fields';

const hostile = [
  '',
  '.',
  '..',
  '../x',
  'a/b',
  'a\\b',
  'a\0b',
  '/etc/passwd',
  'C:',
  'c:\\x',
  'a:stream',
  'x\n',
  'con',
  'NUL.txt',
  'com1',
  'name.',
  'name ',
  '*',
  'a?b',
  '__proto__',
  'x'.repeat(256),
];

describe('isSafeSegment', () => {
  it('refuses names that leave their folder or mean something else on some system', () => {
    for (const name of hostile) assert.equal(isSafeSegment(name), false, JSON.stringify(name));
  });

  it('takes the names that Claude Code and people use', () => {
    const names = [
      '-home-dac-github-myapp',
      '0f3c9e1e-5a7b-4c1d-9d58-0c4b1d2e3f40',
      'part2_v001',
      'Release 1.2 (März)',
      'console',
    ];
    for (const name of names) assert.equal(isSafeSegment(name), true, name);
  });

  it('lets no name out of its folder', () => {
    const parts = fc.constantFrom('..', '/', '\\', '.', 'a', '\0', ':');
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(parts).map((all) => all.join('')),
        ),
        (name) => {
          if (!isSafeSegment(name)) return;
          for (const system of [path.posix, path.win32]) {
            assert.equal(system.dirname(system.resolve('/store/x', name)), system.resolve('/store/x'));
          }
        },
      ),
    );
  });
});
