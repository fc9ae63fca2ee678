import { spawn } from 'node:child_process';
import { resumeArguments } from '../../core/sessions/projectNames';
import { findClaude, isFolder } from '../../node/hostProbe';
import { commandLine } from '../../node/shellWords';
import { command } from '../command';
import { CliFailure } from '../cliErrors';
import { flag, theSession } from '../fields';

export const resume = command({
  name: 'resume',
  summary: 'Go on with a session in Claude Code',
  details: [
    'Starts `claude --resume` in the folder that the session belongs to. A session that Claude Code has deleted goes on from the kept copy, as a new session: the copy stays as it is.',
    '--print and --json tell the command and start nothing.',
  ],
  input: {
    session: theSession,
    fork: flag('As a new session: this one stays as it is'),
    print: flag('Print the command instead of starting it'),
  },
  examples: ['resume e3580bc6', 'resume e3580bc6 --fork', 'resume e3580bc6 --print'],
  async run({ session: ref, fork: isFork, print }, { memory, isJson, signal }) {
    const session = await memory.sessions.resumable(ref, signal);
    const isFolderThere = await isFolder(session.folder);
    const args = resumeArguments(session, { isFork, isFolderThere });
    const { sessionId, isCopy } = session;
    const folder = isFolderThere ? session.folder : undefined;
    const shell = process.env.SHELL ?? '';
    const line = commandLine(shell, 'claude', args);
    const whole = folder === undefined ? line : `${commandLine(shell, 'cd', [folder])} && ${line}`;
    const resumed = { sessionId, command: whole, args, folder, isCopy };
    if (print || isJson) return { resumed, started: undefined };
    const claude = await findClaude(process.env);
    if (claude === undefined) throw new CliFailure('no-claude', whole);
    return { resumed, started: start(claude, args, folder) };
  },
  json: ({ resumed }) => ({ resume: resumed }),
  text: ({ resumed, started }, { quiet }) => (started === undefined ? resumed.command : quiet(resumed.command)),
  until: ({ started }) => started,
});

/** Ends when Claude Code does; it has the terminal until then. */
async function start(claude: string, args: readonly string[], cwd: string | undefined) {
  const child = spawn(claude, args, { stdio: 'inherit', ...(cwd !== undefined && { cwd }) });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) throw new CliFailure('claude-ended', String(code ?? 'a signal'));
}
