import assert from 'node:assert/strict';
import { appendFile, mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { FolderFollower } from '../../../../src/vscode/visibleRefresh';
import { useTempFolder } from '../../support/tempFolder';

describe('following the files of a folder', () => {
  const temp = useTempFolder();
  let follower: FolderFollower | undefined;
  let told = 0;

  afterEach(() => follower?.dispose());

  function follow(): string {
    const folder = path.join(temp.path, 'activity');
    const isWanted = (name: string): boolean => name.endsWith('.jsonl');
    follower = new FolderFollower(folder, { isWanted, onChanged: () => (told += 1) });
    told = 0;
    return folder;
  }

  async function toBeTold(): Promise<void> {
    while (told === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    told = 0;
  }

  it('tells of files that come and grow', async () => {
    await mkdir(path.join(temp.path, 'activity'));
    const file = path.join(follow(), 'session.jsonl');
    await writeFile(file, '1\n');
    await toBeTold();
    await appendFile(file, '2\n');
    await toBeTold();
  });

  it('tells of a folder that comes later, and again after it was gone', async () => {
    const folder = follow();
    for (let times = 0; times < 2; times += 1) {
      await mkdir(folder);
      await toBeTold();
      await writeFile(path.join(folder, 'session.jsonl'), '1\n');
      await toBeTold();
      await rm(folder, { recursive: true });
    }
  });

  it('passes over other files, and is silent once it has ended', async () => {
    await mkdir(path.join(temp.path, 'activity'));
    const folder = follow();
    await writeFile(path.join(folder, 'other.tmp'), '1\n');
    await writeFile(path.join(folder, 'session.jsonl'), '1\n');
    await toBeTold();
    follower?.dispose();
    told = 0;
    await writeFile(path.join(folder, 'session.jsonl'), '2\n');
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.equal(told, 0);
  });
});
