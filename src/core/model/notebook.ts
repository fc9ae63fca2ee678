import * as z from 'zod/mini';
import { count, schemaVersionSchema, text, texts } from './fields';

/** What Keepit has written into a note: without it, its own words could not be told from a person's. */
const noteBaseSchema = z.looseObject({
  /** By key: the hash of the block as it was written, and of the section's id. */
  blocks: z.record(text, z.looseObject({ hash: text, section: text })),
  /** Keys of blocks that a person has reworded, moved or taken out: they are left to that person. */
  owned: texts,
  /** Hashes of the ids of the sections that were written. */
  sections: texts,
});
export type NoteBase = z.infer<typeof noteBaseSchema>;

const noteStateSchema = z.looseObject({
  base: z.optional(noteBaseSchema),
  /** Counts instead of `base` once the note is the text with this hash: it is written before the note is. */
  next: z.optional(z.looseObject({ hash: text, base: noteBaseSchema })),
});
export type NoteState = z.infer<typeof noteStateSchema>;

/** `notebook.json`, one in each scope. Losing it loses no words: those of Keepit then count as a person's. */
export const notebookStateSchema = z.looseObject({
  version: schemaVersionSchema,
  notes: z.record(text, noteStateSchema),
  /** The last synthesis: when, and of which summaries as they were then. */
  synthesis: z.optional(
    z.looseObject({
      at: text,
      sources: z.record(text, z.object({ bytes: count, mtimeMs: count })),
      project: text,
    }),
  ),
});
export type NotebookState = z.infer<typeof notebookStateSchema>;

/** A notebook in one file, the same each time that it holds the same. */
export const notebookArchiveSchema = z.looseObject({
  format: z.literal('keepit-notebook'),
  version: schemaVersionSchema,
  files: z.array(z.looseObject({ name: text, text })),
  /** Of all names and texts. */
  checksum: text,
});
export type NotebookArchive = z.infer<typeof notebookArchiveSchema>;
