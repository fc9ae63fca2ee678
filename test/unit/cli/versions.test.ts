import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as z from 'zod/mini';
import { commandsFor } from '../../../src/cli/commandTable';
import { runCli } from '../../../src/cli/runCli';
import { compressionRecordSchema } from '../../../src/core/model/compression';
import { FakeMemory } from '../support/fakeMemory';
import { TranscriptBuilder } from '../support/transcriptBuilder';
import { errorOf } from './support/documents';
import { FakeHost } from './support/fakeHost';

const APP = '-home-ada-src-app';
const madeSchema = z.object({ version: z.extend(compressionRecordSchema, { files: z.array(z.string()) }) });
const estimateSchema = z.object({
  estimate: z.looseObject({ outputTokens: z.number(), receipt: z.array(z.unknown()) }),
});
const listingSchema = z.object({
  original: z.object({ tokens: z.number(), messages: z.number() }),
  versions: z.array(z.extend(compressionRecordSchema, { usedIn: z.array(z.string()) })),
  parts: z.array(z.looseObject({ partNumber: z.number(), versionIds: z.array(z.string()) })),
  delta: z.looseObject({ newMessages: z.number(), newTokens: z.number(), nextPart: z.number() }),
});
const deletionSchema = z.looseObject({
  deleted: z.array(z.string()),
  refused: z.array(z.object({ versionId: z.string(), usedIn: z.array(z.string()) })),
  undo: z.optional(z.string()),
});

