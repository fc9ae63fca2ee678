import { emptyProjectCache } from '../../../../src/core/sessions/statsCache';
import assert from 'node:assert/strict';
import { StoreError } from '../../../../src/core/model/host';
import { TokenRanksError } from '../../../../src/core/text/tokens/rankTable';
import { EstimatingTokenCounter } from '../../../../src/core/text/tokens/estimatingTokenCounter';
import { FakeMemory } from '../../support/fakeMemory';
import { someTranscript, TranscriptBuilder } from '../../support/transcriptBuilder';

const APP = '-home-ada-src-app';
/** What is said in these texts, by estimate. */
function estimated(...texts: string[]): number {
  const counter = new EstimatingTokenCounter();
  return texts.reduce((sum, text) => sum + counter.count(text), 0);
}

const ref = (sessionId: string) => ({ projectId: APP, sessionId });

describe('register', () => {
  let memory: FakeMemory;
  beforeEach(() => (memory = new FakeMemory()));

  it('takes a session into memory: figures, facts, keepits, and the original itself', async () => {
    const transcript = new TranscriptBuilder('aaaa')
      .human('##keepit1.00## Amounts are integers of cents.')
      .assistant('Noted. ##keepit0.50## The import rounds.')
      .title('Cents');
    const path = memory.claude.write(`${APP}/aaaa.jsonl`, transcript);
    const { registered, unchanged, failed } = await memory.service.sessions.register([ref('aaaa')]);
    assert.deepEqual([unchanged, failed], [[], []]);
    const [entry] = registered;
    assert.deepEqual(entry?.metadata, {
      title: 'Cents',
      cwd: '/home/ada/src/app',
      gitBranch: 'main',
      claudeVersion: '2.1.197',
      models: ['claude-opus-4-8'],
      projectName: 'app',
    });
    assert.equal(entry.originalFile, path);
    assert.equal(entry.originalMessages, 2);
    const counted = estimated(
      '##keepit1.00## Amounts are integers of cents.',
      'Noted. ##keepit0.50## The import rounds.',
    );
    assert.deepEqual([entry.originalTokens, entry.originalTokensKind], [counted, 'estimate']);
    assert.deepEqual(
      entry.keepitMarkers.map(({ weight, content, createdAt }) => [weight, content, createdAt]),
      [
        [1, 'Amounts are integers of cents.', '2026-01-15T10:00:00.000Z'],
        [0.5, 'The import rounds.', '2026-01-15T10:01:00.000Z'],
      ],
    );
    assert.equal(entry.registeredAt, '2026-01-20T12:00:00.000Z');
    const bytes = transcript.toString().length;
    assert.deepEqual(entry.kept, {
      file: 'originals/aaaa.jsonl',
      method: 'copy',
      bytes,
      syncedBytes: bytes,
      syncedLines: 3,
    });
    assert.equal(memory.store.manifests.get(APP)?.displayName, 'app');
  });

  it('previews what it would take, and writes nothing', async () => {
    const transcript = new TranscriptBuilder('aaaa').human('##keepit0.75## yes ##keepit0.8## no').assistant('ok');
    memory.claude.write(`${APP}/aaaa.jsonl`, transcript);
    const preview = await memory.service.sessions.preview(ref('aaaa'));
    assert.deepEqual(
      preview.keepits.map(({ content }) => content),
      ['yes'],
    );
    assert.deepEqual([preview.malformedKeepits, preview.messages, preview.alreadyRegistered], [1, 2, false]);
    assert.equal(preview.tokens.kind, 'estimate');
    assert.equal(memory.store.writes, 0);
    await memory.service.sessions.register([ref('aaaa')]);
    assert.equal((await memory.service.sessions.preview(ref('aaaa'))).alreadyRegistered, true);
  });

  it('leaves a session alone that is in memory and has nothing new', async () => {
    memory.claude.write(`${APP}/aaaa.jsonl`, someTranscript('aaaa'));
    await memory.service.sessions.register([ref('aaaa')]);
    const { writes } = memory.store;
    const again = await memory.service.sessions.register([ref('aaaa')]);
    assert.deepEqual(again, { registered: [], unchanged: ['aaaa'], failed: [] });
    assert.equal(memory.store.writes, writes);
  });

  it('takes in an edit that leaves the transcript as long as it was', async () => {
    const transcript = new TranscriptBuilder('aaaa').human('##keepit0.10## Amounts are integers of cents.');
    memory.claude.write(`${APP}/aaaa.jsonl`, transcript);
    await memory.service.sessions.register([ref('aaaa')]);
    const edited = transcript.toString().replace('0.10', '1.00');
    memory.claude.write(`${APP}/aaaa.jsonl`, edited, '2026-01-16T10:00:00Z');
    assert.deepEqual(
      (await memory.service.sessions.sync()).synced.map(({ sessionId }) => sessionId),
      ['aaaa'],
    );
    const entry = memory.store.manifests.get(APP)?.sessions.aaaa;
    assert.deepEqual(
      entry?.keepitMarkers.map(({ weight }) => weight),
      [1],
    );
    const kept = memory.claude.files.get(`/store/${APP}/originals/aaaa.jsonl`);
    assert.equal(new TextDecoder().decode(kept?.bytes), edited);
    assert.deepEqual((await memory.service.sessions.sync()).synced, []);
  });

  it('registers anew a session whose kept original was lost', async () => {
    memory.claude.write(`${APP}/aaaa.jsonl`, someTranscript('aaaa'));
    await memory.service.sessions.register([ref('aaaa')]);
    memory.claude.delete(`/store/${APP}/originals/aaaa.jsonl`);
    assert.equal((await memory.service.sessions.register([ref('aaaa')])).registered.length, 1);
    assert.ok(memory.claude.files.has(`/store/${APP}/originals/aaaa.jsonl`));
  });

  it('takes whole lines only of a session that is being written', async () => {
    const whole = someTranscript('aaaa').toString();
    memory.claude.write(`${APP}/aaaa.jsonl`, `${whole}{"type":"user","message":{"role":"us`);
    const [entry] = (await memory.service.sessions.register([ref('aaaa')])).registered;
    assert.deepEqual([entry?.originalMessages, entry?.kept?.syncedBytes], [4, whole.length]);
  });

  it('keeps the transcripts of sub-agents too', async () => {
    memory.claude.write(`${APP}/aaaa.jsonl`, someTranscript('aaaa'));
    memory.claude.write(`${APP}/aaaa/subagents/agent-22.jsonl`, someTranscript('aaaa', 2));
    memory.claude.write(`${APP}/agent-11.jsonl`, someTranscript('aaaa', 2));
    await memory.service.sessions.register([ref('aaaa')]);
    assert.equal((await memory.store.sessions.subAgents(APP, 'aaaa')).length, 2);
    assert.deepEqual((await memory.service.sessions.register([ref('aaaa')])).unchanged, ['aaaa']);
    memory.claude.write(`${APP}/agent-11.jsonl`, someTranscript('aaaa', 4));
    assert.equal((await memory.service.sessions.register([ref('aaaa')])).registered.length, 1);
  });

  it('goes on when one session fails, and says why it did', async () => {
    memory.claude.unreadable.add(memory.claude.write(`${APP}/aaaa.jsonl`, someTranscript('aaaa')));
    memory.claude.write(`${APP}/bbbb.jsonl`, someTranscript('bbbb'));
    const { registered, failed } = await memory.service.sessions.register([ref('aaaa'), ref('gone'), ref('bbbb')]);
    assert.deepEqual(
      registered.map(({ sessionId }) => sessionId),
      ['bbbb'],
    );
    assert.deepEqual(
      failed.map(({ session }) => session),
      ['aaaa', 'gone'],
    );
    assert.match(failed[0]?.error ?? '', /may not be read/);
    assert.match(failed[1]?.error ?? '', /There is no session/);
  });

  it('fails whole where the disk is full', async () => {
    memory.claude.write(`${APP}/aaaa.jsonl`, someTranscript('aaaa'));
    memory.store.onWrite = () => {
      throw new StoreError('disk-full', { path: '/store' });
    };
    const { failed } = await memory.service.sessions.register([ref('aaaa')]);
    assert.match(failed[0]?.error ?? '', /no space left/);
    assert.equal(memory.store.manifests.size, 0);
  });

  it('ends at an abort, and what was done until then stays', async () => {
    for (let index = 100; index < 300; index++)
      memory.claude.write(`${APP}/s${index}.jsonl`, someTranscript(`s${index}`));
    const refs = (await memory.project()).sessions;
    const controller = new AbortController();
    const onProgress = ({ done }: { done: number }) => {
      if (done === 5) controller.abort();
    };
    await assert.rejects(memory.service.sessions.register(refs, onProgress, controller.signal), { name: 'AbortError' });
    const done = Object.keys(memory.store.manifests.get(APP)?.sessions ?? {}).length;
    assert.ok(done >= 5 && done < 200, String(done));
    assert.equal((await memory.service.sessions.register(refs)).unchanged.length, done);
    assert.equal((await memory.service.sessions.list()).length, 200);
  });

  it('writes the manifest once for many sessions, and without those that cannot be kept', async () => {
    const ids = Array.from({ length: 20 }, (_, index) => `s${String(index + 10)}`);
    for (const id of ids) memory.claude.write(`${APP}/${id}.jsonl`, someTranscript(id));
    memory.store.sessions.unkept.add('s13').add('s17');
    const { registered, failed } = await memory.service.sessions.register(ids.map(ref));
    assert.deepEqual(
      failed.map(({ session }) => session),
      ['s13', 's17'],
    );
    const kept = ids.filter((id) => id !== 's13' && id !== 's17');
    assert.deepEqual(
      registered.map(({ sessionId }) => sessionId),
      kept,
    );
    assert.deepEqual(Object.keys(memory.store.manifests.get(APP)?.sessions ?? {}).sort(), kept);
    assert.equal(memory.store.writes, 1);
  });

  it('shows an estimate where the data for exact counts is missing', async () => {
    memory.claude.write(`${APP}/aaaa.jsonl`, someTranscript('aaaa'));
    memory.exact = () => Promise.reject(new TokenRanksError('missing'));
    await memory.service.sessions.countExact([ref('aaaa')], (_ref, { kind }) => assert.equal(kind, 'estimate'));
    assert.match(memory.log.lines.join(), /counted by estimate/);
  });

  it('takes the exact count of a session that was counted', async () => {
    memory.claude.write(`${APP}/aaaa.jsonl`, someTranscript('aaaa'));
    let counted = 0;
    await memory.service.sessions.countExact([ref('aaaa')], (_ref, { count }) => (counted = count));
    const [entry] = (await memory.service.sessions.register([ref('aaaa')])).registered;
    assert.deepEqual([entry?.originalTokens, entry?.originalTokensKind], [counted, undefined]);
  });

  it('keeps the exact count of a session that has not grown, although nothing else remembers it', async () => {
    memory.claude.write(`${APP}/aaaa.jsonl`, someTranscript('aaaa'));
    await memory.service.sessions.countExact([ref('aaaa')], () => undefined);
    const [before] = (await memory.service.sessions.register([ref('aaaa')])).registered;
    await memory.cache.update(APP, emptyProjectCache);
    assert.deepEqual((await memory.service.sessions.register([ref('aaaa')])).unchanged, ['aaaa']);
    assert.equal(memory.store.manifests.get(APP)?.sessions.aaaa?.originalTokens, before?.originalTokens);
  });

  it('remembers from which session history was taken over', async () => {
    const copied = someTranscript('aaaa', 2).toString();
    memory.claude.write(`${APP}/bbbb.jsonl`, copied + someTranscript('bbbb', 2).toString());
    const [entry] = (await memory.service.sessions.register([ref('bbbb')])).registered;
    assert.deepEqual(entry?.metadata.copiedFrom, ['aaaa']);
  });
});

