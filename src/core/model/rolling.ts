import * as z from 'zod/mini';
import { count, text } from './fields';

/** `memory-index.json`, as seed 004 has it; what other tools add stays. */
export const rollingIndexSchema = z.looseObject({
  version: z._default(z.number(), 1),
  current: z._default(text, 'memory.md'),
  rotatedFiles: z._default(
    z.array(
      z.looseObject({
        file: text,
        rotatedAt: text,
        tokenCount: count,
        summary: z.optional(z.nullable(text)),
        summaryGenerated: z._default(z.boolean(), false),
      }),
    ),
    [],
  ),
  stats: z._default(z.looseObject({ totalRotations: count, lastRotation: z.nullable(text) }), {
    totalRotations: 0,
    lastRotation: null,
  }),
  counter: z._default(count, 0),
  lastMemoryUpdateTs: z._default(z.nullable(text), null),
  deltaCreatedAtMemoryMtime: z._default(z.nullable(z.number()), null),
  /** How far each session is in the memory: its last message, and when that was said. */
  keepitSessions: z._default(z.record(text, z.looseObject({ uuid: text, at: text })), {}),
});
export type RollingIndex = z.infer<typeof rollingIndexSchema>;

/** `memory_YYYYMMDD_HHMMSS.summary.json`, as seed 004 has it. */
export const rollingSummarySchema = z.looseObject({
  sourceFile: text,
  generatedAt: text,
  themes: z.array(z.looseObject({ name: text, summary: text })),
  keyDecisions: z.array(z.looseObject({ decision: text, reason: text })),
  issues: z.array(z.looseObject({ issue: text, status: text })),
  overallSummary: text,
});
export type RollingSummary = z.infer<typeof rollingSummarySchema>;
