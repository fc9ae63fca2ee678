import * as z from 'zod/mini';
import { sessionIdSchema, timestampSchema } from './ids';

/** What hooks ask the background for, the most important last: one of these does also what those before it do. */
export const REQUEST_REASONS = ['start', 'stop', 'interval', 'compact', 'end'] as const;
export type RequestReason = (typeof REQUEST_REASONS)[number];

/** `hooks/requests/<sessionId>.<reason>.json`: what a hook has no time for. A newer one replaces an older one of the same name. */
export const hookRequestSchema = z.looseObject({
  sessionId: sessionIdSchema,
  reason: z.enum(REQUEST_REASONS),
  at: timestampSchema,
  /** Where Claude Code writes the session; it may lie anywhere, or not be there yet. */
  transcript: z.optional(z.string()),
  /** A digest of the last answer, which the transcript may not have yet. */
  lastAnswer: z.optional(z.string()),
  /** How often it was tried in vain. */
  failures: z.optional(z.number()),
});
export type HookRequest = z.infer<typeof hookRequestSchema>;
