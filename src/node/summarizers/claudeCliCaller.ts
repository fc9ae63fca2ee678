import { spawn, execFile, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { lstat } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import {
  knownModel,
  type CallListener,
  type KnownModel,
  type ModelAnswer,
  type ModelCall,
  type ModelCaller,
  NO_USAGE,
  type TokenUsage,
  SummarizerError,
  type SummarizerReason,
} from '../../core/versions/models/modelCaller';
import type { ModelSettings } from '../../core/model/models';
import { writeFileAtomic, ensurePrivateFolder } from '../files/atomicFile';
import { isGone, unlessGone } from '../files/errorCode';
import { findClaude } from '../hostProbe';
import { MODEL_RUN_VARIABLE } from '../../core/model/hookInput';
import { Stall } from './stall';
import * as z from 'zod/mini';
import { reasonOf, shortText } from './anthropicErrors';
import { parsedJson } from '../../core/text/ownValue';

interface ClaudeCliCallerOptions {
  readonly storeDir: string;
  readonly env: NodeJS.ProcessEnv;
}

/** What a surrounding Claude Code tells its children about itself; a run of ours is no child of a session. */
const NOT_PASSED_ON = /^(CLAUDECODE|CLAUDE_CODE_(ENTRYPOINT|SESSION_ID|SSE_PORT)|CLAUDE_PROJECT_DIR|CLAUDE_ENV_FILE)$/;

/** Without a suffix in the model's name, `claude` uses this window whatever the model has. */
const WINDOW_TOKENS = 200_000;

const MODEL_NAME = /^[A-Za-z0-9][\w.:@[\]-]*$/;

/**
 * Asks through the user's own `claude`, with whatever account that has. It runs in safe mode and without persistence: no session
 * is written, no hook, plugin, MCP server or memory file is loaded, and there are no tools.
 */
export class ClaudeCliCaller implements ModelCaller {
  readonly name = 'claude-cli';
  readonly parallelCalls = 1;
  /** The words that `claude` puts around a prompt. */
  readonly overheadTokens = 400;
  /** Of our own, to run in: `claude` finds no project there, and no settings of one. */
  readonly #folder: string;

  constructor(private readonly options: ClaudeCliCallerOptions) {
    this.#folder = path.join(options.storeDir, 'cache', 'claude-cli');
  }

  async model(name: string, settings: ModelSettings): Promise<KnownModel> {
    const { id, facts } = knownModel(name, settings);
    if (!MODEL_NAME.test(id)) throw new SummarizerError('unknown-model', { detail: JSON.stringify(id) });
    return { id, facts: { ...facts, contextTokens: Math.min(facts.contextTokens, WINDOW_TOKENS) } };
  }

  async call(call: ModelCall, listener: CallListener, signal?: AbortSignal): Promise<ModelAnswer> {
    const command = await this.#find();
    const files = await this.#prepare(call.system);
    const stall = new Stall(call.stallMs, signal);
    const output = new ClaudeOutput(listener);
    try {
      const ended = await this.#run({ command, call, files }, output, stall);
      stall.throwIfEnded();
      return output.answer(ended);
    } finally {
      stall.dispose();
    }
  }

  async #find(): Promise<string> {
    const found = await findClaude(this.options.env);
    if (found === undefined) throw new SummarizerError('no-claude', { detail: 'it is not on PATH' });
    return found;
  }

  /** Long texts go through files: command lines are limited, and other users can read them. */
  async #prepare(system: string): Promise<{ system: string; settings: string }> {
    const folder = this.#folder;
    await ensurePrivateFolder(folder, this.options.storeDir);
    const hash = createHash('sha256').update(system).digest('hex').slice(0, 12);
    const files = {
      system: path.join(folder, `system-${hash}.md`),
      settings: path.join(folder, 'settings.json'),
    };
    await writeOnce(files.system, system);
    await writeOnce(files.settings, JSON.stringify({ disableAllHooks: true }));
    return files;
  }

  async #run(
    { command, call, files }: { command: string; call: ModelCall; files: { system: string; settings: string } },
    output: ClaudeOutput,
    stall: Stall,
  ): Promise<{ code: number | null; stderr: string }> {
    stall.signal.throwIfAborted();
    const child = started(command, argumentsOf(call, files), { cwd: this.#folder, env: this.#environment(call) });
    const end = () => endTree(child);
    stall.signal.addEventListener('abort', end, { once: true });
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr = `${stderr}${text}`.slice(-4_000)));
    const lines = createInterface({ input: child.stdout });
    lines.on('line', (line) => {
      stall.pulse();
      output.read(line);
    });
    const printed = new Promise<void>((resolve) => lines.once('close', resolve));
    child.stdin.on('error', () => undefined); // it ended before it had read everything: its exit code says why
    child.stdin.end(call.prompt);
    try {
      const code = await new Promise<number | null>((resolve, reject) => {
        child.once('error', reject);
        child.once('close', resolve);
      });
      await printed;
      return { code, stderr };
    } catch (error) {
      if (isGone(error)) throw new SummarizerError('no-claude', { detail: `${command} is gone`, cause: error });
      throw new SummarizerError('no-claude', { detail: command, cause: error });
    } finally {
      stall.signal.removeEventListener('abort', end);
    }
  }

  #environment({ maxOutputTokens }: ModelCall): NodeJS.ProcessEnv {
    const passed = Object.entries(this.options.env).filter(([name]) => !NOT_PASSED_ON.test(name));
    return {
      ...Object.fromEntries(passed),
      [MODEL_RUN_VARIABLE]: '1',
      CLAUDE_CODE_MAX_OUTPUT_TOKENS: String(maxOutputTokens),
      CLAUDE_CODE_MAX_RETRIES: '4', // ten by itself, which takes minutes even for a key that is wrong
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      DISABLE_TELEMETRY: '1',
      DISABLE_ERROR_REPORTING: '1',
    };
  }
}

