import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { appendFile, mkdir, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DiskClaudeFolder } from '../../../../src/node/claude/claudeFolder';
import { defaultClaudeDir } from '../../../../src/node/claude/claudePlace';
import { useTempFolder } from '../../support/tempFolder';

describe('DiskClaudeFolder', () => {
  const temp = useTempFolder();
  let folder: DiskClaudeFolder;
  beforeEach(() => (folder = new DiskClaudeFolder(temp.path)));

  async function write(name: string, content = '{}\n'): Promise<string> {
    const file = path.join(temp.path, 'projects', name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, content);
    return file;
  }

  async function bytesOf(chunks: AsyncIterable<Uint8Array>): Promise<number> {
    let bytes = 0;
    for await (const chunk of chunks) bytes += chunk.length;
    return bytes;
  }

  it('is empty when Claude Code was never there', async () => {
    assert.deepEqual(await folder.list(), []);
    assert.deepEqual(await folder.projectIds(), []);
    assert.equal(await folder.cleanupPeriodDays(), 30);
  });

  it('lists sessions, their sub-agents, and agents beside them', async () => {
    const file = await write('-p/aaaa.jsonl', '12345');
    const nested = await write('-p/aaaa/subagents/agent-1.jsonl');
    const orphan = await write('-p/gone/subagents/agent-2.jsonl');
    const stray = await write('-p/agent-3.jsonl');
    await write('-p/aaaa/tool-results/big.txt');
    await write('-p/notes.md');
    await write('-p/memory/MEMORY.md');
    const [project, ...others] = await folder.list();
    assert.deepEqual(others, []);
    assert.equal(project?.sessions.length, 1);
    const [session] = project.sessions;
    assert.deepEqual([session?.sessionId, session?.path, session?.bytes], ['aaaa', file, 5]);
    assert.deepEqual(
      session?.subAgents.map((agent) => agent.path),
      [nested],
    );
    assert.deepEqual(project.strayAgents.map((agent) => agent.path).sort(), [stray, orphan].sort());
  });

  it('passes over files among the projects, and over what is no regular file', async function () {
    await write('-p/aaaa.jsonl');
    await write('stray.txt');
    await mkdir(path.join(temp.path, 'projects', '-p', 'folder.jsonl'));
    if (spawnSync('mkfifo', [path.join(temp.path, 'projects', '-p', 'pipe.jsonl')]).status !== 0) this.skip(); // no pipes with names here
    const projects = await folder.list();
    assert.deepEqual(
      projects.flatMap(({ sessions }) => sessions.map(({ sessionId }) => sessionId)),
      ['aaaa'],
    );
  });

  it('passes over folders with names that Claude Code does not give, and lists the others', async function () {
    await write('-p/aaaa.jsonl');
    if (process.platform === 'win32') this.skip(); // there are no such names there
    await write('-a\nb/bbbb.jsonl');
    await write('what: now?/cccc.jsonl');
    assert.deepEqual(await folder.projectIds(), ['-p']);
    assert.deepEqual(
      (await folder.list()).map(({ projectId }) => projectId),
      ['-p'],
    );
  });

  it('follows symbolic links to projects and transcripts, and passes over those that lead nowhere', async () => {
    const real = await write('-p/aaaa.jsonl', '12345');
    await symlink(path.dirname(real), path.join(temp.path, 'projects', '-linked'));
    await symlink(real, path.join(temp.path, 'projects', '-p', 'bbbb.jsonl'));
    await symlink('/nowhere', path.join(temp.path, 'projects', '-p', 'cccc.jsonl'));
    await symlink('dddd.jsonl', path.join(temp.path, 'projects', '-p', 'dddd.jsonl'));
    const projects = await folder.list();
    for (const { sessions } of projects) {
      assert.deepEqual(sessions.map(({ sessionId, bytes }) => [sessionId, bytes]).sort(), [
        ['aaaa', 5],
        ['bbbb', 5],
      ]);
    }
    assert.equal(projects.length, 2);
  });

  it('says which links lead out of its folder, reads none of them, and lists the rest', async () => {
    const outside = path.join(temp.path, 'outside');
    await mkdir(path.join(outside, 'subagents'), { recursive: true });
    const secret = path.join(outside, 'secret.jsonl');
    await writeFile(secret, '{"secret":true}\n');
    await writeFile(path.join(outside, 'subagents', 'agent-1.jsonl'), '{}\n');
    await write('-p/aaaa.jsonl');
    const inProject = (name: string) => path.join(temp.path, 'projects', '-p', name);
    await symlink(secret, inProject('bbbb.jsonl'));
    await symlink(outside, inProject('cccc'));
    await write('-p/dddd/subagents/agent-2.jsonl');
    await symlink(secret, inProject('dddd/subagents/agent-3.jsonl'));
    await symlink(outside, path.join(temp.path, 'projects', '-q'));
    const [p, q] = await folder.list();
    assert.deepEqual(
      p?.sessions.map(({ sessionId }) => sessionId),
      ['aaaa'],
    );
    assert.deepEqual(
      p.strayAgents.map(({ path: file }) => path.basename(file)),
      ['agent-2.jsonl'],
    );
    assert.deepEqual(p.skipped?.map(({ path: file }) => path.relative(inProject(''), file)).sort(), [
      'bbbb.jsonl',
      'cccc',
      path.join('dddd', 'subagents', 'agent-3.jsonl'),
    ]);
    for (const { problem } of p.skipped ?? []) assert.match(problem, new RegExp(outside));
    assert.match(q?.problem ?? '', new RegExp(outside));
    assert.deepEqual(q?.sessions, []);
    for (const file of [inProject('bbbb.jsonl'), path.join(temp.path, 'projects', '-q', 'secret.jsonl')]) {
      await assert.rejects(folder.stat(file), { code: 'transcript-link' });
    }
    await assert.rejects(bytesOf(folder.read(inProject('bbbb.jsonl'))), { code: 'transcript-link' });
  });

  it('may be a link itself, and so may its projects', async () => {
    await write('-p/aaaa.jsonl');
    const dir = path.join(temp.path, 'linked');
    await mkdir(dir);
    await symlink(path.join(temp.path, 'projects'), path.join(dir, 'projects'));
    await symlink(dir, path.join(temp.path, 'twice'));
    const [project] = await new DiskClaudeFolder(path.join(temp.path, 'twice')).list();
    assert.deepEqual([project?.sessions.length, project?.skipped], [1, undefined]);
  });

  it('narrows to some projects, and never leaves its folder for a hostile name', async () => {
    await write('-p/aaaa.jsonl');
    await write('-q/bbbb.jsonl');
    await mkdir(path.join(temp.path, 'secret'));
    await writeFile(path.join(temp.path, 'secret', 'x.jsonl'), '{}');
    const ids = async (only: string[]) => (await folder.list(only)).map(({ projectId }) => projectId);
    assert.deepEqual(await ids(['-q', '-gone']), ['-q']);
    assert.deepEqual(await ids(['../secret', '..', '', '/etc', 'a/b']), []);
    assert.deepEqual(await ids([]), []);
  });

  it('reads in chunks that are no larger than a megabyte, whole or in part', async () => {
    const file = await write('-p/aaaa.jsonl', 'x'.repeat(2.5 * 1024 * 1024));
    for await (const chunk of folder.read(file)) assert.ok(chunk.length <= 1024 * 1024);
    const bytesIn = async (range?: { start?: number; end?: number }) => bytesOf(folder.read(file, range));
    const megabyte = 1024 * 1024;
    assert.equal(await bytesIn(), 2.5 * megabyte);
    assert.equal(await bytesIn({ start: megabyte, end: megabyte + 10 }), 10);
    assert.equal(await bytesIn({ start: 5 * megabyte }), 0);
    assert.equal(await bytesIn({ start: 2.5 * megabyte - 3, end: 9 * megabyte }), 3);
  });

  it('reads what was there at the beginning of a file that grows, and as much as is left of one that shrinks', async () => {
    const file = await write('-p/aaaa.jsonl', 'x'.repeat(3 * 1024 * 1024));
    const read = async (meanwhile: () => Promise<void>) => {
      let bytes = 0;
      for await (const chunk of folder.read(file)) {
        if (bytes === 0) await meanwhile();
        bytes += chunk.length;
      }
      return bytes;
    };
    assert.equal(await read(() => appendFile(file, 'more')), 3 * 1024 * 1024);
    assert.ok((await read(() => truncate(file, 100))) < 3 * 1024 * 1024);
  });

  it('says that a file has vanished, and ends at an abort', async () => {
    const file = await write('-p/aaaa.jsonl', 'x'.repeat(3 * 1024 * 1024));
    const controller = new AbortController();
    const reading = async () => {
      for await (const _chunk of folder.read(file, {}, controller.signal)) controller.abort();
    };
    await assert.rejects(reading(), { name: 'AbortError' });
    await rm(file);
    assert.equal(await folder.stat(file), undefined);
    await assert.rejects(folder.read(file)[Symbol.asyncIterator]().next(), { code: 'transcript-vanished' });
  });

  it('reads the days until the clean-up from the settings, and shrugs at damaged ones', async () => {
    const settings = path.join(temp.path, 'settings.json');
    for (const [content, days] of [
      ['{"cleanupPeriodDays": 7, "theme": "dark"}', 7],
      ['{"cleanupPeriodDays": 0}', 0],
      ['{"cleanupPeriodDays": "soon"}', 30],
      ['{}', 30],
      ['{"cleanup', 30],
    ] as const) {
      await writeFile(settings, content);
      assert.equal(await folder.cleanupPeriodDays(), days, content);
    }
  });

  it('resolves symbolic links, and leaves the names of what is gone', async () => {
    const file = await write('-p/aaaa.jsonl');
    const link = path.join(temp.path, 'link');
    await symlink(path.dirname(file), link);
    assert.equal(await folder.realPath(path.join(link, 'aaaa.jsonl')), file);
    assert.equal(await folder.realPath('/nowhere/at/all'), '/nowhere/at/all');
  });
});

describe('defaultClaudeDir', () => {
  it('is where CLAUDE_CONFIG_DIR says, else .claude at home', () => {
    assert.equal(defaultClaudeDir({ CLAUDE_CONFIG_DIR: '/x/y' }), '/x/y');
    assert.match(defaultClaudeDir({ CLAUDE_CONFIG_DIR: '' }), /\.claude$/);
  });
});
