import assert from 'node:assert/strict';
import type { Aged } from '../../../../src/core/versions/aging';
import { FakeMemory } from '../../support/fakeMemory';
import { TranscriptBuilder } from '../../support/transcriptBuilder';

const APP = '-home-ada-src-app';
const ref = { projectId: APP, sessionId: 'aaaa' };
const OTHER = { projectId: APP, sessionId: 'bbbb' };

describe('versions that age with their sessions', () => {
  let memory: FakeMemory;

  const ids = ({ created, pruned, kept }: Aged) => ({
    created: created.map(({ sessionId, preset }) => `${sessionId} ${preset}`),
    pruned: pruned.map(({ sessionId, versionId }) => `${sessionId} ${versionId}`),
    kept: kept.map(({ sessionId, versionId, reason }) => `${sessionId} ${versionId}: ${reason}`),
  });
  const nothing = { created: [], pruned: [], kept: [] };
  const age = async (iso: string) => {
    memory.clock.set(iso);
    return ids(await memory.service.versions.autoDecay(APP));
  };
  const versions = async ({ sessionId } = ref) =>
    (await memory.service.versions.list({ projectId: APP, sessionId })).versions.map(({ versionId }) => versionId);
  const register = async (sessionId: string) => {
    const transcript = new TranscriptBuilder(sessionId);
    for (let index = 0; index < 10; index += 2) {
      transcript.human(`Please look at file ${index}.ts and tell what is wrong in there.`);
      transcript.assistant(`In ${index}.ts the loop never ends, because the counter is not increased.`);
    }
    memory.claude.write(`${APP}/${sessionId}.jsonl`, transcript);
    await memory.service.sessions.register([{ projectId: APP, sessionId }]);
  };

  beforeEach(async () => {
    memory = new FakeMemory();
    await register('aaaa'); // the last word was said on January 15
    await memory.service.config.set('autoDecay.enabled', 'true');
  });

  it('are made after a week and a month, and those between go after two', async () => {
    assert.deepEqual(await age('2026-01-20T12:00:00Z'), nothing);
    assert.deepEqual(await age('2026-01-23T12:00:00Z'), { ...nothing, created: ['aaaa standard'] });
    assert.deepEqual(await age('2026-01-24T12:00:00Z'), nothing);
    assert.deepEqual(await age('2026-02-15T12:00:00Z'), { ...nothing, created: ['aaaa aggressive'] });
    assert.deepEqual(await versions(), ['v001', 'v002']);
    memory.clock.set('2026-03-17T12:00:00Z');
    const aged = await memory.service.versions.autoDecay(APP);
    assert.deepEqual(ids(aged), { ...nothing, pruned: ['aaaa v001'] });
    assert.deepEqual(await versions(), ['v002']);
    // All of it can be brought back, and stays then.
    const trash = aged.trashed[0]?.trash ?? '';
    await memory.service.versions.restore(ref, trash);
    assert.deepEqual(await age('2026-03-18T12:00:00Z'), { ...nothing, kept: ['aaaa v001: somebody brought it back'] });
    assert.deepEqual(await versions(), ['v001', 'v002']);
  });

  it('stay where somebody made them, or a composition uses them', async () => {
    await memory.service.versions.compress(ref, { tierPreset: 'gentle' });
    assert.deepEqual(await age('2026-01-23T12:00:00Z'), { ...nothing, created: ['aaaa standard'] });
    await memory.service.compositions.compose(APP, {
      name: 'one',
      components: [{ sessionId: 'aaaa', versionId: 'v002' }],
      totalTokenBudget: 4000,
      outputFormat: 'both',
      strategy: 'best',
    });
    assert.deepEqual(await age('2026-03-20T12:00:00Z'), {
      created: ['aaaa aggressive'],
      pruned: [],
      kept: ['aaaa v001: somebody made it', 'aaaa v002: used in one'],
    });
  });

  it('are not made twice, by hand or by itself, until the session goes on', async () => {
    await memory.service.versions.compress(ref, { mode: 'uniform', compactionRatio: 4, aggressiveness: 'moderate' });
    assert.deepEqual(await age('2026-01-23T12:00:00Z'), nothing);
    assert.deepEqual(await age('2026-01-23T13:00:00Z'), nothing);
  });

  it('are only told of in a dry run, also while that is off', async () => {
    await memory.service.config.set('autoDecay.enabled', 'false');
    assert.deepEqual(await age('2026-03-20T12:00:00Z'), nothing);
    const { writes } = memory.store;
    assert.deepEqual(ids(await memory.service.versions.autoDecay(APP, { isDryRun: true })), {
      ...nothing,
      created: ['aaaa aggressive'],
    });
    assert.equal(memory.store.writes, writes);
  });

  it('follow what a project says for itself', async () => {
    await memory.service.config.set('autoDecay.enabled', 'false');
    await memory.service.config.setProject(APP, 'project.autoDecay.enabled', 'true');
    await memory.service.config.setProject(APP, 'project.autoDecay.rules.createAfterDays', '2');
    assert.deepEqual(await age('2026-01-18T12:00:00Z'), { ...nothing, created: ['aaaa standard'] });
  });

  it('follow the configuration in all else, also where that changes later', async () => {
    await memory.service.config.set('autoDecay.enabled', 'false');
    await memory.service.config.setProject(APP, 'project.autoDecay.enabled', 'true');
    await memory.service.config.set('autoDecay.rules.createAfterDays', '2');
    assert.deepEqual((await memory.store.readManifest(APP))?.settings.autoDecay, { enabled: true });
    assert.deepEqual(await age('2026-01-18T12:00:00Z'), { ...nothing, created: ['aaaa standard'] });
  });

  it('are told of in the activity of the newest session, whoever did it', async () => {
    await register('bbbb');
    memory.clock.set('2026-01-23T12:00:00Z');
    await memory.service.versions.tend(APP);
    await memory.service.versions.tend(APP);
    const told = await Promise.all(['aaaa', 'bbbb'].map((id) => memory.hookStore.activity(APP, id)));
    const lines = told.join('').trim().split('\n');
    assert.equal(lines.length, 1);
    assert.match(lines[0] ?? '', /"event":"Aging","note":"as sessions aged: 2 versions made, 0 moved to the trash"/);
  });

  it('are left alone where it is off, and say so', async () => {
    memory.clock.set('2026-02-23T12:00:00Z');
    await memory.service.config.set('autoDecay.enabled', 'false');
    const aged = await memory.service.versions.autoDecay(APP);
    assert.deepEqual([ids(aged), aged.isOff], [nothing, true]);
  });

  it('are looked after once a day, by one at a time', async () => {
    memory.clock.set('2026-01-23T12:00:00Z');
    const [first, second] = await Promise.all([memory.service.versions.tend(APP), memory.service.versions.tend(APP)]);
    assert.deepEqual(
      [first.created.length + second.created.length, first.isUnfinished || second.isUnfinished],
      [1, true],
    );
    await register('bbbb');
    memory.clock.set('2026-01-24T11:00:00Z');
    assert.deepEqual(ids(await memory.service.versions.tend(APP)), nothing);
    memory.clock.set('2026-01-24T13:00:00Z');
    assert.deepEqual(ids(await memory.service.versions.tend(APP)), { ...nothing, created: ['bbbb standard'] });
  });

  it('are left to whoever is at it', async () => {
    memory.clock.set('2026-01-23T12:00:00Z');
    const other = await memory.hookStore.takeAging(APP);
    assert.equal((await memory.service.versions.tend(APP)).isUnfinished, true);
    await other?.release();
    assert.deepEqual(ids(await memory.service.versions.tend(APP)), { ...nothing, created: ['aaaa standard'] });
  });

  it('let the next one begin at once where a disk fails', async () => {
    memory.clock.set('2026-01-23T12:00:00Z');
    const keepVersion = memory.store.versions.keep.bind(memory.store.versions);
    memory.store.versions.keep = () => Promise.reject(new Error('EIO'));
    await assert.rejects(memory.service.versions.autoDecay(APP), /EIO/);
    memory.store.versions.keep = keepVersion;
    assert.deepEqual(await age('2026-01-23T12:00:01Z'), { ...nothing, created: ['aaaa standard'] });
  });

  it('go on with the others when one session cannot be read', async () => {
    await register('bbbb');
    memory.claude.delete(`${APP}/aaaa.jsonl`);
    memory.claude.files.delete(`/store/${APP}/originals/aaaa.jsonl`);
    memory.clock.set('2026-01-23T12:00:00Z');
    const { created, failed } = await memory.service.versions.autoDecay(APP);
    assert.deepEqual([created.length, failed.length], [1, 1]);
  });
});

