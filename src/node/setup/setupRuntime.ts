import { execFile } from 'node:child_process';
import { errorText } from '../../core/text/keepitError';
import type { SetupRuntime } from '../../core/model/setupRecord';
import { findCommand } from '../findCommand';

const OLDEST_NODE = 20;
const ANSWER_MS = 10_000;

/** What hooks are to be run with: `node` on PATH when it is new enough, else the program that runs us, which may be VS Code's. */
export async function findSetupRuntime(env: NodeJS.ProcessEnv, signal?: AbortSignal): Promise<SetupRuntime> {
  const onPath = await findCommand('node', env);
  if (onPath !== undefined) {
    const answer = await answerOf(onPath, ['--version'], { env, signal });
    const version = 'text' in answer ? /^v(\d+\.\d+\.\d+)/.exec(answer.text)?.[1] : undefined;
    if (version !== undefined && Number.parseInt(version, 10) >= OLDEST_NODE)
      return { kind: 'path', file: 'node', version };
  }
  const { node, electron } = process.versions;
  return { kind: electron === undefined ? 'node' : 'electron', file: process.execPath, version: node };
}

/** What Keepit says about its version, run as hooks run it. */
export async function runVersion(
  { kind, file }: SetupRuntime,
  script: string,
  options: { env: NodeJS.ProcessEnv; signal?: AbortSignal | undefined },
): Promise<{ version: string } | { problem: string }> {
  const env = kind === 'electron' ? { ...options.env, ELECTRON_RUN_AS_NODE: '1' } : options.env;
  const answer = await answerOf(file, [script, '--version'], { ...options, env });
  if ('problem' in answer) return answer;
  const version = answer.text.trim();
  return /^\d+\.\d+\.\d+/.test(version) ? { version } : { problem: 'it does not answer with a version' };
}

async function answerOf(
  file: string,
  args: readonly string[],
  { env, signal }: { env: NodeJS.ProcessEnv; signal?: AbortSignal | undefined },
): Promise<{ text: string } | { problem: string }> {
  return new Promise((resolve) => {
    const options = { env, timeout: ANSWER_MS, windowsHide: true, ...(signal !== undefined && { signal }) };
    execFile(file, [...args], options, (error, stdout) => {
      resolve(error === null ? { text: stdout } : { problem: errorText(error).split('\n')[0] ?? '' });
    });
  });
}
