import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readerLocale } from '../../../../src/vscode/locale';
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
    await mkdir(path.join(source, 'projects/-p'), { recursive: true });
    await writeFile(path.join(source, 'projects/-p/a.jsonl'), old);
    await writeFile(path.join(source, 'projects/-p/b.jsonl'), newest);
  });
  afterEach(() => rm(folder, { recursive: true }));

  const sample = (version = '1'): SampleMemory =>
    new SampleMemory({ source, target: path.join(folder, 'storage/sample'), version });

  const timeIn = (text: string): number => Date.parse(/"timestamp":"([^"]+)"/.exec(text)?.[1] ?? '');

  it('dates its copy as if it had been worked in lately, by whole days, and leaves the words alone', async () => {
    const { claudeDir } = await sample().prepare();
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
    await sample().prepare();
    assert.equal(await readFile(path.join(source, 'projects/-p/a.jsonl'), 'utf8'), old);
  });

  it('keeps the copy and its memory while they are fresh, and makes both anew for another version', async () => {
    const { memoryDir } = await sample().prepare();
    const mark = path.join(memoryDir, 'mark');
    await mkdir(memoryDir);
    await writeFile(mark, '');
    await sample().prepare();
    assert.ok(await stat(mark));
    await sample('2').prepare();
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
