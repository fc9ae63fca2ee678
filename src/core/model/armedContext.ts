import * as z from 'zod/mini';
import { timestampSchema } from './ids';
import { schemaVersionSchema } from './schemaVersion';

/** `armed.json`: what the SessionStart hook of a project hands to the next session, once. */
export const armedContextSchema = z.looseObject({
  version: schemaVersionSchema,
  projectId: z.string(),
  compositionId: z.string(),
  name: z.string(),
  armedAt: timestampSchema,
  /** What is handed over: fits into what one hook may put out. */
  text: z.string(),
  /** Where all of it is, when that text is not. */
  rest: z.optional(z.looseObject({ file: z.string() })),
});
export type ArmedContext = z.infer<typeof armedContextSchema>;
