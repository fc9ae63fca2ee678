import assert from 'node:assert/strict';
import { StoreError } from '../../../../src/core/model/host';
import type { CompressionRequest } from '../../../../src/core/versions/types';
import type { SessionManifestEntry } from '../../../../src/core/model/manifest';
import { FakeMemory } from '../../support/fakeMemory';
import { TranscriptBuilder } from '../../support/transcriptBuilder';

const APP = '-home-ada-src-app';
const ref = { projectId: APP, sessionId: 'aaaa' };
const PATH = `/claude/projects/${APP}/aaaa.jsonl`;

describe('compressing a session in memory', () => {
  let memory: FakeMemory;
  let transcript: TranscriptBuilder;
  const write = (iso?: string) => memory.claude.write(`${APP}/aaaa.jsonl`, transcript, iso);
  const entry = (): SessionManifestEntry => memory.store.manifests.get(APP)!.sessions.aaaa!;
  const compress = async (request: CompressionRequest = { compactionRatio: 2 }) =>
    (await memory.service.versions.compress(ref, request)).version;
  const say = (from: number, to: number) => {
    for (let index = from; index < to; index++) {
      if (index % 2 === 0) transcript.human(`Please look at file ${index}.ts and tell what is wrong in there.`);
      else transcript.assistant(`In ${index - 1}.ts the loop never ends, because the counter is not increased.`);
    }
  };
  const rejects = (work: Promise<unknown>, code: string) => assert.rejects(work, { code });

  beforeEach(async () => {
    memory = new FakeMemory();
    transcript = new TranscriptBuilder('aaaa');
    say(0, 10);
    write();
    await memory.service.sessions.register([ref]);
  });

  it('makes a version with files, record and lineage', async () => {
    const { version, files } = await memory.service.versions.compress(ref, { compactionRatio: 2 });
    assert.equal(version.versionId, 'v001');
    assert.match(version.file, /^v001_uniform-minimal_\d+(\.\d+)?k$/);
    assert.deepEqual(version.messageRange, [0, 9]);
    assert.deepEqual(version, entry().compressions[0]);
    assert.deepEqual(files, [`/store/${APP}/summaries/aaaa/${version.file}.md`, files[1]]);
    const md = await memory.service.versions.text(ref, 'v001', 'md');
    assert.match(md, /^<!-- Keepit v001 · session aaaa · messages 1–10 · uniform-minimal · from \d+ tokens -->\n/);
    const lines = (await memory.service.versions.text(ref, 'v001', 'jsonl')).trimEnd().split('\n');
    const known = new Set(Array.from({ length: 10 }, (_, index) => `aaaa-${index}`));
    for (const line of lines) {
      const record: unknown = JSON.parse(line);
      assert.ok(typeof record === 'object' && record !== null && 'keepit' in record);
      const sources = JSON.stringify(record.keepit).match(/aaaa-\d+/g) ?? [];
      assert.ok(sources.every((uuid) => known.has(uuid)));
    }
    assert.ok(version.outputTokens <= (version.inputTokens ?? 0) / 2 + 20);
  });

  it('previews without writing anything', async () => {
    const { writes } = memory.store;
    const estimate = await memory.service.versions.preview(ref, { tierPreset: 'standard' });
    assert.deepEqual(estimate.messageRange, [0, 9]);
    assert.deepEqual(
      estimate.segments.map(({ from, to, ratio }) => [from, to, ratio]),
      [
        [0, 2, 25],
        [3, 4, 15],
        [5, 7, 10],
        [8, 8, 5],
        [9, 9, 3],
      ],
    );
    assert.deepEqual([memory.store.writes, memory.store.versions.files.size], [writes, 0]);
  });

  it('refuses what makes no sense, and changes nothing', async () => {
    const { writes } = memory.store;
    const tiers = (...ends: number[]) =>
      ends.map((endPercent) => ({ endPercent, compactionRatio: 5, aggressiveness: 'minimal' as const }));
    const cases: [CompressionRequest, string][] = [
      [{ compactionRatio: 0 }, 'compression-bad-ratio'],
      [{ compactionRatio: 0.5 }, 'compression-bad-ratio'],
      [{ compactionRatio: Number.NaN }, 'compression-bad-ratio'],
      [{ compactionRatio: 1001 }, 'compression-bad-ratio'],
      [{ customTiers: [] }, 'compression-bad-tiers'],
      [{ customTiers: tiers(50, 40, 100) }, 'compression-bad-tiers'],
      [{ customTiers: tiers(50, 90) }, 'compression-bad-tiers'],
      [{ customTiers: tiers(Number.NaN) }, 'compression-bad-tiers'],
      [{ sessionDistance: -1 }, 'compression-bad-distance'],
      [{ skipFirstMessages: 1.5 }, 'compression-bad-skip'],
      [{ skipFirstMessages: 10 }, 'compression-nothing-left'],
      [{ scope: { kind: 'part', partNumber: 1 } }, 'compression-no-such-part'],
      [{ provider: 'anthropic' }, 'compression-no-such-provider'],
    ];
    for (const [request, code] of cases) {
      await rejects(memory.service.versions.preview(ref, request), code);
      await rejects(compress(request), code);
    }
    await rejects(memory.service.versions.compress({ ...ref, sessionId: 'none' }, {}), 'session-not-found');
    memory.claude.write(`${APP}/bbbb.jsonl`, new TranscriptBuilder('bbbb').human('x'));
    await rejects(memory.service.versions.compress({ ...ref, sessionId: 'bbbb' }, {}), 'session-not-registered');
    assert.deepEqual([memory.store.writes, memory.store.versions.files.size], [writes, 0]);
  });

  it('says so when nothing was said', async () => {
    memory.claude.write(`${APP}/cccc.jsonl`, '{"type":"progress"}\n');
    const empty = { ...ref, sessionId: 'cccc' };
    await memory.service.sessions.register([empty]);
    await rejects(memory.service.versions.compress(empty, {}), 'compression-empty-session');
  });

  it('compresses what is new as the next part, and each part again', async () => {
    const delta = { scope: { kind: 'delta' }, compactionRatio: 2 } as const;
    assert.equal((await compress(delta)).versionId, 'part1_v001');
    await rejects(compress(delta), 'compression-nothing-new');
    say(10, 16);
    write('2026-01-16T00:00:00Z');
    const second = await compress(delta);
    assert.deepEqual([second.versionId, second.messageRange], ['part2_v001', [10, 15]]);
    const again = await compress({ scope: { kind: 'part', partNumber: 1 }, tierPreset: 'gentle' });
    assert.deepEqual([again.versionId, again.messageRange], ['part1_v002', [0, 9]]);
    assert.equal((await compress()).versionId, 'v001');
    const listing = await memory.service.versions.list(ref);
    assert.deepEqual(
      listing.parts.map(({ partNumber, messageRange, versionIds }) => [partNumber, messageRange, versionIds]),
      [
        [1, [0, 9], ['part1_v001', 'part1_v002']],
        [2, [10, 15], ['part2_v001']],
      ],
    );
    assert.deepEqual(listing.delta, { newMessages: 0, newTokens: 0, nextPart: 3 });
    const ofParts = listing.parts.reduce((sum, { tokens }) => sum + tokens, 0);
    await memory.service.sessions.countExact([ref], (_ref, { count }) => assert.equal(ofParts, count));
    say(16, 18);
    write('2026-01-17T00:00:00Z');
    const grown = (await memory.service.versions.list(ref)).delta;
    assert.deepEqual([grown.newMessages, grown.nextPart, grown.messageRange], [2, 3, [16, 17]]);
    assert.ok(grown.newTokens > 0);
    assert.deepEqual((await memory.service.sessions.show(ref)).delta, { newMessages: 2, uncompressed: 2, nextPart: 3 });
  });

  it('lets parts end where a rewind has left what they had', async () => {
    const delta = { scope: { kind: 'delta' }, compactionRatio: 2 } as const;
    await compress(delta);
    transcript.rewindTo('aaaa-5').human('No, another way.').assistant('As you like: another way it is.');
    write('2026-01-16T00:00:00Z');
    const second = await compress(delta);
    assert.deepEqual(second.messageRange, [6, 7]);
    const first = await compress({ scope: { kind: 'part', partNumber: 1 }, compactionRatio: 2 });
    assert.deepEqual(first.messageRange, [0, 5]);
  });

  it('leaves to the next part what the assistant is still writing', async () => {
    say(10, 12);
    write('2026-01-20T11:59:00Z');
    const delta = { scope: { kind: 'delta' }, compactionRatio: 2 } as const;
    assert.deepEqual((await compress(delta)).messageRange, [0, 10]);
    await rejects(compress(delta), 'compression-nothing-new');
    assert.equal((await memory.service.versions.list(ref)).delta.newMessages, 0, 'no part is offered that is refused');
  });

  it('counts what a tool answered later to the part of its message', async () => {
    transcript.toolCall('late');
    write('2026-01-16T00:00:00Z');
    await compress({ scope: { kind: 'delta' }, compactionRatio: 2 });
    const before = entry().originalTokens;
    transcript.toolResult('late', 'The page says that the counter has to be increased. '.repeat(40));
    write('2026-01-17T00:00:00Z');
    await memory.service.sessions.sync([ref]);
    const { parts, delta, original } = await memory.service.versions.list(ref);
    assert.ok(original.tokens > before + 100);
    assert.deepEqual([parts.map(({ tokens }) => tokens), delta.newMessages], [[original.tokens], 0]);
  });

  it('forgets a part at the end with its last version, and keeps the messages of one in the middle', async () => {
    const delta = { scope: { kind: 'delta' }, compactionRatio: 2 } as const;
    await compress(delta);
    say(10, 12);
    write('2026-01-16T00:00:00Z');
    await compress(delta);
    await memory.service.versions.delete(ref, ['part1_v001']);
    let listing = await memory.service.versions.list(ref);
    assert.deepEqual(
      listing.parts.map(({ partNumber, versionIds }) => [partNumber, versionIds]),
      [
        [1, []],
        [2, ['part2_v001']],
      ],
    );
    const { trash = '' } = await memory.service.versions.delete(ref, ['part2_v001']);
    listing = await memory.service.versions.list(ref);
    assert.deepEqual([listing.parts, listing.delta.nextPart, listing.delta.newMessages], [[], 1, 12]);
    await memory.service.versions.restore(ref, trash);
    assert.deepEqual((await memory.service.versions.list(ref)).delta.newMessages, 0);
    const again = await compress({ scope: { kind: 'part', partNumber: 2 }, compactionRatio: 2 });
    assert.deepEqual([again.versionId, again.messageRange], ['part2_v002', [10, 11]]);
  });

  it('keeps and fades keepits as the decay says, and remembers which', async () => {
    transcript.human('##keepit1.00## Never use floats.\n##keepit0.80## Round half to even. ##keepit0.25## maybe');
    write('2026-01-16T00:00:00Z');
    await memory.service.sessions.sync([ref]);
    const [added] = await memory.service.keepits.add(ref, { messageUuid: 'aaaa-1', start: 3, end: 7, weight: 0.9 });
    const version = await compress({ compactionRatio: 30, aggressiveness: 'aggressive', sessionDistance: 10 });
    assert.deepEqual(
      version.receipt?.map(({ weight, kept, reason }) => [weight, kept, reason]),
      [
        [0.9, true, '0.90 ≥ 0.80'],
        [1, true, 'pinned: always survives'],
        [0.8, true, '0.80 ≥ 0.80'],
        [0.25, false, '0.25 < 0.80'],
      ],
    );
    assert.deepEqual(version.keepitStats, {
      preserved: 3,
      summarized: 1,
      weights: { '1.00': 1, '0.90': 1, '0.80': 1, '0.25': 0 },
    });
    assert.deepEqual(
      entry().keepitMarkers.map(({ survivedIn, summarizedIn }) => [survivedIn, summarizedIn]),
      [
        [['v001'], []],
        [['v001'], []],
        [[], ['v001']],
      ],
    );
    assert.deepEqual(entry().keepitOverlay?.[0]?.marker.survivedIn, ['v001']);
    const md = await memory.service.versions.text(ref, 'v001', 'md');
    assert.match(md, /##keepit0\.90## 0\.ts\n##keepit:end##/);
    assert.match(md, /##keepit1\.00## Never use floats\.\n##keepit:end##\n\n##keepit0\.80## Round half to even\./);
    assert.ok(!md.includes('##keepit0.25##'));
    await memory.service.keepits.remove({ ...ref, markerId: added!.markerId });
    const ignored = await compress({ compactionRatio: 2, keepitMode: 'ignore' });
    assert.deepEqual(ignored.keepitStats.weights, { '1.00': 1, '0.80': 0, '0.25': 0 });
    const preserved = await compress({ compactionRatio: 50, keepitMode: 'preserve-all' });
    assert.equal(preserved.keepitStats.preserved, 3);
    await memory.service.versions.delete(ref, ['v001', preserved.versionId]);
    assert.deepEqual(entry().keepitMarkers[0]?.survivedIn, [ignored.versionId]);
  });

  it('names it when keepits alone are larger than the target', async () => {
    transcript.human(`##keepit1.00## ${'Every word of this counts. '.repeat(40)}`);
    write('2026-01-16T00:00:00Z');
    const estimate = await memory.service.versions.preview(ref, { compactionRatio: 50 });
    assert.ok(estimate.isExceededByKeepits && estimate.outputTokens > estimate.inputTokens / 50);
    assert.equal((await compress({ compactionRatio: 50 })).isExceededByKeepits, true);
  });

  it('holds no secrets and nothing private, in keepits neither, and the receipt says so', async () => {
    const token = (tail: string) => `ghp_0123456789abcdefghijABCDEFGHIJ${tail}`;
    transcript.human(`The key is ${token('aa')} and <private>my name is Ada</private> works.`);
    transcript
      .assistant('Noted.')
      .human(`##keepit1.00## The other key is ${token('bb')}, <private>of Ada</private> alone.`);
    transcript.assistant('Noted.').human('##keepit1.00## <private>Nobody else needs this.</private>');
    write('2026-01-16T00:00:00Z');
    const { receipt = [], redacted, fidelity } = await compress({ compactionRatio: 1 });
    const texts = [...memory.store.versions.files.values()].join('\n');
    for (const secret of [token('aa'), token('bb'), 'my name is Ada', 'of Ada', 'Nobody else'])
      assert.ok(!texts.includes(secret), secret);
    assert.ok(
      texts.includes('##keepit1.00## The other key is [redacted: GitHub token],  alone.\n##keepit:end##'),
      texts,
    );
    assert.deepEqual(
      receipt.map(({ kept, reason }) => [kept, reason]),
      [
        [true, 'pinned: always survives; without GitHub token, private passage'],
        [false, 'nothing of it may be written: private passage'],
      ],
    );
    assert.deepEqual([redacted, fidelity?.keepits], [[{ kind: 'GitHub token', count: 2 }], 1]);
    const { lost } = await memory.service.versions.compare(ref, 'original', 'v001');
    assert.deepEqual(
      lost.filter(({ kind }) => kind === 'keepit'),
      [],
    );
  });

  it('comes to an end with words of any shape', async () => {
    for (const unit of ['A', '_', '"', '`', '* a\n', '##keepit', '/', '. ', '😀'])
      transcript.human(unit.repeat(40_000));
    write('2026-01-16T00:00:00Z');
    assert.deepEqual((await compress({ compactionRatio: 50 })).messageRange, [0, 18]);
  });

  it('takes in what is new first, and knows only what was there', async () => {
    say(10, 14);
    write('2026-01-16T00:00:00Z');
    assert.deepEqual((await compress()).messageRange, [0, 13]);
    assert.equal(entry().originalMessages, 14);
  });

  it('goes on from the kept original when the transcript vanishes', async () => {
    memory.claude.delete(PATH);
    assert.deepEqual((await compress()).messageRange, [0, 9]);
    assert.equal((await memory.service.versions.list(ref)).original.messages, 10);
  });

  it('gives two that compress at once numbers of their own', async () => {
    const made = await Promise.all([compress(), compress(), compress({ scope: { kind: 'delta' } })]);
    assert.deepEqual(made.map(({ versionId }) => versionId).sort(), ['part1_v001', 'v001', 'v002']);
  });

  it('refuses a part of other messages than the one that somebody else made meanwhile', async () => {
    const delta = { scope: { kind: 'delta' }, compactionRatio: 2 } as const;
    const real = memory.summarizer.summarize.bind(memory.summarizer);
    memory.summarizer.summarize = async (...args) => {
      const summary = await real(...args);
      say(10, 12);
      write('2026-01-16T00:00:00Z');
      await memory.service.versions.compress(ref, delta);
      return summary;
    };
    await rejects(compress({ ...delta, provider: 'claude-cli' }), 'compression-changed-meanwhile');
    assert.deepEqual(
      entry().compressions.map(({ messageRange }) => messageRange),
      [[0, 11]],
    );
  });

  it('leaves nothing behind when it is cancelled or the store fails', async () => {
    const controller = new AbortController();
    const real = memory.summarizer.summarize.bind(memory.summarizer);
    memory.summarizer.summarize = (...args) => {
      controller.abort();
      return real(...args);
    };
    const cancelled = memory.service.versions.compress(ref, { provider: 'claude-cli' }, undefined, controller.signal);
    await assert.rejects(cancelled, { name: 'AbortError' });
    memory.store.onWrite = () => {
      throw new StoreError('disk-full', { path: 'manifest.json' });
    };
    await rejects(compress(), 'store-disk-full');
    assert.deepEqual(entry().compressions, []);
  });

  it('deletes no version that a composition uses, unless it must', async () => {
    await compress();
    await compress();
    const component = { sessionId: 'aaaa', versionId: 'v001', order: 0, tokenContribution: 1 };
    const composition = {
      compositionId: 'c',
      name: 'feature-x',
      createdAt: '',
      components: [component],
      outputFile: '',
      totalTokens: 1,
      totalMessages: 1,
      usedInSessions: [],
    };
    const manifest = memory.store.manifests.get(APP)!;
    memory.store.manifests.set(APP, { ...manifest, compositions: { 'feature-x': composition } });
    assert.deepEqual((await memory.service.versions.list(ref)).versions[0]?.usedIn, ['feature-x']);
    const elsewhere = { ...composition, name: 'release', components: [{ ...component, projectId: APP }] };
    const sameIds = { ...composition, name: 'other', components: [component] };
    const other = { ...manifest, projectId: '-other', displayName: 'other', sessions: {} };
    memory.store.manifests.set('-other', { ...other, compositions: { release: elsewhere, other: sameIds } });
    const names = ['feature-x', 'release (other)'];
    assert.deepEqual((await memory.service.versions.list(ref)).versions[0]?.usedIn, names);
    const refused = [{ versionId: 'v001', usedIn: names }];
    assert.deepEqual(await memory.service.versions.previewDelete(ref, ['v001', 'v002']), {
      deleted: ['v002'],
      refused,
    });
    const { deleted, trash = '' } = await memory.service.versions.delete(ref, ['v001', 'v002']);
    assert.deepEqual(deleted, ['v002']);
    assert.deepEqual((await memory.service.versions.delete(ref, ['v001'], { force: true })).deleted, ['v001']);
    assert.deepEqual(
      (await memory.service.versions.restore(ref, trash)).map(({ versionId }) => versionId),
      ['v002'],
    );
    await rejects(memory.service.versions.restore(ref, trash), 'store-not-found');
    await rejects(memory.service.versions.delete(ref, ['v002', 'v009']), 'compression-no-such-version');
    assert.equal((await compress()).versionId, 'v003');
  });

  it('shows the original as people read it, and no version that is not there', async () => {
    assert.match(await memory.service.versions.text(ref, 'original', 'md'), /Please look at file 0\.ts/);
    await rejects(memory.service.versions.text(ref, 'original', 'jsonl'), 'compression-no-such-version');
    await rejects(memory.service.versions.text(ref, 'v001', 'md'), 'compression-no-such-version');
    await compress();
    memory.store.versions.files.clear();
    await rejects(memory.service.versions.text(ref, 'v001', 'md'), 'compression-version-unreadable');
  });
});
