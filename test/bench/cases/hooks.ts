import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../../../src/core/model/host';
import type { HookEvent } from '../../../src/core/model/hookInput';
import { createMemory } from '../../../src/node/createMemory';
import { quantile, type BenchCase, type Metrics } from '../bench';
import { benchEnvironment } from '../environment';
import { BenchProject, PROJECT } from './layers';

const SESSIONS = 1000;
const SESSION_BYTES = 6 * 1024;
const IN_MEMORY = '00000000-0000-4000-8000-000000000001';
const CWD = '/home/sam/src/app';
const WARMUPS = 3;
const NAP_MS = 50;
/** What a hook adds to starting Node and doing nothing, in computing time: a machine may be busy. */
const LIMITS: Metrics = { medianRatio: 1.3, p95Ratio: 1.6 };
/** Has a process leave its computing time when it ends. */
const PROBE = `process.on('exit', () => { const { user, system } = process.cpuUsage(); require('node:fs').writeFileSync(process.env.KEEPIT_BENCH_CPU, String((user + system) / 1000)); });`;

const silent: Log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

/** A thousand sessions in memory, with layers, and all that hooks find ready. Made once for all cases. */
class HookBench {
  readonly project = new BenchProject(() => Promise.resolve(Array.from({ length: SESSIONS }, () => SESSION_BYTES)));
  #made: Promise<void> | undefined;
  #starts = 0;
  #runs = 0;

  make(): Promise<void> {
    this.#made ??= this.#make();
    return this.#made;
  }

  /** The hook and a Node that does nothing, in turns: what the machine does meanwhile meets both alike. */
  async measure(event: HookEvent, pairs: number, fields: object, args: readonly string[] = []): Promise<Metrics> {
    const times = { hook: [] as number[], node: [] as number[] };
    for (let pair = -WARMUPS; pair < pairs; pair++) {
      const nodeMs = this.#run(['-e', '0'], '');
      const hookMs = this.#run(
        [path.join(benchEnvironment().root, 'dist/cli.js'), 'hook', event, ...args],
        this.#input(event, fields),
      );
      await this.#settled();
      if (pair < 0) continue;
      times.node.push(nodeMs);
      times.hook.push(hookMs);
    }
    const [hook, node] = [times.hook, times.node].map((all) => all.sort((a, b) => a - b));
    const [hookMs, nodeMs] = [quantile(hook ?? [], 0.5), quantile(node ?? [], 0.5)];
    return {
      medianRatio: hookMs / nodeMs,
      p95Ratio: quantile(hook ?? [], 0.95) / quantile(node ?? [], 0.95),
      hookMs,
      nodeMs,
    };
  }

  async #make(): Promise<void> {
    await this.project.make();
    process.once('exit', () => rmSync(path.dirname(this.project.folders.claudeDir), { recursive: true, force: true }));
    const distDir = path.join(benchEnvironment().root, 'dist');
    const memory = createMemory({ ...this.project.folders, log: silent, distDir });
    try {
      const { projects } = await memory.service.sessions.discover();
      const refs = projects.flatMap(({ projectId, sessions }) =>
        sessions.map(({ sessionId }) => ({ projectId, sessionId })),
      );
      await memory.service.sessions.register(refs);
      await memory.service.layers.build(PROJECT);
      await memory.service.hooks.refresh(PROJECT);
    } finally {
      await memory.dispose();
    }
  }

  #run(args: readonly string[], input: string): number {
    const { claudeDir, memoryDir } = this.project.folders;
    const probe = path.join(memoryDir, '..', 'cpuProbe.cjs');
    const file = path.join(memoryDir, '..', `cpu-${++this.#runs}`);
    if (this.#runs === 1) writeFileSync(probe, PROBE);
    const bench = { NODE_OPTIONS: `--require ${probe}`, KEEPIT_BENCH_CPU: file };
    const env = { ...process.env, ...bench, CLAUDE_CONFIG_DIR: claudeDir, CLAUDE_MEMORY_DIR: memoryDir };
    const { status } = spawnSync(process.execPath, args, { input, env, stdio: ['pipe', 'ignore', 'ignore'] });
    if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}`);
    return Number(readFileSync(file, 'utf8'));
  }

  #input(event: HookEvent, fields: object): string {
    const session =
      event === 'SessionStart' ? `00000000-0000-4000-9000-${String(++this.#starts).padStart(12, '0')}` : IN_MEMORY;
    const transcript = path.join(this.project.folders.claudeDir, 'projects', PROJECT, `${session}.jsonl`);
    const common = { session_id: session, transcript_path: transcript, cwd: CWD, hook_event_name: event };
    return JSON.stringify({ ...common, ...fields });
  }

  /** What a hook has set off must not run beside the next one: it would in a session, but not at every turn. */
  async #settled(): Promise<void> {
    const hooks = path.join(this.project.folders.memoryDir, 'projects', PROJECT, 'hooks');
    for (;;) {
      const requests = path.join(hooks, 'requests');
      const isAsked = existsSync(requests) && (await readdir(requests)).length > 0;
      if (!isAsked && !existsSync(path.join(hooks, '.work.lock'))) return;
      await sleep(NAP_MS);
    }
  }
}

const bench = new HookBench();

function hookCase(event: HookEvent, pairs: number, fields: object, args: readonly string[] = []): BenchCase {
  return {
    name: `hooks: ${[event, ...args].join(' ')}, in a store of 1,000 sessions, against \`node -e 0\``,
    subject: { name: event, run: () => bench.measure(event, pairs, fields, args) },
    limits: LIMITS,
    repeats: 1,
    warmups: 0,
    setup: () => bench.make(),
  };
}

export const cases: BenchCase[] = [
  hookCase('UserPromptSubmit', 40, {
    prompt: 'Why does the parser lose the last line of the file when it is flushed?',
  }),
  hookCase('PostToolUse', 40, {
    tool_name: 'Bash',
    tool_input: { command: 'ls' },
    tool_response: { stdout: 'x'.repeat(20_000) },
  }),
  hookCase('PostToolUse', 40, { tool_name: 'Read', tool_input: { file_path: `${CWD}/src/parser.ts` } }, [
    '--file-note',
  ]),
  hookCase('PreToolUse', 40, { tool_name: 'Edit', tool_input: { file_path: `${CWD}/src/parser.ts` } }, ['--file-note']),
  hookCase('SessionStart', 20, { source: 'startup' }),
  hookCase('Stop', 20, { last_assistant_message: '' }),
  hookCase('PreCompact', 20, { trigger: 'auto' }),
  hookCase('SessionEnd', 20, { reason: 'other' }),
];
