import { countUp } from '../text/ownValue';
import { isAbortError } from '../text/keepitError';
import type { KeepitStats } from '../model/compression';
import type { TokenCounter, TokenCounters } from '../text/tokens/tokenCounter';
import { withoutSecrets } from '../text/secrets/cleanText';
import type { MaterialReader, SessionMaterial } from '../sessions/sessionMaterial';
import {
  type CompressedSession,
  type CompressionJob,
  type CompressionWork,
  CompressionError,
  type ComparisonJob,
} from './compressionJob';
import { measureFidelity, referenceOf } from './fidelity';
import { filledWithOriginal } from './originalWords';
import { planCompression, tokensOf, type CompressionPlan } from './compressionPlan';
import { cutMessages } from './keepitBlock';
import { compareVersions } from './diff/compareVersions';
import type { VersionDiff } from './diff/types';
import {
  NO_COST,
  type CompressionEstimate,
  type Summarizer,
  type SummaryCost,
  type SummaryProgress,
  type SummaryRequest,
} from './types';
import { writtenVersion } from './versionRecords';

/** Changes whenever the same original and settings may give other bytes. */
const ENGINE_VERSION = '6';

interface CompressionEngineParts {
  readonly material: MaterialReader;
  readonly tokens: TokenCounters;
  readonly summarizers: readonly Summarizer[];
}

/** A session that is being read, or was read last. */
interface Reading {
  readonly key: string;
  readonly material: Promise<SessionMaterial>;
}

/** Shorter messages are rare in versions. */
const LEAST_MESSAGE_TOKENS = 50;

/**
 * Plans, cuts the keepits out, has the rest summarized, puts the keepits back, checks the receipt and measures the fidelity. Reads the
 * transcript and writes nothing. Keeps the material of the session that was last asked for, for previews that follow one another.
 */
export class CompressionEngine implements CompressionWork {
  private last: Reading | undefined;

  constructor(private readonly parts: CompressionEngineParts) {}

  async estimate(job: CompressionJob, signal?: AbortSignal): Promise<CompressionEstimate> {
    const { plan, counter, material } = await this.plan(job, signal);
    const summarizer = this.summarizer(job);
    const cost =
      summarizer.name === 'local'
        ? NO_COST
        : await summarizer.estimate(requestOf({ job, plan, material, counter }), job.options, signal);
    return estimateOf(plan, job, cost);
  }

  async compress(
    job: CompressionJob,
    onProgress?: (progress: SummaryProgress) => void,
    signal?: AbortSignal,
  ): Promise<CompressedSession> {
    const summarizer = job.written === undefined ? this.summarizer(job) : undefined;
    const { plan, counter, material } = await this.plan(job, signal);
    const request = requestOf({ job, plan, material, counter });
    const summary =
      summarizer === undefined
        ? job.written
        : job.provider === 'local' && job.settings.mode === 'uniform'
          ? await filledWithOriginal({
              request,
              summarize: async (one) =>
                summarizer.summarize(one, job.options, one === request ? onProgress : undefined, signal),
              whole: async (from, to) => cutMessages(await material.whole(from, to, signal), plan.keepits),
            })
          : await summarizer.summarize(request, job.options, onProgress, signal);
    if (summary === undefined) throw new CompressionError('no-such-provider', job.provider);
    signal?.throwIfAborted();
    const { body, transcript } = await writtenVersion(summary.blocks, plan, job);
    const outputTokens = counter.count(body);
    const keepits = plan.keepits.flatMap(({ keepit: { effectiveWeight: weight }, content }) =>
      content === '' ? [] : [{ weight, content }],
    );
    const fidelity = measureFidelity(referenceOf(plan.messages, keepits), body);
    signal?.throwIfAborted();
    return {
      body,
      jsonl: transcript.jsonl,
      estimate: estimateOf(plan, job, summary.cost),
      outputTokens,
      outputMessages: transcript.messages,
      compressionRatio: ratioOf(plan.inputTokens, outputTokens),
      keepitStats: statsOf(plan),
      receipt: plan.keepits.map(({ receipt }) => receipt),
      fidelity,
      cost: summary.cost,
      engine: `${job.provider} ${ENGINE_VERSION}`,
      ...(summary.provenance && {
        provenance: { ...summary.provenance, responseIds: [...summary.provenance.responseIds] },
      }),
      lastMessageUuid: material.messages[plan.scoped.to]?.uuid ?? '',
      ...partOf(plan, material),
    };
  }

  async compare(job: ComparisonJob, signal?: AbortSignal): Promise<VersionDiff> {
    const material = await this.material(job, await this.parts.tokens.exact(), signal);
    signal?.throwIfAborted();
    return compareVersions(material, job);
  }

