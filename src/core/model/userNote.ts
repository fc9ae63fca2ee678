import * as z from 'zod/mini';
import { parsedJson } from '../text/parsedJson';

/** What Claude notes of the user's words. */
const noteRequestSchema = z.looseObject({
  /** Letter by letter as they stand in what the user said. */
  quote: z.string(),
  kind: z.enum(['rule', 'preference', 'decision', 'fact']),
  /** What it is about, where the words alone do not say. */
  about: z.optional(z.string()),
  /** The only session in which it may have been said; any that is taken in later where Claude named none. */
  sessionId: z.optional(z.string()),
  /** Since when it waits. */
  at: z.optional(z.string()),
});
export type NoteRequest = z.infer<typeof noteRequestSchema>;

/** The notes in a file's text. A line that is torn, or of no known shape, is passed over. */
export function readNotes(text: string): NoteRequest[] {
  return text.split('\n').flatMap((line) => {
    const parsed = noteRequestSchema.safeParse(parsedJson(line));
    return parsed.success ? [parsed.data] : [];
  });
}
