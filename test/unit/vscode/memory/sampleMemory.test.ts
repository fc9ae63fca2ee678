import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readerLocale } from '../../../../src/core/text/formats';
import { SampleMemory } from '../../../../src/vscode/memory/sampleMemory';

const DAY_MS = 24 * 60 * 60 * 1000;

function record(time: string, text: string): string {
  return `${JSON.stringify({ type: 'user', message: { role: 'user', content: text }, timestamp: time })}\n`;
}

describe('SampleMemory', () => {
  let folder: string;
  let source: string;
  const old = record('2020-01-01T08:30:00.000Z', 'We met on 2020-01-01.');
  const newest = record('2020-02-10T21:15:00.000Z', 'The newest.');

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'keepit-sample-'));
    source = path.join(folder, 'shipped');
    await mkdir(path.join(source, 'claude-home/projects/-p'), { recursive: true });
    await writeFile(path.join(source, 'claude-home/projects/-p/a.jsonl'), old);
    await writeFile(path.join(source, 'claude-home/projects/-p/b.jsonl'), newest);
    await writeFile(path.join(source, 'README.md'), '# Sample');
  });
  afterEach(() => rm(folder, { recursive: true }));

  const sample = (version = '1'): SampleMemory =>
    new SampleMemory({ source, folder: path.join(folder, 'storage/sample'), version });

  async function prepared(version?: string): Promise<SampleMemory['folders']> {
    const made = sample(version);
    await made.prepare();
    return made.folders;
  }

  /** A file that somebody has written into the sample's memory. */
  async function leaveMark(): Promise<string> {
    const { memoryDir } = await prepared();
    const mark = path.join(memoryDir, 'mark');
    await mkdir(memoryDir);
    await writeFile(mark, '');
    return mark;
  }

  const timeIn = (text: string): number => Date.parse(/"timestamp":"([^"]+)"/.exec(text)?.[1] ?? '');

  it('dates its copy as if it had been worked in lately, by whole days, and leaves the words alone', async () => {
    const { claudeDir } = await prepared();
    const a = await readFile(path.join(claudeDir, 'projects/-p/a.jsonl'), 'utf8');
    const b = await readFile(path.join(claudeDir, 'projects/-p/b.jsonl'), 'utf8');
    const age = Date.now() - timeIn(b);
    assert.ok(age >= 2 * DAY_MS && age < 3 * DAY_MS, String(age));
    assert.equal(timeIn(b) - timeIn(a), timeIn(newest) - timeIn(old));
    assert.equal((timeIn(a) - timeIn(old)) % DAY_MS, 0);
    assert.match(a, /We met on 2020-01-01\./);
    assert.equal((await stat(path.join(claudeDir, 'projects/-p/a.jsonl'))).mtimeMs, timeIn(a));
  });

  it('never changes what is shipped', async () => {
    await prepared();
    assert.equal(await readFile(path.join(source, 'claude-home/projects/-p/a.jsonl'), 'utf8'), old);
  });

  it('lies below the folder that its window opens, with a word about it', async () => {
    const { claudeDir, memoryDir } = await prepared();
    const { folder: opened } = sample();
    assert.deepEqual([path.dirname(claudeDir), path.dirname(memoryDir)], [opened, opened]);
    assert.equal(await readFile(path.join(opened, 'README.md'), 'utf8'), '# Sample');
  });

  it('keeps the copy and its memory while they are fresh, and makes both anew for another version', async () => {
    const mark = await leaveMark();
    await prepared();
    assert.ok(await stat(mark));
    await prepared('2');
    await assert.rejects(stat(mark), { code: 'ENOENT' });
  });

  it('is as it was at first when it was given up, but not under a window that shows it', async () => {
    const mark = await leaveMark();
    await sample().giveUp();
    assert.ok(await stat(mark));
    await prepared();
    await assert.rejects(stat(mark), { code: 'ENOENT' });
  });
});

describe('readerLocale', () => {
  it("takes the system's region where it speaks the window's language, else the window's language", () => {
    assert.equal(readerLocale('en', 'en-GB'), 'en-GB');
    assert.equal(readerLocale('de', 'en-US'), 'de');
    assert.equal(readerLocale('zh-cn', 'zh-CN'), 'zh-CN');
  });
});
