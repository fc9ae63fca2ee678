import * as z from 'zod/mini';
import { timestampSchema } from './ids';
import { count } from './count';

/** DESIGN section 3: one line of `ledger.jsonl`, for one call of a model. It holds no word of any session. */
export const ledgerEntrySchema = z.looseObject({
  /** When the call ended. */
  at: timestampSchema,
  provider: z.string(),
  model: z.string(),
  purpose: z.string(),
  sessionId: z.optional(z.string()),
  /** Tokens as the provider counted them; `input` without what the cache took part in. */
  inputTokens: count,
  outputTokens: count,
  cacheWriteTokens: count,
  cacheReadTokens: count,
  usd: count,
  durationMs: count,
  /** `ok`, or the reason of the failure: a call that failed half-way has cost something too. */
  outcome: z.string(),
  /** The provider's name for the answer. */
  responseId: z.optional(z.string()),
});
export type LedgerEntry = z.infer<typeof ledgerEntrySchema>;
