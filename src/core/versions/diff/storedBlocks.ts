import * as z from 'zod/mini';
import type { DiffBlock } from './types';

/** A record of a version's `.jsonl`, as far as it is compared. */
const recordSchema = z.looseObject({
  message: z.looseObject({
    role: z.enum(['user', 'assistant']),
    content: z.array(z.looseObject({ text: z.string() })),
  }),
  keepit: z.looseObject({
    blocks: z.array(z.looseObject({ kind: z.enum(['heading', 'note', 'keepit']), sources: z.array(z.string()) })),
  }),
});

/**
 * The blocks of a version with the messages that they came from, out of its `.jsonl`. `indexOf` tells where in the session a message
 * is. A block whose messages are not in the session any more stands where the one before it does. Empty for a file without lineage.
 */
export function storedBlocks(jsonl: string, indexOf: (uuid: string) => number | undefined): DiffBlock[] {
  const blocks: DiffBlock[] = [];
  for (const line of jsonl.split('\n')) {
    const record = recordSchema.safeParse(parsed(line));
    if (!record.success) continue;
    const { message, keepit } = record.data;
    // Words that introduce the version come before its blocks, in the first message, and have no lineage.
    const first = message.content.length - keepit.blocks.length;
    for (const [at, { kind, sources }] of keepit.blocks.entries()) {
      const text = message.content[first + at]?.text;
      if (text === undefined) continue;
      const indexes = sources.flatMap((uuid) => indexOf(uuid) ?? []);
      const before = blocks.at(-1)?.from ?? 0;
      const from = indexes.reduce((least, index) => Math.min(least, index), indexes[0] ?? before);
      const to = indexes.reduce((most, index) => Math.max(most, index), from);
      // Aligning needs the order of the session, which a version has.
      blocks.push({ kind, role: message.role, from: Math.max(from, before), to: Math.max(to, before), text });
    }
  }
  return blocks;
}

function parsed(line: string): unknown {
  if (line.trim() === '') return undefined;
  try {
    return JSON.parse(line);
  } catch {
    return undefined; // a line that another tool wrote, or a damaged one: what can be compared is
  }
}
