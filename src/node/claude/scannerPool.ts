import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { errorText } from '../../core/text/keepitError';
import type { Log } from '../../core/model/host';
import type { Scan, TranscriptScanner } from '../../core/sessions/transcriptScanner';
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
/** A thread that is done with one order finds the next one waiting. */
const ORDERS_PER_WORKER = 2;
/** So much is worth a message to a thread, and keeps it busy for a few milliseconds. */
const ORDER_BYTES = 2 * 1024 * 1024;
const ORDER_JOBS = 32;
/** After so many lost threads there is something wrong with threads here. */
const MAX_LOST = 3;

/** Scanning leaves much garbage and keeps little: a small young generation is collected before it takes up memory. */
const RESOURCE_LIMITS = { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 512 };

interface Job {
  id: number;
  request: ScanRequest;
  /** What there is to read. */
  bytes: number;
  resolve(scan: Scan | undefined): void;
  reject(error: unknown): void;
}

interface Slot {
  worker: Worker;
  jobs: Map<number, Job>;
  orders: number;
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
  #isDispatching = false;

  constructor(options: ScannerPoolOptions) {
    this.#options = options;
    this.#maxWorkers = options.maxWorkers ?? Math.min(availableParallelism(), MAX_WORKERS);
  }

  async scan(path: string, request: Omit<ScanRequest, 'path'>, signal?: AbortSignal): Promise<Scan> {
    signal?.throwIfAborted();
    try {
      const scan = await this.#scanInThread({ path, ...request }, signal);
      if (scan !== undefined) return scan;
    } catch (error) {
      if (!(error instanceof ThreadFailedError)) throw error;
      this.#options.log.debug(`${path} is read without a thread: ${error.message}`);
    }
    signal?.throwIfAborted();
    return this.#options.inProcess.scan(path, request, signal);
  }

  /** Ends all threads; what they were reading is rejected. */
  async dispose(): Promise<void> {
    for (const job of this.#queue.splice(0)) job.reject(new ThreadFailedError('the pool was closed'));
    await Promise.all([...this.#slots].map((slot) => this.#end(slot)));
  }

  /** Undefined when it is not worth a thread. */
  #scanInThread(request: ScanRequest, signal?: AbortSignal): Promise<Scan | undefined> {
    return new Promise((resolve, reject) => {
      const { bytes = 0 } = request;
      const onAbort = () => this.#abort(job, signal?.reason);
      const settled =
        <T>(settle: (value: T) => void) =>
        (value: T) => {
          signal?.removeEventListener('abort', onAbort);
          settle(value);
        };
      const job: Job = { id: this.#nextId++, request, bytes, resolve: settled(resolve), reject: settled(reject) };
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#queue.push(job);
      this.#dispatchSoon();
    });
  }

  /** Only when all that is asked for at once is in the queue can be told what it is worth, and what goes together. */
  #dispatchSoon(): void {
    if (this.#isDispatching) return;
    this.#isDispatching = true;
    setImmediate(() => {
      this.#isDispatching = false;
      this.#dispatch();
    });
  }

  #isWorthThreads(): boolean {
    if (this.#lost >= MAX_LOST || this.#maxWorkers === 0) return false;
    if ([...this.#slots].some(({ orders }) => orders > 0)) return true;
    // The data of exact counting alone takes a while to load.
    if (this.#queue.some(({ request, bytes }) => request.counting === 'exact' || bytes > SMALL_BYTES)) return true;
    return this.#queue.reduce((sum, { bytes }) => sum + bytes, 0) > BURST_BYTES;
  }

  #abort(job: Job, reason: unknown): void {
    const queued = this.#queue.indexOf(job);
    if (queued >= 0) this.#queue.splice(queued, 1);
    const slot = [...this.#slots].find(({ jobs }) => jobs.has(job.id));
    if (slot !== undefined) tell(slot, { kind: 'cancel', id: job.id });
    job.reject(reason);
  }

  #dispatch(): void {
    if (!this.#isWorthThreads()) {
      for (const job of this.#queue.splice(0)) job.resolve(undefined);
      return;
    }
    this.#queue.sort((a, b) => a.bytes - b.bytes); // the largest begin first, so that all threads end at the same time
    while (this.#queue.length > 0) {
      const slot = this.#freeSlot();
      if (slot === undefined) return;
      const jobs = this.#nextOrder();
      clearTimeout(slot.idle);
      for (const job of jobs) slot.jobs.set(job.id, job);
      slot.orders++;
      slot.worker.ref();
      tell(slot, { kind: 'scan', jobs: jobs.map(({ id, request }) => ({ id, request })) });
    }
  }

  #nextOrder(): Job[] {
    const jobs: Job[] = [];
    let bytes = 0;
    while (bytes < ORDER_BYTES && jobs.length < ORDER_JOBS) {
      const job = this.#queue.pop();
      if (job === undefined) break;
      jobs.push(job);
      bytes += job.bytes;
    }
    return jobs;
  }

  /** An idle thread, else a new one, else the one that has the least to do. */
  #freeSlot(): Slot | undefined {
    const [freest] = [...this.#slots].sort((a, b) => a.orders - b.orders);
    if (freest?.orders === 0) return freest;
    if (this.#slots.size < this.#maxWorkers) return this.#start();
    return freest !== undefined && freest.orders < ORDERS_PER_WORKER ? freest : undefined;
  }

  #start(): Slot {
    const { workerFile, ranksFile } = this.#options;
    const data: ScannerWorkerData = { ranksFile };
    const slot: Slot = {
      worker: new Worker(workerFile, { workerData: data, resourceLimits: RESOURCE_LIMITS }),
      jobs: new Map(),
      orders: 0,
    };
    slot.worker.on('message', (answers: readonly ScannerAnswer[]) => this.#settle(slot, answers));
    slot.worker.on('error', (error) => this.#lose(slot, errorText(error)));
    slot.worker.on('exit', (code) => this.#lose(slot, `the thread ended with code ${code}`));
    this.#slots.add(slot);
    return slot;
  }

  #settle(slot: Slot, answers: readonly ScannerAnswer[]): void {
    slot.orders--;
    for (const answer of answers) {
      const job = slot.jobs.get(answer.id);
      slot.jobs.delete(answer.id);
      if (answer.kind === 'done') job?.resolve(answer.scan);
      else job?.reject(new ThreadFailedError(answer.reason));
    }
    if (slot.orders === 0) {
      slot.worker.unref(); // an idle thread does not keep the process alive
      slot.idle = setTimeout(() => void this.#end(slot), this.#options.idleMs ?? IDLE_MS).unref();
    }
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
