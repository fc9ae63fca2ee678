import { spawn } from 'node:child_process';
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
} from '../../core/versions/models/modelCaller';
import { SummarizerError } from '../../core/versions/summarizerError';
import type { ModelSettings } from '../../core/model/models';
import { writeFileAtomic } from '../files/atomicFile';
import { isGone, unlessGone } from '../files/errorCode';
import { ensurePrivateFolder } from '../files/privateFolder';
import { findClaude } from '../findCommand';
import { ClaudeOutput } from './claudeOutput';
import { MODEL_RUN_VARIABLE } from './modelRunVariable';
import { endTree, ownProcessGroup } from './processTree';
import { Stall } from './stall';

export interface ClaudeCliCallerOptions {
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
  readonly #options: ClaudeCliCallerOptions;
  /** Of our own, to run in: `claude` finds no project there, and no settings of one. */
  readonly #folder: string;

  constructor(options: ClaudeCliCallerOptions) {
    this.#options = options;
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
    const found = await findClaude(this.#options.env);
    if (found === undefined) throw new SummarizerError('no-claude', { detail: 'it is not on PATH' });
    return found;
  }

  /** Long texts go through files: command lines are limited, and other users can read them. */
  async #prepare(system: string): Promise<{ system: string; settings: string }> {
    const folder = this.#folder;
    await ensurePrivateFolder(folder, this.#options.storeDir);
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
    const needsShell = /\.(cmd|bat)$/i.test(command);
    const child = spawn(needsShell ? `"${command}"` : command, argumentsOf(call, files), {
      cwd: this.#folder,
      env: this.#environment(call),
      stdio: ['pipe', 'pipe', 'pipe'],
      shell: needsShell,
      windowsHide: true,
      ...ownProcessGroup,
    });
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
    const passed = Object.entries(this.#options.env).filter(([name]) => !NOT_PASSED_ON.test(name));
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
