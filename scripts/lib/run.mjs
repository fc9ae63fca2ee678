import { spawn } from 'node:child_process';
import { root } from './root.mjs';

/**
 * Runs a program to its end. Its output is passed on as it comes, and returned.
 * @param {string} command
 * @param {string[]} args
 * @param {{ env?: NodeJS.ProcessEnv, isQuiet?: boolean, cwd?: string, timeoutMs?: number }} [options]
 * @returns {Promise<{ code: number, output: string }>} `code` is 127 where the program does not exist
 */
export function run(command, args, { env = process.env, isQuiet = false, cwd = root, timeoutMs } = {}) {
  return new Promise((resolve) => {
    let output = '';
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], timeout: timeoutMs });
    for (const [stream, target] of [
      [child.stdout, process.stdout],
      [child.stderr, process.stderr],
    ]) {
      stream.setEncoding('utf8');
      stream.on('data', (text) => {
        output += text;
        if (!isQuiet) target.write(text);
      });
    }
    child.on('error', (error) => resolve({ code: 127, output: `${output}${error.message}\n` }));
    child.on('close', (code) => resolve({ code: code ?? 1, output }));
  });
}

/** As `run`, for a script of this project or of one of its packages. */
export function runNode(args, options) {
  return run(process.execPath, args, options);
}

/** npm as it was called, else the one beside this Node, else the one on PATH (a .cmd file on Windows). */
export function runNpm(args, options) {
  const script = process.env.npm_execpath;
  if (script !== undefined && /npm-cli\.c?js$/.test(script)) return runNode([script, ...args], options);
  if (process.platform === 'win32') return run('cmd.exe', ['/d', '/s', '/c', 'npm', ...args], options);
  return run('npm', args, options);
}