describe('sync', () => {
  let memory: FakeMemory;
  let transcript: TranscriptBuilder;

  beforeEach(async () => {
    memory = new FakeMemory();
    transcript = new TranscriptBuilder('aaaa').human('##keepit1.00## Cents are integers.').assistant('ok');
    memory.claude.write(`${APP}/aaaa.jsonl`, transcript);
    await memory.service.sessions.register([ref('aaaa')]);
    memory.claude.opened.length = 0;
  });

  const grow = (iso = '2026-01-16T00:00:00Z') => memory.claude.write(`${APP}/aaaa.jsonl`, transcript, iso);
  const entry = () => memory.store.manifests.get(APP)!.sessions.aaaa!;

  it('opens nothing when nothing is new', async () => {
    assert.deepEqual(await memory.service.sessions.sync(), { synced: [], failed: [] });
    assert.deepEqual(memory.claude.opened, []);
  });

  it('reads the session again, and takes in what is new', async () => {
    transcript.human('And ##keepit0.25## round half to even.').assistant('fine');
    grow();
    const { synced } = await memory.service.sessions.sync();
    assert.deepEqual(synced, [
      { sessionId: 'aaaa', newMessages: 2, newTokens: estimated('And ##keepit0.25## round half to even.', 'fine') },
    ]);
    assert.equal(entry().originalTokensKind, 'estimate');
    assert.deepEqual(
      entry().keepitMarkers.map(({ content }) => content),
      ['Cents are integers.', 'round half to even.'],
    );
    assert.equal(entry().kept?.syncedBytes, transcript.toString().length);
    assert.equal(
      memory.claude.files.get(`/store/${APP}/originals/aaaa.jsonl`)?.bytes.length,
      transcript.toString().length,
    );
  });

  it('gives the same entry as registering the whole session at once', async () => {
    transcript.human('##keepit0.25## half to even').assistant('fine ##keepit0.80## really').title('Rounding');
    grow();
    await memory.service.sessions.sync();
    const other = new FakeMemory();
    other.claude.write(`${APP}/aaaa.jsonl`, transcript, '2026-01-16T00:00:00Z');
    const [whole] = (await other.service.sessions.register([ref('aaaa')])).registered;
    assert.deepEqual(entry(), whole);
  });

  it('keeps what is known of the markers that were there before', async () => {
    entry().keepitMarkers[0]!.survivedIn.push('v001');
    transcript.human('##keepit0.25## new');
    grow();
    await memory.service.sessions.sync();
    assert.deepEqual(
      entry().keepitMarkers.map(({ survivedIn }) => survivedIn),
      [['v001'], []],
    );
  });

  it('forgets markers that a rewind has left behind', async () => {
    transcript.rewindTo('aaaa-0').assistant('another way');
    transcript.human('##keepit0.25## stays').assistant('ok');
    const branch = transcript.lastUuid;
    transcript.human('##keepit0.10## goes').assistant('no');
    grow();
    await memory.service.sessions.sync();
    assert.equal(entry().keepitMarkers.length, 3);
    transcript.rewindTo(branch).human('##keepit0.90## instead');
    grow('2026-01-17T00:00:00Z');
    await memory.service.sessions.sync();
    assert.deepEqual(
      entry().keepitMarkers.map(({ content }) => content),
      ['Cents are integers.', 'stays', 'instead'],
    );
  });

  it('forgets markers that a rewind has left behind, where code shows others', async () => {
    transcript.rewindTo('aaaa-0').human('Write `##keepit0.50## x` there').assistant('ok');
    const fork = transcript.lastUuid;
    transcript.human('##keepit0.10## goes');
    grow();
    await memory.service.sessions.sync();
    transcript.rewindTo(fork).human('other words');
    grow('2026-01-17T00:00:00Z');
    await memory.service.sessions.sync();
    assert.deepEqual(
      entry().keepitMarkers.map(({ content }) => content),
      ['Cents are integers.'],
    );
  });

  it('reads the whole session when it was rewritten, and when the cache was lost', async () => {
    transcript = new TranscriptBuilder('aaaa')
      .human('Another beginning ##keepit0.75## of it')
      .assistant('ok')
      .human('so');
    grow();
    assert.deepEqual(
      (await memory.service.sessions.sync()).synced.map(({ newMessages }) => newMessages),
      [1],
    );
    assert.deepEqual(
      entry().keepitMarkers.map(({ content }) => content),
      ['of it'],
    );
    memory.cache.clear();
    transcript.assistant('more');
    grow('2026-01-17T00:00:00Z');
    assert.deepEqual(
      (await memory.service.sessions.sync()).synced.map(({ newMessages }) => newMessages),
      [1],
    );
  });

  it('takes in what came after the last sync from the kept original when Claude Code deletes its own', async () => {
    memory.claude.delete(`${APP}/aaaa.jsonl`);
    assert.deepEqual(await memory.service.sessions.sync(), { synced: [], failed: [] });
    memory.claude.write(`/store/${APP}/originals/aaaa.jsonl`, transcript.human('last words'));
    assert.deepEqual(
      (await memory.service.sessions.sync()).synced.map(({ newMessages }) => newMessages),
      [1],
    );
    assert.match(entry().originalFile, /^\/claude/);
  });

  it('says which session it could not find', async () => {
    const { failed } = await memory.service.sessions.sync([ref('gone')]);
    assert.deepEqual(
      failed.map(({ session }) => session),
      ['gone'],
    );
  });
});

