import type { SummarizerName } from '../types';
import { knownAliases, knownModels, modelFactsSchema, type ModelFacts, type ModelSettings } from '../../model/models';
import { ownValue } from '../../text/ownValue';
import { SummarizerError } from '../summarizerError';
import { schemaProblem } from '../../model/fields';

/** The summarizers that ask a model. */
type ModelProvider = Exclude<SummarizerName, 'local'>;

/** Tokens as the provider counts and bills them. */
export interface TokenUsage {
  /** Without what the cache took part in. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheWriteTokens: number;
  readonly cacheReadTokens: number;
}

export const NO_USAGE: TokenUsage = { inputTokens: 0, outputTokens: 0, cacheWriteTokens: 0, cacheReadTokens: 0 };

/** A model with everything that a budget needs to know of it. */
export interface KnownModel {
  /** As the provider calls it. */
  readonly id: string;
  readonly facts: ModelFacts;
}

/** One question to a model. */
export interface ModelCall {
  readonly model: KnownModel;
  /** The same for all calls of one prompt version: worth a cache where there is one. */
  readonly system: string;
  readonly prompt: string;
  /** What thinking takes is included. */
  readonly maxOutputTokens: number;
  /** What the call must not exceed, for providers that can be told. */
  readonly maxUsd: number;
  readonly stallMs: number;
}

export interface ModelAnswer {
  readonly text: string;
  /** `truncated`: the room for the answer ran out. `refused`: the model, or what guards it, declined. */
  readonly end: 'complete' | 'truncated' | 'refused';
  readonly usage: TokenUsage;
  /** Where the provider says so itself; else it follows from the usage and the model's prices. */
  readonly usd?: number;
  readonly responseId: string;
}

/** Told while an answer comes. What was told last counts when the call fails, or is given up. */
export interface CallListener {
  /** Characters of the answer so far. */
  readonly onText: (characters: number) => void;
  /** What the provider has said so far of what it bills. */
  readonly onUsage: (usage: TokenUsage) => void;
}

/**
 * A way to ask a model one question. Retries what passes by itself (rate limits, overload, lost connections before an answer
 * began); everything that is no answer is a `SummarizerError`, an abort rejects with the signal's reason.
 */
export interface ModelCaller {
  readonly name: ModelProvider;
  /** How many calls may be under way at once. */
  readonly parallelCalls: number;
  /** Tokens that the provider puts around a prompt. */
  readonly overheadTokens: number;
  /** What a name or an alias stands for. Asks nobody for money; throws `SummarizerError`. */
  model(name: string, settings: ModelSettings): Promise<KnownModel>;
  call(call: ModelCall, listener: CallListener, signal?: AbortSignal): Promise<ModelAnswer>;
}

const DATE = /-\d{8}$/;

/** The model behind a name or an alias, as Keepit knows it and as the configuration corrects that. Throws `SummarizerError`. */
export function knownModel(name: string, settings: ModelSettings): KnownModel {
  const id = ownValue(settings.aliases, name) ?? ownValue(knownAliases, name) ?? name;
  const plain = id.replace(DATE, '');
  const known = ownValue(knownModels, id) ?? ownValue(knownModels, plain);
  const corrected = ownValue(settings.catalog, id) ?? ownValue(settings.catalog, plain);
  if (known === undefined && corrected === undefined) {
    throw new SummarizerError('unknown-model', { detail: JSON.stringify(id) });
  }
  const facts = modelFactsSchema.safeParse({ ...known, ...corrected });
  if (facts.success) return { id, facts: facts.data };
  const { key, allowed } = schemaProblem(facts.error);
  throw new SummarizerError('unknown-model', { detail: `${key} of ${JSON.stringify(id)} must be ${allowed}` });
}

/** The short names that can be used, and what each stands for. */
export function modelAliases(settings: ModelSettings): { readonly alias: string; readonly id: string }[] {
  return Object.entries({ ...knownAliases, ...settings.aliases }).map(([alias, id]) => ({ alias, id }));
}
