import assert from 'node:assert/strict';
import { appendFile, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DiskClaudeFolder } from '../../../../src/node/claude/claudeFolder';
import { FolderWatcher } from '../../../../src/node/claude/folderWatcher';
import type { FolderWatcherOptions } from '../../../../src/node/claude/folderWatcher';
import { RecordingLog } from '../../support/recordingLog';
import { useTempFolder } from '../../support/tempFolder';

/** Waits until something has been seen: as long as it takes, the runner's own limit ends what never comes. */
async function until(isThere: () => boolean): Promise<void> {
  while (!isThere()) await sleep(10);
}

describe('FolderWatcher', () => {
  const temp = useTempFolder();
  let watcher: FolderWatcher | undefined;
  const told: string[] = [];

  afterEach(() => {
    watcher?.dispose();
    told.length = 0;
  });

  const projects = () => path.join(temp.path, 'projects');

  async function start(options: FolderWatcherOptions = {}): Promise<FolderWatcher> {
    const quick = { quietMs: 20, maxWaitMs: 200, pollMs: 60, ...options };
    watcher = new FolderWatcher(new DiskClaudeFolder(temp.path), new RecordingLog(), quick);
    watcher.onDidChange((ids) => told.push(...ids));
    await watcher.start();
    return watcher;
  }

  async function project(id: string): Promise<string> {
    await mkdir(path.join(projects(), id), { recursive: true });
    const file = path.join(projects(), id, 'aaaa.jsonl');
    await writeFile(file, '{}\n');
    return file;
  }

  it('tells which project has changed: a session that grows, comes or goes', async () => {
    const file = await project('-p');
    await project('-q');
    await start();
    await appendFile(file, '{}\n');
    await until(() => told.includes('-p'));
    await writeFile(path.join(projects(), '-q', 'bbbb.jsonl'), '');
    await until(() => told.includes('-q'));
    told.length = 0;
    await rm(file);
    await until(() => told.includes('-p'));
  });

  it('tells of a project that is new, watches it from then on, and tells when it goes', async () => {
    await project('-p');
    await start();
    const file = await project('-new');
    await until(() => told.includes('-new'));
    told.length = 0;
    await appendFile(file, '{}\n');
    await until(() => told.includes('-new'));
    told.length = 0;
    await rm(path.dirname(file), { recursive: true });
    await until(() => told.includes('-new'));
  });

  it('finds out when Claude Code makes its folder later', async () => {
    await start();
    await project('-p');
    await until(() => told.includes('-p'));
  });

  it('polls projects beyond the number of watches', async () => {
    await project('-p');
    const file = await project('-q');
    await start({ maxWatches: 0 });
    await appendFile(file, '{}\n');
    await until(() => told.includes('-q'));
    assert.deepEqual(told, ['-q']);
  });

  it('tells many changes at once', async () => {
    const file = await project('-p');
    const calls: (readonly string[])[] = [];
    const running = await start({ quietMs: 100, maxWaitMs: 5000 });
    running.onDidChange((ids) => calls.push(ids));
    for (let index = 0; index < 20; index++) await appendFile(file, '{}\n');
    await until(() => calls.length > 0);
    assert.deepEqual(calls[0], ['-p']);
  });

  it('tells nobody any more once it is disposed of, nor a listener that has gone', async () => {
    const file = await project('-p');
    const running = await start();
    const gone: string[] = [];
    running.onDidChange((ids) => gone.push(...ids)).dispose();
    await appendFile(file, '{}\n');
    await until(() => told.includes('-p'));
    assert.deepEqual(gone, []);
    running.dispose();
    told.length = 0;
    await appendFile(file, '{}\n');
    await sleep(100);
    assert.deepEqual(told, []);
  });

  it('follows one file while it grows, is replaced, and goes', async () => {
    const file = await project('-p');
    const running = await start();
    const sizes: (number | undefined)[] = [];
    const follow = running.follow(file, (entry) => sizes.push(entry?.bytes));
    await sleep(50); // the follower has looked at what was there before
    await appendFile(file, '{}\n');
    await until(() => sizes.includes(6));
    await writeFile(`${file}.new`, 'x'.repeat(10));
    await rename(`${file}.new`, file);
    await until(() => sizes.includes(10));
    await rm(file);
    await until(() => sizes.includes(undefined));
    follow.dispose();
  });
});
