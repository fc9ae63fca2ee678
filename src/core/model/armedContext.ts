import * as z from 'zod/mini';
import { timestampSchema } from './ids';
import { schemaVersionSchema } from './schemaVersion';

/**
 * `armed.json`: what the SessionStart hooks of a project hand to the next session, once. Each hook puts out the piece of its number and
 * nothing else, because what a hook puts out is capped; pieces say which they are, because hooks run side by side.
 */
export const armedContextSchema = z.looseObject({
  version: schemaVersionSchema,
  projectId: z.string(),
  compositionId: z.string(),
  name: z.string(),
  armedAt: timestampSchema,
  /** The texts, in their order; never more than four, each within the cap. */
  pieces: z.array(z.string()),
  /** Where the whole text is, when the pieces do not hold all of it. */
  rest: z.optional(z.looseObject({ file: z.string() })),
});
export type ArmedContext = z.infer<typeof armedContextSchema>;
