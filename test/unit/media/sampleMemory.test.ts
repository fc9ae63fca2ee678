import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod/mini';
import { parseKeepits } from '../../../src/core/keepits/markerParser';
import { EstimatingTokenCounter } from '../../../src/core/text/tokens/estimatingTokenCounter';
import { TranscriptReader } from '../../../src/core/transcript/transcriptReader';

/** Tests run in the repository's folder. */
const PROJECTS = path.resolve('media/sample/claude-home/projects');
const MAX_BYTES = 300_000;

const blockSchema = z.looseObject({
  type: z.string(),
  id: z.optional(z.string()),
  tool_use_id: z.optional(z.string()),
  text: z.optional(z.string()),
});
const recordSchema = z.looseObject({
  type: z.string(),
  uuid: z.optional(z.string()),
  parentUuid: z.optional(z.nullable(z.string())),
  timestamp: z.optional(z.string()),
  sessionId: z.optional(z.string()),
  message: z.optional(z.looseObject({ content: z.union([z.string(), z.array(blockSchema)]) })),
});
type SampleRecord = z.infer<typeof recordSchema>;

async function transcripts(): Promise<string[]> {
  const entries = await readdir(PROJECTS, { recursive: true });
  return entries.filter((name) => name.endsWith('.jsonl')).map((name) => path.join(PROJECTS, name));
}

async function recordsOf(file: string): Promise<SampleRecord[]> {
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
  return lines.map((line) => recordSchema.parse(JSON.parse(line)));
}

async function conversationOf(file: string) {
  const reader = new TranscriptReader({ estimator: new EstimatingTokenCounter() });
  reader.feed(await readFile(file));
  return reader.conversation();
}

function blocksOf(records: readonly SampleRecord[]) {
  return records.flatMap(({ message }) => {
    const content = message?.content ?? [];
    return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  });
}

describe('the sample memory', () => {
  it('is small: it ships with the extension', async () => {
    const sizes = await Promise.all((await transcripts()).map(async (file) => (await readFile(file)).length));
    const total = sizes.reduce((sum, size) => sum + size, 0);
    assert.ok(total < MAX_BYTES, `${total} bytes`);
  });

  it('answers every tool call, knows every parent, and goes forward in time', async () => {
    for (const file of await transcripts()) {
      const records = await recordsOf(file);
      const blocks = blocksOf(records);
      const calls = blocks.flatMap(({ type, id }) => (type === 'tool_use' && id !== undefined ? [id] : []));
      const answers = blocks.flatMap(({ tool_use_id: id }) => (id === undefined ? [] : [id]));
      assert.deepEqual(answers.sort(), calls.sort(), file);
      const uuids = new Set(records.map(({ uuid }) => uuid));
      assert.ok(records.every(({ parentUuid }) => typeof parentUuid !== 'string' || uuids.has(parentUuid)), file);
      const times = records.flatMap(({ timestamp }) => (timestamp === undefined ? [] : [Date.parse(timestamp)]));
      assert.deepEqual(times, times.toSorted((a, b) => a - b), file);
    }
  });

  it('is read without a broken or an unknown line', async () => {
    for (const file of await transcripts()) {
      const { account, messages } = await conversationOf(file);
      assert.equal(account.brokenCount, 0, file);
      assert.deepEqual(Object.keys(account.skipped).filter((reason) => /unknown/.test(reason)), [], file);
      assert.ok(messages.length > 1, file);
    }
  });

  it('shows what Keepit is about: a rewind, a compaction, a sub-agent, a renamed and a queued one', async () => {
    const files = await transcripts();
    const conversations = await Promise.all(files.map(conversationOf));
    assert.ok(conversations.some(({ abandoned }) => abandoned.length > 0), 'a rewind');
    assert.ok(conversations.some(({ meta }) => meta.compactions.length > 0), 'a compaction');
    assert.ok(conversations.some(({ titles }) => titles.custom !== undefined), 'a title given by hand');
    assert.ok(files.some((file) => file.includes('subagents')), 'a sub-agent');
    const types = (await Promise.all(files.map(recordsOf))).flat().map(({ type }) => type);
    assert.ok(types.includes('queue-operation'), 'a queued prompt');
  });

  it('has keepits of every weight but a hint, and none that is malformed', async () => {
    const weights = new Set<number>();
    for (const file of await transcripts()) {
      for (const { text } of blocksOf(await recordsOf(file))) {
        const { spans, diagnostics } = parseKeepits(text ?? '');
        assert.deepEqual(diagnostics, [], file);
        for (const { weight } of spans) weights.add(weight);
      }
    }
    assert.deepEqual([...weights].sort(), [0.25, 0.5, 0.75, 0.9, 1]);
  });
});
