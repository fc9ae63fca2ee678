import { spawn, spawnSync } from 'node:child_process';

/** Runs a command with a terminal of its own for stdin, stdout and stderr, and copies what it writes. */
const PTY = `
import os, pty, sys
code = pty.spawn(sys.argv[1:], lambda fd: os.read(fd, 65536))
sys.exit(os.waitstatus_to_exitcode(code))
`;

export function hasTerminals(): boolean {
  return process.platform !== 'win32' && spawnSync('python3', ['-c', 'import pty']).status === 0;
}

/** All that a program writes to its terminal; `typed` is what somebody types there. */
export async function onTerminal(
  command: readonly string[],
  { cwd, env, typed = '' }: { cwd: string; env: Record<string, string | undefined>; typed?: string },
): Promise<{ code: number | null; screen: string }> {
  const child = spawn('python3', ['-c', PTY, ...command], { cwd, env, stdio: ['pipe', 'pipe', 'inherit'] });
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.stdin.write(typed); // the end of it would be an end of the terminal
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  return { code, screen: Buffer.concat(chunks).toString('utf8') };
}
