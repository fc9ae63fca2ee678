import * as z from 'zod/mini';
import { timestampSchema, count, schemaVersionSchema, text, texts, optionalText } from './fields';

/** Words that were erased, in one way of writing them: their length, and hashes with the store's own key. Never the words. */
const erasedWordsSchema = z.looseObject({ bytes: count, bucket: count, hash: text });
export type ErasedWords = z.infer<typeof erasedWordsSchema>;

/** A time in which nothing is to be remembered; without an end, until somebody ends it. */
const pauseSchema = z.looseObject({ from: timestampSchema, until: z.optional(timestampSchema) });

/** A folder with all below it, or a session, from which nothing more is taken. */
const neverSchema = z.looseObject({ folder: optionalText, session: optionalText });
export type Never = z.infer<typeof neverSchema>;

/** An erase that has begun: of a session, of one of its messages, or of words, which are known by their hash. */
const begunEraseSchema = z.looseObject({
  projectId: optionalText,
  sessionId: optionalText,
  message: optionalText,
  words: optionalText,
});
export type BegunErase = z.infer<typeof begunEraseSchema>;

/** `forgotten.json`: what is not to be remembered. It holds for everything that is read of Claude Code's folder. */
export const forgottenSchema = z.looseObject({
  version: schemaVersionSchema,
  /** 32 bytes in hex, made by chance. */
  key: z.string().check(z.regex(/^[0-9a-f]{64}$/)),
  words: z.array(erasedWordsSchema),
  /** Hashes of the ids of transcript records whose words were erased. */
  records: texts,
  never: z.array(neverSchema),
  pauses: z.array(pauseSchema),
  /** What has not ended. */
  erasing: z.optional(z.array(begunEraseSchema)),
});
export type Forgotten = z.infer<typeof forgottenSchema>;

/** What `never` names. */
export function nameOfNever({ folder, session }: Never): string {
  return folder ?? session ?? '';
}

/** The same for every time that the same is erased. */
export function nameOfErase({ sessionId, message, words }: BegunErase): string {
  return words ?? message ?? sessionId ?? '';
}

/** Whether nothing is to be remembered at that time. */
export function isPausedAt({ pauses }: Pick<Forgotten, 'pauses'>, iso: string): boolean {
  return pauses.some(({ from, until }) => iso >= from && (until === undefined || iso < until));
}