  private summarizer({ provider }: CompressionJob): Summarizer {
    const summarizer = this.parts.summarizers.find(({ name }) => name === provider);
    if (summarizer === undefined) throw new CompressionError('no-such-provider', provider);
    return summarizer;
  }

  private async plan(
    job: CompressionJob,
    signal?: AbortSignal,
  ): Promise<{ plan: CompressionPlan; material: SessionMaterial; counter: TokenCounter }> {
    const counter = await this.parts.tokens.exact();
    const material = await this.material(job, counter, signal);
    signal?.throwIfAborted();
    return { plan: planCompression(material, job, counter), material, counter };
  }

  private async material(
    job: Pick<CompressionJob, 'path' | 'bytes' | 'mtimeMs'>,
    counter: TokenCounter,
    signal?: AbortSignal,
  ): Promise<SessionMaterial> {
    const key = `${job.path}\0${job.bytes}\0${job.mtimeMs}`;
    for (;;) {
      const reading = this.last?.key === key ? this.last : this.startReading(key, job.path, counter, signal);
      try {
        return await reading.material;
      } catch (error) {
        if (this.last === reading) this.last = undefined;
        // Somebody else's reading, which that one no longer wants: this one still does.
        if (!isAbortError(error) || signal?.aborted === true) throw error;
      }
    }
  }

  private startReading(key: string, path: string, counter: TokenCounter, signal?: AbortSignal): Reading {
    this.last = { key, material: this.parts.material.read(path, counter, signal) };
    return this.last;
  }
}

function requestOf(parts: {
  readonly job: CompressionJob;
  readonly plan: CompressionPlan;
  readonly material: SessionMaterial;
  readonly counter: TokenCounter;
}): SummaryRequest {
  const { job, plan, material, counter } = parts;
  const messages = cutMessages(plan.messages, plan.keepits);
  return {
    sessionId: job.ref.sessionId,
    title: withoutSecrets(material.title),
    segments: plan.segments,
    messages,
    counter,
  };
}

function ratioOf(inputTokens: number, outputTokens: number): number {
  return outputTokens === 0 ? 1 : inputTokens / outputTokens;
}

/** Survivors by weight, and weights of which none survived with 0 (seed 000, 3.4). */
function statsOf({ keepits }: CompressionPlan): KeepitStats {
  const weights = new Map<string, number>();
  for (const { receipt } of [...keepits].sort((a, b) => b.receipt.weight - a.receipt.weight)) {
    const name = receipt.weight.toFixed(2);
    countUp(weights, name, receipt.kept ? 1 : 0);
  }
  const preserved = keepits.filter(({ receipt }) => receipt.kept).length;
  return { preserved, summarized: keepits.length - preserved, weights: Object.fromEntries(weights) };
}

function partOf({ scoped }: CompressionPlan, { messages }: SessionMaterial): Pick<CompressedSession, 'part'> {
  const { partNumber, from, to } = scoped;
  if (partNumber === undefined) return {};
  const lastMessageUuid = messages[to]?.uuid ?? '';
  return {
    part: { partNumber, messageRange: [from, to], lastMessageUuid, tokens: tokensOf(messages.slice(from, to + 1)) },
  };
}

/** What was asked and what came of it take turns, as in the original, as far as the tokens reach. */
function expectedMessages({ messages }: CompressionPlan, outputTokens: number): number {
  const asked = messages.filter(({ role }) => role === 'user').length;
  return Math.min(2 * Math.max(1, asked), 1 + Math.ceil(outputTokens / LEAST_MESSAGE_TOKENS));
}

function estimateOf(plan: CompressionPlan, { settings }: CompressionJob, cost: SummaryCost): CompressionEstimate {
  const { scoped, segments, keepits, inputTokens, targetTokens, keepitTokens } = plan;
  const outputTokens = segments.reduce((sum, segment) => sum + segment.targetTokens, 0) + keepitTokens;
  return {
    settings,
    partNumber: scoped.partNumber,
    messageRange: [scoped.from, scoped.to],
    inputTokens,
    inputMessages: plan.messages.length,
    outputTokens,
    outputMessages: expectedMessages(plan, outputTokens),
    askedRatio: ratioOf(inputTokens, targetTokens),
    compressionRatio: ratioOf(inputTokens, outputTokens),
    segments,
    receipt: keepits.map(({ receipt }) => receipt),
    keepitTokens,
    isExceededByKeepits: keepitTokens > targetTokens,
    cost,
  };
}