/** Waits until nobody holds the other end of its pipe any more, and ends its whole group: also where we were killed and could end nothing. */
const WATCH = `trap '' TERM; read _ <&3; kill -TERM 0; PATH=/usr/bin:/bin sleep 2; kill -KILL 0`;
const WATCHED = `( ${WATCH} ) >/dev/null 2>&1 & exec "$0" "$@" 3<&-`;

/** Starts it in a group of its own, which does not outlive this process. On Windows nothing watches over it. */
function started(command: string, args: readonly string[], place: { cwd: string; env: NodeJS.ProcessEnv }) {
  const own = { ...place, windowsHide: true, ...ownProcessGroup };
  if (process.platform === 'win32') {
    const shell = /\.(cmd|bat)$/i.test(command);
    return spawn(shell ? `"${command}"` : command, args, { ...own, shell, stdio: ['pipe', 'pipe', 'pipe'] });
  }
  const child = spawn('/bin/sh', ['-c', WATCHED, command, ...args], {
    ...own,
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
  });
  child.once('exit', () => child.stdio[3]?.destroy());
  return child;
}

function argumentsOf({ model, maxUsd }: ModelCall, files: { system: string; settings: string }): string[] {
  return [
    '--print',
    '--safe-mode',
    '--no-session-persistence',
    '--strict-mcp-config',
    '--disable-slash-commands',
    '--tools=',
    `--settings=${files.settings}`,
    `--system-prompt-file=${files.system}`,
    `--model=${model.id}`,
    ...(model.facts.effort === undefined ? [] : [`--effort=${model.facts.effort}`]),
    `--max-budget-usd=${Math.max(maxUsd, 0.01).toFixed(4)}`,
    '--output-format=stream-json',
    '--include-partial-messages',
    '--verbose',
  ];
}

/** The content is the same each time: a file of the right size has it. */
async function writeOnce(file: string, content: string): Promise<void> {
  const stats = await unlessGone(lstat(file));
  if (stats?.size === Buffer.byteLength(content)) return;
  await writeFileAtomic(file, content, { isDurable: false });
}

/** How long a program may take to end by itself. */
const GRACE_MS = 2_000;

/** What has to be said when a program is started whose children are to end with it. */
export const ownProcessGroup = { detached: process.platform !== 'win32' } as const;

/** Ends a program that was started in a group of its own, with everything that it has started; by force after a moment. */
export function endTree(child: ChildProcess): void {
  const { pid } = child;
  if (pid === undefined || hasEnded(child)) return;
  if (process.platform === 'win32') {
    execFile('taskkill', ['/pid', String(pid), '/T', '/F'], () => undefined); // it is gone already, or nobody can end it
    return;
  }
  signalGroup(pid, 'SIGTERM');
  const force = setTimeout(() => signalGroup(pid, 'SIGKILL'), GRACE_MS);
  force.unref();
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // No process of the group is left, which is what was wanted.
  }
}

const figure = z.nullish(z.number());
const usageSchema = z.looseObject({
  input_tokens: figure,
  output_tokens: figure,
  cache_creation_input_tokens: figure,
  cache_read_input_tokens: figure,
});

const lineSchema = z.looseObject({ type: z.string() });

const streamEventSchema = z.looseObject({
  event: z.looseObject({
    type: z.string(),
    message: z.optional(z.looseObject({ id: z.string(), usage: z.optional(usageSchema) })),
    delta: z.optional(z.looseObject({ type: z.optional(z.string()), text: z.optional(z.string()) })),
    usage: z.optional(usageSchema),
  }),
});

