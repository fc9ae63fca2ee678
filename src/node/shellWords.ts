import path from 'node:path';

/** What a shell is told apart by: its program, as VS Code knows it. */
type Shell = string;

/**
 * A program and its arguments as one line of a shell, each word as it is: nothing in it is expanded, whatever stands in file names. `cmd`
 * expands `%NAME%` even between quotes, and has no way around that.
 */
export function commandLine(shell: Shell, program: string, args: readonly string[]): string {
  const name = path.win32.basename(shell).toLowerCase();
  const isPowerShell = /^(?:pwsh|powershell)(?:-preview)?(?:\.exe)?$/.test(name);
  const quote = isPowerShell ? inPowerShell : /^cmd(?:\.exe)?$/.test(name) ? inCmd : inPosix;
  const words = [program, ...args].map((word) => (PLAIN.test(word) ? word : quote(word)));
  // To PowerShell a quoted word at the beginning is a text, unless it is called.
  const call = isPowerShell && !PLAIN.test(program) ? '& ' : '';
  return `${call}${words.join(' ')}`;
}

const PLAIN = /^[\w./:-]+$/;

function inPosix(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

function inPowerShell(word: string): string {
  return `'${word.replaceAll("'", "''")}'`;
}

function inCmd(word: string): string {
  return `"${word}"`;
}
