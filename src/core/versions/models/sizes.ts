import type { ModelFacts } from '../../model/models';
import type { Chunk } from './chunks';
import type { KnownModel, TokenUsage } from './modelCaller';

/** JSON and the numbers of messages around the text of notes. */
const ANSWER_OVERHEAD = 1.35;
/** Models write more than they are asked for; one that is cut off has cost everything and brought nothing. */
const ANSWER_MARGIN = 1.6;
/** What a model may think before it answers, and what it mostly does, when it is told to think little. */
const THINKING_ROOM = 8_000;
const USUAL_THINKING = 1_500;
/** What the instructions, the sizes and the earlier prompts around a transcript take, in o200k_base. */
const WORDS_AROUND = 1_800;

/** A prompt with this much transcript, in o200k_base. */
export function promptTokens(transcriptTokens: number): number {
  return transcriptTokens + WORDS_AROUND;
}

/** The room for an answer, in the model's own tokens. */
export function answerRoom({ targetTokens }: Chunk, facts: ModelFacts): number {
  const notes = targetTokens * facts.tokenFactor * ANSWER_OVERHEAD * ANSWER_MARGIN;
  return Math.min(facts.maxOutputTokens, Math.ceil(notes + THINKING_ROOM));
}

/** With less room than this an answer would probably be cut off. */
export function leastRoom({ targetTokens }: Chunk, facts: ModelFacts): number {
  return Math.ceil(targetTokens * facts.tokenFactor * ANSWER_OVERHEAD + USUAL_THINKING);
}

/** What the provider will probably bill for a chunk, when its first answer is usable. */
export function expectedUsage(chunk: Chunk, { facts }: KnownModel, overheadTokens: number): TokenUsage {
  const thinking = facts.effort === undefined ? 0 : USUAL_THINKING;
  return {
    inputTokens: Math.round(promptTokens(chunk.tokens) * facts.tokenFactor + overheadTokens),
    outputTokens: Math.round(chunk.targetTokens * facts.tokenFactor * ANSWER_OVERHEAD + thinking),
    cacheWriteTokens: 0,
    cacheReadTokens: 0,
  };
}
