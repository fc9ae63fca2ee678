import { isAbortError } from '../../errors';
import type { Clock, Ledger, Log } from '../../ports';
import { summarizeSystem } from '../prompts/summarize';
import { SummarizerError } from '../summarizerError';
import type { SummaryBlock, SummaryCost, SummaryRequest } from '../types';
import { chunkPrompt, shorterPrompt } from './chunkPrompt';
import type { Chunk } from './chunks';
import { affordableOutput, costUsd, worstCostUsd } from './cost';
import type { CostGate } from './costGate';
import { NO_USAGE } from './modelCaller';
import type { KnownModel, ModelAnswer, ModelCaller, TokenUsage } from './modelCaller';
import { answerRoom, leastRoom, promptTokens } from './sizes';
import { readAnswer } from './summaryAnswer';

/** Notes may be this much larger than asked for; beyond it they are asked for once more. */
const TOLERANCE = 1.2;
/** Notes that are this much too large after a second attempt are not what was asked for; a few tokens never matter. */
const LARGEST_EXCESS = 1.6;
const IGNORED_TOKENS = 60;

/** What may be gone at the next try. */
const PASSING: ReadonlySet<string> = new Set(['network', 'overloaded', 'failing', 'timeout', 'rate-limited']);

export interface RunPorts {
  readonly caller: ModelCaller;
  readonly gate: CostGate;
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly log: Log;
}

export interface RunContext {
  readonly request: SummaryRequest;
  readonly model: KnownModel;
  readonly stallMs: number;
}

/** One question, and how large it is in o200k_base. */
interface Question {
  readonly prompt: string;
  readonly tokens: number;
  readonly maxOutputTokens: number;
  /** With less room the question is not worth asking. */
  readonly leastOutputTokens: number;
  readonly onText: (characters: number) => void;
}

/** One summary on its way: its calls, and what they have cost. */
export class ModelRun {
  readonly responseIds: string[] = [];
  private spent: SummaryCost = { calls: 0, inputTokens: 0, outputTokens: 0, usd: 0 };

  constructor(
    private readonly ports: RunPorts,
    private readonly context: RunContext,
  ) {}

  get cost(): SummaryCost {
    return this.spent;
  }

  /** Asks about a chunk, and once more for what of the answer cannot be used or is too long. */
  async summarize(
    chunk: Chunk,
    onText: (characters: number) => void,
    signal?: AbortSignal,
  ): Promise<readonly SummaryBlock[]> {
    const { request, model } = this.context;
    const room = { maxOutputTokens: answerRoom(chunk, model.facts), leastOutputTokens: leastRoom(chunk, model.facts) };
    const ask = async (prompt: string, tokens: number) =>
      readAnswer(await this.ask({ prompt, tokens, ...room, onText }, signal), chunk, request.counter);
    let reading = await ask(chunkPrompt(request, chunk), promptTokens(chunk.tokens));
    if (!reading.isUsable) {
      this.ports.log.warn(`A summary by ${model.id} could not be used (${reading.problem}); it is asked again.`);
      reading = await ask(chunkPrompt(request, chunk, reading.problem), promptTokens(chunk.tokens));
    }
    if (!reading.isUsable) throw new SummarizerError('invalid-output', { detail: reading.problem });
    if (reading.tokens <= Math.max(chunk.targetTokens * TOLERANCE, chunk.targetTokens + IGNORED_TOKENS)) {
      return reading.blocks;
    }
    const shorter = await ask(shorterPrompt(request, chunk, reading), promptTokens(reading.tokens * 2));
    const best = shorter.isUsable && shorter.tokens < reading.tokens ? shorter : reading;
    if (best.tokens <= Math.max(chunk.targetTokens * LARGEST_EXCESS, chunk.targetTokens + 2 * IGNORED_TOKENS)) {
      return best.blocks;
    }
    const detail = `it has ${best.tokens} tokens where ${chunk.targetTokens} were asked for`;
    throw new SummarizerError('invalid-output', { detail });
  }

  /** An answer that was cut off is asked for once more, with twice the room. */
  private async ask(question: Question, signal?: AbortSignal): Promise<string> {
    const largest = this.context.model.facts.maxOutputTokens;
    const first = await this.answer(question, signal);
    if (first.end === 'complete') return first.text;
    if (question.maxOutputTokens >= largest) throw new SummarizerError('truncated');
    const maxOutputTokens = Math.min(largest, question.maxOutputTokens * 2);
    const leastOutputTokens = question.maxOutputTokens;
    const second = await this.answer({ ...question, maxOutputTokens, leastOutputTokens }, signal);
    if (second.end === 'complete') return second.text;
    throw new SummarizerError('truncated');
  }