describe('pruning versions', () => {
  let memory: FakeMemory;
  const prune = async (request: object) =>
    (await memory.service.versions.prune(APP, request)).pruned.map(
      ({ sessionId, versionId }) => `${sessionId} ${versionId}`,
    );

  beforeEach(async () => {
    memory = new FakeMemory();
    for (const { sessionId } of [ref, OTHER]) {
      const transcript = new TranscriptBuilder(sessionId);
      transcript.human('Please tell what is wrong in there, and why the loop never ends.');
      transcript.assistant('The loop never ends, because the counter is not increased anywhere in it.');
      memory.claude.write(`${APP}/${sessionId}.jsonl`, transcript);
      await memory.service.sessions.register([{ projectId: APP, sessionId }]);
      await memory.service.versions.compress({ projectId: APP, sessionId }, { compactionRatio: 2 });
    }
    await memory.service.compositions.compose(APP, {
      name: 'one',
      components: [{ sessionId: 'aaaa', versionId: 'v001' }],
      totalTokenBudget: 4000,
      outputFormat: 'both',
      strategy: 'best',
    });
    await memory.service.compositions.delete(APP, 'one');
  });

  it('takes those that nothing has ever used, or that are old', async () => {
    assert.deepEqual(await prune({ isUnused: true, isDryRun: true }), ['bbbb v001']);
    assert.deepEqual(await prune({ olderThanDays: 60 }), []);
    memory.clock.set('2026-04-20T12:00:00Z');
    assert.deepEqual(await prune({ isUnused: true, olderThanDays: 60 }), ['bbbb v001']);
    assert.deepEqual(await prune({ olderThanDays: 60 }), ['aaaa v001']);
  });

  it('leaves the last form of a session of which nothing else is left', async () => {
    memory.claude.delete(`${APP}/bbbb.jsonl`);
    memory.claude.files.delete(`/store/${APP}/originals/bbbb.jsonl`);
    const { pruned, kept } = await memory.service.versions.prune(APP, { isUnused: true });
    assert.deepEqual([pruned, kept.map(({ reason }) => reason)], [[], ['it is all that is left of the session']]);
  });

  it('leaves what somebody brought back, unless they ask for it', async () => {
    await memory.service.config.set('storage.compressionRetention', 'used');
    const { trashed } = await memory.service.versions.prune(APP);
    await memory.service.versions.restore(OTHER, trashed[0]?.trash ?? '');
    assert.deepEqual(await prune({}), []);
    assert.deepEqual(await prune({ isUnused: true }), ['bbbb v001']);
  });

  it('does what the setting says when nothing else is asked', async () => {
    assert.deepEqual(await prune({}), []);
    await memory.service.config.set('storage.compressionRetention', 'used');
    assert.deepEqual(await prune({ isDryRun: true }), ['bbbb v001']);
    await memory.service.config.set('storage.compressionRetention', '30');
    assert.deepEqual(await prune({}), []);
    memory.clock.set('2026-04-20T12:00:00Z');
    const { pruned } = await memory.service.versions.tend(APP);
    assert.equal(pruned.length, 2);
  });
});
