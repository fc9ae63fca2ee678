import assert from 'node:assert/strict';
import * as z from 'zod/mini';
import { commandsFor } from '../../../src/cli/commandTable';
import { runCli } from '../../../src/cli/runCli';
import { FakeMemory } from '../support/fakeMemory';
import { TranscriptBuilder } from '../support/transcriptBuilder';
import { errorOf } from './support/documents';
import { FakeHost } from './support/fakeHost';

const APP = '-home-ada-src-app';
const ref = { projectId: APP, sessionId: 'aaaa' };

const diffSchema = z.looseObject({
  a: z.looseObject({ versionId: z.string() }),
  b: z.looseObject({ versionId: z.string() }),
  added: z.number(),
  removed: z.number(),
  kept: z.number(),
  lost: z.array(z.looseObject({ kind: z.string(), text: z.string(), messageUuid: z.string() })),
  hunks: z.array(
    z.looseObject({
      from: z.number(),
      to: z.number(),
      parts: z.array(z.looseObject({ change: z.string(), text: z.string() })),
    }),
  ),
});

describe('keepit diff', () => {
  let memory: FakeMemory;

  async function run(
    args: readonly string[],
    env: Record<string, string> = {},
  ): Promise<{ code: number; out: string }> {
    const host = new FakeHost(() => ({ memory: memory.service, dispose: async () => undefined }), { env });
    const code = await runCli(args, await commandsFor(args), host, new AbortController().signal);
    return { code, out: host.stdout.text };
  }

  beforeEach(async () => {
    memory = new FakeMemory();
    const transcript = new TranscriptBuilder('aaaa')
      .human('Never use axios in this project. ##keepit0.10## The logo may be green.')
      .assistant(
        `Understood. ${'The importer read every single row of the table twice before it wrote one. '.repeat(30)}`,
      )
      .human('Fix the parser in src/parser.ts, please.')
      .assistant('Fixed the parser in src/parser.ts, because it read one line too far.');
    memory.claude.write(`${APP}/aaaa.jsonl`, transcript);
    await memory.service.sessions.register([ref]);
    await memory.service.versions.compress(ref, { mode: 'uniform', compactionRatio: 60, aggressiveness: 'aggressive' });
  });

  it('answers with what was kept, removed, added and lost', async () => {
    const { code, out } = await run(['diff', 'aaaa', 'original', 'v001', '--json']);
    assert.equal(code, 0);
    const { a, b, removed, lost, hunks } = diffSchema.parse(JSON.parse(out));
    assert.deepEqual([a.versionId, b.versionId], ['original', 'v001']);
    assert.ok(removed > 100 && hunks.length > 0);
    assert.deepEqual(lost.find(({ kind }) => kind === 'keepit')?.text, 'The logo may be green.');
  });

  it('tells people first how much, then what was lost, then the texts', async () => {
    const { out } = await run(['diff', 'aaaa', 'original', 'v001']);
    assert.match(
      out,
      /^Original → v001 {2}[\d,]+ → [\d,]+ tokens, \d+:1\n[\d,]+ words? kept, [\d,]+ removed, [\d,]+ added\n/,
    );
    assert.match(out, /\nFidelity of v001: 0\.\d\d {2}keepits 0\.00, /);
    assert.match(out, /\nLost {2}1 keepit, /);
    assert.match(out, /\n {2}keepit The logo may be green\. \(message 1, 0\.10 < 0\.\d\d\)\n/);
    assert.match(out, /\n@@ Messages? 1/);
    assert.match(out, /\[-[^]*…\[[\d,]+ characters\]…[^]*-\]/);
    assert.ok(!out.includes('\u001b'));
  });

  it('paints instead of bracketing where there are colours', async () => {
    const { out } = await run(['diff', 'aaaa', 'original', 'v001'], { FORCE_COLOR: '1' });
    assert.ok(out.includes('\u001b[31m') && !out.includes('[-'));
  });

  it('leaves the texts out, or shortens nothing, when asked to', async () => {
    assert.ok(!(await run(['diff', 'aaaa', 'original', 'v001', '--lost'])).out.includes('@@'));
    assert.ok(!(await run(['diff', 'aaaa', 'original', 'v001', '--full'])).out.includes('characters]…'));
  });

  it('says so when there is no such version', async () => {
    const { code, out } = await run(['diff', 'aaaa', 'original', 'v007', '--json']);
    assert.equal(code, 1);
    assert.match(errorOf(out).message, /v007/);
    assert.equal((await run(['diff', 'aaaa', 'original'])).code, 2);
  });
});
