import * as z from 'zod';

/** A file of MemoryCode's dialogues, as far as an eval looks at it. */
export const dialogueSchema = z.object({
  context: z.object({ mentor: z.string(), mentee: z.string() }),
  sessions: z.array(z.object({ topic: z.array(z.string()), text: z.string() })),
});

/** What its dialogues are about. */
export const topicsSchema = z.object({
  instructions: z.array(z.object({ text: z.array(z.string()) })),
  fillers_instruction: z.array(z.object({ text: z.array(z.string()) })),
});
