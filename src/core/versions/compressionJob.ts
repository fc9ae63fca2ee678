import type { DecayConfig } from '../keepits/decay';
import type {
  CompressionScope,
  CompressionRecord,
  CompressionSettings,
  Fidelity,
  KeepitStats,
  ReceiptEntry,
  SessionPartRecord,
} from '../model/compression';
import type { KeepitChange } from '../model/keepit';
import type { SessionRef } from '../sessions/results';
import type { ComparisonJob } from './diff/compareVersions';
import type { VersionDiff } from './diff/types';
import type {
  CompressionEstimate,
  Summary,
  SummarizerName,
  SummaryCost,
  SummaryOptions,
  SummaryProgress,
} from './types';

/** What is to be compressed, and how. */
export interface CompressionJob {
  readonly ref: SessionRef;
  /** The transcript that is read; only ever read. */
  readonly path: string;
  /** Its size when the job was made: a file that is as it was need not be read twice. */
  readonly bytes: number;
  readonly mtimeMs: number;
  readonly title: string;
  /** What people changed about the session's keepits. */
  readonly overlay: readonly KeepitChange[];
  readonly parts: readonly SessionPartRecord[];
  readonly scope: CompressionScope;
  readonly settings: CompressionSettings;
  readonly decay: DecayConfig;
  readonly provider: SummarizerName;
  readonly options: SummaryOptions;
  /** The summary, where there is one already. */
  readonly written?: Summary | undefined;
  /** Written to in the last minutes: its last message may not be whole yet. */
  readonly isInUse: boolean;
  /** The time that stands for records without one of their own. */
  readonly timestamp: string;
}

/** A version without its id, which it gets when it is kept. */
export interface CompressedSession {
  /** The `.md` without its first line. */
  readonly body: string;
  readonly jsonl: string;
  readonly estimate: CompressionEstimate;
  readonly outputTokens: number;
  readonly outputMessages: number;
  readonly compressionRatio: number;
  readonly keepitStats: KeepitStats;
  readonly receipt: readonly ReceiptEntry[];
  readonly fidelity: Fidelity;
  readonly cost: SummaryCost;
  readonly engine: string;
  readonly provenance?: CompressionRecord['provenance'];
  readonly lastMessageUuid: string;
  /** What the version, if it is of a part, says about that part. */
  readonly part?: SessionPartRecord;
}

/** The heavy part of compressing and comparing: reads the transcript, summarizes, puts the keepits back, and checks the receipt. Writes nothing. */
export interface CompressionWork {
  /** What a version would be like. Throws `CompressionError`, `TranscriptUnreadableError`. */
  estimate(job: CompressionJob, signal?: AbortSignal): Promise<CompressionEstimate>;
  /** Throws `SummarizerError` as well. */
  compress(
    job: CompressionJob,
    onProgress?: (progress: SummaryProgress) => void,
    signal?: AbortSignal,
  ): Promise<CompressedSession>;
  /** Throws `TranscriptUnreadableError`. */
  compare(job: ComparisonJob, signal?: AbortSignal): Promise<VersionDiff>;
}
