import assert from 'node:assert/strict';
import { CompressionError } from '../../../../../src/core/versions/compressionJob';
import type { VersionDiff } from '../../../../../src/core/versions/diff/types';
import { SessionLookupError } from '../../../../../src/core/sessions/sessionLookupError';
import { FakeMemory } from '../../../support/fakeMemory';
import { TranscriptBuilder } from '../../../support/transcriptBuilder';

const APP = '-home-ada-src-app';
const ref = { projectId: APP, sessionId: 'aaaa' };

function lostOf({ lost }: VersionDiff, kind: string): string[] {
  return lost.filter((one) => one.kind === kind).map(({ text }) => text);
}

function shownWords({ hunks }: VersionDiff, change: string): string {
  return hunks
    .flatMap(({ parts }) => parts)
    .filter((part) => part.change === change)
    .map(({ text }) => text)
    .join('');
}

describe('diffVersions', () => {
  let memory: FakeMemory;
  let transcript: TranscriptBuilder;

  beforeEach(async () => {
    memory = new FakeMemory();
    transcript = new TranscriptBuilder('aaaa')
      .human('Never use axios in this project. ##keepit1.00## Cents are integers.##keepit:end##')
      .assistant('We decided to keep the index in SQLite. ##keepit0.10## A small hint about colours.')
      .human('Why does the importer fail with half of the rows, and what about the log files of last week?')
      .assistant(`It was slow. ${'The importer read every row twice before it wrote one. '.repeat(40)}`);
    memory.claude.write(`${APP}/aaaa.jsonl`, transcript);
    await memory.service.sessions.register([ref]);
  });

  async function compress(compactionRatio: number): Promise<string> {
    const request = { mode: 'uniform', compactionRatio, aggressiveness: 'aggressive' } as const;
    return (await memory.service.versions.compress(ref, request)).version.versionId;
  }

  it('tells what of the original a version kept, and what it lost', async () => {
    const diff = await memory.service.versions.compare(ref, 'original', await compress(80));
    assert.deepEqual(
      diff.lost.filter(({ kind }) => kind === 'keepit').map(({ text, weight, reason }) => ({ text, weight, reason })),
      [{ text: 'A small hint about colours.', weight: 0.1, reason: diff.b.receipt?.find(({ kept }) => !kept)?.reason }],
    );
    assert.ok(shownWords(diff, 'kept').includes('Cents are integers.'));
    assert.ok(diff.kept > 0 && diff.removed > diff.kept);
    assert.equal(diff.a.versionId, 'original');
    assert.equal(diff.a.fidelity, undefined);
    assert.ok((diff.b.fidelity?.score ?? 1) < 1);
    assert.deepEqual(diff.a.messageRange, [0, 3]);
  });

  it('names the message that what was lost stands in', async () => {
    const { lost } = await memory.service.versions.compare(ref, 'original', await compress(80));
    const hint = lost.find(({ kind }) => kind === 'keepit');
    assert.deepEqual([hint?.messageIndex, hint?.messageUuid], [1, 'aaaa-1']);
  });

  it('loses nothing towards the original', async () => {
    const diff = await memory.service.versions.compare(ref, await compress(20), 'original');
    assert.deepEqual(diff.lost, []);
    assert.ok(diff.added > diff.kept);
  });

  it('compares a version with itself without a difference', async () => {
    const version = await compress(3);
    const diff = await memory.service.versions.compare(ref, version, version);
    assert.deepEqual([diff.added, diff.removed, diff.lost], [0, 0, []]);
    assert.ok(diff.kept > 0);
  });

  it('blames a harder version for what a softer one still has, and not for what both lost', async () => {
    const soft = await compress(2);
    const hard = await compress(30);
    const diff = await memory.service.versions.compare(ref, soft, hard);
    const fromOriginal = await memory.service.versions.compare(ref, 'original', hard);
    assert.ok(diff.lost.length <= fromOriginal.lost.length);
    assert.deepEqual(lostOf(await memory.service.versions.compare(ref, hard, soft), 'instruction'), []);
  });

  it('compares a part with the messages that it covers', async () => {
    await memory.service.versions.compress(ref, {
      scope: { kind: 'delta' },
      mode: 'uniform',
      compactionRatio: 2,
      aggressiveness: 'minimal',
    });
    transcript.human('Now rename the importer.').assistant('Renamed to reader.');
    memory.claude.write(`${APP}/aaaa.jsonl`, transcript, '2026-01-20T11:00:00Z');
    const { version } = await memory.service.versions.compress(ref, {
      scope: { kind: 'delta' },
      mode: 'uniform',
      compactionRatio: 2,
      aggressiveness: 'minimal',
    });
    const diff = await memory.service.versions.compare(ref, 'original', version.versionId);
    assert.deepEqual(
      [diff.a.messageRange, diff.b.messageRange],
      [
        [4, 5],
        [4, 5],
      ],
    );
    assert.ok(!shownWords(diff, 'removed').includes('axios'));
    const apart = await memory.service.versions.compare(ref, 'part1_v001', version.versionId);
    assert.ok(apart.hunks.every(({ a, b }) => a.length === 0 || b.length === 0));
  });

  it('shows each side whole: kept and removed words are the first, kept and added ones the second', async () => {
    const version = await compress(5);
    const diff = await memory.service.versions.compare(ref, 'original', version);
    const second = diff.hunks.flatMap(({ parts }) =>
      parts.filter(({ change }) => change !== 'removed').map(({ text }) => text),
    );
    const stored = await memory.service.versions.text(ref, version, 'md');
    const bare = (text: string): string => text.replace(/\s+/g, '');
    assert.equal(bare(second.join('')), bare(stored.slice(stored.indexOf('\n') + 1)));
  });

  it('says so when there is no such version, or the session is not in memory', async () => {
    await assert.rejects(
      memory.service.versions.compare(ref, 'original', 'v009'),
      (error) => error instanceof CompressionError && error.reason === 'no-such-version',
    );
    await assert.rejects(
      memory.service.versions.compare({ ...ref, sessionId: 'bbbb' }, 'original', 'v001'),
      SessionLookupError,
    );
  });

  it('ends when it is aborted', async () => {
    const version = await compress(5);
    await assert.rejects(
      memory.service.versions.compare(ref, 'original', version, AbortSignal.abort(new Error('enough'))),
      /enough/,
    );
  });
});
