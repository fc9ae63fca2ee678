import { parentPort, workerData } from 'node:worker_threads';
import { errorText } from '../../core/errors';
import { EstimatingTokenCounter } from '../../core/tokens/estimatingTokenCounter';
import { ExactEstimator } from '../../core/tokens/exactEstimator';
import { NodeTokenCounters } from '../tokens/nodeTokenCounters';
import { scanFile } from './scanFile';
import type { ScanRequest, ScanTools } from './scanFile';
import { scannerWorkerDataSchema } from './scannerMessages';
import type { ScannerAnswer, ScannerOrder } from './scannerMessages';

/** As much as a port may read at once: nobody waits for this thread to breathe. */
const CHUNK_BYTES = 1024 * 1024;

/** The thread in which transcripts are scanned: an own bundle, started by `ScannerPool`. */

const { ranksFile } = scannerWorkerDataSchema.parse(workerData);
const counters = new NodeTokenCounters(ranksFile);
const estimating = new EstimatingTokenCounter();

const tools: ScanTools = {
  estimators: { estimate: async () => estimating, exact: async () => new ExactEstimator(await counters.exact()) },
  // Reading the next chunk lets an order to cancel in; nobody else waits for this thread.
  pause: async () => undefined,
  chunkBytes: CHUNK_BYTES,
};

const running = new Map<number, AbortController>();

async function answer(id: number, request: ScanRequest): Promise<ScannerAnswer> {
  const controller = new AbortController();
  running.set(id, controller);
  try {
    return { kind: 'done', id, scan: await scanFile(request, tools, controller.signal) };
  } catch (error) {
    return { kind: 'failed', id, reason: errorText(error) };
  } finally {
    running.delete(id);
  }
}

parentPort?.on('message', (order: ScannerOrder) => {
  if (order.kind === 'cancel') running.get(order.id)?.abort();
  else void answer(order.id, order.request).then((message) => parentPort?.postMessage(message));
});
