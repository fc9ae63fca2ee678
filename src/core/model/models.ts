import * as z from 'zod/mini';
import { timestampSchema, count, text, optionalText } from './fields';

const usdPerMillion = z.number().check(z.nonnegative());
const tokens = z.number().check(z.gte(1));

/** How much a model thinks before it answers, where it can be told. */
const effortSchema = z.enum(['low', 'medium', 'high', 'xhigh', 'max']);

/** What has to be known of a model to ask it within a budget. Prices are dollars for a million tokens of its own counting. */
export const modelFactsSchema = z.looseObject({
  inputUsd: usdPerMillion,
  outputUsd: usdPerMillion,
  cacheWriteUsd: usdPerMillion,
  cacheReadUsd: usdPerMillion,
  /** All prices are multiplied for a prompt beyond this size; sessions are cut into smaller prompts where that is cheaper. */
  longPrompt: z.optional(z.looseObject({ overTokens: tokens, factor: z.number().check(z.gte(1)) })),
  contextTokens: tokens,
  maxOutputTokens: tokens,
  /** The tokens that the model counts where o200k_base counts one; rather too many than too few, as budgets rest on it. */
  tokenFactor: z.number().check(z.gt(0)),
  /** Asked for with every call; absent for models that refuse to be told. */
  effort: z.optional(effortSchema),
});
export type ModelFacts = z.infer<typeof modelFactsSchema>;

/**
 * The part of `config.json` that is about asking models. It holds what people decided themselves; names and prices that Keepit
 * knows are not copied into it, so that they follow Keepit's version and not the day on which the file was written.
 */
export const modelSettingsSchema = z.looseObject({
  /** Short names for models, besides the known ones and before them. */
  aliases: z.record(text, text),
  /** Facts by a model's own name: corrections of known models, and whole entries for others. */
  catalog: z.record(text, z.partial(modelFactsSchema)),
  limits: z.looseObject({
    /** For one compression, when the request does not say. */
    runUsd: z.number().check(z.nonnegative()),
    /** For all calls of a calendar day, whatever a request says. */
    dayUsd: z.number().check(z.nonnegative()),
  }),
  /** A call that shows no sign of life for this long is given up. */
  stallSeconds: z.number().check(z.gte(1)),
});
export type ModelSettings = z.infer<typeof modelSettingsSchema>;

/** What a configuration says that nobody has edited. */
export const defaultModelSettings: ModelSettings = {
  aliases: {},
  catalog: {},
  limits: { runUsd: 2, dayUsd: 10 },
  stallSeconds: 90,
};

/** Short names that are always there. */
export const knownAliases: Readonly<Record<string, string>> = {
  opus: 'claude-opus-5-5',
  sonnet: 'claude-sonnet-5-5',
  haiku: 'claude-haiku-5-5',
  fable: 'claude-fable-5-1',
};

/** Models since Claude 4.7 cut the same text into about a third more tokens than those before them. */
const NEW_TOKENIZER = 1.5;
const OLD_TOKENIZER = 1.2;

type Prices = Pick<ModelFacts, 'inputUsd' | 'outputUsd' | 'cacheWriteUsd' | 'cacheReadUsd'>;

/** The cache costs a quarter more to write than plain input, and a tenth to read. */
function priced(inputUsd: number, outputUsd: number): Prices {
  const rounded = (usd: number) => Math.round(usd * 1e6) / 1e6;
  return { inputUsd, outputUsd, cacheWriteUsd: rounded(inputUsd * 1.25), cacheReadUsd: rounded(inputUsd * 0.1) };
}

const large = {
  contextTokens: 1_000_000,
  maxOutputTokens: 128_000,
  tokenFactor: NEW_TOKENIZER,
  effort: 'low',
} as const;

/** As Anthropic published them in October 2026. */
export const knownModels: Readonly<Record<string, ModelFacts>> = {
  'claude-fable-5-1': { ...priced(10, 50), ...large },
  'claude-opus-5-5': { ...priced(4, 20), ...large },
  'claude-opus-5': { ...priced(5, 25), ...large },
  'claude-sonnet-5-5': { ...priced(2, 10), ...large },
  'claude-sonnet-5': { ...priced(2, 10), ...large },
  'claude-haiku-5-5': {
    ...priced(0.1, 0.5),
    ...large,
    longPrompt: { overTokens: 100_000, factor: 5 },
  },
  'claude-haiku-4-5': {
    ...priced(1, 5),
    contextTokens: 200_000,
    maxOutputTokens: 64_000,
    tokenFactor: OLD_TOKENIZER,
  },
};

/** DESIGN section 3: one line of `ledger.jsonl`, for one call of a model. It holds no word of any session. */
export const ledgerEntrySchema = z.looseObject({
  /** When the call ended. */
  at: timestampSchema,
  provider: text,
  model: text,
  purpose: text,
  sessionId: optionalText,
  /** Tokens as the provider counted them; `input` without what the cache took part in. */
  inputTokens: count,
  outputTokens: count,
  cacheWriteTokens: count,
  cacheReadTokens: count,
  usd: count,
  durationMs: count,
  /** `ok`, or the reason of the failure: a call that failed half-way has cost something too. */
  outcome: text,
  /** The provider's name for the answer. */
  responseId: optionalText,
});
export type LedgerEntry = z.infer<typeof ledgerEntrySchema>;
