import { strict as assert } from 'node:assert';
import { rollingIndexSchema, rollingSummarySchema } from '../../../../../src/core/model/rolling';
import { FakeMemory } from '../../../support/fakeMemory';
import { TranscriptBuilder } from '../../../support/transcriptBuilder';

const projectId = '-home-ada-src-app';
const ref = { projectId, sessionId: '11111111-aaaa' };

const begun = (): TranscriptBuilder =>
  new TranscriptBuilder(ref.sessionId)
    .human('We decided to use Postgres for the session cache because it is durable.')
    .assistant('The root cause was that the tokenizer dropped the last line of every file.', {
      stop_reason: 'end_turn',
    })
    .human('Always write tests for the parser module. My key is ghp_a1B2a1B2a1B2a1B2a1B2a1B2a1B2a1B2a1B2.');

describe('RollingService', () => {
  const textsOf = (fake: FakeMemory) => fake.layerStore.texts({ projectId });
  const indexOf = (fake: FakeMemory) =>
    rollingIndexSchema.parse(JSON.parse(textsOf(fake).get('memory-index.json') ?? '{}'));

  async function memory(): Promise<FakeMemory> {
    const fake = new FakeMemory();
    fake.claude.write(`${projectId}/${ref.sessionId}.jsonl`, begun());
    await fake.service.layers.enable(projectId, {});
    return fake;
  }

  it('takes every message in once', async () => {
    const fake = await memory();
    assert.equal((await fake.service.rolling.final(ref)).newMessages, 3);
    assert.equal((await fake.service.rolling.final(ref)).newMessages, 0);
    const text = textsOf(fake).get('memory.md') ?? '';
    assert.equal(text.includes('- **Decision:** We decided to use Postgres'), true, text);
    assert.equal(text.includes('ghp_'), false);
    fake.claude.write(
      `${projectId}/${ref.sessionId}.jsonl`,
      begun().human('Never commit to the main branch of this repository.'),
    );
    assert.equal((await fake.service.rolling.final(ref)).newMessages, 1);
    const grown = textsOf(fake).get('memory.md') ?? '';
    assert.equal(grown.startsWith(text), true);
    assert.equal(grown.split('use Postgres').length, text.split('use Postgres').length);
  });

  it('counts turns, and takes in what is new at every 25th', async () => {
    const fake = await memory();
    for (let turn = 1; turn < 25; turn++) assert.equal((await fake.service.rolling.check(ref)).counter, turn);
    assert.equal(textsOf(fake).has('memory.md'), false);
    const { counter, newMessages } = await fake.service.rolling.check(ref);
    assert.deepEqual([counter, newMessages], [0, 3]);
    await fake.service.rolling.check(ref);
    assert.equal((await fake.service.rolling.reset(projectId)).counter, 0);
  });

  it('rotates a memory that has grown too large, with a summary and every field of the index', async () => {
    const fake = await memory();
    const texts = textsOf(fake);
    const old = `## Session\n\n- **Decision:** Use Redis for the queue because it is fast.\n- **Open:** The importer is slow.\n\n${'x\n'.repeat(12_000)}`;
    texts.set('memory.md', old);
    const { rotated } = await fake.service.rolling.final(ref);
    assert.deepEqual(rotated, ['memory_20260120_120000.md']);
    assert.equal(texts.get('memory_20260120_120000.md')?.startsWith(old), true);
    const index = indexOf(fake);
    const [entry] = index.rotatedFiles;
    assert.equal(entry?.summary, 'memory_20260120_120000.summary.json');
    assert.equal(entry.summaryGenerated, true);
    assert.deepEqual(index.stats, { totalRotations: 1, lastRotation: '2026-01-20T12:00:00.000Z' });
    assert.equal(index.lastMemoryUpdateTs, '2026-01-20T12:00:00.000Z');
    assert.equal(typeof index.deltaCreatedAtMemoryMtime, 'number');
    const summary = rollingSummarySchema.parse(JSON.parse(texts.get(entry.summary) ?? ''));
    assert.deepEqual(summary.keyDecisions[0], { decision: 'Use Redis for the queue', reason: 'it is fast' });
    assert.equal(
      summary.issues.some(({ issue, status }) => issue === 'The importer is slow.' && status === 'open'),
      true,
    );
    assert.equal((await fake.service.rolling.final(ref)).newMessages, 0);
  });

  it('loses nothing and takes nothing in twice, wherever it is killed while it rotates', async () => {
    const fake = await memory();
    const texts = textsOf(fake);
    texts.set('memory.md', 'x\n'.repeat(12_000));
    const states: Map<string, string>[] = [new Map(texts)];
    const set = texts.set.bind(texts);
    texts.set = (name, text) => {
      const now = set(name, text);
      states.push(new Map(now));
      return now;
    };
    await fake.service.rolling.final(ref);
    texts.set = set;
    const whole = texts.get('memory_20260120_120000.md');
    for (const state of states) {
      texts.clear();
      for (const [name, text] of state) set(name, text);
      await fake.service.rolling.final(ref);
      const archives = [...texts.keys()].filter((name) => /^memory_.*\.md$/.test(name));
      assert.deepEqual(archives, ['memory_20260120_120000.md']);
      assert.equal(texts.get('memory_20260120_120000.md'), whole);
      assert.equal(indexOf(fake).stats.totalRotations, 1);
      assert.equal((texts.get('memory.md') ?? '').split('use Postgres').length > 1, true);
    }
  });

  it('brings an index up to date that was not written any more', async () => {
    const fake = await memory();
    const texts = textsOf(fake);
    await fake.service.rolling.final(ref);
    const index = indexOf(fake);
    texts.delete('memory-index.json');
    assert.equal((await fake.service.rolling.final(ref)).newMessages, 0);
    const { lastMemoryUpdateTs } = indexOf(fake); // the time of the file, which nothing keeps here
    assert.deepEqual(indexOf(fake), { ...index, lastMemoryUpdateTs });
  });

  it('reads the folder of another tool as it is, and keeps what it does not know', async () => {
    const fake = await memory();
    const texts = textsOf(fake);
    texts.set('memory.md', '# Memory\n\nWords.\n');
    texts.set('memory_20260113_120000.md', '- Decided: use bcrypt since it is proven\n');
    texts.set(
      'memory-index.json',
      '{"version":1,"current":"memory.md","counter":7,"mine":true,"lastMemoryUpdateTs":null,"rotatedFiles":[{"file":"memory_20260113_120000.md","rotatedAt":"2026-01-13T12:00:00.000Z","tokenCount":24500,"summary":null,"summaryGenerated":false}],"stats":{"totalRotations":1,"lastRotation":null}}',
    );
    assert.equal((await fake.service.rolling.check(ref)).counter, 8);
    assert.equal(indexOf(fake)['mine'], true);
    assert.deepEqual(await fake.service.rolling.summarize(projectId), ['memory_20260113_120000.summary.json']);
    assert.deepEqual(await fake.service.rolling.summarize(projectId), []);
    const listed = (await fake.service.rolling.list(projectId)).map(({ name, kind }) => `${kind} ${name}`);
    assert.deepEqual(listed.sort(), [
      'archive memory_20260113_120000.md',
      'memory memory.md',
      'summary memory_20260113_120000.summary.json',
    ]);
  });

  it('makes a damaged index again of the archives that there are', async () => {
    const fake = await memory();
    const texts = textsOf(fake);
    texts.set('memory_20260113_120000.md', 'Words.\n');
    texts.set('memory-index.json', '{"version"');
    await fake.service.rolling.check(ref);
    assert.equal(texts.get('memory-index.json.corrupt'), '{"version"');
    assert.equal(indexOf(fake).rotatedFiles[0]?.rotatedAt, '2026-01-13T12:00:00.000Z');
  });

  it('writes whole files without secrets', async () => {
    const fake = await memory();
    await fake.service.rolling.set(projectId, 'project.md', 'A ledger. <private>For Bob.</private>');
    assert.equal(await fake.service.rolling.get(projectId, 'project.md'), 'A ledger.\n');
    await assert.rejects(fake.service.rolling.get(projectId, 'conventions.md'), { reason: 'not-built' });
  });
});
