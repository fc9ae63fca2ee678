import * as z from 'zod/mini';
import type { CompressionRecord } from '../model/compression';
import type { MemoryStore } from '../model/memoryStore';
import type { SessionRef } from '../sessions/results';
import { CompressionError } from '../versions/compressionError';
import { parsedLine } from './composedLineage';
import type { ContextBlock, Piece } from './types';

const lineageSchema = z.looseObject({
  kind: z.enum(['heading', 'note', 'keepit']),
  sources: z.array(z.string()),
  markerId: z.optional(z.string()),
});

/** A record of a version's `.jsonl`: its texts, and for each where it came from. */
const versionRecordSchema = z.looseObject({
  type: z.enum(['user', 'assistant']),
  message: z.looseObject({ content: z.array(z.looseObject({ type: z.string(), text: z.optional(z.string()) })) }),
  keepit: z.looseObject({ blocks: z.array(lineageSchema) }),
});

/** Reads what the versions of sessions say. */
export class VersionReader {
  constructor(private readonly store: Pick<MemoryStore, 'readVersion'>) {}

  /** The blocks of a version, in its order. Throws `CompressionError` when its files are gone. */
  async read({ projectId, sessionId }: SessionRef, version: CompressionRecord): Promise<ContextBlock[]> {
    const jsonl = await this.store.readVersion(projectId, sessionId, version.file, 'jsonl');
    const blocks = jsonl === undefined ? undefined : blocksOf(jsonl);
    if (blocks !== undefined) return blocks;
    // A version that another tool wrote, or of which only the readable form is left: it says the same, without lineage.
    const markdown = await this.store.readVersion(projectId, sessionId, version.file, 'md');
    if (markdown === undefined) throw new CompressionError('version-unreadable', version.file);
    return [{ kind: 'note', role: 'assistant', text: bodyOf(markdown), sources: [] }];
  }
}

/** The version that a piece is; undefined for the original. */
export function versionOfPiece(
  { versionId }: Piece,
  versions: readonly CompressionRecord[],
): CompressionRecord | undefined {
  return versions.find((version) => version.versionId === versionId);
}

/** Undefined for what was not written by our engine, or not in whole. */
function blocksOf(jsonl: string): ContextBlock[] | undefined {
  const blocks: ContextBlock[] = [];
  let isFirst = true;
  for (const line of jsonl.split('\n')) {
    if (line.trim() === '') continue;
    const record = versionRecordSchema.safeParse(parsedLine(line));
    if (!record.success) return undefined;
    const { type: role, message, keepit } = record.data;
    // The opening says what a version is, before all blocks and in the record of the first ones if those are the user's: a composition says that itself.
    const introductions = message.content.length - keepit.blocks.length;
    if (introductions < 0 || introductions > (isFirst ? 1 : 0)) return undefined;
    isFirst = false;
    for (const [at, { kind, sources, markerId }] of keepit.blocks.entries()) {
      const text = message.content[introductions + at]?.text ?? '';
      blocks.push({ kind, role, text, sources, ...(markerId !== undefined && { markerId }) });
    }
  }
  return blocks.length === 0 ? undefined : blocks;
}

/** Everything after the first line, which only names the version. */
function bodyOf(markdown: string): string {
  return markdown.startsWith('<!--') ? markdown.slice(markdown.indexOf('\n') + 1) : markdown;
}
