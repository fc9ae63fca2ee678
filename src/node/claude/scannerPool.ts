import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { errorText } from '../../core/errors';
import type { Log, Scan, TranscriptScanner } from '../../core/ports';
import type { ScanRequest } from './scanFile';
import type { ScannerAnswer, ScannerOrder, ScannerWorkerData } from '../threads/scannerMessages';

export interface ScannerPoolOptions {
  /** The bundle of `scannerWorker.ts`. */
  workerFile: string;
  ranksFile: string;
  /** Does what the threads cannot, or need not. */
  inProcess: TranscriptScanner;
  log: Log;
  maxWorkers?: number;
  /** How long a thread waits for more before it ends. */
  idleMs?: number;
}

/** More threads than this would wait for the disk. */
const MAX_WORKERS = 4;
const IDLE_MS = 5000;
/** Less than this is read faster than a thread is started for it. */
const SMALL_BYTES = 256 * 1024;
/** When small files come in numbers, threads are worth it all the same. */
const BURST_BYTES = 2 * 1024 * 1024;
/** A thread that is done with one file finds the next one waiting. */
const JOBS_PER_WORKER = 3;
/** After so many lost threads there is something wrong with threads here. */
const MAX_LOST = 3;

/** Scanning leaves much garbage and keeps little: a small young generation is collected before it takes up memory. */
const RESOURCE_LIMITS = { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 512 };

interface Job {
  id: number;
  request: ScanRequest;
  resolve(scan: Scan): void;
  reject(error: unknown): void;
}

interface Slot {
  worker: Worker;
  jobs: Map<number, Job>;
  idle?: NodeJS.Timeout;
}

/** A thread could not do it. The host's own thread tries again, and fails with the error that there really is. */
class ThreadFailedError extends Error {}

/** Scans in threads of its own, so that large transcripts neither hold up the host nor wait for one another. */
export class ScannerPool implements TranscriptScanner {
  readonly #options: ScannerPoolOptions;
  readonly #maxWorkers: number;
  readonly #slots = new Set<Slot>();
  readonly #queue: Job[] = [];
  #nextId = 1;
  #lost = 0;
  #underWay = 0;
  #burstBytes = 0;

  constructor(options: ScannerPoolOptions) {
    this.#options = options;
    this.#maxWorkers = options.maxWorkers ?? Math.min(availableParallelism(), MAX_WORKERS);
  }

  async scan(path: string, request: Omit<ScanRequest, 'path'>, signal?: AbortSignal): Promise<Scan> {
    signal?.throwIfAborted();
    this.#underWay++;
    try {
      if (!this.#isWorthThread(request)) return await this.#options.inProcess.scan(path, request, signal);
      return await this.#scanInThread({ path, ...request }, signal);
    } catch (error) {
      if (!(error instanceof ThreadFailedError)) throw error;
      signal?.throwIfAborted();
      this.#options.log.debug(`${path} is read without a thread: ${error.message}`);
      return await this.#options.inProcess.scan(path, request, signal);
    } finally {
      if (--this.#underWay === 0) this.#burstBytes = 0;
    }
  }

  /** Ends all threads; what they were reading is rejected. */
  async dispose(): Promise<void> {
    for (const job of this.#queue.splice(0)) job.reject(new ThreadFailedError('the pool was closed'));
    await Promise.all([...this.#slots].map((slot) => this.#end(slot)));
  }

  #isWorthThread({ prior, counting, bytes = 0 }: Omit<ScanRequest, 'path'>): boolean {
    if (this.#lost >= MAX_LOST || this.#maxWorkers === 0) return false;
    if (counting === 'exact') return true; // its data alone takes a while to load
    const expected = Math.max(0, bytes - (prior?.reader.offset ?? 0));
    this.#burstBytes += expected;
    return expected > SMALL_BYTES || this.#burstBytes > BURST_BYTES;
  }

  #scanInThread(request: ScanRequest, signal?: AbortSignal): Promise<Scan> {
    signal?.throwIfAborted();
    return new Promise((resolve, reject) => {
      const job: Job = { id: this.#nextId++, request, resolve, reject };
      const onAbort = () => this.#abort(job, signal?.reason);
      const settled =
        <T>(settle: (value: T) => void) =>
        (value: T) => {
          signal?.removeEventListener('abort', onAbort);
          settle(value);
        };
      job.resolve = settled(resolve);
      job.reject = settled(reject);
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#queue.push(job);
      this.#dispatch();
    });
  }

  #abort(job: Job, reason: unknown): void {
    const queued = this.#queue.indexOf(job);
    if (queued >= 0) this.#queue.splice(queued, 1);
    const slot = [...this.#slots].find(({ jobs }) => jobs.has(job.id));
    if (slot !== undefined) tell(slot, { kind: 'cancel', id: job.id });
    job.reject(reason);
  }

  #dispatch(): void {
    while (this.#queue.length > 0) {
      const slot = this.#freeSlot();
      if (slot === undefined) return;
      const job = this.#queue.shift();
      if (job === undefined) return;
      clearTimeout(slot.idle);
      slot.jobs.set(job.id, job);
      slot.worker.ref();
      tell(slot, { kind: 'scan', id: job.id, request: job.request });
    }
  }

  /** An idle thread, else a new one, else the one that has the least to do. */
  #freeSlot(): Slot | undefined {
    const [freest] = [...this.#slots].sort((a, b) => a.jobs.size - b.jobs.size);
    if (freest !== undefined && freest.jobs.size === 0) return freest;
    if (this.#slots.size < this.#maxWorkers) return this.#start();
    return freest !== undefined && freest.jobs.size < JOBS_PER_WORKER ? freest : undefined;
  }

  #start(): Slot {
    const { workerFile, ranksFile } = this.#options;
    const data: ScannerWorkerData = { ranksFile };
    const slot: Slot = {
      worker: new Worker(workerFile, { workerData: data, resourceLimits: RESOURCE_LIMITS }),
      jobs: new Map(),
    };
    slot.worker.on('message', (answer: ScannerAnswer) => this.#settle(slot, answer));
    slot.worker.on('error', (error) => this.#lose(slot, errorText(error)));
    slot.worker.on('exit', (code) => this.#lose(slot, `the thread ended with code ${code}`));
    this.#slots.add(slot);
    return slot;
  }

  #settle(slot: Slot, answer: ScannerAnswer): void {
    const job = slot.jobs.get(answer.id);
    slot.jobs.delete(answer.id);
    if (slot.jobs.size === 0) {
      slot.worker.unref(); // an idle thread does not keep the process alive
      slot.idle = setTimeout(() => void this.#end(slot), this.#options.idleMs ?? IDLE_MS).unref();
    }
    if (answer.kind === 'done') job?.resolve(answer.scan);
    else job?.reject(new ThreadFailedError(answer.reason));
    this.#dispatch();
  }

  #lose(slot: Slot, reason: string): void {
    if (!this.#slots.delete(slot)) return;
    clearTimeout(slot.idle);
    this.#lost++;
    for (const job of slot.jobs.values()) job.reject(new ThreadFailedError(reason));
    if (this.#lost >= MAX_LOST) {
      for (const job of this.#queue.splice(0)) job.reject(new ThreadFailedError(reason));
    }
    this.#dispatch();
  }

  async #end(slot: Slot): Promise<void> {
    this.#slots.delete(slot);
    clearTimeout(slot.idle);
    for (const job of slot.jobs.values()) job.reject(new ThreadFailedError('the pool was closed'));
    await slot.worker.terminate();
  }
}

function tell(slot: Slot, order: ScannerOrder): void {
  slot.worker.postMessage(order);
}
