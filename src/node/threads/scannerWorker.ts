import { setImmediate as pause } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { errorText } from '../../core/text/keepitError';
import { EstimatingTokenCounter } from '../../core/text/tokens/estimatingTokenCounter';
import { ExactEstimator } from '../../core/text/tokens/tokenCounter';
import { scanFile } from '../claude/scanFile';
import type { ScanRequest, ScanTools } from '../claude/scanFile';
import { NodeTokenCounters } from '../tokens/nodeTokenCounters';
import { openTranscriptNow } from './openTranscriptNow';
import { scannerWorkerDataSchema } from './scannerMessages';
import type { ScannerAnswer, ScannerOrder } from './scannerMessages';

/** The thread in which transcripts are scanned, one after the other: an own bundle, started by `ScannerPool`. */

const { ranksFile } = scannerWorkerDataSchema.parse(workerData);
const counters = new NodeTokenCounters(ranksFile);
const estimating = new EstimatingTokenCounter();

/** As much as a port may read at once. One for all: only one transcript is read at a time. */
const chunk = Buffer.allocUnsafe(1024 * 1024);

const tools: ScanTools = {
  estimators: { estimate: async () => estimating, exact: async () => new ExactEstimator(await counters.exact()) },
  open: openTranscriptNow,
  buffer: () => chunk,
  pause, // lets an order to cancel in
};

const waiting = new Map<number, AbortController>();
let latest = Promise.resolve();

async function answer(id: number, request: ScanRequest, signal: AbortSignal): Promise<ScannerAnswer> {
  try {
    return { kind: 'done', id, scan: await scanFile(request, tools, signal) };
  } catch (error) {
    return { kind: 'failed', id, reason: errorText(error) };
  } finally {
    waiting.delete(id);
  }
}

parentPort?.on('message', (order: ScannerOrder) => {
  if (order.kind === 'cancel') {
    waiting.get(order.id)?.abort();
    return;
  }
  const jobs = order.jobs.map((job) => ({ ...job, controller: new AbortController() }));
  for (const { id, controller } of jobs) waiting.set(id, controller);
  latest = latest.then(async () => {
    const answers: ScannerAnswer[] = [];
    for (const { id, request, controller } of jobs) answers.push(await answer(id, request, controller.signal));
    parentPort?.postMessage(answers);
  });
});
