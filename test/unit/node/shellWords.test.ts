import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import fc from 'fast-check';
import { commandLine } from '../../../src/node/shellWords';

const FILE = "/tmp/Ada's orders & $HOME/a.jsonl";

describe('a command line', () => {
  it('is the same words to a shell, whatever stands in them', function () {
    if (!existsSync('/bin/sh')) this.skip(); // no such shell here
    const word = fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0'));
    fc.assert(
      fc.property(fc.array(word, { maxLength: 4 }), (words) => {
        const line = commandLine('/bin/sh', 'printf', ['%s\\0', '.', ...words]);
        const said = execFileSync('/bin/sh', ['-c', line], { encoding: 'utf8' });
        assert.deepEqual(said.split('\0').slice(0, -1), ['.', ...words]);
      }),
      { numRuns: 30 },
    );
  });

  it('is quoted only where that is needed', () => {
    assert.equal(commandLine('/usr/bin/zsh', 'claude', ['--resume', '/a/b.jsonl']), 'claude --resume /a/b.jsonl');
    assert.equal(
      commandLine('/usr/bin/fish', 'claude', ['--resume', FILE]),
      String.raw`claude --resume '/tmp/Ada'\''s orders & $HOME/a.jsonl'`,
    );
  });

  it('is written for the shells of Windows as they read it', () => {
    const shells = String.raw`C:\Program Files\PowerShell\7\pwsh.exe`;
    const file = String.raw`C:\Users\Ada's\$x\a b.jsonl`;
    const program = String.raw`C:\Users\Ada O\claude.exe`;
    assert.equal(commandLine(shells, 'claude', [file]), String.raw`claude 'C:\Users\Ada''s\$x\a b.jsonl'`);
    assert.equal(commandLine(shells, program, []), String.raw`& 'C:\Users\Ada O\claude.exe'`);
    assert.equal(
      commandLine(String.raw`C:\Windows\system32\cmd.exe`, program, [file]),
      String.raw`"C:\Users\Ada O\claude.exe" "C:\Users\Ada's\$x\a b.jsonl"`,
    );
  });
});