describe('versions on the command line', () => {
  let memory: FakeMemory;
  let folder: string;

  async function run(...argv: string[]) {
    const host = new FakeHost(() => ({ memory: memory.service, dispose: async () => undefined }));
    const code = await runCli(argv, await commandsFor(argv), host, new AbortController().signal);
    return { code, out: host.stdout.text, err: host.stderr.text };
  }

  async function json<Schema extends z.core.$ZodType>(schema: Schema, ...argv: string[]): Promise<z.output<Schema>> {
    const { code, out, err } = await run(...argv, '--json');
    assert.equal(code, 0, out + err);
    return z.parse(schema, JSON.parse(out));
  }

  async function fails(code: number, reason: string, ...argv: string[]): Promise<void> {
    const failed = await run(...argv, '--json');
    assert.deepEqual([failed.code, errorOf(failed.out).code], [code, reason], failed.err);
  }

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'keepit-tiers-'));
  });
  after(() => rm(folder, { recursive: true }));

  beforeEach(async () => {
    memory = new FakeMemory();
    const transcript = new TranscriptBuilder('aaaa');
    for (let index = 0; index < 10; index++) {
      transcript.human(`Please repair the build of module ${index}, it fails since yesterday.`);
      transcript.assistant(`Module ${index} builds again: the path in its configuration was wrong.`);
    }
    transcript.human('##keepit1.00## Never commit on Fridays.\n##keepit0.10## maybe');
    memory.claude.write(`${APP}/aaaa.jsonl`, transcript);
    await memory.service.sessions.register([{ projectId: APP, sessionId: 'aaaa' }]);
  });

  it('are previewed, made, listed, shown, deleted and restored', async () => {
    const { estimate } = await json(estimateSchema, 'compress', 'aaaa', '--ratio', '5:1', '--dry-run');
    assert.equal(estimate.receipt.length, 2);
    assert.deepEqual((await json(listingSchema, 'versions', 'aaaa')).versions, []);
    const { version } = await json(madeSchema, 'compress', 'aaaa', '--ratio', '5', '--level', 'moderate');
    assert.equal(version.versionId, 'v001');
    assert.equal(version.files.length, 2);
    assert.ok(version.fidelity !== undefined && version.receipt?.length === 2);
    const part = (await json(madeSchema, 'compress', 'aaaa', '--delta', '--preset', '1')).version;
    assert.deepEqual([part.versionId, part.settings.tierPreset], ['part1_v001', 'gentle']);
    const listing = await json(listingSchema, 'versions', 'aaaa');
    assert.deepEqual(
      listing.versions.map(({ versionId }) => versionId),
      ['v001', 'part1_v001'],
    );
    const md = await memory.service.versions.text({ projectId: APP, sessionId: 'aaaa' }, 'v001', 'md');
    assert.equal((await run('version', 'show', 'aaaa', 'v001')).out, md);
    const jsonl = (await run('version', 'show', 'aaaa', 'v001', '--format', 'jsonl')).out;
    assert.ok(jsonl.trimEnd().split('\n').length >= 1 && jsonl.startsWith('{"parentUuid":null'));
    const { deleted, undo = '' } = await json(deletionSchema, 'version', 'delete', 'aaaa', 'v001', 'part1_v001');
    assert.deepEqual(deleted, ['v001', 'part1_v001']);
    assert.equal((await run(...undo.split(' ').slice(1))).code, 0);
    assert.equal((await json(listingSchema, 'versions', 'aaaa')).versions.length, 2);
  });

  it('are told in words', async () => {
    const dry = (await run('compress', 'aaaa', '--dry-run')).out;
    assert.match(dry, /^Would make messages 1–21 tiered standard\n/);
    assert.match(dry, /Keepits +1 kept, 1 faded\n/);
    assert.match(dry, /kept +\S+ +1\.00 +pinned: always survives\n/);
    assert.match((await run('versions', 'aaaa')).out, /No versions yet: `keepit compress` makes one/);
    const made = (await run('compress', 'aaaa', '--ratio', '10')).out;
    assert.match(made, /^✓ v001 {2}uniform 10:1 moderate\n {2}Messages {2}1–21\n/);
    assert.match(made, /asked for 10:1/);
    assert.match(made, /Files +\/store\S+\.md\n +\/store\S+\.jsonl\n/);
    await run('compress', 'aaaa', '--delta');
    const listed = (await run('versions', 'aaaa')).out;
    assert.match(listed, /The whole session\n {2}Version .*\n {2}v001 +uniform 10:1 moderate/);
    assert.match(listed, /Part 1 {2}messages 1–21\n.*\n {2}part1_v001/);
    assert.match(listed, /Every message is in a part\./);
    assert.match((await run('show', 'aaaa')).out, /Versions +2 versions; every message is in a part\n/);
    assert.match((await run('stats')).out, /Versions +2 with .* tokens saved\n/);
  });

  it('are made by tiers of a file', async () => {
    const file = path.join(folder, 'tiers.json');
    const tiers = [
      { endPercent: 50, compactionRatio: 20, aggressiveness: 'aggressive' },
      { endPercent: 100, compactionRatio: 2, aggressiveness: 'minimal' },
    ];
    await writeFile(file, JSON.stringify(tiers));
    const { version } = await json(madeSchema, 'compress', 'aaaa', '--tiers', file);
    assert.deepEqual(version.settings.customTiers, tiers);
    await writeFile(file, JSON.stringify(tiers.slice(0, 1)));
    await fails(1, 'compression-bad-tiers', 'compress', 'aaaa', '--tiers', file);
    for (const text of ['{', '{"endPercent":1}', '[{"endPercent":"x"}]']) {
      await writeFile(file, text);
      await fails(2, 'usage', 'compress', 'aaaa', '--tiers', file);
    }
    await fails(2, 'usage', 'compress', 'aaaa', '--tiers', path.join(folder, 'none.json'));
  });

  it('are refused with a reason, by exit code', async () => {
    const wrong = ['--ratio 0', '--ratio x', '--level hard', '--preset 4', '--mode x', '--keepit-mode x', '--part x'];
    const more = [
      '--skip-first -1',
      '--distance x',
      '--provider x',
      '--max-cost x',
      '--delta --part 1',
      '--whole --delta',
      '--ratio 5 --preset standard',
      '--level moderate --preset 1',
      '--mode tiered --ratio 5',
      '--mode uniform --preset 1',
    ];
    for (const options of [...wrong, ...more]) await fails(2, 'usage', 'compress', 'aaaa', ...options.split(' '));
    await fails(1, 'compression-bad-ratio', 'compress', 'aaaa', '--ratio', '5000');
    await fails(1, 'compression-no-such-part', 'compress', 'aaaa', '--part', '2');
    await fails(1, 'compression-nothing-left', 'compress', 'aaaa', '--skip-first', '100');
    await fails(1, 'compression-no-such-version', 'version', 'show', 'aaaa', 'v007');
    await fails(2, 'usage', 'version', 'show', 'aaaa', 'v007', '--format', 'pdf');
    await fails(2, 'usage', 'version', 'delete', 'aaaa');
    await fails(1, 'compression-no-such-version', 'version', 'delete', 'aaaa', 'v007');
    await fails(1, 'store-not-found', 'version', 'restore', 'aaaa', 'nothing');
    await fails(1, 'compression-no-such-provider', 'compress', 'aaaa', '--provider', 'vscode-lm', '--yes');
  });

  it('stay while compositions use them, and the exit code says so', async () => {
    await run('compress', 'aaaa');
    const manifest = memory.store.manifests.get(APP)!;
    const component = { sessionId: 'aaaa', versionId: 'v001', order: 0, tokenContribution: 1 };
    const record = { compositionId: 'c', name: 'x', createdAt: '', components: [component], outputFile: '' };
    const compositions = { x: { ...record, totalTokens: 1, totalMessages: 1, usedInSessions: [] } };
    memory.store.manifests.set(APP, { ...manifest, compositions });
    const kept = await run('version', 'delete', 'aaaa', 'v001', '--json');
    assert.equal(kept.code, 1);
    assert.deepEqual(deletionSchema.parse(JSON.parse(kept.out)).refused, [{ versionId: 'v001', usedIn: ['x'] }]);
    assert.equal(errorOf(kept.out).code, 'versions-in-use');
    assert.deepEqual((await json(deletionSchema, 'version', 'delete', 'aaaa', 'v001', '--force')).deleted, ['v001']);
  });
});