const resultSchema = z.looseObject({
  subtype: z.string(),
  is_error: z.boolean(),
  result: z.optional(z.string()),
  stop_reason: z.nullish(z.string()),
  api_error_status: z.nullish(z.number()),
  total_cost_usd: z.optional(z.number()),
  usage: z.optional(usageSchema),
  session_id: z.optional(z.string()),
});
type Result = z.infer<typeof resultSchema>;

/** Reads what `claude -p --output-format stream-json` prints, line by line. */
class ClaudeOutput {
  private characters = 0;
  private usage = NO_USAGE;
  private responseId = '';
  private result: Result | undefined;

  constructor(private readonly listener: CallListener) {}

  /** Lines of kinds that say nothing to us are passed over, and so is what is no JSON: a warning of some wrapper. */
  read(line: string): void {
    const parsed = parsedJson(line);
    const { type } = lineSchema.safeParse(parsed).data ?? { type: '' };
    if (type === 'stream_event') this.readEvent(streamEventSchema.safeParse(parsed).data?.event);
    if (type === 'result') this.result = resultSchema.safeParse(parsed).data;
  }

  /** What the run came to, once the program has ended. Throws `SummarizerError` for everything that is no answer. */
  answer(ended: { readonly code: number | null; readonly stderr: string }): ModelAnswer {
    const { result } = this;
    if (result === undefined) throw withoutResult(ended);
    if (result.usage !== undefined) this.tell(result.usage);
    const { result: text = '', total_cost_usd: usd, stop_reason: stopReason } = result;
    const common = {
      text,
      usage: this.usage,
      responseId: this.responseId === '' ? (result.session_id ?? '') : this.responseId,
      ...(usd !== undefined && { usd }),
    };
    if (stopReason === 'refusal') return { ...common, end: 'refused' };
    if (stopReason === 'max_tokens' || /exceeded the \d+ output token maximum/i.test(text)) {
      return { ...common, end: 'truncated' };
    }
    if (result.is_error || result.subtype !== 'success') throw failureOf(result);
    return { ...common, end: 'complete' };
  }

  private readEvent(event: z.infer<typeof streamEventSchema>['event'] | undefined): void {
    if (event?.type === 'message_start' && event.message !== undefined) {
      this.responseId = event.message.id;
      this.tell(event.message.usage ?? {});
    }
    if (event?.type === 'message_delta' && event.usage !== undefined) this.tell(event.usage);
    if (event?.delta?.type === 'text_delta') {
      this.characters += event.delta.text?.length ?? 0;
      this.listener.onText(this.characters);
    }
  }

  private tell(reported: z.infer<typeof usageSchema>): void {
    this.usage = usageOf(reported, this.usage);
    this.listener.onUsage(this.usage);
  }
}

function usageOf(reported: z.infer<typeof usageSchema>, before: TokenUsage): TokenUsage {
  return {
    inputTokens: reported.input_tokens ?? before.inputTokens,
    outputTokens: reported.output_tokens ?? before.outputTokens,
    cacheWriteTokens: reported.cache_creation_input_tokens ?? before.cacheWriteTokens,
    cacheReadTokens: reported.cache_read_input_tokens ?? before.cacheReadTokens,
  };
}

function failureOf({ subtype, result = '', api_error_status: status }: Result): SummarizerError {
  if (subtype === 'error_max_budget_usd') return new SummarizerError('run-limit', { detail: 'claude stopped there' });
  const detail = shortText(result === '' ? subtype : result);
  return new SummarizerError(reasonOfText(status ?? undefined, result), { detail });
}

/** What the API answered counts before the words that `claude` has for it. */
function reasonOfText(status: number | undefined, text: string): SummarizerReason {
  if (status === undefined) {
    if (/not logged in|please run \/login|invalid api key|oauth token/i.test(text)) return 'not-signed-in';
    if (/usage limit|limit reached/i.test(text)) return 'rate-limited';
    if (/connection error|unable to connect|ECONNREFUSED|ENOTFOUND/i.test(text)) return 'network';
  }
  const reason = reasonOf(status, undefined, text);
  return reason === 'bad-key' ? 'not-signed-in' : reason;
}

function withoutResult({ code, stderr }: { code: number | null; stderr: string }): SummarizerError {
  const detail = shortText(stderr) || `it ended with code ${code ?? 'none'}`;
  if (/unknown option|unexpected argument/i.test(stderr)) return new SummarizerError('claude-outdated', { detail });
  return new SummarizerError('provider', { detail });
}
