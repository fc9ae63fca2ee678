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
import { expectedFailure } from '../text/keepitError';
import type { ORIGINAL, VersionDiff } from './diff/types';
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

/** A version as it is stored. */
export interface StoredVersion {
  readonly record: CompressionRecord;
  readonly md: string;
  readonly jsonl: string;
}

/** What is to be compared with what. */
export interface ComparisonJob {
  readonly ref: SessionRef;
  /** The transcript that both came from; only ever read. */
  readonly path: string;
  readonly bytes: number;
  readonly mtimeMs: number;
  /** What people changed about the session's keepits. */
  readonly overlay: readonly KeepitChange[];
  readonly a: StoredVersion | typeof ORIGINAL;
  readonly b: StoredVersion | typeof ORIGINAL;
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

/** A compression that cannot be made as was asked, or must not be kept. Nothing was written. */
export class CompressionError extends expectedFailure('compression-', {
  'bad-ratio': (ratio) => ({
    message: `${ratio} is not a ratio.`,
    hint: 'A ratio is a number from 1 to 1000: 30 makes 30,000 tokens 1,000.',
  }),
  'bad-tiers': (problem) => ({
    message: `These tiers cannot be used: ${problem}.`,
    hint: 'Tiers have rising `endPercent`s, of which the last is 100, ratios from 1 to 1000, and are minimal, moderate or aggressive.',
  }),
  'bad-distance': (distance) => ({
    message: `${distance} is not a distance.`,
    hint: 'The distance is how many sessions ago it was: 1 for the newest. Leave it out to have it computed.',
  }),
  'bad-skip': (count) => ({
    message: `${count} is not a number of messages to skip.`,
    hint: 'Give a whole number from 0.',
  }),
  'empty-session': (sessionId) => ({
    message: `Nothing was said in session ${sessionId}: there is nothing to compress.`,
    hint: '`keepit show` tells how its transcript was read.',
  }),
  'nothing-left': (count) => ({
    message: `With the first ${count} messages skipped, no message is left to compress.`,
    hint: 'Skip fewer messages.',
  }),
  'nothing-new': (sessionId) => ({
    message: `Every finished message of session ${sessionId} is in a part already.`,
    hint: 'Compress a part again, or the whole session; what is still being written comes with the next part.',
  }),
  'no-such-part': (part) => ({
    message: `This session has no part ${part}.`,
    hint: '`keepit versions <session>` lists its parts; compressing what is new makes the next one.',
  }),
  'no-such-version': (versionId) => ({
    message: `This session has no version ${JSON.stringify(versionId)}.`,
    hint: '`keepit versions <session>` lists its versions.',
  }),
  'version-unreadable': (file) => ({
    message: `The file of this version is not there any more: ${file}.`,
    hint: 'Delete the version and compress again: the original is still kept.',
  }),
  'no-such-provider': (name) => ({
    message: `${JSON.stringify(name)} cannot summarize here.`,
    hint: 'Use `local`, which needs no model.',
  }),
  'changed-meanwhile': (sessionId) => ({
    message: `Session ${sessionId} was compressed by somebody else meanwhile. Nothing was written.`,
    hint: 'Look at its versions, and try again.',
  }),
  receipt: (problem) => ({
    message: `The version would not hold what it has to: ${problem}. Nothing was written.`,
    hint: 'Please report it, with the settings that you used.',
  }),
}) {}