  /** A call that broke off in the middle of its answer is made once more: callers try again only what has cost nothing yet. */
  private async answer(question: Question, signal?: AbortSignal): Promise<ModelAnswer> {
    let characters = 0;
    const onText = (count: number) => {
      characters = count;
      question.onText(count);
    };
    try {
      return await this.call({ ...question, onText }, signal);
    } catch (error) {
      const hasBroken = error instanceof SummarizerError && PASSING.has(error.reason) && characters > 0;
      if (!hasBroken) throw error;
      this.ports.log.warn(`The answer of ${this.context.model.id} broke off (${error.reason}); it is asked again.`);
      return this.call(question, signal);
    }
  }

  /** One call within the limits, in the ledger however it ends. */
  private async call(question: Question, signal?: AbortSignal): Promise<ModelAnswer> {
    signal?.throwIfAborted();
    const { caller, gate, clock } = this.ports;
    const { model, stallMs } = this.context;
    const { prompt, onText } = question;
    const sentTokens = question.tokens * model.facts.tokenFactor + caller.overheadTokens;
    const affordable = affordableOutput(model.facts, sentTokens, await gate.left());
    const maxOutputTokens = Math.max(question.leastOutputTokens, Math.min(question.maxOutputTokens, affordable));
    const reservation = await gate.reserve(worstCostUsd(model.facts, sentTokens, maxOutputTokens));
    const startedMs = clock.now().getTime();
    let usage = NO_USAGE;
    let characters = 0;
    const listener = {
      onText: (count: number) => {
        characters = count;
        onText(count);
      },
      onUsage: (told: TokenUsage) => {
        usage = told;
      },
    };
    let ended = { outcome: 'ok', usage, usd: 0, responseId: '' };
    try {
      const answer = await caller.call(
        { model, system: summarizeSystem, prompt, maxOutputTokens, maxUsd: reservation.usd, stallMs },
        listener,
        signal,
      );
      const outcome = answer.end === 'complete' ? 'ok' : answer.end;
      ended = { ...answer, outcome, usd: answer.usd ?? costUsd(model.facts, answer.usage) };
      if (answer.end === 'refused') throw new SummarizerError('refused');
      return answer;
    } catch (error) {
      if (ended.outcome === 'ok') {
        const told = withText(usage, characters);
        ended = { outcome: outcomeOf(error), usage: told, usd: costUsd(model.facts, told), responseId: '' };
      }
      throw error;
    } finally {
      await this.record(ended, startedMs);
      reservation.settle(ended.usd);
    }
  }

  private async record(
    { outcome, usage, usd, responseId }: { outcome: string; usage: TokenUsage; usd: number; responseId: string },
    startedMs: number,
  ): Promise<void> {
    const { caller, clock, ledger, log } = this.ports;
    const { request, model } = this.context;
    const promptTotal = usage.inputTokens + usage.cacheWriteTokens + usage.cacheReadTokens;
    this.spent = {
      calls: this.spent.calls + 1,
      inputTokens: this.spent.inputTokens + promptTotal,
      outputTokens: this.spent.outputTokens + usage.outputTokens,
      usd: this.spent.usd + usd,
    };
    if (responseId !== '') this.responseIds.push(responseId);
    const now = clock.now();
    try {
      await ledger.append({
        at: now.toISOString(),
        provider: caller.name,
        model: model.id,
        purpose: 'compress',
        ...(request.sessionId !== undefined && { sessionId: request.sessionId }),
        ...usage,
        usd,
        durationMs: now.getTime() - startedMs,
        outcome,
        ...(responseId !== '' && { responseId }),
      });
    } catch (error) {
      // The money is spent: what it bought is not thrown away because it could not be written down.
      log.error('A call of a model could not be written into the ledger', error);
    }
  }
}

function outcomeOf(error: unknown): string {
  if (error instanceof SummarizerError) return error.reason;
  return isAbortError(error) ? 'cancelled' : 'failed';
}

const CHARACTERS_PER_TOKEN = 4;

/** Providers tell what an answer took when it is complete; of one that is not, what came of it is the least. */
function withText(usage: TokenUsage, characters: number): TokenUsage {
  return { ...usage, outputTokens: Math.max(usage.outputTokens, Math.ceil(characters / CHARACTERS_PER_TOKEN)) };
}
