import * as z from 'zod/mini';
import type { CompressionErrorReason } from '../../core/versions/compressionError';
import type { CompressedSession, CompressionJob } from '../../core/versions/compressionJob';
import type { ComparisonJob } from '../../core/versions/diff/compareVersions';
import type { VersionDiff } from '../../core/versions/diff/types';
import type {
  CompressionEstimate,
  Summary,
  SummaryCost,
  SummaryOptions,
  SummaryProgress,
  SummaryRequest,
} from '../../core/versions/types';
import type { TranscriptUnreadableReason } from '../../core/transcript/unreadableError';

/** What the thread that compresses is told at its start. */
export const compressionWorkerDataSchema = z.object({
  ranksFile: z.string(),
  claudeDir: z.string(),
  /** Summarizers that the host runs, as they need the network, a process or VS Code. */
  summarizers: z.array(z.enum(['anthropic', 'claude-cli', 'vscode-lm'])),
});
export type CompressionWorkerData = z.infer<typeof compressionWorkerDataSchema>;

/** The part of a question to a summarizer that can be sent: the host has a counter of its own. */
export type SentSummaryRequest = Omit<SummaryRequest, 'counter'>;

/** A question of the thread that a summarizer of the host answers. */
export interface SummarizerQuestion {
  readonly task: 'estimate' | 'summarize';
  readonly name: CompressionJob['provider'];
  readonly request: SentSummaryRequest;
  readonly options: SummaryOptions;
}

/** What the thread can do. */
export type CompressionTask =
  { task: 'estimate' | 'compress'; job: CompressionJob } | { task: 'compare'; job: ComparisonJob };

/** What comes of a task. */
export type CompressionOutcome = CompressedSession | CompressionEstimate | VersionDiff;

/** To the thread: do this, stop doing it, or the answer to a question; no answer when the host's summarizer has failed. */
export type CompressionOrder =
  | ({ kind: 'run'; id: number } & CompressionTask)
  | { kind: 'cancel'; id: number }
  | { kind: 'answer'; id: number; answer: Summary | SummaryCost | undefined };

/** Why a job failed. `host`: a summarizer of the host did, which knows its own error; `unknown`: anything else. */
export type CompressionFailure =
  | { kind: 'compression'; reason: CompressionErrorReason; subject: string }
  | { kind: 'transcript'; reason: TranscriptUnreadableReason; path: string }
  | { kind: 'host' }
  | { kind: 'unknown'; text: string };

/** From the thread: each order to run gets one answer in the end. A job asks one question at a time. */
export type CompressionNews =
  | { kind: 'done'; id: number; result: CompressionOutcome }
  | { kind: 'failed'; id: number; failure: CompressionFailure }
  | { kind: 'progress'; id: number; progress: SummaryProgress }
  | { kind: 'question'; id: number; question: SummarizerQuestion };
