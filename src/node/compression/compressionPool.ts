import { Worker } from 'node:worker_threads';
import { CompressionError } from '../../core/versions/compressionError';
import type { CompressedSession, CompressionJob, CompressionWork } from '../../core/versions/compressionJob';
import type { ComparisonJob } from '../../core/versions/diff/compareVersions';
import type { VersionDiff } from '../../core/versions/diff/types';
import type { CompressionEstimate, Summarizer, Summary, SummaryCost, SummaryProgress } from '../../core/versions/types';
import { errorText } from '../../core/text/keepitError';
import { TranscriptUnreadableError } from '../../core/transcript/unreadableError';
import type { Log } from '../../core/model/host';
import type { TokenCounters } from '../../core/text/tokens/tokenCounter';
import type {
  CompressionFailure,
  CompressionNews,
  CompressionOrder,
  CompressionOutcome,
  CompressionTask,
  CompressionWorkerData,
  SummarizerQuestion,
} from '../threads/compressionMessages';

export interface CompressionPoolOptions {
  /** The bundle of `compressionWorker.ts`. */
  workerFile: string;
  ranksFile: string;
  claudeDir: string;
  tokens: TokenCounters;
  /** Summarizers that run in this thread, whoever asks for them. */
  summarizers: readonly Summarizer[];
  /** Does what the thread cannot. */
  inProcess: CompressionWork;
  log: Log;
  /** How long the thread waits for more before it ends; it remembers the last session meanwhile. */
  idleMs?: number;
}

const IDLE_MS = 60_000;
/** After so many lost threads there is something wrong with threads here. */
const MAX_LOST = 3;
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 2048 };

interface Job {
  readonly id: number;
  readonly controller: AbortController;
  readonly onProgress: ((progress: SummaryProgress) => void) | undefined;
  /** Why a summarizer of this thread failed. */
  hostError?: unknown;
  /** Settles when the summarizer of this thread that is at work has ended, with its cost written down. */
  asked?: Promise<unknown>;
  resolve(result: CompressionOutcome): void;
  reject(error: unknown): void;
}

/** The thread could not do it. The host's own thread tries again, and fails with the error that there really is. */
class ThreadFailedError extends Error {}

/**
 * Compresses in a thread of its own, so that nobody waits for it. Summarizers that ask a model run here, where the network, processes
 * and VS Code are.
 */
export class CompressionPool implements CompressionWork {
  readonly #options: CompressionPoolOptions;
  readonly #jobs = new Map<number, Job>();
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  #nextId = 1;
  #lost = 0;
  #isClosed = false;

  constructor(options: CompressionPoolOptions) {
    this.#options = options;
  }

  async estimate(job: CompressionJob, signal?: AbortSignal): Promise<CompressionEstimate> {
    const { inProcess } = this.#options;
    const inHere = () => inProcess.estimate(job, signal);
    const result = await this.#run({ task: 'estimate', job }, inHere, undefined, signal);
    return 'segments' in result ? result : inHere();
  }

  async compress(
    job: CompressionJob,
    onProgress?: (progress: SummaryProgress) => void,
    signal?: AbortSignal,
  ): Promise<CompressedSession> {
    const { inProcess } = this.#options;
    const inHere = () => inProcess.compress(job, onProgress, signal);
    const result = await this.#run({ task: 'compress', job }, inHere, onProgress, signal);
    return 'body' in result ? result : inHere();
  }

  async compare(job: ComparisonJob, signal?: AbortSignal): Promise<VersionDiff> {
    const inHere = () => this.#options.inProcess.compare(job, signal);
    const result = await this.#run({ task: 'compare', job }, inHere, undefined, signal);
    return 'hunks' in result ? result : inHere();
  }

  /** Ends the thread; what it was doing is rejected. */
  async dispose(): Promise<void> {
    this.#isClosed = true;
    const worker = this.#worker;
    if (worker !== undefined) this.#lose(worker, 'it was closed');
    await worker?.terminate();
  }

