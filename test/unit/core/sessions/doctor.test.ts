import assert from 'node:assert/strict';
import type { StoreFinding } from '../../../../src/core/model/host';
import { FakeMemory } from '../../support/fakeMemory';
import { someTranscript } from '../../support/transcriptBuilder';

const APP = '-home-ada-src-app';
const ref = (sessionId: string) => ({ projectId: APP, sessionId });

const names = [
  'claude folder',
  'transcripts',
  'expiring sessions',
  'erasing',
  'store',
  'configuration',
  'manifests',
  'versions',
  'compositions',
  'links',
  'file modes',
  'locks',
  'leftovers',
  'damaged files',
  'secrets',
  'foreign memories',
  'trash',
  'originals',
  'cache',
  'search index',
  'disk space',
  'node',
  'claude command',
  'remembered projects',
];

describe('doctor', () => {
  let memory: FakeMemory;

  beforeEach(async () => {
    memory = new FakeMemory();
    memory.claude.write(`${APP}/aaaa.jsonl`, someTranscript('aaaa'));
    await memory.service.sessions.register([ref('aaaa')]);
  });

  const check = async (name: string, repair = false) => {
    const found = (await memory.service.upkeep.doctor({ repair })).find((candidate) => candidate.name === name);
    assert.ok(found);
    return found;
  };

  it('finds nothing wrong with a sound memory', async () => {
    const checks = await memory.service.upkeep.doctor();
    assert.deepEqual(
      checks.map(({ name }) => name),
      names,
    );
    assert.deepEqual(
      checks.filter(({ ok }) => !ok),
      [],
    );
  });

  it('tells of an erase that was cut short, until it is finished or taken back', async () => {
    const finish = [
      () => memory.service.forgetting.allow('aaaa'),
      () => memory.service.forgetting.erase(ref('aaaa')),
    ] as const;
    for (const end of finish) {
      await memory.forgetting.change((before) => ({ ...before, erasing: [ref('aaaa')] }));
      const { ok, detail, hint } = await check('erasing');
      assert.deepEqual([ok, detail], [false, 'cut short, and to be finished: aaaa']);
      assert.match(hint ?? '', /keepit erase aaaa/);
      await end();
      assert.equal((await check('erasing')).ok, true);
    }
  });

  it('says how an erase of a message or of words is finished, or left', async () => {
    const words = 'a1b2c3d4e5f6a7b8';
    await memory.forgetting.change((before) => ({
      ...before,
      erasing: [{ ...ref('aaaa'), message: 'm1' }, { words }],
    }));
    const first = await check('erasing');
    assert.equal(first.detail, 'cut short, and to be finished: message m1 of aaaa · words (a1b2c3d4)');
    assert.match(first.hint ?? '', /`keepit erase aaaa m1` .* `keepit never remove m1`/);
    await memory.service.forgetting.allow('m1');
    assert.match((await check('erasing')).hint ?? '', /--text.* the same words .* `keepit never remove a1b2c3d4`/);
    await memory.service.forgetting.allow('a1b2c3d4');
    assert.equal((await check('erasing')).ok, true);
  });

  it('says what to do when there is nothing of Claude Code', async () => {
    memory.claude.files.clear();
    const { ok, hint } = await check('claude folder');
    assert.equal(ok, false);
    assert.match(hint ?? '', /CLAUDE_CONFIG_DIR/);
  });

  it('tells unreadable transcripts, and damaged lines without complaint', async () => {
    memory.claude.write(`${APP}/bbbb.jsonl`, someTranscript('bbbb').raw('{"torn'));
    assert.match(
      (await check('transcripts')).detail,
      /2 sessions can be read; passed over: 1 damaged line in 1 of them/,
    );
    memory.claude.unreadable.add(memory.claude.write(`${APP}/cccc.jsonl`, someTranscript('cccc')));
    assert.equal((await check('transcripts')).ok, false);
  });

  it('warns of sessions that are about to be deleted, not of those in memory', async () => {
    memory.claude.write(`${APP}/aaaa.jsonl`, someTranscript('aaaa'), '2025-12-22T00:00:00Z');
    assert.equal((await check('expiring sessions')).ok, true);
    memory.claude.write(`${APP}/bbbb.jsonl`, someTranscript('bbbb'), '2025-12-22T00:00:00Z');
    const { ok, detail } = await check('expiring sessions');
    assert.equal(ok, false);
    assert.match(detail, /^1 will be deleted/);
  });

  it('tells what the store found, and that it was mended', async () => {
    const finding = { path: '/store/x', isRepaired: false, isRepairable: true } as const;
    const kinds: StoreFinding['kind'][] = ['stale-lock', 'leftover', 'manifest', 'open-mode'];
    for (const kind of kinds) memory.store.findings.push({ ...finding, kind, problem: `${kind} found` });
    for (const name of ['locks', 'leftovers', 'manifests', 'file modes']) {
      assert.deepEqual([(await check(name)).ok, (await check(name)).isRepairable], [false, true], name);
      const mended = await check(name, true);
      assert.equal(mended.ok, true);
      assert.match(mended.detail, /^mended: /);
    }
  });

  it('keeps originals again that are missing or were cut short', async () => {
    const kept = `/store/${APP}/originals/aaaa.jsonl`;
    for (const damage of [() => memory.claude.delete(kept), () => memory.claude.write(kept, 'short')]) {
      damage();
      assert.deepEqual([(await check('originals')).ok, (await check('originals')).isRepairable], [false, true]);
      assert.match((await check('originals', true)).detail, /1 mended/);
      assert.equal((await check('originals')).ok, true);
      assert.equal(memory.claude.files.get(kept)?.bytes.length, someTranscript('aaaa').toString().length);
    }
  });

  it('cannot mend an original that is gone on both sides, and says so', async () => {
    memory.claude.files.clear();
    const { ok, detail, isRepairable } = await check('originals', true);
    assert.deepEqual([ok, isRepairable], [false, undefined]);
    assert.match(detail, /own file is gone/);
  });

  it('looks at the machine', async () => {
    memory.host = { nodeVersion: '18.1.0', freeBytes: 1000 };
    assert.equal((await check('node')).ok, false);
    assert.equal((await check('disk space')).ok, false);
    assert.deepEqual(await check('claude command'), { name: 'claude command', ok: true, detail: 'not found on PATH' });
  });
});

