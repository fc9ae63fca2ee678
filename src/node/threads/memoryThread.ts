import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { MemoryService } from '../../core/memory';
import type { Log } from '../../core/model/host';
import { eachOperation } from '../../core/operations';
import { errorText, KeepitError } from '../../core/text/keepitError';
import type { ModelCaller } from '../../core/versions/models/modelCaller';
import type { Memory } from '../createMemory';
import type { HostModels } from '../summarizers/createModelSummarizers';
import { watching } from '../watching';
import { answering, Peer } from './peer';

interface MemoryThreadOptions {
  readonly log: Log;
  /** Default: `CLAUDE_CONFIG_DIR`, else `~/.claude`. */
  readonly claudeDir: string | undefined;
  /** Default: `CLAUDE_MEMORY_DIR`, else `~/.claude-memory`. */
  readonly memoryDir: string | undefined;
  /** Where the bundle of the thread lies. Default: beside the running one. */
  readonly distDir?: string;
  readonly models: HostModels;
}

/** What is going on gets so long to come to its end: models that are being asked are told to stop. */
const PATIENCE_MS = 1000;

/** A thread that takes more than this is ended, rather than the whole host with it. */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 4096 };

/** A memory in a thread of its own, which starts when it is first asked for something. Folders are watched here. */
export function openMemoryThread(options: MemoryThreadOptions): Memory {
  const thread = new MemoryThread(options);
  const service = eachOperation((feature, name) => {
    return (...args: unknown[]) => thread.call(`${feature}.${name}`, args);
  }) as MemoryService;
  return { service, ...watching(options, () => thread.dispose()) };
}

class MemoryThread {
  #running: { readonly worker: Worker; readonly peer: Peer } | undefined;
  #isClosed = false;

  constructor(private readonly options: MemoryThreadOptions) {}

  async call(name: string, args: readonly unknown[]): Promise<unknown> {
    if (this.#isClosed) throw closed();
    this.#running ??= this.#start();
    return this.#running.peer.call(name, args);
  }

  async dispose(): Promise<void> {
    this.#isClosed = true;
    if (this.#running === undefined) return;
    const { worker, peer } = this.#running;
    await Promise.race([peer.cancelAll(), sleep(PATIENCE_MS, undefined, { ref: false })]);
    peer.end(closed());
    await worker.terminate();
  }

  #start(): { worker: Worker; peer: Peer } {
    const { log, models, claudeDir, memoryDir, distDir = path.dirname(fileURLToPath(import.meta.url)) } = this.options;
    const callers = models.callers.map(({ name, parallelCalls, overheadTokens }) => ({
      name,
      parallelCalls,
      overheadTokens,
    }));
    const worker = new Worker(path.join(distDir, 'memoryWorker.js'), {
      workerData: { claudeDir, memoryDir, callers },
      resourceLimits: RESOURCE_LIMITS,
    });
    const peer = new Peer(
      worker,
      answering(
        new Map<string, object>([
          ['log', log],
          ['models', modelsFor(models)],
        ]),
      ),
    );
    const lose = (why: string): void => {
      if (this.#running?.worker === worker) this.#running = undefined; // the next one who asks starts another
      peer.end(new MemoryThreadError(why));
    };
    worker.on('error', (error) => lose(errorText(error)));
    worker.on('exit', (code) => lose(`it ended with code ${code}`));
    return { worker, peer };
  }
}

/** What the thread asks of this host. */
function modelsFor({ anthropicKey, callers }: HostModels) {
  const named = (name: string): ModelCaller => {
    const caller = callers.find((one) => one.name === name);
    if (caller === undefined) throw new TypeError(`There is no model of ${name}`);
    return caller;
  };
  return {
    anthropicKey,
    model: (name: string, ...args: Parameters<ModelCaller['model']>) => named(name).model(...args),
    call: (name: string, ...args: Parameters<ModelCaller['call']>) => named(name).call(...args),
  };
}

function closed(): DOMException {
  return new DOMException('The memory was closed', 'AbortError');
}

/** The thread ended in the middle of its work. What was stored is whole: it is written as if the power could fail. */
export class MemoryThreadError extends KeepitError {
  constructor(why: string) {
    super('memory-thread-ended', {
      message: `The memory stopped in the middle of its work: ${why}.`,
      hint: 'What was stored is whole. Try again: it starts anew.',
    });
  }
}
