import * as z from 'zod/mini';
import { compressionSettingsSchema } from './compression';
import { sessionIdSchema, timestampSchema, versionIdSchema } from './ids';

/** Seed 000, 2.1.5: what one session gave to a composition. */
export const compositionComponentSchema = z.looseObject({
  sessionId: sessionIdSchema,
  versionId: versionIdSchema,
  order: z.number().check(z.nonnegative()),
  tokenContribution: z.number().check(z.nonnegative()),
  recompress: z.optional(z.looseObject({ settings: compressionSettingsSchema, reason: z.string() })),
});
export type CompositionComponent = z.infer<typeof compositionComponentSchema>;

/** Seed 000, 2.1.5: a context composed from many sessions. */
export const composedContextRecordSchema = z.looseObject({
  compositionId: z.string(),
  name: z.string(),
  createdAt: timestampSchema,
  components: z.array(compositionComponentSchema),
  outputFile: z.string(),
  totalTokens: z.number().check(z.nonnegative()),
  totalMessages: z.number().check(z.nonnegative()),
  usedInSessions: z.array(sessionIdSchema),
});
export type ComposedContextRecord = z.infer<typeof composedContextRecordSchema>;
