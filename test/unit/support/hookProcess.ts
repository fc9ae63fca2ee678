import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

/** Runs a hook as Claude Code does: its input on stdin; what it puts out is what the model would be given. */
export async function runHook(
  cli: string,
  env: NodeJS.ProcessEnv,
  input: { readonly hook_event_name: string } & Record<string, unknown>,
): Promise<string> {
  const child = spawn(process.execPath, [cli, 'hook', input.hook_event_name], {
    env: { ...env, ELECTRON_RUN_AS_NODE: '1' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  child.stdin.end(JSON.stringify(input));
  const output = await text(child.stdout);
  await exited;
  return output;
}
