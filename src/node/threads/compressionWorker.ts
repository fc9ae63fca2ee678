import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as pause } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { CompressionError } from '../../core/versions/compressionError';
import type { Summarizer, Summary, SummaryCost } from '../../core/versions/types';
import { errorText } from '../../core/text/keepitError';
import { TranscriptUnreadableError } from '../../core/transcript/unreadableError';
import { createCompressionEngine } from '../compression/createCompressionEngine';
import { DiskClaudeFolder } from '../claude/claudeFolder';
import { NodeTokenCounters } from '../tokens/nodeTokenCounters';
import {
  compressionWorkerDataSchema,
  type CompressionFailure,
  type CompressionNews,
  type CompressionOrder,
  type CompressionOutcome,
} from './compressionMessages';
import { HostSummarizer, HostSummarizerError, type AskHost } from './hostSummarizer';

/**
 * The thread in which sessions are compressed: an own bundle, started by `CompressionPool`. Jobs take turns at their pauses, so that a
 * preview does not wait for a model's answer to another job.
 */

const data = compressionWorkerDataSchema.parse(workerData);

/** A job under way. */
interface Running {
  readonly controller: AbortController;
  /** Takes the host's answer to the question that was asked. */
  answered?: (answer: Summary | SummaryCost | undefined) => void;
}

const running = new Map<number, Running>();
/** The job that a question comes from. */
const current = new AsyncLocalStorage<number>();

function tell(news: CompressionNews): void {
  parentPort?.postMessage(news);
}

const askHost: AskHost = (question) =>
  new Promise((resolve) => {
    const id = current.getStore() ?? 0;
    const job = running.get(id);
    if (job === undefined) resolve(undefined);
    else {
      job.answered = resolve;
      tell({ kind: 'question', id, question });
    }
  });

const hosted: readonly Summarizer[] = data.summarizers.map((name) => new HostSummarizer(name, askHost));
const engine = createCompressionEngine({
  claude: new DiskClaudeFolder(data.claudeDir),
  tokens: new NodeTokenCounters(data.ranksFile),
  summarizers: hosted,
  pause, // lets orders and answers in
});

type RunOrder = Extract<CompressionOrder, { kind: 'run' }>;

function failureOf(error: unknown): CompressionFailure {
  if (error instanceof CompressionError) {
    return { kind: 'compression', reason: error.reason, subject: error.subject };
  }
  if (error instanceof TranscriptUnreadableError) {
    return { kind: 'transcript', reason: error.reason, path: error.path };
  }
  if (error instanceof HostSummarizerError) return { kind: 'host' };
  return { kind: 'unknown', text: errorText(error) };
}

function outcomeOf(order: RunOrder, signal: AbortSignal): Promise<CompressionOutcome> {
  const { id } = order;
  switch (order.task) {
    case 'estimate':
      return engine.estimate(order.job, signal);
    case 'compress':
      return engine.compress(order.job, (progress) => tell({ kind: 'progress', id, progress }), signal);
    case 'compare':
      return engine.compare(order.job, signal);
  }
}

async function run(order: RunOrder, signal: AbortSignal): Promise<void> {
  const { id } = order;
  try {
    signal.throwIfAborted();
    tell({ kind: 'done', id, result: await outcomeOf(order, signal) });
  } catch (error) {
    tell({ kind: 'failed', id, failure: failureOf(error) });
  } finally {
    running.delete(id);
  }
}

parentPort?.on('message', (order: CompressionOrder) => {
  if (order.kind === 'cancel') {
    running.get(order.id)?.controller.abort();
    running.get(order.id)?.answered?.(undefined);
  } else if (order.kind === 'answer') {
    running.get(order.id)?.answered?.(order.answer);
  } else {
    const controller = new AbortController();
    running.set(order.id, { controller });
    void current.run(order.id, () => run(order, controller.signal));
  }
});
