import * as z from 'zod/mini';
import type { CompressionRecord } from '../model/compression';
import type { MemoryStore } from '../model/host';
import type { SessionRef } from '../sessions/results';
import { parsedJson } from '../text/ownValue';
import type { Role } from '../transcript/types';
import { CompressionError } from './compressionJob';

/** A block of a version as it is stored. */
export interface StoredBlock {
  readonly kind: 'heading' | 'note' | 'keepit';
  readonly role: Role;
  readonly text: string;
  /** The messages of the original that it came from, by uuid, in the order of the conversation. */
  readonly sources: readonly string[];
  /** For a keepit. */
  readonly markerId?: string | undefined;
}

/** A record of a version's `.jsonl`: its texts, and for each where it came from. */
const recordSchema = z.looseObject({
  type: z.enum(['user', 'assistant']),
  message: z.looseObject({ content: z.array(z.looseObject({ text: z.string() })) }),
  keepit: z.looseObject({
    blocks: z.array(
      z.looseObject({
        kind: z.enum(['heading', 'note', 'keepit']),
        sources: z.array(z.string()),
        markerId: z.optional(z.string()),
      }),
    ),
  }),
});

/**
 * The blocks of each line of a version's `.jsonl`, behind the texts that introduce the version and came from no message; undefined for a
 * line that our engine did not write, or that is damaged.
 */
function recordsOf(jsonl: string): ({ readonly introductions: number; readonly blocks: StoredBlock[] } | undefined)[] {
  const lines = jsonl.split('\n').filter((line) => line.trim() !== '');
  return lines.map((line) => {
    const record = recordSchema.safeParse(parsedJson(line));
    if (!record.success) return undefined;
    const { type: role, message, keepit } = record.data;
    const introductions = message.content.length - keepit.blocks.length;
    const blocks = keepit.blocks.map(({ kind, sources, markerId }, at) => {
      return { kind, role, text: message.content[introductions + at]?.text ?? '', sources, markerId };
    });
    return { introductions, blocks };
  });
}

/** The blocks of a version, as far as its `.jsonl` can be read. */
export function storedBlocks(jsonl: string): StoredBlock[] {
  return recordsOf(jsonl).flatMap((record) => record?.blocks.filter(({ text }) => text !== '') ?? []);
}

/** All blocks of a version; undefined for what was not written by our engine, or not in whole. */
export function wholeBlocks(jsonl: string): StoredBlock[] | undefined {
  const blocks: StoredBlock[] = [];
  for (const [at, record] of recordsOf(jsonl).entries()) {
    // The opening says what a version is, before all blocks and in the record of the first ones if those are the user's.
    if (record === undefined || record.introductions < 0 || record.introductions > (at === 0 ? 1 : 0)) return undefined;
    blocks.push(...record.blocks);
  }
  return blocks.length === 0 ? undefined : blocks;
}

/** The blocks of a version, in its order. Throws `CompressionError` when its files are gone. */
export async function readVersion(
  store: Pick<MemoryStore, 'versions'>,
  { projectId, sessionId }: SessionRef,
  version: CompressionRecord,
): Promise<StoredBlock[]> {
  const jsonl = await store.versions.read(projectId, sessionId, version.file, 'jsonl');
  const blocks = jsonl === undefined ? undefined : wholeBlocks(jsonl);
  if (blocks !== undefined) return blocks;
  // A version that another tool wrote, or of which only the readable form is left: it says the same, without lineage.
  const markdown = await store.versions.read(projectId, sessionId, version.file, 'md');
  if (markdown === undefined) throw new CompressionError('version-unreadable', version.file);
  return [{ kind: 'note', role: 'assistant', text: withoutHeadline(markdown), sources: [] }];
}

/** A version's `.md` without the first line, which only names the version. */
export function withoutHeadline(markdown: string): string {
  return markdown.startsWith('<!--') ? markdown.slice(markdown.indexOf('\n') + 1) : markdown;
}

/** A block of a version's Markdown, and the messages of the original that it came from. */
export interface PlacedBlock extends Pick<StoredBlock, 'kind' | 'sources'> {
  /** 0-based lines of the Markdown, both included. */
  readonly start: number;
  readonly end: number;
}

/**
 * Where the blocks of a version are in its Markdown, and where each came from: that stands in the `.jsonl`. A block that is not found
 * where it should be (somebody edited the file) is left out, and the others are found all the same. Linear.
 */
export function placeBlocks(markdown: string, jsonl: string): PlacedBlock[] {
  const blocks: PlacedBlock[] = [];
  const lines = new LineCounter(markdown);
  let from = 0;
  for (const { text, kind, sources } of storedBlocks(jsonl)) {
    const at = markdown.indexOf(text, from);
    if (at === -1) continue;
    from = at + text.length;
    blocks.push({ start: lines.lineAt(at), end: lines.lineAt(Math.max(at, from - 1)), kind, sources });
  }
  return blocks;
}

/** Lines of ascending offsets. */
class LineCounter {
  private line = 0;
  private offset = 0;

  constructor(private readonly text: string) {}

  lineAt(offset: number): number {
    for (
      let at = this.text.indexOf('\n', this.offset);
      at !== -1 && at < offset;
      at = this.text.indexOf('\n', at + 1)
    ) {
      this.line += 1;
      this.offset = at + 1;
    }
    return this.line;
  }
}

/** The blocks that come from other messages than the one before them: a way back above each of them is enough. */
export function leadingBlocks(blocks: readonly PlacedBlock[]): PlacedBlock[] {
  const keyOf = (block: PlacedBlock | undefined): string => block?.sources.join(' ') ?? '';
  return blocks.filter((block, index) => keyOf(block) !== '' && keyOf(block) !== keyOf(blocks[index - 1]));
}

/** What leads from a block to where it came from. */
export function lineageTitle({ sources }: Pick<PlacedBlock, 'sources'>): string {
  return sources.length === 1 ? 'Go to its message' : `Go to its ${sources.length} messages`;
}
