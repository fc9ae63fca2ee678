import * as z from 'zod/mini';
import { timestampSchema, count, text, optionalText } from './fields';
import { parsedJson } from '../text/ownValue';

/** What an injected piece is: an unknown kind of a later version is shown by its name. */
export type InjectedKind =
  | 'session-id'
  | 'armed'
  | 'brief'
  | 'memory'
  | 'facts'
  | 'open-ends'
  | 'summaries'
  | 'rules'
  | 'reminder'
  | 'file'
  | 'keepits'
  | 'decisions';

const injectedPieceSchema = z.looseObject({
  /** An {@link InjectedKind}, or what a later version calls it. */
  kind: text,
  /** An estimate: hooks have no time to count. */
  tokens: count,
  /** UTF-16 units, which is what Claude Code's cap counts. */
  units: count,
  /** Where it was taken from: a file, a composition's name, a session's id. */
  from: optionalText,
  /** The beginning, in one line. */
  preview: optionalText,
  /** By which the whole of it is found in `given.jsonl`; absent where the beginning is all of it. */
  key: optionalText,
});
export type InjectedPiece = z.infer<typeof injectedPieceSchema>;

/** One line of `activity/<sessionId>.jsonl`: one hook that ran, or one capture that a hook asked for. */
const hookActivitySchema = z.looseObject({
  at: timestampSchema,
  /** The hook's event; `Capture` for what was done afterwards, in the background. */
  event: text,
  /** What of the event: how a session started or ended, what set off a compaction, which tool ran. */
  source: optionalText,
  tookMs: count,
  /** What the model was given. Absent when that was nothing. */
  injected: z.optional(z.looseObject({ tokens: count, units: count, pieces: z.array(injectedPieceSchema) })),
  /** What was taken into memory. */
  captured: z.optional(z.looseObject({ messages: count, tokens: count })),
  /** Why nothing was done, or what else was. */
  note: optionalText,
  /** What went wrong; also in `logs/hooks.log`. */
  problem: optionalText,
});
export type HookActivity = z.infer<typeof hookActivitySchema>;

/** One line of `hooks/sessions/<sessionId>/given.jsonl`: the whole of a piece. */
const givenTextSchema = z.looseObject({ key: text, text: text });
export type GivenText = z.infer<typeof givenTextSchema>;

/** The texts in a file's text, by their keys. A line that is torn, or of no known shape, is passed over. */
export function readGiven(text: string): Map<string, string> {
  return new Map(
    text.split('\n').flatMap((line) => {
      const parsed = line === '' ? undefined : givenTextSchema.safeParse(parsedJson(line));
      return parsed?.success === true ? [[parsed.data.key, parsed.data.text] as const] : [];
    }),
  );
}

/** The activity in a file's text, oldest first. A line that is torn, or of no known shape, is passed over. */
export function readActivity(text: string): HookActivity[] {
  return text.split('\n').flatMap((line) => {
    const parsed = line === '' ? undefined : hookActivitySchema.safeParse(parsedJson(line));
    return parsed?.success === true ? [parsed.data] : [];
  });
}

/** What Claude notes of the user's words. */
const noteRequestSchema = z.looseObject({
  /** Letter by letter as they stand in what the user said. */
  quote: text,
  kind: z.enum(['rule', 'preference', 'decision', 'fact']),
  /** What it is about, where the words alone do not say. */
  about: optionalText,
  /** The only session in which it may have been said; any that is taken in later where Claude named none. */
  sessionId: optionalText,
  /** Since when it waits. */
  at: optionalText,
});
export type NoteRequest = z.infer<typeof noteRequestSchema>;

/** The notes in a file's text. A line that is torn, or of no known shape, is passed over. */
export function readNotes(text: string): NoteRequest[] {
  return text.split('\n').flatMap((line) => {
    const parsed = noteRequestSchema.safeParse(parsedJson(line));
    return parsed.success ? [parsed.data] : [];
  });
}
