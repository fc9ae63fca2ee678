import { strict as assert } from 'node:assert';
import { appendFile, mkdir, readFile, rename, rm, stat, symlink, truncate, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { errorText } from '../../../../src/core/text/keepitError';
import type { TakeMethod } from '../../../../src/node/files/takeFile';
import { newProject } from '../../support/storedDocuments';
import { useStore } from '../../support/storeFixture';

const { projectId } = newProject;
const LINES = '{"line":1}\n{"line":2}\n';

describe('FileMemoryStore: originals', () => {
  const fixture = useStore();
  const kept = () => readFile(fixture.inProject('originals', 'a.jsonl'), 'utf8');

  for (const takeMethods of [['copy'], ['link', 'copy'], ['clone', 'copy']] as TakeMethod[][]) {
    describe(`kept by ${takeMethods.join(' or ')}`, () => {
      const keep = (source: string) => fixture.open({ takeMethods }).sessions.keep(projectId, 'a', source);

      it('outlive the transcript', async () => {
        const source = await fixture.transcript('a', LINES);
        const file = await keep(source);
        assert.deepEqual([file.file, file.bytes, file.hashes?.length], ['originals/a.jsonl', LINES.length, 1]);
        assert.ok(takeMethods.includes(file.method));
        await rm(source);
        const again = await keep(source);
        assert.equal(again.bytes, LINES.length);
        assert.equal(await kept(), LINES);
      });

      it('grow with the transcript', async () => {
        const source = await fixture.transcript('a', LINES);
        await keep(source);
        await appendFile(source, '{"line":3}\n');
        assert.equal((await keep(source)).bytes, LINES.length + 11);
        assert.equal(await kept(), `${LINES}{"line":3}\n`);
        const [own, theirs] = await Promise.all(
          [fixture.inProject('originals', 'a.jsonl'), source].map((file) => stat(file)),
        );
        assert.ok(Math.abs((own?.mtimeMs ?? 0) - (theirs?.mtimeMs ?? 0)) < 1);
      });

      it('keep what they had when the transcript is replaced by another', async () => {
        const source = await fixture.transcript('a', LINES);
        await keep(source);
        for (const content of ['{"other":1}\n', '{"third":1}\n{"longer":true}\n{"than":"all"}\n']) {
          await writeFile(`${source}.new`, content);
          await rename(`${source}.new`, source);
          await keep(source);
          assert.equal(await kept(), content);
        }
        const older = (n: number) => readFile(fixture.inProject('originals', `a.jsonl.older-${n}`), 'utf8');
        assert.deepEqual([await older(1), await older(2)], [LINES, '{"other":1}\n']);
      });

      it('keep what they had when a shorter transcript takes the place', async () => {
        const source = await fixture.transcript('a', LINES);
        await keep(source);
        await writeFile(`${source}.new`, '{"line":1}\n');
        await rename(`${source}.new`, source);
        await keep(source);
        assert.equal(await kept(), '{"line":1}\n');
        assert.equal(await readFile(fixture.inProject('originals', 'a.jsonl.older-1'), 'utf8'), LINES);
      });

      it('see a rewrite in the middle of a large transcript that also grew', async () => {
        const line = `{"text":"${'x'.repeat(90)}"}\n`;
        const source = await fixture.transcript('a', line.repeat(20_000));
        await keep(source);
        await writeFile(`${source}.new`, `${line.repeat(9000)}{"in":"serted"}\n${line.repeat(11_500)}`);
        await rename(`${source}.new`, source);
        await keep(source);
        assert.equal(await kept(), await readFile(source, 'utf8'));
        assert.deepEqual(await fixture.namesIn('originals'), ['a.jsonl', 'a.jsonl.older-1']);
      });
    });
  }

  it('share no file with Claude Code, and those that an older Keepit linked become copies', async () => {
    const source = await fixture.transcript('a', LINES);
    await fixture.open({ takeMethods: ['link', 'copy'] }).sessions.keep(projectId, 'a', source);
    assert.equal((await stat(source)).nlink, 2);
    const store = fixture.open();
    assert.notEqual((await store.sessions.keep(projectId, 'a', source)).method, 'link');
    assert.equal((await stat(source)).nlink, 1);
    await truncate(source, 11);
    assert.equal(await kept(), LINES);
    await store.sessions.keep(projectId, 'a', source);
    assert.equal(await readFile(fixture.inProject('originals', 'a.jsonl.older-1'), 'utf8'), LINES);
    assert.deepEqual(await fixture.namesIn('originals'), ['a.jsonl', 'a.jsonl.older-1']);
  });

  it('are linked where the configuration says so', async () => {
    const store = fixture.open();
    await store.updateConfig((config) => ({ ...config, storage: { ...config.storage, originals: 'link' } }));
    const source = await fixture.transcript('a', LINES);
    const { method } = await store.sessions.keep(projectId, 'a', source);
    assert.equal((await stat(source)).nlink, method === 'link' ? 2 : 1);
    await store.updateConfig((config) => ({ ...config, storage: { ...config.storage, originals: 'copy' } }));
    assert.equal((await store.sessions.keep(projectId, 'a', source)).method, 'copy');
  });

  it('see an edit of the same length anywhere in a large transcript', async () => {
    const line = `{"text":"${'x'.repeat(90)}"}\n`;
    const source = await fixture.transcript('a', line.repeat(20_000));
    const store = fixture.open();
    await store.sessions.keep(projectId, 'a', source);
    const edited = `${line.repeat(7000)}${line.replace('xx', 'yy')}${line.repeat(12_999)}`;
    await writeFile(source, edited);
    await store.sessions.keep(projectId, 'a', source);
    assert.equal(await kept(), edited);
  });

  it('stay when the transcript is emptied, as after a loss of power', async () => {
    const source = await fixture.transcript('a', LINES);
    const store = fixture.open({ takeMethods: ['copy'] });
    await store.sessions.keep(projectId, 'a', source);
    await truncate(source);
    assert.equal((await store.sessions.keep(projectId, 'a', source)).bytes, LINES.length);
    assert.equal(await kept(), LINES);
  });

  it('are not written when somebody else has the same file under another name', async () => {
    const source = await fixture.transcript('a', LINES);
    const store = fixture.open({ takeMethods: ['link', 'copy'] });
    await store.sessions.keep(projectId, 'a', source);
    await rename(source, `${source}.moved`);
    await writeFile(source, `${LINES}{"line":3}\n`);
    await store.sessions.keep(projectId, 'a', source);
    assert.equal(await readFile(`${source}.moved`, 'utf8'), LINES);
    assert.equal(await kept(), `${LINES}{"line":3}\n`);
    assert.deepEqual(await fixture.namesIn('originals'), ['a.jsonl']);
  });

  it('remember how they were made while they only grow', async () => {
    const source = await fixture.transcript('a', LINES);
    const store = fixture.open({ takeMethods: ['copy'] });
    await fixture.register(store, 'a');
    const manifest = await store.updateManifest(newProject, async (before) => {
      await appendFile(source, '{}\n');
      const file = await store.sessions.keep(projectId, 'a', source);
      return { ...before, last: file };
    });
    assert.equal(manifest.sessions.a?.kept?.method, 'copy');
    const grown = { method: 'copy', bytes: (await kept()).length };
    assert.deepEqual({ ...Object(manifest.last), file: '', hashes: [] }, { ...grown, file: '', hashes: [] });
  });

  it('are removed again when the change that made them fails, and left when they were there before', async () => {
    const source = await fixture.transcript('a', LINES);
    const store = fixture.open();
    const failing = store.updateManifest(newProject, async () => {
      await store.sessions.keep(projectId, 'a', source);
      throw new Error('cancelled');
    });
    await assert.rejects(failing, /cancelled/);
    assert.equal(await store.sessions.path(projectId, 'a'), undefined);
    await fixture.register(store, 'a');
    const again = store.updateManifest(newProject, async () => {
      await store.sessions.keep(projectId, 'a', source);
      throw new Error('cancelled');
    });
    await assert.rejects(again, /cancelled/);
    assert.equal(await store.sessions.path(projectId, 'a'), fixture.inProject('originals', 'a.jsonl'));
  });

  it('say that a transcript is gone when nothing of it was kept', async () => {
    const missing = path.join(fixture.root, 'missing.jsonl');
    const attempt = fixture.open().sessions.keep(projectId, 'a', missing);
    await assert.rejects(attempt, { name: 'TranscriptUnreadableError', reason: 'vanished' });
  });

  it('are made of nothing but files', async () => {
    const folder = path.join(fixture.root, 'folder.jsonl');
    await mkdir(folder);
    const attempt = fixture.open().sessions.keep(projectId, 'a', folder);
    await assert.rejects(attempt, (error) => /folder\.jsonl could not be read/.test(errorText(error)));
  });

  it('are never made of a transcript that is a symbolic link', async () => {
    const source = path.join(fixture.root, 'a.jsonl');
    await symlink(await fixture.transcript('real', LINES), source);
    await assert.rejects(fixture.open().sessions.keep(projectId, 'a', source), {
      code: 'transcript-link',
      message: new RegExp(source),
    });
    assert.deepEqual(await fixture.namesIn('originals').catch(() => []), []);
  });

  it('take the place of the links that other tools make', async () => {
    const source = await fixture.transcript('a', LINES);
    await mkdir(fixture.inProject('originals'), { recursive: true });
    await symlink(source, fixture.inProject('originals', 'a.jsonl'));
    await fixture.open().sessions.keep(projectId, 'a', source);
    await rm(source);
    assert.equal(await kept(), LINES);
    assert.deepEqual(await fixture.namesIn('originals'), ['a.jsonl']);
  });

  it('are not read through a link out of the store', async () => {
    await mkdir(fixture.inProject('originals'), { recursive: true });
    await symlink(await fixture.transcript('other', LINES), fixture.inProject('originals', 'a.jsonl'));
    await assert.rejects(fixture.open().sessions.path(projectId, 'a'), { code: 'transcript-link' });
  });

  it('do without what a dangling link led to', async () => {
    await mkdir(fixture.inProject('originals'), { recursive: true });
    await symlink(path.join(fixture.root, 'gone.jsonl'), fixture.inProject('originals', 'a.jsonl'));
    assert.equal(await fixture.open().sessions.path(projectId, 'a'), undefined);
    await fixture.open().sessions.keep(projectId, 'a', await fixture.transcript('a', LINES));
    assert.equal(await kept(), LINES);
  });

  it('include the transcripts of sub-agents', async () => {
    const agent = path.join(fixture.root, 'claude', 'agent-7f.jsonl');
    await fixture.write(agent, LINES);
    await utimes(agent, 5, 5);
    const store = fixture.open();
    await store.sessions.keepSubAgents(projectId, 'a', [agent, path.join(fixture.root, 'agent-gone.jsonl')]);
    const file = fixture.inProject('originals', 'a', 'subagents', 'agent-7f.jsonl');
    assert.deepEqual(await store.sessions.subAgents(projectId, 'a'), [
      { path: file, bytes: LINES.length, mtimeMs: 5000 },
    ]);
    assert.deepEqual(await store.sessions.subAgents(projectId, 'b'), []);
  });
});
