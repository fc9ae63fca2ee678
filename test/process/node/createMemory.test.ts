import assert from 'node:assert/strict';
import { appendFile, chmod, cp, mkdir, readFile, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createMemory } from '../../../src/node/createMemory';
import type { Memory } from '../../../src/node/createMemory';
import { useProgram } from '../support/cliProcess';
import { RecordingLog } from '../../unit/support/recordingLog';
import { sharedData } from '../../unit/support/sharedData';
import { useTempFolder } from '../../unit/support/tempFolder';
import { someTranscript, TranscriptBuilder } from '../../unit/support/transcriptBuilder';

const APP = '-home-ada-src-app';
const ref = (sessionId: string) => ({ projectId: APP, sessionId });

describe('a memory on disk', () => {
  const temp = useTempFolder();
  const program = useProgram();
  const open: Memory[] = [];

  afterEach(async () => {
    for (const memory of open.splice(0)) await memory.dispose();
  });

  function memoryOf(claudeDir = path.join(temp.path, 'claude')): Memory {
    const { dir: distDir } = program;
    const watcher = { quietMs: 20, maxWaitMs: 100 };
    const memory = createMemory({
      claudeDir,
      memoryDir: path.join(temp.path, 'memory'),
      distDir,
      watcher,
      log: new RecordingLog(),
    });
    open.push(memory);
    return memory;
  }

  async function write(name: string, content: { toString(): string }): Promise<string> {
    const file = path.join(temp.path, 'claude', 'projects', name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, content.toString());
    return file;
  }

  it('makes nothing on disk before something is registered, but for its cache', async () => {
    await write(`${APP}/aaaa.jsonl`, someTranscript('aaaa'));
    const { service, memoryDir } = memoryOf();
    await service.sessions.discover();
    await assert.rejects(stat(path.join(memoryDir, 'projects')), { code: 'ENOENT' });
  });

  it('answers from an index that was damaged', async () => {
    const many = Array.from({ length: 30_000 }, (_, at) => `word${at}`).join(' ');
    await write(
      `${APP}/aaaa.jsonl`,
      new TranscriptBuilder('aaaa')
        .human('Rename the queue')
        .human(many)
        .result('1 a', { name: 'Read', input: { file_path: '/home/ada/src/app/src/queue.ts' } }),
    );
    await memoryOf().service.sessions.register([ref('aaaa')]);
    const ask = async () => {
      const { search } = memoryOf().service;
      const found = await search.search({ query: 'queue' });
      const suggested = await search.suggest({ projectId: APP, topics: ['queue'] });
      return [
        found.total,
        suggested.map(({ why }) => why),
        await search.fileSessions({ projectId: APP, file: 'src/queue.ts' }),
      ];
    };
    const folder = path.join(temp.path, 'memory', 'cache', 'said', APP);
    const tables = async () =>
      path.join(folder, (await readdir(folder)).find((name) => name.endsWith('.tables')) ?? '');
    const before = await ask();
    // Behind what is read at once, before the sums.
    const isHit = (part: number) => part > 0.4 && part < 0.9;
    for (const one of [
      (search: Memory['service']['search']) => search.search({ query: 'queue' }),
      (search: Memory['service']['search']) => search.suggest({ projectId: APP, topics: ['queue'] }),
      (search: Memory['service']['search']) => search.fileSessions({ projectId: APP, file: 'src/queue.ts' }),
    ]) {
      const bytes = await readFile(await tables());
      await writeFile(
        await tables(),
        bytes.map((byte, at) => (isHit(at / bytes.length) ? byte ^ 0x55 : byte)),
      );
      await one(memoryOf().service.search);
      assert.deepEqual(await ask(), before);
    }
  });

  it('answers from an index of which several files were damaged', async () => {
    for (const id of ['aaaa', 'bbbb']) {
      const many = Array.from({ length: 30_000 }, (_, at) => `${id}${at}`).join(' ');
      await write(`${APP}/${id}.jsonl`, new TranscriptBuilder(id).human('Rename the queue').human(many));
      await memoryOf().service.sessions.register([ref(id)]);
    }
    const folder = path.join(temp.path, 'memory', 'cache', 'said', APP);
    const tables = (await readdir(folder)).filter((name) => name.endsWith('.tables'));
    assert.equal(tables.length, 2);
    for (const name of tables) {
      const bytes = await readFile(path.join(folder, name));
      await writeFile(path.join(folder, name), bytes.fill(0x55, bytes.length >> 1, bytes.length - (bytes.length >> 3)));
    }
    const suggested = await memoryOf().service.search.suggest({ projectId: APP, topics: ['queue'] });
    assert.deepEqual(suggested.map(({ sessionId }) => sessionId).sort(), ['aaaa', 'bbbb']);
  });

  it('keeps a session over its deletion by Claude Code, and over another run of Keepit', async () => {
    const file = await write(
      `${APP}/aaaa.jsonl`,
      new TranscriptBuilder('aaaa').human('##keepit1.00## x').assistant('ok'),
    );
    const before = await readFile(file);
    const { registered } = await memoryOf().service.sessions.register([ref('aaaa')]);
    assert.equal(registered.length, 1);
    assert.deepEqual(await readFile(file), before);
    await rm(path.dirname(file), { recursive: true });
    const { service } = memoryOf();
    const [project] = (await service.sessions.discover()).projects;
    assert.deepEqual([project?.sessions[0]?.isOriginalGone, project?.sessions[0]?.messages], [true, 2]);
    assert.equal((await service.sessions.messages(ref('aaaa')))[0]?.text, '##keepit1.00## x');
    assert.equal((await service.upkeep.stats()).savedSessions, 1);
    const failing = (await service.upkeep.doctor()).filter(({ ok }) => !ok).map(({ name }) => name);
    // Where the original was kept by a hard link, it still has the mode that Claude Code gave it.
    assert.deepEqual(
      failing.filter((name) => name !== 'file modes'),
      ['claude folder'],
    );
  });

  it('reads directory entries only when nothing has changed, in another run too', async () => {
    for (let index = 0; index < 20; index++) await write(`${APP}/s${index}.jsonl`, someTranscript(`s${index}`, 10));
    assert.equal((await memoryOf().service.sessions.discover()).cost.filesRead, 20);
    const { cost, projects } = await memoryOf().service.sessions.discover();
    assert.deepEqual(cost, { filesListed: 20, filesRead: 0, bytesRead: 0 });
    assert.equal(projects[0]?.sessions.length, 20);
  });

  it('takes in the new bytes of a session that has grown, and the kept original with them', async () => {
    const file = await write(`${APP}/aaaa.jsonl`, someTranscript('aaaa'));
    const { service, memoryDir } = memoryOf();
    await service.sessions.register([ref('aaaa')]);
    await appendFile(file, new TranscriptBuilder('more').human('##keepit0.50## later').toString());
    const { synced } = await service.sessions.sync();
    assert.deepEqual(
      synced.map(({ newMessages }) => newMessages),
      [1],
    );
    assert.equal((await service.sessions.list(APP))[0]?.keepitMarkers[0]?.content, 'later');
    const kept = path.join(memoryDir, 'projects', APP, 'originals', 'aaaa.jsonl');
    assert.deepEqual(await readFile(kept), await readFile(file));
    assert.deepEqual(await service.sessions.sync(), { synced: [], failed: [] });
  });

  it('registers the same sessions from two memories at once without losing any', async () => {
    const refs = Array.from({ length: 12 }, (_, index) => ref(`s${index}`));
    for (const { sessionId } of refs) await write(`${APP}/${sessionId}.jsonl`, someTranscript(sessionId));
    const [one, other] = await Promise.all([
      memoryOf().service.sessions.register(refs),
      memoryOf().service.sessions.register([...refs].reverse()),
    ]);
    assert.deepEqual([one.failed, other.failed], [[], []]);
    assert.equal((await memoryOf().service.sessions.list()).length, 12);
  });

  it('goes on beside a folder and a file that may not be read', async function () {
    if (process.getuid?.() === 0) this.skip(); // nothing is closed to root
    const closed = await write(`${APP}/aaaa.jsonl`, someTranscript('aaaa'));
    await write(`${APP}/bbbb.jsonl`, someTranscript('bbbb'));
    const folder = path.dirname(await write('-closed/cccc.jsonl', someTranscript('cccc')));
    await chmod(closed, 0o000);
    await chmod(folder, 0o000);
    const { projects } = await memoryOf().service.sessions.discover();
    await chmod(folder, 0o700);
    assert.ok(projects.find(({ projectId }) => projectId === '-closed')?.problem);
    const sessions = projects.find(({ projectId }) => projectId === APP)?.sessions ?? [];
    assert.equal(sessions.filter(({ problem }) => problem !== undefined).length, 1);
    assert.equal(sessions.filter(({ messages }) => messages === 4).length, 1);
  });

  it('mends what it can when it is asked to', async () => {
    const file = await write(`${APP}/aaaa.jsonl`, someTranscript('aaaa'));
    const { service, memoryDir } = memoryOf();
    await service.sessions.register([ref('aaaa')]);
    const folder = path.join(memoryDir, 'projects', APP);
    await rm(path.join(folder, 'originals', 'aaaa.jsonl'));
    await chmod(folder, 0o755);
    const leftover = path.join(folder, 'manifest.json.12345.tmp');
    await writeFile(leftover, 'half');
    await utimes(leftover, 1, 1);
    const failing = (await service.upkeep.doctor()).filter(({ ok }) => !ok).map(({ name }) => name);
    assert.ok(failing.includes('originals') && failing.includes('file modes'), failing.join());
    const repaired = await service.upkeep.doctor({ repair: true });
    assert.deepEqual(
      repaired.filter(({ ok, name }) => !ok && name !== 'leftovers'),
      [],
    );
    assert.deepEqual(await readFile(path.join(folder, 'originals', 'aaaa.jsonl')), await readFile(file));
  });

  it('tells of projects that change', async () => {
    const file = await write(`${APP}/aaaa.jsonl`, someTranscript('aaaa'));
    const memory = memoryOf();
    const changed = new Promise<readonly string[]>((resolve) => void memory.watch(resolve));
    // Watching begins in the background: a change is made until one has been seen.
    const writing = setInterval(() => void appendFile(file, '{}\n'), 50);
    assert.deepEqual(await changed, [APP]);
    clearInterval(writing);
  });

  it('reads real transcripts: every line accounted for, and all of them registered', async function () {
    const claudeDir = sharedData('claude-home');
    if (claudeDir === undefined) this.skip(); // needs the shared data
    const copy = path.join(temp.path, 'claude');
    await cp(claudeDir, copy, { recursive: true });
    const { service } = memoryOf(copy);
    const { projects } = await service.sessions.discover();
    const sessions = projects.flatMap((project) => project.sessions);
    assert.ok(projects.length >= 8 && sessions.length >= 30);
    assert.deepEqual(
      sessions.filter(({ problem }) => problem !== undefined),
      [],
    );
    assert.deepEqual((await service.sessions.register(sessions)).failed, []);
    for (const session of sessions) {
      const { reader } = await service.sessions.show(session);
      const skipped = Object.values(reader.skipped).reduce((sum, count) => sum + count, 0);
      assert.equal(reader.used + skipped + reader.broken.length, reader.lines, session.sessionId);
      const { messages } = await service.sessions.conversation(session);
      assert.equal(messages.length, session.messages, session.sessionId);
    }
    assert.equal((await service.sessions.discover()).cost.filesRead, 0);
  });
});
