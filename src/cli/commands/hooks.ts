import { constants, setPriority } from 'node:os';
import type { Answer, Command } from '../command';

export const hook: Command = {
  name: 'hook',
  group: 'Keepit itself',
  summary: 'Answer a hook of Claude Code, whose input comes on stdin',
  details: [
    'Claude Code calls it, once `keepit install-hooks` has told it to. What it puts out is what the model is given; the exit code is 0 whatever ' +
      'happens, and what went wrong stands in logs/hooks.log of the memory.',
  ],
  args: [
    {
      name: 'event',
      help: 'SessionStart, UserPromptSubmit, PostToolUse, Stop, PreCompact or SessionEnd',
      arity: 'one',
    },
  ],
  options: { piece: { type: 'string', value: 'N', help: 'which of several hooks of SessionStart it is, from 1' } },
  examples: ['hook SessionStart', 'hook SessionStart --piece 2'],
  async run(input): Promise<Answer> {
    // It never comes here: no hook waits until the whole program is loaded, and none is told that it was called wrongly.
    throw input.wrong('Hooks are answered by a program of their own.');
  },
};

export const hookWork: Command = {
  name: 'hook-work',
  group: 'Keepit itself',
  summary: "Do what Claude Code's hooks asked for",
  details: [
    'Hooks start this by themselves, in the background: it takes sessions in, brings layers and rolling memory up to date, and makes ' +
      'ready what the next session is given. Nothing is lost when it is killed: the next hook starts it again.',
  ],
  args: [],
  options: {
    keep: { type: 'string', value: 'SESSION', help: 'only find what of this session must outlive its compaction' },
    transcript: { type: 'string', value: 'FILE', help: 'where Claude Code writes that session' },
  },
  examples: ['hook-work --project=-home-mira-code-tidewatch'],
  async run(input, { memory, signal }): Promise<Answer> {
    const projectId = input.text('project');
    if (projectId === undefined) throw input.wrong('It needs --project=<projectId>.');
    const sessionId = input.text('keep');
    if (sessionId === undefined) {
      yieldToOthers();
      const sessions = await memory.hooks.work(projectId, signal);
      return { json: { sessions }, text: () => `${sessions} sessions looked at.` };
    }
    await memory.hooks.keep({ projectId, sessionId }, input.text('transcript'), signal);
    return { json: { kept: sessionId }, text: () => `Looked at ${sessionId}.` };
  },
};

/** Nobody waits for this process, and somebody works while it runs. */
function yieldToOthers(): void {
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // Where that is not allowed, it runs as everybody else does.
  }
}
