import { strict as assert } from 'node:assert';
import { readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import {
  cachedTranscriptSchema,
  emptyProjectCache,
  type CachedTranscript,
  type ProjectCache,
} from '../../../../src/core/sessions/statsCache';
import { TranscriptReader } from '../../../../src/core/transcript/transcriptReader';
import { CacheLimit } from '../../../../src/node/store/cacheLimit';
import { StoreLayout } from '../../../../src/node/store/storeLayout';
import { FileMemoryStore } from '../../../../src/node/store/fileMemoryStore';
import { FileStatsCache } from '../../../../src/node/store/fileStatsCache';
import { NOW } from '../../support/storedDocuments';
import { RecordingLog } from '../../support/recordingLog';
import { useTempFolder } from '../../support/tempFolder';

/** The figures of a transcript with one message, as the reader makes them. */
function scanned() {
  const estimator = { estimate: (text: string) => text.length, sample: (text: string) => text.length };
  const reader = new TranscriptReader({ estimator, detail: 'counts' });
  const message = { role: 'user', content: 'Keep the ##keepit0.80## dates in UTC' };
  const record = {
    type: 'user',
    uuid: 'u1',
    parentUuid: null,
    sessionId: 's',
    timestamp: NOW,
    cwd: '/home/dac',
    message,
  };
  reader.feed(new TextEncoder().encode(`${JSON.stringify(record)}\n`));
  return reader.stats();
}

function someTranscript(): CachedTranscript {
  const transcript = { bytes: 0, mtimeMs: 1768903200000.5, stats: scanned() };
  return cachedTranscriptSchema.parse(JSON.parse(JSON.stringify(transcript)));
}

function cacheOf(count: number): ProjectCache {
  const transcript = someTranscript();
  const files = Array.from(
    { length: count },
    (_, bytes) => [`/claude/projects/p/${bytes}.jsonl`, { ...transcript, bytes }] as const,
  );
  return { transcripts: Object.fromEntries(files), agentParents: { '/claude/agent-1.jsonl': 's1' } };
}

describe('FileStatsCache', () => {
  const folder = useTempFolder();
  const log = new RecordingLog();
  const open = (maxSize = '1GB') => {
    const cacheLimit = new CacheLimit(new StoreLayout(folder.path), () => Promise.resolve(maxSize), log);
    return new FileStatsCache({ dir: folder.path, cacheLimit }, log);
  };
  const fill = (projectId: string, cache: ProjectCache) => open().update(projectId, () => cache);
  const digests = (projectId: string) => path.join(folder.path, 'cache', 'digests', `${projectId}.ndjson`);

  it('is empty at first, and gives back what it was given', async () => {
    assert.deepEqual(await open().load('p'), emptyProjectCache());
    await fill('p', cacheOf(3));
    assert.deepEqual(await open().load('p'), cacheOf(3));
    await fill('p', cacheOf(1));
    assert.deepEqual(await open().load('p'), cacheOf(1));
    assert.deepEqual(await open().load('q'), emptyProjectCache());
  });

  it('keeps thousands of transcripts', async () => {
    await fill('p', cacheOf(3000));
    assert.deepEqual(await open().load('p'), cacheOf(3000));
  });

  it('gives every caller an object of its own', async () => {
    await fill('p', cacheOf(1));
    const cache = open();
    (await cache.load('p')).transcripts = {};
    assert.deepEqual(await cache.load('p'), cacheOf(1));
  });

  it('parses a project once, and again when another process has written it', async () => {
    const cache = open();
    await cache.update('p', () => cacheOf(2));
    const path = '/claude/projects/p/1.jsonl';
    assert.equal((await cache.load('p')).transcripts[path], (await cache.load('p')).transcripts[path]);
    await fill('p', cacheOf(1));
    assert.deepEqual(await cache.load('p'), cacheOf(1));
  });

  it('loses nothing that several writers add at the same time', async () => {
    const all = cacheOf(24).transcripts;
    const writers = [open(), open(), open()];
    await Promise.all(
      Object.entries(all).map(([path, transcript], index) =>
        (writers[index % 3] ?? open()).update('p', (cache) => ({
          ...cache,
          transcripts: { ...cache.transcripts, [path]: transcript },
        })),
      ),
    );
    for (const cache of [...writers, open()]) assert.deepEqual((await cache.load('p')).transcripts, all);
    assert.deepEqual(await readdir(path.dirname(digests('p'))), ['p.ndjson']);
  });

  it('forgets the lines that are damaged, and only those', async () => {
    await fill('p', cacheOf(3));
    const lines = (await readFile(digests('p'), 'utf8')).split('\n');
    lines[2] = lines[2]?.replace('"bytes":1', '"bytes":"1"') ?? '';
    await writeFile(digests('p'), lines.join('\n').slice(0, -10));
    assert.deepEqual(Object.keys((await open().load('p')).transcripts), ['/claude/projects/p/0.jsonl']);
  });

  it('is empty when it was made in another format, or is no cache at all', async () => {
    await fill('p', cacheOf(1));
    const text = await readFile(digests('p'), 'utf8');
    for (const content of [text.replace(/"format":\d+/, '"format":99'), '', 'garbage', '[]', '{"format":1}']) {
      await writeFile(digests('p'), content);
      assert.deepEqual(await open().load('p'), emptyProjectCache());
    }
  });

  it('removes what was not written for the longest time when it grows too large', async () => {
    for (const [n, projectId] of ['old', 'older', 'new'].entries()) {
      await fill(projectId, cacheOf(10));
      await utimes(digests(projectId), 1000, 1000 - (n === 1 ? 1 : 0));
    }
    const { size } = await stat(digests('old'));
    await open(`${Math.round(2.5 * size)}B`).update('new', () => cacheOf(10));
    assert.deepEqual((await readdir(path.dirname(digests('x')))).sort(), ['new.ndjson', 'old.ndjson']);
  });

  it('is cut at once to a limit that is set', async () => {
    const store = new FileMemoryStore({ dir: folder.path, clock: { now: () => new Date() }, log });
    for (const projectId of ['cut', 'left']) await new FileStatsCache(store, log).update(projectId, () => cacheOf(10));
    await utimes(digests('cut'), 1000, 1000);
    const left = (await stat(digests('left'))).size;
    await store.updateConfig((config) => ({ ...config, storage: { ...config.storage, maxCacheSize: `${left}B` } }));
    assert.deepEqual(await readdir(path.dirname(digests('x'))), ['left.ndjson']);
  });

  it('stays near a small limit, however little is written at a time', async () => {
    const store = new FileMemoryStore({ dir: folder.path, clock: { now: () => new Date() }, log });
    await new FileStatsCache(store, log).update('first', () => cacheOf(10));
    const { size } = await stat(digests('first'));
    await store.updateConfig((config) => ({ ...config, storage: { ...config.storage, maxCacheSize: `${size * 3}B` } }));
    const caches = new FileStatsCache(store, log);
    for (let n = 0; n < 12; n++) await caches.update(`project-${n}`, () => cacheOf(10));
    assert.ok((await readdir(path.dirname(digests('x')))).length <= 4);
  });

  it('does not fail anybody when it cannot be written', async () => {
    await writeFile(path.join(folder.path, 'cache'), 'a file where the folder should be');
    const cache = open();
    await cache.update('p', () => cacheOf(1));
    assert.deepEqual(await cache.load('p'), emptyProjectCache());
    assert.ok(log.lines.some((line) => line.includes('could not be written')));
  });
});
