import { renameSync, statSync, writeSync, fstatSync, readSync } from 'node:fs';
import path from 'node:path';
import { createRequire } from 'node:module';
import { StringDecoder } from 'node:string_decoder';
import { errorText } from '../core/text/keepitError';
import { answerMark } from '../core/claude/hooks/hookAnswer';
import {
  isHookEvent,
  type HookEvent,
  type HookRequest,
  type RequestReason,
  MODEL_RUN_VARIABLE,
  readHookInput,
  type HookInput,
} from '../core/model/hookInput';
import { errorCode } from '../node/files/errorCode';
import { HookLayout, LOG_BYTES } from '../node/hooks/hookLayout';
import { defaultMemoryDir } from '../node/store/storeLayout';
import { hookArguments, type HookArguments } from './hookArguments';
import { appendTo, HookFiles } from './hookFiles';
import { projectOf } from './hookPlace';
import { SessionHooks, type HookCall, type HookOutcome } from './sessionHooks';

/*
 * `keepit hook <Event>`: what Claude Code runs, and waits for, at every turn. It must be quick, must not fail, and must put out nothing but
 * what the model is to read: whatever happens, the exit code is 0, and what went wrong stands in the log.
 */

const STDIN = 0;
const STDOUT = 1;
/** What is no event may be anything. */
const MAX_EVENT = 40;

/** So long a compaction waits for its keepits. */
const KEEP_TIMEOUT_MS = 10_000;

/** A tool may answer with anything; what hooks need of that stands at the beginning. */
const MAX_BYTES = 4 * 1024 * 1024;
const CHUNK_BYTES = 64 * 1024;
/** Where the fields that name the session are, whatever comes after them. */
const HEAD_UNITS = 16 * 1024;
/** Who has begun to write goes on writing. */
const PATIENCE_MS = 5000;
const NAP_MS = 2;

const NAMES =
  /"(session_id|transcript_path|cwd|source|tool_name|trigger|reason|hook_event_name)"\s*:\s*("(?:[^"\\]|\\.)*")/g;

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

type ChildProcess = typeof import('node:child_process');

/** The program that this process is: it knows both `hook` and `hook-work`. */
interface Program {
  readonly runtime: string;
  /** Its script. */
  readonly script: string;
  /** A folder that stays, so that nobody is kept from removing the project's. */
  readonly cwd: string;
}

/** Loaded only by the hooks that start something: it is a tenth of what the others take. */
function childProcess({ script }: Program): ChildProcess {
  const module: unknown = createRequire(script)('node:child_process');
  if (isChildProcess(module)) return module;
  throw new TypeError('This runtime starts no processes');
}

function isChildProcess(module: unknown): module is ChildProcess {
  return typeof module === 'object' && module !== null && 'spawn' in module && 'spawnSync' in module;
}

/** Starts the process that does what hooks have no time for; it outlives this one, and the session. */
function startWork(program: Program, projectId: string): void {
  const { runtime, script, cwd } = program;
  const child = childProcess(program).spawn(runtime, [script, 'hook-work', `--project=${projectId}`], {
    cwd,
    detached: true,
    stdio: 'ignore',
    windowsHide: true,
  });
  child.on('error', () => undefined); // there is no more to be done: the next hook asks again
  child.unref();
}

/** Lets it be found where a session stands, and waits for that. Whether it was. */
function findState(
  program: Program,
  { projectId, sessionId, transcript }: { projectId: string; sessionId: string; transcript: string },
): boolean {
  const { runtime, script, cwd } = program;
  const args = [script, 'hook-work', `--project=${projectId}`, `--keep=${sessionId}`, `--transcript=${transcript}`];
  const { status } = childProcess(program).spawnSync(runtime, args, {
    cwd,
    stdio: 'ignore',
    timeout: KEEP_TIMEOUT_MS,
    windowsHide: true,
  });
  return status === 0;
}

/** What Claude Code hands over; undefined for what is none of it. Never holds more of it than is looked at, and reads it to its end. */
function readInput(descriptor: number): HookInput | undefined {
  if (isDevice(descriptor)) return undefined;
  const { text, isWhole } = readText(descriptor);
  return isWhole ? readHookInput(text) : readHead(text);
}

/** A terminal, where a person would be waited for, or nothing at all. */
function isDevice(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isCharacterDevice();
  } catch {
    return true; // closed
  }
}

function readText(descriptor: number): { text: string; isWhole: boolean } {
  const decoder = new StringDecoder('utf8');
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  let text = '';
  let bytes = 0;
  for (;;) {
    const read = readChunk(descriptor, chunk);
    if (read === 0) break;
    bytes += read;
    if (bytes > MAX_BYTES) continue; // the writer is let finish, and nothing is kept
    text += decoder.write(chunk.subarray(0, read));
  }
  return { text: text + decoder.end(), isWhole: bytes <= MAX_BYTES };
}

/** 0 at the end; also when nothing comes any more. */
function readChunk(descriptor: number, chunk: Buffer): number {
  const giveUpAt = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      return readSync(descriptor, chunk);
    } catch (error) {
      if (errorCode(error) !== 'EAGAIN') return 0; // EOF is an error on Windows, and a closed descriptor has nothing to say
      if (performance.now() > giveUpAt) return 0;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, NAP_MS);
    }
  }
}

/** The fields of a text too long to be parsed. Each counts where it stands first: before what a tool or a person has put in. */
function readHead(text: string): HookInput | undefined {
  const fields = new Map<string, string>();
  for (const [, name = '', value = ''] of text.slice(0, HEAD_UNITS).matchAll(NAMES)) {
    if (!fields.has(name)) fields.set(name, `${JSON.stringify(name)}:${value}`);
  }
  return readHookInput(`{${[...fields.values()].join(',')}}`);
}

main();
