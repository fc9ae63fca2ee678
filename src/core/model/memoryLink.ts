import * as z from 'zod/mini';
import { projectIdSchema, sessionIdSchema, timestampSchema } from './ids';

/** Seed 000, 7.2, as the manifest of the project has it that the link leads to. */
export const memoryLinkSchema = z.looseObject({
  linkId: z.string(),
  sourceProject: projectIdSchema,
  /** Absent where all of the project is meant. */
  sourceSession: z.optional(sessionIdSchema),
  linkedAt: timestampSchema,
  /** `Shared utility code`, in the words of whoever linked it. */
  reason: z.string(),
});
export type MemoryLink = z.infer<typeof memoryLinkSchema>;