describe('unregister', () => {
  it('says what will be lost, moves it to the trash, and can be undone', async () => {
    const memory = new FakeMemory();
    memory.claude.write(`${APP}/aaaa.jsonl`, new TranscriptBuilder('aaaa').human('##keepit1.00## x').assistant('ok'));
    await memory.service.sessions.register([ref('aaaa')]);
    const preview = await memory.service.sessions.previewUnregister(ref('aaaa'));
    assert.deepEqual([preview.keepits, preview.versions, preview.isLastCopy], [1, 0, false]);
    assert.ok(preview.bytes > 0);
    const { trash } = await memory.service.sessions.unregister(ref('aaaa'));
    assert.deepEqual(await memory.service.sessions.list(), []);
    await assert.rejects(memory.service.sessions.unregister(ref('aaaa')), { code: 'session-not-registered' });
    const entry = await memory.service.sessions.restore(APP, trash);
    assert.deepEqual(await memory.service.sessions.list(APP), [entry]);
  });

  it('warns when the store has the only copy', async () => {
    const memory = new FakeMemory();
    memory.claude.write(`${APP}/aaaa.jsonl`, someTranscript('aaaa'));
    await memory.service.sessions.register([ref('aaaa')]);
    memory.claude.delete(`${APP}/aaaa.jsonl`);
    assert.equal((await memory.service.sessions.previewUnregister(ref('aaaa'))).isLastCopy, true);
  });
});

describe('the settings of a project', () => {
  it('are those of the configuration, until they are set for the project alone', async () => {
    const memory = new FakeMemory();
    memory.claude.write(`${APP}/aaaa.jsonl`, someTranscript('aaaa'));
    await memory.service.sessions.register([ref('aaaa')]);
    assert.deepEqual(memory.store.manifests.get(APP)?.settings, {});
    await memory.service.config.set('defaults.keepitDecayEnabled', 'false');
    await memory.service.config.set('defaults.compressionPreset', 'aggressive');
    assert.equal((await memory.service.config.project(APP)).keepitDecayEnabled, false);
    assert.equal((await memory.service.keepits.decayContext(APP)).isDecayOn, false);
    const { settings } = (await memory.service.versions.preview(ref('aaaa'), {})) as {
      settings: { keepitMode: string };
    };
    assert.equal(settings.keepitMode, 'preserve-all');
    await memory.service.config.setProject(APP, 'project.keepitDecayEnabled', 'true');
    assert.deepEqual(memory.store.manifests.get(APP)?.settings, { keepitDecayEnabled: true });
    assert.equal((await memory.service.keepits.decayContext(APP)).isDecayOn, true);
  });
});
