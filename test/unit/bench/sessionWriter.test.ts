import assert from 'node:assert/strict';
import * as z from 'zod';
import { Random } from '../../bench/random';
import { SessionWriter } from '../../bench/sessionWriter';
import { TextPool } from '../../bench/textPool';

const identity = { sessionId: 'a', cwd: '/home/sam/src/orders', startMs: 0 };

function linesOf(seed: number, bytes: number): string[] {
  const random = new Random(seed);
  const session = new SessionWriter(identity, random, new TextPool(random));
  const lines: string[] = [];
  for (let written = 0; written < bytes; written = lines.reduce((sum, line) => sum + line.length, 0)) {
    lines.push(...session.turn());
  }
  return lines;
}

const blockSchema = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  content: z.union([z.string(), z.array(z.unknown())]).optional(),
});

const lineSchema = z.looseObject({
  uuid: z.string().optional(),
  parentUuid: z.string().nullable().optional(),
  data: z.unknown().optional(),
  toolUseResult: z.unknown().optional(),
  message: z.looseObject({ content: z.union([z.string(), z.array(blockSchema)]) }).optional(),
});

function sizeOf(value: unknown): number {
  return value === undefined ? 0 : Buffer.byteLength(JSON.stringify(value));
}

/** Which part of a transcript's bytes is what, in percent. */
function shares(lines: readonly string[]): Record<string, number> {
  const bytes = { toolUseResult: 0, toolResult: 0, progress: 0, base64: 0, prose: 0 };
  for (const text of lines) {
    const line = lineSchema.parse(JSON.parse(text));
    bytes.toolUseResult += sizeOf(line.toolUseResult);
    bytes.progress += sizeOf(line.data);
    const content = line.message?.content;
    if (typeof content === 'string') bytes.prose += sizeOf(content);
    for (const block of Array.isArray(content) ? content : []) {
      if (block.type === 'text') bytes.prose += sizeOf(block.text);
      if (block.type !== 'tool_result') continue;
      bytes[Array.isArray(block.content) ? 'base64' : 'toolResult'] += sizeOf(block.content);
    }
  }
  const total = lines.reduce((sum, line) => sum + Buffer.byteLength(line), 0);
  return Object.fromEntries(Object.entries(bytes).map(([name, count]) => [name, (count / total) * 100]));
}

describe('generated transcripts', () => {
  it('are the same for the same seed, and others for another', () => {
    assert.deepEqual(linesOf(7, 50_000), linesOf(7, 50_000));
    assert.notDeepEqual(linesOf(7, 50_000), linesOf(8, 50_000));
  });

  it('have their bytes where real transcripts have them', () => {
    const found = shares(linesOf(1, 6_000_000));
    const real: Record<string, number> = { toolUseResult: 32, toolResult: 18, progress: 16, base64: 7, prose: 1.3 };
    for (const [name, percent] of Object.entries(real)) {
      const tolerance = Math.max(0.5, percent * 0.25);
      assert.ok(Math.abs((found[name] ?? 0) - percent) <= tolerance, `${name}: ${JSON.stringify(found)}`);
    }
  });

  it('chain every record to the one before it', () => {
    let parent: string | null = null;
    for (const text of linesOf(3, 100_000)) {
      const { uuid, parentUuid } = lineSchema.parse(JSON.parse(text));
      if (uuid === undefined) continue;
      assert.equal(parentUuid, parent);
      parent = uuid;
    }
  });
});
