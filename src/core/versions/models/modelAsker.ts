import type { SummaryCost } from '../types';
import { costUsd } from './cost';
import { type KnownModel, type ModelCaller, type TokenUsage, SummarizerError } from './modelCaller';
import { CostGate } from './costGate';
import { LedgeredCalls } from './ledgeredCalls';
import type { ModelSummarizerPorts } from './modelSummarizer';

/** A question whose answer is checked before it is believed. */
export interface CheckedQuestion<T> {
  readonly system: string;
  /** Asked again, once, with what was wrong with the first answer. */
  readonly prompt: (problem?: string) => string;
  /** Of the prompt and of the answer that is hoped for, in o200k_base. */
  readonly promptTokens: number;
  readonly answerTokens: number;
  /** For the ledger. */
  readonly purpose: string;
  readonly sessionId: string;
  readonly read: (text: string) => { readonly value: T } | { readonly problem: string };
}

export interface AskOptions {
  /** A name or an alias. */
  readonly model: string;
  readonly maxCostUsd?: number | undefined;
}

export interface CheckedAnswer<T> {
  readonly value: T;
  readonly model: string;
  readonly cost: SummaryCost;
}

/** Models write more than is hoped for, and some think before. */
const ANSWER_MARGIN = 1.6;
const THINKING_ROOM = 4_000;

/** Asks a model one question, within the limits and with every call in the ledger. */
export class ModelAsker {
  readonly name: ModelCaller['name'];

  constructor(private readonly ports: ModelSummarizerPorts) {
    this.name = ports.caller.name;
  }

  /** What an answer will probably cost. Nobody is asked. */
  async estimate<T>(question: CheckedQuestion<T>, options: AskOptions): Promise<SummaryCost> {
    return this.expected(question, await this.ports.caller.model(options.model, await this.ports.settings()));
  }

  /** Throws `SummarizerError`; `invalid-output` when the second answer is no better than the first. */
  async ask<T>(question: CheckedQuestion<T>, options: AskOptions, signal?: AbortSignal): Promise<CheckedAnswer<T>> {
    const { caller, ledger, clock, pending, log } = this.ports;
    const settings = await this.ports.settings();
    const model = await caller.model(options.model, settings);
    if (question.promptTokens * model.facts.tokenFactor > model.facts.contextTokens / 2) {
      throw new SummarizerError('too-large', { detail: `${model.id} takes ${model.facts.contextTokens} tokens` });
    }
    const limits = { runUsd: options.maxCostUsd ?? settings.limits.runUsd, dayUsd: settings.limits.dayUsd };
    const gate = new CostGate(limits, { ledger, clock, pending });
    await gate.check(this.expected(question, model).usd);
    const { system, purpose, sessionId } = question;
    const stallMs = settings.stallSeconds * 1000;
    const calls = new LedgeredCalls(
      { caller, gate, ledger, clock, log },
      { model, stallMs, system, purpose, sessionId },
    );
    let problem: string | undefined;
    for (let tries = 0; tries < 2; tries++) {
      const answer = await calls.call(this.sized(question, model, problem), signal);
      const reading = answer.end === 'complete' ? question.read(answer.text) : { problem: 'it was cut off' };
      if ('value' in reading) return { value: reading.value, model: model.id, cost: calls.cost };
      problem = reading.problem;
      log.warn(`An answer of ${model.id} could not be used: ${problem}`);
    }
    throw new SummarizerError('invalid-output', { detail: problem ?? '' });
  }

  private sized<T>(
    { prompt, promptTokens, answerTokens }: CheckedQuestion<T>,
    { facts }: KnownModel,
    problem?: string,
  ) {
    const hoped = Math.ceil(answerTokens * facts.tokenFactor);
    const room = Math.ceil(hoped * ANSWER_MARGIN + THINKING_ROOM);
    return {
      prompt: prompt(problem),
      tokens: promptTokens,
      maxOutputTokens: Math.min(facts.maxOutputTokens, room),
      leastOutputTokens: hoped,
      onText: () => undefined,
    };
  }

  private expected<T>({ promptTokens, answerTokens }: CheckedQuestion<T>, { facts }: KnownModel): SummaryCost {
    const usage: TokenUsage = {
      inputTokens: Math.round(promptTokens * facts.tokenFactor + this.ports.caller.overheadTokens),
      outputTokens: Math.round(answerTokens * facts.tokenFactor),
      cacheWriteTokens: 0,
      cacheReadTokens: 0,
    };
    const { inputTokens, outputTokens } = usage;
    return { calls: 1, inputTokens, outputTokens, usd: costUsd(facts, usage) };
  }
}
