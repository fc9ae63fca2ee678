import assert from 'node:assert/strict';
import { storedKeepits } from '../../../../src/core/keepits/effectiveKeepits';
import { KeepitMarkError } from '../../../../src/core/keepits/keepitMarkError';
import { StoreError } from '../../../../src/core/model/host';
import { seen } from '../keepits/support';
import { FakeMemory } from '../../support/fakeMemory';
import { someTranscript, TranscriptBuilder } from '../../support/transcriptBuilder';

const APP = '-home-ada-src-app';
const LATER = '2026-01-16T00:00:00Z';
const ref = (sessionId = 'aaaa') => ({ projectId: APP, sessionId });

function ofReason(reason: string) {
  return (error: unknown) => error instanceof KeepitMarkError && error.reason === reason;
}

describe('keepits in memory', () => {
  let memory: FakeMemory;
  let transcript: TranscriptBuilder;
  const write = (iso?: string) => memory.claude.write(`${APP}/aaaa.jsonl`, transcript, iso);
  const entry = (sessionId = 'aaaa') => memory.store.manifests.get(APP)!.sessions[sessionId]!;
  const list = async () => (await memory.service.keepits.list(ref())).keepits;
  const idOf = async (content: string) => (await list()).find((keepit) => keepit.content === content)!.markerId;

  beforeEach(async () => {
    memory = new FakeMemory();
    transcript = new TranscriptBuilder('aaaa')
      .human('##keepit1.00## Cents are integers.')
      .assistant('Fine. ##keepit0.50## Half to even. ##keepit0.8## no');
    write();
    await memory.service.sessions.register([ref()]);
  });

  it('are listed for a session, with what is wrong with markers that do not count', async () => {
    const { keepits, inactive, diagnostics, failed } = await memory.service.keepits.list(ref());
    assert.deepEqual(keepits.map(seen), [
      ['Cents are integers.', 1, 'live'],
      ['Half to even.', 0.5, 'live'],
    ]);
    assert.deepEqual([inactive, failed], [[], []]);
    assert.deepEqual(
      diagnostics.map(({ sessionId, messageUuid, reason, suggestion }) => [sessionId, messageUuid, reason, suggestion]),
      [['aaaa', 'aaaa-1', 'decimals', '##keepit0.80##']],
    );
  });

  it('are listed for a session that is not in memory, and nothing is written', async () => {
    const writes = memory.store.writes;
    memory.claude.write(`${APP}/bbbb.jsonl`, new TranscriptBuilder('bbbb').human('##keepit0.75## yes'));
    assert.deepEqual((await memory.service.keepits.list(ref('bbbb'))).keepits.map(seen), [['yes', 0.75, 'live']]);
    assert.equal(memory.store.writes, writes);
  });

  it('can be weighed anew, removed and restored; transcripts and originals stay as they are, byte for byte', async () => {
    const files = new Map([...memory.claude.files].map(([path, { bytes }]) => [path, bytes.slice()]));
    const before = structuredClone(entry());
    const half = { ...ref(), markerId: await idOf('Half to even.') };
    const changed = await memory.service.keepits.setWeight(half, 0.9);
    assert.deepEqual([changed.weight, changed.effectiveWeight, changed.overridden], [0.5, 0.9, true]);
    const removed = await memory.service.keepits.remove(half);
    assert.equal(removed.state, 'removed');
    const { keepits, inactive } = await memory.service.keepits.list(ref());
    assert.deepEqual([keepits.length, inactive.map(seen)], [1, [['Half to even.', 0.9, 'removed']]]);
    assert.deepEqual((await memory.service.keepits.restore(half)).effectiveWeight, 0.9);
    assert.deepEqual((await memory.service.keepits.restore(half)).effectiveWeight, 0.5);
    await assert.rejects(memory.service.keepits.restore(half), ofReason('unchanged'));
    assert.deepEqual(entry(), before, 'undone changes leave no trace');
    assert.deepEqual(new Map([...memory.claude.files].map(([path, { bytes }]) => [path, bytes])), files);
  });

  it('weigh what a person writes into the transcript itself: at once, and in memory once there is more of it', async () => {
    const edit = (iso: string) =>
      memory.claude.write(`${APP}/aaaa.jsonl`, transcript.toString().replace('##keepit0.50##', '##keepit0.90##'), iso);
    const markerId = await idOf('Half to even.');
    edit(LATER);
    const [, edited] = await list();
    assert.deepEqual(
      [edited?.markerId, edited?.weight, edited?.effectiveWeight, edited?.overridden],
      [markerId, 0.9, 0.9, false],
    );
    transcript.human('Go on.');
    edit('2026-01-17T00:00:00Z');
    assert.deepEqual((await memory.service.sessions.sync()).failed, []);
    assert.equal(entry().keepitMarkers.find((marker) => marker.markerId === markerId)?.weight, 0.9);
  });

  it('can be added to what was said, to a message in one go and to words in it', async () => {
    const [added, ...others] = await memory.service.keepits.add(ref(), {
      messageUuid: 'aaaa-1',
      start: 0,
      end: 5,
      weight: 0.75,
    });
    assert.deepEqual([added?.content, added?.origin, added?.effectiveWeight, others], ['Fine.', 'overlay', 0.75, []]);
    assert.equal(added?.createdAt, '2026-01-20T12:00:00.000Z');
    assert.deepEqual(
      (await list()).map(({ content }) => content),
      ['Cents are integers.', 'Fine.', 'Half to even.'],
    );
    const again = { messageUuid: 'aaaa-1', start: 2, end: 4, weight: 0.5 };
    await assert.rejects(memory.service.keepits.add(ref(), again), ofReason('overlap'));
    await assert.rejects(
      memory.service.keepits.add(ref(), { messageUuid: 'aaaa-0', weight: 9.99 }),
      ofReason('bad-weight'),
    );
  });

  it('can be changed only where the session is in memory', async () => {
    memory.claude.write(`${APP}/bbbb.jsonl`, new TranscriptBuilder('bbbb').human('##keepit0.75## yes'));
    const [keepit] = (await memory.service.keepits.list(ref('bbbb'))).keepits;
    const code = 'session-not-registered';
    await assert.rejects(memory.service.keepits.add(ref('bbbb'), { messageUuid: 'bbbb-0', weight: 1 }), { code });
    await assert.rejects(memory.service.keepits.setWeight({ ...ref('bbbb'), markerId: keepit!.markerId }, 1), { code });
    assert.equal(memory.store.manifests.get(APP)?.sessions.bbbb, undefined);
  });

  it('keep every change through sync, a new reading of everything, and the trash', async () => {
    await memory.service.keepits.setWeight({ ...ref(), markerId: await idOf('Half to even.') }, 0.9);
    await memory.service.keepits.add(ref(), { messageUuid: 'aaaa-1', end: 5, weight: 0.75 });
    const expected = [
      ['Cents are integers.', 1, 'live'],
      ['Fine.', 0.75, 'live'],
      ['Half to even.', 0.9, 'live'],
    ];
    transcript.human('And ##keepit0.25## so on').assistant('ok');
    write(LATER);
    assert.deepEqual((await list()).map(seen), [...expected, ['so on', 0.25, 'live']]);
    await memory.service.sessions.sync();
    memory.cache.clear();
    transcript.human('bye');
    write('2026-01-17T00:00:00Z');
    await memory.service.sessions.sync();
    assert.deepEqual((await list()).map(seen), [...expected, ['so on', 0.25, 'live']]);
    const { trash } = await memory.service.sessions.unregister(ref());
    assert.deepEqual(
      (await list()).map(({ effectiveWeight }) => effectiveWeight),
      [1, 0.5, 0.25],
    );
    await memory.service.sessions.restore(APP, trash);
    assert.deepEqual((await list()).map(seen), [...expected, ['so on', 0.25, 'live']]);
  });

  it('are shown and do not count when a rewind has left them behind', async () => {
    transcript.rewindTo('aaaa-0').assistant('Another way');
    write(LATER);
    for (const step of ['before the sync', 'after it']) {
      const { keepits, inactive, diagnostics } = await memory.service.keepits.list(ref());
      assert.deepEqual(keepits.map(seen), [['Cents are integers.', 1, 'live']], step);
      assert.deepEqual([inactive.map(seen), diagnostics], [[['Half to even.', 0.5, 'abandoned']], []], step);
      await memory.service.sessions.sync();
    }
  });

  it('are read from the kept original when Claude Code has deleted its own, and from the manifest when both are gone', async () => {
    await memory.service.keepits.add(ref(), { messageUuid: 'aaaa-1', end: 5, weight: 0.75 });
    memory.claude.delete(`${APP}/aaaa.jsonl`);
    assert.equal((await list()).length, 3);
    memory.claude.delete(`/store/${APP}/originals/aaaa.jsonl`);
    const { keepits, inactive } = await memory.service.keepits.list(ref());
    assert.deepEqual([keepits.length, inactive.map(seen)], [2, [['Fine.', 0.75, 'orphaned']]]);
    const markerId = await idOf('Half to even.');
    assert.equal((await memory.service.keepits.setWeight({ ...ref(), markerId }, 1)).effectiveWeight, 1);
    await assert.rejects(memory.service.keepits.list(ref('gone')), { code: 'session-not-found' });
  });

  it('are counted with what was changed about them, wherever figures are shown', async () => {
    await memory.service.keepits.remove({ ...ref(), markerId: await idOf('Cents are integers.') });
    await memory.service.keepits.setWeight({ ...ref(), markerId: await idOf('Half to even.') }, 0.9);
    await memory.service.keepits.add(ref(), { messageUuid: 'aaaa-1', end: 2, weight: 0.75 });
    await memory.service.keepits.add(ref(), { messageUuid: 'aaaa-1', start: 3, end: 5, weight: 0.25 });
    const [first] = await memory.service.sessions.list(APP);
    assert.deepEqual(
      storedKeepits(first!).map(({ content, weight }) => [content, weight]),
      [
        ['Half to even.', 0.9],
        ['Fi', 0.75],
        ['e.', 0.25],
      ],
    );
    assert.equal((await memory.service.upkeep.stats()).keepits, 3);
    assert.equal((await memory.service.sessions.previewUnregister(ref())).keepits, 3);
  });

  it('tell by their session when somebody has changed one last', async () => {
    const changedAt = async () => (await memory.service.sessions.discover()).projects[0]?.sessions[0]?.keepitsChangedAt;
    assert.equal(await changedAt(), undefined);
    await memory.service.keepits.setWeight({ ...ref(), markerId: await idOf('Half to even.') }, 0.9);
    assert.equal(await changedAt(), memory.clock.now().toISOString());
    memory.clock.set('2026-01-21T12:00:00Z');
    await memory.service.keepits.remove({ ...ref(), markerId: await idOf('Cents are integers.') });
    assert.equal(await changedAt(), '2026-01-21T12:00:00.000Z');
  });

  it('are found by the beginning of an id, in every session that repeats the words, newest first', async () => {
    const markerId = await idOf('Cents are integers.');
    memory.claude.write(`${APP}/bbbb.jsonl`, transcript.toString() + someTranscript('bbbb').toString());
    await memory.service.sessions.register([ref('bbbb')]);
    const both = [
      { ...ref('bbbb'), markerId },
      { ...ref('aaaa'), markerId },
    ];
    assert.deepEqual(await memory.service.keepits.find(markerId), both);
    assert.deepEqual(await memory.service.keepits.find(markerId.slice(0, 6).toUpperCase()), both);
    assert.deepEqual(await memory.service.keepits.find(markerId, { session: ref() }), both.slice(1));
    await assert.rejects(memory.service.keepits.find('ffffffff'), ofReason('unknown'));
    await assert.rejects(memory.service.keepits.find('ff'), ofReason('too-short'));
    await assert.rejects(memory.service.keepits.find(markerId, { projectId: 'other' }), ofReason('unknown'));
  });

  it('are found although they came after the last sync', async () => {
    transcript.human('##keepit0.25## just now');
    write(LATER);
    const markerId = await idOf('just now');
    const [found] = await memory.service.keepits.find(markerId);
    assert.deepEqual(found, { ...ref(), markerId });
    assert.equal((await memory.service.keepits.setWeight(found, 1)).effectiveWeight, 1);
    await memory.service.sessions.sync();
    assert.deepEqual((await list()).at(-1)?.effectiveWeight, 1);
  });

  it('see each other when two windows change them at once', async () => {
    const mark = (start: number, end: number) =>
      memory.service.keepits.add(ref(), { messageUuid: 'aaaa-1', start, end, weight: 0.75 });
    const both = await Promise.allSettled([mark(0, 3), mark(2, 5)]);
    assert.deepEqual(both.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
    assert.equal((await list()).length, 3);
  });

  it('stay as they are when nothing can be written', async () => {
    memory.store.onWrite = () => {
      throw new StoreError('disk-full', { path: '/store' });
    };
    await assert.rejects(memory.service.keepits.add(ref(), { messageUuid: 'aaaa-1', end: 5, weight: 0.75 }), {
      code: 'store-disk-full',
    });
    assert.equal((await list()).length, 2);
  });

  it('are listed for a project, sessions without any left unopened, one that fails named', async () => {
    memory.claude.write(`${APP}/bbbb.jsonl`, someTranscript('bbbb'));
    const bad = memory.claude.write(`${APP}/cccc.jsonl`, new TranscriptBuilder('cccc').human('##keepit0.75## yes'));
    memory.claude.write(`${APP}/dddd.jsonl`, new TranscriptBuilder('dddd').human('##keepitNaN## no'));
    await memory.service.sessions.register([ref('bbbb'), ref('cccc'), ref('dddd')]);
    memory.claude.opened.length = 0;
    memory.claude.unreadable.add(bad);
    const steps: number[] = [];
    const { keepits, diagnostics, failed } = await memory.service.keepits.listProjects(APP, ({ done }) =>
      steps.push(done),
    );
    assert.deepEqual(keepits.map(({ sessionId, content }) => [sessionId, content]).sort(), [
      ['aaaa', 'Cents are integers.'],
      ['aaaa', 'Half to even.'],
      ['cccc', 'yes'],
    ]);
    assert.deepEqual(diagnostics.map(({ sessionId }) => sessionId).sort(), ['aaaa', 'dddd']);
    assert.deepEqual(
      failed.map(({ session }) => session),
      ['cccc'],
    );
    assert.deepEqual([memory.claude.opened.some((path) => path.includes('bbbb')), steps], [false, [1, 2, 3, 4]]);
    assert.equal((await memory.service.keepits.listProjects()).keepits.length, 3);
    assert.deepEqual((await memory.service.keepits.listProjects('other')).keepits, []);
  });

  it('end at an abort, and nothing is changed', async () => {
    const { writes } = memory.store;
    const controller = new AbortController();
    memory.claude.onOpen = () => controller.abort();
    const request = { messageUuid: 'aaaa-1', end: 5, weight: 0.75 };
    await assert.rejects(memory.service.keepits.add(ref(), request, controller.signal), { name: 'AbortError' });
    await assert.rejects(memory.service.keepits.listProjects(APP, undefined, controller.signal), {
      name: 'AbortError',
    });
    assert.equal(memory.store.writes, writes);
  });
});

describe('the decay preview', () => {
  let memory: FakeMemory;
  beforeEach(async () => {
    memory = new FakeMemory();
    for (const [index, sessionId] of ['s001', 's002', 's003'].entries()) {
      const transcript = new TranscriptBuilder(sessionId).human(
        '##keepit1.00## pinned ##keepit0.80## heavy ##keepit0.50## light',
      );
      for (let more = 0; more <= index; more++) transcript.assistant('ok');
      memory.claude.write(`${APP}/${sessionId}.jsonl`, transcript);
    }
    await memory.service.sessions.register([ref('s001'), ref('s002')]);
  });

  it('gives the answer of the specification', async () => {
    const preview = await memory.service.keepits.decayPreview(ref('s001'), {
      ratio: 30,
      level: 'aggressive',
      distance: 5,
    });
    assert.deepEqual(
      preview.markers.map(({ weight, survives, outcome, reach }) => [weight, survives, outcome, reach]),
      [
        [1, true, 'survives', 'any'],
        [0.8, true, 'survives', 'any'],
        [0.5, false, 'fades', 0],
      ],
    );
    assert.deepEqual([preview.threshold, preview.ratio, preview.level, preview.distance], [0.65, 30, 'aggressive', 5]);
  });

  it('takes the level from the ratio and the distance from the rank, for sessions that are not in memory too', async () => {
    const distances = [];
    for (const sessionId of ['s001', 's002', 's003']) {
      const { level, distance } = await memory.service.keepits.decayPreview(ref(sessionId), { ratio: 10 });
      distances.push([level, distance]);
    }
    assert.deepEqual(distances, [
      ['moderate', 2],
      ['moderate', 1],
      ['moderate', 1],
    ]);
  });

  it('goes by the weights that count, and leaves out what was removed', async () => {
    const request = { ratio: 30, level: 'aggressive', distance: 5 } as const;
    const [, heavy, light] = (await memory.service.keepits.list(ref('s001'))).keepits;
    await memory.service.keepits.setWeight({ ...ref('s001'), markerId: light!.markerId }, 0.7);
    await memory.service.keepits.remove({ ...ref('s001'), markerId: heavy!.markerId });
    const { markers } = await memory.service.keepits.decayPreview(ref('s001'), request);
    assert.deepEqual(
      markers.map(({ weight, survives, reason }) => [weight, survives, reason]),
      [
        [1, true, 'pinned: always survives'],
        [0.7, true, '0.70 ≥ 0.65'],
      ],
    );
  });

  it('says where decay is off, and what would happen if it was on', async () => {
    const settings = { ratio: 30, level: 'aggressive', distance: 5 } as const;
    assert.equal((await memory.service.keepits.decayPreview(ref('s001'), settings)).isDecayOn, true);
    memory.store.manifests.get(APP)!.settings.keepitDecayEnabled = false;
    const { isDecayOn, threshold, markers } = await memory.service.keepits.decayPreview(ref('s001'), settings);
    assert.deepEqual(
      [isDecayOn, threshold, markers.map(({ survives }) => survives)],
      [false, 0.65, [true, true, false]],
    );
  });

  it('follows the configuration', async () => {
    await memory.service.config.set('keepitDecay.compressionBase.aggressive', '0.2');
    const { threshold } = await memory.service.keepits.decayPreview(ref('s001'), { ratio: 30, distance: 5 });
    assert.equal(threshold, 0.35);
  });
});
