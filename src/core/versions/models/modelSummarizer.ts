import type { ModelSettings } from '../../model/models';
import type { Clock, Ledger, Log, Pause } from '../../model/host';
import { mapLimited } from '../../text/mapLimited';
import { SUMMARIZE_PROMPT } from '../prompts/summarize';
import { SummarizerError } from '../summarizerError';
import type { Summarizer, Summary, SummaryCost, SummaryOptions, SummaryProgress, SummaryRequest } from '../types';
import { chunksOf, chunkTokens } from './chunks';
import type { Chunk } from './chunks';
import { costUsd } from './cost';
import { CostGate } from './costGate';
import type { PendingCosts } from './costGate';
import type { KnownModel, ModelCaller } from './modelCaller';
import { ModelRun } from './modelRun';
import { expectedUsage } from './sizes';

export interface ModelSummarizerPorts {
  readonly caller: ModelCaller;
  readonly settings: () => Promise<ModelSettings>;
  readonly ledger: Ledger;
  /** One for the whole process: its runs share the limit of the day. */
  readonly pending: PendingCosts;
  readonly clock: Clock;
  readonly log: Log;
  readonly pause: Pause;
}

interface Plan {
  readonly settings: ModelSettings;
  readonly model: KnownModel;
  readonly chunks: readonly Chunk[];
}

/** A summarizer that asks a model: chunk by chunk, behind the cost gate, with every call in the ledger. */
export class ModelSummarizer implements Summarizer {
  readonly name: ModelCaller['name'];

  constructor(private readonly ports: ModelSummarizerPorts) {
    this.name = ports.caller.name;
  }

  async estimate(request: SummaryRequest, options: SummaryOptions, signal?: AbortSignal): Promise<SummaryCost> {
    const plan = await this.plan(request, options, signal);
    return this.expectedCost(plan);
  }

  async summarize(
    request: SummaryRequest,
    options: SummaryOptions,
    onProgress?: (progress: SummaryProgress) => void,
    signal?: AbortSignal,
  ): Promise<Summary> {
    const plan = await this.plan(request, options, signal);
    const { model, chunks, settings } = plan;
    const { ledger, clock, pending, caller, log } = this.ports;
    const runUsd = options.maxCostUsd ?? settings.limits.runUsd;
    const gate = new CostGate({ runUsd, dayUsd: settings.limits.dayUsd }, { ledger, clock, pending });
    await gate.check(this.expectedCost(plan).usd); // before the first call: half a summary is worth nothing
    const stallMs = settings.stallSeconds * 1000;
    const run = new ModelRun({ caller, gate, ledger, clock, log }, { request, model, stallMs });
    const report = progressReport(chunks, onProgress);
    const results = await mapLimited(chunks, caller.parallelCalls, async (chunk) => {
      const blocks = await run.summarize(chunk, (characters) => report(chunk, characters), signal);
      report(chunk, Infinity);
      return blocks;
    });
    const provenance = { model: model.id, prompt: SUMMARIZE_PROMPT, responseIds: run.responseIds };
    return { blocks: results.flat().sort((a, b) => firstOf(a) - firstOf(b)), cost: run.cost, provenance };
  }

  private async plan(request: SummaryRequest, { model: name }: SummaryOptions, signal?: AbortSignal): Promise<Plan> {
    const settings = await this.ports.settings();
    const model = await this.ports.caller.model(name, settings);
    const maxTokens = chunkTokens(model.facts);
    if (maxTokens === undefined) {
      throw new SummarizerError('too-large', { detail: `${model.id} takes ${model.facts.contextTokens} tokens` });
    }
    return { settings, model, chunks: await chunksOf(request, maxTokens, this.ports.pause, signal) };
  }

  private expectedCost({ model, chunks }: Plan): SummaryCost {
    const expected = chunks.map((chunk) => expectedUsage(chunk, model, this.ports.caller.overheadTokens));
    return {
      calls: chunks.length,
      inputTokens: expected.reduce((sum, { inputTokens }) => sum + inputTokens, 0),
      outputTokens: expected.reduce((sum, { outputTokens }) => sum + outputTokens, 0),
      usd: expected.reduce((sum, usage) => sum + costUsd(model.facts, usage), 0),
    };
  }
}

function firstOf({ messages }: { readonly messages: readonly number[] }): number {
  return messages[0] ?? 0;
}

/** Notes are mostly what an answer consists of: its characters, with the JSON around them, tell how far it has come. */
const CHARACTERS_PER_TOKEN = 5;

/** Progress in tokens of the summary that are written, over all chunks; never goes back. */
function progressReport(
  chunks: readonly Chunk[],
  onProgress: ((progress: SummaryProgress) => void) | undefined,
): (chunk: Chunk, characters: number) => void {
  const total = chunks.reduce((sum, { targetTokens }) => sum + targetTokens, 0);
  const written = new Map<Chunk, number>();
  return (chunk, characters) => {
    const isDone = characters === Infinity;
    const tokens = isDone ? chunk.targetTokens : Math.min(chunk.targetTokens * 0.95, characters / CHARACTERS_PER_TOKEN);
    written.set(chunk, Math.max(tokens, written.get(chunk) ?? 0));
    const done = [...written.values()].reduce((sum, count) => sum + count, 0);
    const label = chunks.length === 1 ? 'the model writes' : `the model writes, ${written.size} of ${chunks.length}`;
    onProgress?.({ done: Math.round(done), total, label });
  };
}