describe('stats', () => {
  it('adds up what is in memory, by project and over all', async () => {
    const memory = new FakeMemory();
    memory.claude.write(`${APP}/aaaa.jsonl`, someTranscript('aaaa'));
    memory.claude.write('-other/bbbb.jsonl', someTranscript('bbbb', 6, '/other'));
    await memory.service.sessions.register([ref('aaaa'), { projectId: '-other', sessionId: 'bbbb' }]);
    memory.claude.delete('-other/bbbb.jsonl');
    const stats = await memory.service.upkeep.stats();
    assert.deepEqual([stats.projects, stats.sessions, stats.savedSessions, stats.ratio], [2, 2, 1, 1]);
    assert.equal(
      stats.originalTokens,
      stats.byProject.reduce((sum, { tokens }) => sum + tokens, 0),
    );
    assert.equal(
      stats.originalBytes,
      stats.byProject.reduce((sum, { bytes }) => sum + bytes, 0),
    );
    assert.deepEqual([stats.storeBytes, stats.linkedBytes], [2000, 1000]);
    assert.deepEqual(
      (await memory.service.upkeep.stats(APP)).byProject.map(({ displayName }) => displayName),
      ['app'],
    );
    assert.equal((await memory.service.upkeep.stats('-nothing')).sessions, 0);
  });

  it('tells how much smaller the versions are than what they came from', async () => {
    const memory = new FakeMemory();
    memory.claude.write(`${APP}/aaaa.jsonl`, someTranscript('aaaa'));
    const [entry] = (await memory.service.sessions.register([ref('aaaa')])).registered;
    const settings = { mode: 'uniform', model: 'local', skipFirstMessages: 0, keepitMode: 'decay' } as const;
    const keepitStats = { preserved: 0, summarized: 0, weights: {} };
    const figures = { settings, keepitStats, outputMessages: 1, createdAt: '', file: 'x' };
    entry!.compressions.push({ versionId: 'v001', outputTokens: 100, compressionRatio: 10, ...figures });
    entry!.compressions.push({ versionId: 'v002', outputTokens: 300, compressionRatio: 2, ...figures });
    const part = { ...figures, partNumber: 1, outputTokens: 50, compressionRatio: 4 };
    entry!.compressions.push({ versionId: 'part1_v001', ...part });
    const { versions, versionTokens, ratio, savedTokens } = await memory.service.upkeep.stats();
    assert.deepEqual([versions, versionTokens, ratio], [3, 450, 4]);
    assert.equal(savedTokens, 900, 'what several versions leave out is saved once');
  });
});
