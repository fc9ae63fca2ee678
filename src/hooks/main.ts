import { renameSync, statSync, writeSync } from 'node:fs';
import path from 'node:path';
import { errorText } from '../core/text/keepitError';
import { answerMark } from '../core/claude/hooks/hookAnswer';
import { isHookEvent, type HookEvent, type HookRequest, type RequestReason } from '../core/model/hookInput';
import { errorCode } from '../node/files/errorCode';
import { HookLayout, LOG_BYTES } from '../node/hooks/hookLayout';
import { defaultMemoryDir } from '../node/store/storeLayout';
import { MODEL_RUN_VARIABLE } from '../node/summarizers/modelRunVariable';
import { findState, startWork, type Program } from './background';
import { hookArguments, type HookArguments } from './hookArguments';
import { appendTo, HookFiles } from './hookFiles';
import { projectOf } from './hookPlace';
import { readInput } from './readInput';
import { SessionHooks, type HookCall, type HookOutcome } from './sessionHooks';

/*
 * `keepit hook <Event>`: what Claude Code runs, and waits for, at every turn. It must be quick, must not fail, and must put out nothing but
 * what the model is to read: whatever happens, the exit code is 0, and what went wrong stands in the log.
 */

const STDIN = 0;
const STDOUT = 1;
/** What is no event may be anything. */
const MAX_EVENT = 40;

class Problems {
  private readonly texts: string[] = [];

  constructor(private readonly layout: HookLayout) {}

  get first(): string | undefined {
    return this.texts[0];
  }

  /** Says what failed, and never what anybody said. */
  add(what: string, error: unknown): void {
    const text = `${what}: ${errorCode(error) ?? errorText(error)}`;
    this.texts.push(text);
    try {
      const { log, dir } = this.layout;
      const size = statSync(log, { throwIfNoEntry: false })?.size ?? 0;
      if (size > LOG_BYTES) renameSync(log, `${log}.1`);
      appendTo(dir, log, `${new Date().toISOString()} hook ${text.replace(/\s+/g, ' ')}\n`);
    } catch {
      // There is nobody left to tell: Claude Code must go on as if there were no hook.
    }
  }
}

function run({ event, isFileNote }: HookArguments, layout: HookLayout, problems: Problems) {
  const input = readInput(STDIN);
  if (!isHookEvent(event)) throw new Error('Keepit does not answer this event');
  if (input === undefined) throw new Error('its input is empty, torn, or names no session');
  const place = projectOf(input, process.env, layout);
  if (place === undefined) throw new Error('its input names no project');
  const { projectId, worktree } = place;
  const call: HookCall = { event, isFileNote, projectId, input };
  const sessionId = input.session_id;
  const files = new HookFiles(layout, layout.project(projectId), sessionId, (what, error) =>
    problems.add(`${event}: ${what}`, error),
  );
  if (worktree !== undefined) files.noteWorktree(worktree);
  const { execPath: runtime } = process;
  const program: Program = { runtime, script: process.argv[1] ?? '', cwd: path.parse(runtime).root };
  const hooks = new SessionHooks(files, call, (transcript) => findState(program, { projectId, sessionId, transcript }));
  const outcome = hooks.run();
  if (outcome.answer !== undefined) putOut(outputOf(event, outcome.answer.text, outcome.userLine));
  if (outcome.isSilent === true) return;
  const isAsked = outcome.request !== undefined && files.addRequest(requestOf(call, outcome.request));
  files.keepGiven(outcome.answer?.wholes ?? []);
  files.addActivity(activityOf(call, outcome, problems.first));
  // Last of all: from then on the two share the processor.
  if (isAsked && !files.isWorking()) startWork(program, projectId);
}

function requestOf({ input }: HookCall, reason: RequestReason): HookRequest {
  const { session_id: sessionId, transcript_path: transcript, last_assistant_message: answer } = input;
  return {
    sessionId,
    reason,
    at: new Date().toISOString(),
    ...(typeof transcript === 'string' && { transcript }),
    ...(typeof answer === 'string' && answer.trim() !== '' && { lastAnswer: answerMark(answer) }),
  };
}

function activityOf({ event }: HookCall, { answer, source, note }: HookOutcome, problem: string | undefined) {
  return {
    at: new Date(performance.timeOrigin).toISOString(),
    event,
    ...(source !== undefined && { source }),
    tookMs: Math.round(performance.now()),
    ...(answer !== undefined && { injected: answer.injected }),
    ...(note !== undefined && { note }),
    ...(problem !== undefined && { problem }),
  };
}

/** JSON with a line for the user, and beside tools, where plain text reaches nobody. */
function outputOf(event: HookEvent, text: string, systemMessage: string | undefined): string {
  if (systemMessage === undefined && event !== 'PostToolUse' && event !== 'PreToolUse') return text;
  return JSON.stringify({ systemMessage, hookSpecificOutput: { hookEventName: event, additionalContext: text } });
}

/** Whole, also into a pipe that takes no more for a moment. */
function putOut(text: string) {
  const bytes = Buffer.from(text);
  for (let written = 0; written < bytes.length;) {
    try {
      written += writeSync(STDOUT, bytes, written);
    } catch (error) {
      if (errorCode(error) !== 'EAGAIN') throw error;
    }
  }
}

function main() {
  // Claude Code that Keepit itself has started to ask a model: its session is nobody's memory.
  if (process.env[MODEL_RUN_VARIABLE] !== undefined) return;
  Error.stackTraceLimit = 0; // a file that is not there is an ordinary thing here, and nobody looks at a stack
  const called = hookArguments(process.argv.slice(2)) ?? { event: '', isLeftover: false, isFileNote: false };
  const { event, isLeftover } = called;
  if (isLeftover) return;
  const layout = new HookLayout(defaultMemoryDir());
  const problems = new Problems(layout);
  try {
    run(called, layout, problems);
  } catch (error) {
    problems.add(event === '' ? 'hook' : event.slice(0, MAX_EVENT), error);
  }
}

main();
