import type { ModelFacts } from '../../model/models';
import type { TokenUsage } from './modelCaller';

const MILLION = 1e6;

/** What a call costs at the model's prices. */
export function costUsd(facts: ModelFacts, usage: TokenUsage): number {
  const { inputTokens, outputTokens, cacheWriteTokens, cacheReadTokens } = usage;
  const promptTokens = inputTokens + cacheWriteTokens + cacheReadTokens;
  const plain =
    inputTokens * facts.inputUsd +
    outputTokens * facts.outputUsd +
    cacheWriteTokens * facts.cacheWriteUsd +
    cacheReadTokens * facts.cacheReadUsd;
  const { longPrompt } = facts;
  const factor = longPrompt !== undefined && promptTokens > longPrompt.overTokens ? longPrompt.factor : 1;
  return (plain * factor) / MILLION;
}

/** The most that a call can cost: all of the prompt written into the cache, and all of the room for the answer used. */
export function worstCostUsd(facts: ModelFacts, promptTokens: number, maxOutputTokens: number): number {
  const inputUsd = Math.max(facts.inputUsd, facts.cacheWriteUsd);
  const usage = { inputTokens: promptTokens, outputTokens: maxOutputTokens, cacheWriteTokens: 0, cacheReadTokens: 0 };
  return costUsd({ ...facts, inputUsd }, usage);
}

/** The room for an answer that can be paid for, whatever becomes of the call; negative when not even the prompt can. */
export function affordableOutput(facts: ModelFacts, promptTokens: number, usd: number): number {
  const forOneToken = worstCostUsd(facts, promptTokens, 1) - worstCostUsd(facts, promptTokens, 0);
  if (forOneToken === 0) return Infinity;
  return Math.floor((usd - worstCostUsd(facts, promptTokens, 0)) / forOneToken);
}

/** `$0.0042`, `$0.05`, `$1.30`: as many digits as tell something. */
export function formatUsd(usd: number): string {
  if (usd === 0) return '$0';
  const decimals = usd >= 0.1 ? 2 : Math.max(2, 1 - Math.floor(Math.log10(usd)));
  return `$${usd.toFixed(decimals).replace(/(\.\d\d\d{0,20}?)0{1,20}$/, '$1')}`;
}

/** Sums of many small amounts, without the noise of binary fractions. */
export function roundUsd(usd: number): number {
  return Math.round(usd * 1e8) / 1e8;
}