  async #run<T extends CompressionOutcome>(
    order: CompressionTask,
    inHere: () => Promise<T>,
    onProgress?: (progress: SummaryProgress) => void,
    signal?: AbortSignal,
  ): Promise<CompressionOutcome> {
    signal?.throwIfAborted();
    if (this.#lost >= MAX_LOST) return inHere();
    try {
      return await this.#runInThread(order, onProgress, signal);
    } catch (error) {
      if (!(error instanceof ThreadFailedError)) throw error;
      signal?.throwIfAborted();
      if (this.#isClosed) throw new DOMException('The memory was closed', 'AbortError');
      this.#options.log.debug(`${order.job.ref.sessionId} is compressed without a thread: ${error.message}`);
      return inHere();
    }
  }

  #runInThread(
    order: CompressionTask,
    onProgress?: (progress: SummaryProgress) => void,
    signal?: AbortSignal,
  ): Promise<CompressionOutcome> {
    return new Promise((resolve, reject) => {
      const worker = this.#started();
      const id = this.#nextId++;
      const controller = new AbortController();
      const onAbort = () => {
        controller.abort(signal?.reason);
        this.#tell(worker, { kind: 'cancel', id });
        const job = this.#settle(id);
        void Promise.resolve(job?.asked).finally(() => job?.reject(signal?.reason));
      };
      const settled =
        <T>(settle: (value: T) => void) =>
        (value: T) => {
          signal?.removeEventListener('abort', onAbort);
          settle(value);
        };
      this.#jobs.set(id, {
        id,
        controller,
        onProgress,
        resolve: settled(resolve),
        reject: settled(reject),
      });
      signal?.addEventListener('abort', onAbort, { once: true });
      worker.ref();
      this.#tell(worker, { kind: 'run', id, ...order });
    });
  }

  #tell(worker: Worker, order: CompressionOrder): void {
    worker.postMessage(order);
  }

  #started(): Worker {
    clearTimeout(this.#idle);
    if (this.#worker !== undefined) return this.#worker;
    const { workerFile, ranksFile, claudeDir, summarizers } = this.#options;
    const names = summarizers.map(({ name }) => name).filter((name) => name !== 'local');
    const data: CompressionWorkerData = { ranksFile, claudeDir, summarizers: names };
    const worker = new Worker(workerFile, { workerData: data, resourceLimits: RESOURCE_LIMITS });
    worker.on('message', (news: CompressionNews) => this.#hear(worker, news));
    worker.on('error', (error) => this.#lose(worker, errorText(error)));
    worker.on('exit', (code) => this.#lose(worker, `the thread ended with code ${code}`));
    this.#worker = worker;
    return worker;
  }

  #hear(worker: Worker, news: CompressionNews): void {
    const job = this.#jobs.get(news.id);
    if (news.kind === 'progress') job?.onProgress?.(news.progress);
    else if (news.kind === 'question') void this.#answer(worker, news.id, news.question);
    else {
      this.#settle(news.id);
      if (news.kind === 'done') job?.resolve(news.result);
      else job?.reject(errorOf(news.failure, job));
    }
  }

  /** Takes a job off the list. A thread without one does not keep the process alive, and ends after a while. */
  #settle(id: number): Job | undefined {
    const job = this.#jobs.get(id);
    this.#jobs.delete(id);
    const worker = this.#worker;
    if (this.#jobs.size === 0 && worker !== undefined) {
      worker.unref();
      clearTimeout(this.#idle);
      this.#idle = setTimeout(() => void this.#end(worker), this.#options.idleMs ?? IDLE_MS).unref();
    }
    return job;
  }

  async #answer(worker: Worker, id: number, question: SummarizerQuestion): Promise<void> {
    const job = this.#jobs.get(id);
    let answer: Summary | SummaryCost | undefined;
    try {
      if (job !== undefined) {
        const asked = this.#ask(job, question);
        job.asked = asked.catch(() => undefined); // told below
        answer = await asked;
      }
    } catch (error) {
      if (job !== undefined) job.hostError = error; // told to whoever asked when the thread gives up
    }
    this.#tell(worker, { kind: 'answer', id, answer });
  }

  async #ask(job: Job, { task, name, request, options }: SummarizerQuestion): Promise<Summary | SummaryCost> {
    const summarizer = this.#options.summarizers.find((one) => one.name === name);
    if (summarizer === undefined) throw new CompressionError('no-such-provider', name);
    const whole = { ...request, counter: await this.#options.tokens.exact() };
    const { signal } = job.controller;
    if (task === 'estimate') return summarizer.estimate(whole, options, signal);
    return summarizer.summarize(whole, options, job.onProgress, signal);
  }

  async #end(worker: Worker): Promise<void> {
    if (this.#worker === worker) this.#worker = undefined;
    await worker.terminate();
  }

  #lose(worker: Worker, reason: string): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    clearTimeout(this.#idle);
    this.#lost++;
    for (const job of [...this.#jobs.values()]) {
      this.#jobs.delete(job.id);
      job.reject(new ThreadFailedError(reason));
    }
  }
}

function errorOf(failure: CompressionFailure, job: Job | undefined): unknown {
  switch (failure.kind) {
    case 'compression':
      return new CompressionError(failure.reason, failure.subject);
    case 'transcript':
      return new TranscriptUnreadableError(failure.reason, failure.path);
    case 'host':
      return job?.hostError ?? new ThreadFailedError('the host did not answer');
    case 'unknown':
      return new ThreadFailedError(failure.text);
  }
}
