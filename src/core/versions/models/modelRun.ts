import { summarizeSystem } from '../prompts/summarize';
import { SummarizerError } from '../summarizerError';
import type { SummaryBlock, SummaryCost, SummaryRequest } from '../types';
import { chunkPrompt, shorterPrompt } from './chunkPrompt';
import type { Chunk } from './chunks';
import { LedgeredCalls, type CallPorts, type CallQuestion } from './ledgeredCalls';
import type { KnownModel, ModelAnswer } from './modelCaller';
import { answerRoom, leastRoom, promptTokens } from './sizes';
import { readAnswer } from './summaryAnswer';

/** Notes may be this much larger than asked for; beyond it they are asked for once more. */
const TOLERANCE = 1.2;
/** Notes that are this much too large after a second attempt are not what was asked for; a few tokens never matter. */
const LARGEST_EXCESS = 1.6;
const IGNORED_TOKENS = 60;

/** What may be gone at the next try. */
const PASSING: ReadonlySet<string> = new Set(['network', 'overloaded', 'failing', 'timeout', 'rate-limited']);

export interface RunContext {
  readonly request: SummaryRequest;
  readonly model: KnownModel;
  readonly stallMs: number;
}

/** One summary on its way: its calls, and what they have cost. */
export class ModelRun {
  private readonly calls: LedgeredCalls;

  constructor(
    private readonly ports: CallPorts,
    private readonly context: RunContext,
  ) {
    const { model, stallMs, request } = context;
    const { sessionId } = request;
    this.calls = new LedgeredCalls(ports, { model, stallMs, system: summarizeSystem, purpose: 'compress', sessionId });
  }

  get cost(): SummaryCost {
    return this.calls.cost;
  }

  get responseIds(): readonly string[] {
    return this.calls.responseIds;
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
  private async ask(question: CallQuestion, signal?: AbortSignal): Promise<string> {
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
  private async answer(question: CallQuestion, signal?: AbortSignal): Promise<ModelAnswer> {
    let characters = 0;
    const onText = (count: number) => {
      characters = count;
      question.onText(count);
    };
    try {
      return await this.calls.call({ ...question, onText }, signal);
    } catch (error) {
      const hasBroken = error instanceof SummarizerError && PASSING.has(error.reason) && characters > 0;
      if (!hasBroken) throw error;
      this.ports.log.warn(`The answer of ${this.context.model.id} broke off (${error.reason}); it is asked again.`);
      return this.calls.call(question, signal);
    }
  }
}
