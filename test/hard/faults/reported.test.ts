import assert from 'node:assert/strict';
import { access, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod/mini';
import { carriedPlugin } from '../../unit/support/carriedPlugin';
import { useProgram } from '../../process/support/cliProcess';
import { FaultHome, type Fault, type Faulted } from './support/faultHome';
import { FaultStates, LONG, MESSAGE, SHORT, type StateName } from './support/faultStates';
import { leftoversIn } from './support/homeState';

const SAID = 'because we have no Redis on the small machines. Never use axios here: we have fetch.';

const doctorSchema = z.object({ checks: z.array(z.object({ name: z.string(), ok: z.boolean() })) });

/** What has failed before, each at its own call. */
describe('file calls that failed before', () => {
  const program = useProgram();
  let home: FaultHome;
  let states: FaultStates;

  before(async () => {
    await carriedPlugin(program.dir);
    home = await FaultHome.make(program);
    states = new FaultStates(home);
  });
  after(() => home.dispose());

  async function run(from: StateName, args: readonly string[], fault: Fault): Promise<Faulted> {
    await states.enter(from);
    const ended = await home.run({ args, fault });
    assert.ok(ended.hits.length > 0, 'no call was hit');
    assert.doesNotMatch(ended.stderr, /\n\s+at |bug/);
    return ended;
  }

  /** What the doctor finds by a check. */
  async function wrongBy(check: string): Promise<unknown[]> {
    const { checks } = doctorSchema.parse(await home.answer('doctor'));
    return checks.filter(({ name, ok }) => name === check && !ok);
  }

  const compose = ['compose', LONG, '--name', 'two', '--budget', '4000'];

  for (const [call, error] of [
    ['^link .*setup\\.lock', 'EMFILE'],
    ['^read .*setup\\.lock', 'EIO'],
    ['^open .*setup\\.lock', 'EMFILE'],
  ] as const) {
    it(`the lock of the set-up: ${error} at ${call} is told in one sentence`, async () => {
      const { code, stderr } = await run('settled', ['install-hooks'], { call, error, mode: 'on' });
      assert.equal(code, 1, stderr);
      assert.match(stderr, /^keepit: .*\.setup\.lock .*\n$/);
    });
  }

  it('the lock of the set-up that cannot be removed, for a moment or for good', async () => {
    for (const mode of ['once', 'on'] as const) {
      const fault = { call: '^unlink .*\\.setup\\.lock$', error: 'EACCES', mode } as const;
      assert.equal((await run('settled', ['install-hooks'], fault)).code, 0);
      assert.equal((await leftoversIn(home.live)).length, mode === 'once' ? 0 : 1);
      await home.answer('uninstall-hooks', '--yes');
      assert.deepEqual(await leftoversIn(home.live), []);
    }
  });

  it('a rename amid several files leaves none of them, and the next try makes them all', async () => {
    const { code } = await run('full', compose, { call: '^rename .*composed\\.jsonl', error: 'EIO', mode: 'once' });
    assert.equal(code, 1);
    assert.deepEqual(await leftoversIn(home.live), []);
    await home.answer(...compose);
  });

  it('what is at work beside what fails comes to its end', async () => {
    const fault = { call: '^read .*/info/exclude$', error: 'EIO', mode: 'once' } as const;
    assert.equal((await run('full', ['search', 'mail queue'], fault)).code, 1);
    assert.deepEqual(await leftoversIn(home.live), []);
  });

  it('an import that cannot begin leaves nothing of itself', async () => {
    const fault = { call: '^mkdir .*/staged$', error: 'EACCES', mode: 'on' } as const;
    assert.equal((await run('archived', ['import', 'memory.tar'], fault)).code, 1);
    assert.deepEqual(await wrongBy('leftovers'), []);
  });

  it('a version that could not be removed when an import took its place is by the next change', async () => {
    for (const format of ['md', 'jsonl']) {
      const fault = { call: `^unlink .*/summaries/.*\\.${format}$`, error: 'EIO', mode: 'once' } as const;
      const { code, stderr } = await run('archivedLonger', ['import', 'memory.tar', '--replace'], fault);
      assert.deepEqual([code, /needs to be looked over/.test(stderr)], [0, true], stderr);
      await home.answer('config', 'set', 'project.keepitDecayEnabled', 'false');
      assert.deepEqual(await wrongBy('versions'), []);
    }
  });

  it('a kill while a file is written that was asked for leaves no half of it', async () => {
    for (const args of [
      ['notebook', 'export', '--out', 'out'],
      ['export', '-o', 'out'],
      ['deliver', 'one', '--to', 'file', '--out', 'out'],
    ]) {
      await run('full', args, { call: '^write .*/app/\\.?out', mode: 'tear' });
      await assert.rejects(access(path.join(home.project, 'out')), args.join(' '));
      await home.answer(...args);
    }
  });

  it('a kill between two originals from which words are erased calls none of them damaged', async () => {
    const erase = ['erase', '--text', 'send_enqueue', '--yes'];
    await run('full', erase, { call: `^link .*/originals/${LONG}`, mode: 'kill' });
    for (const isAgain of [false, true]) {
      if (isAgain) await home.answer(...erase);
      const { stdout } = await home.run({ args: ['doctor'] });
      assert.match(stdout, /ok +originals/i, stdout);
      assert.doesNotMatch(stdout, /damaged: from/);
    }
  });

  it('a kill before a session is erased from the manifest, too, is made good by the same again', async () => {
    const erase = ['erase', SHORT, '--yes'];
    await states.enter('full');
    const { hits } = await home.run({ args: erase, fault: { mode: 'list' } });
    const at = hits.findLast(({ kind, place }) => kind === 'rename' && place.includes('.manifest.json.'))?.n ?? 0;
    await run('full', erase, { at, mode: 'kill' });
    const half = await home.run({ args: ['doctor'] });
    assert.match(half.stdout, new RegExp(`look +erasing +cut short, and to be finished: ${SHORT}\\n +.keepit erase`));
    assert.doesNotMatch(half.stdout, /has no copy/);
    await home.answer(...erase);
    const { stdout } = await home.run({ args: ['doctor'] });
    assert.match(stdout, /ok +erasing/);
    assert.match(stdout, /ok +originals/i, stdout);
    assert.doesNotMatch(stdout, /has no copy/);
    assert.deepEqual(await leftoversIn(home.live), []);
  });

  it('a kill just before it is no longer noted that a session is erased leaves that note until the same again', async () => {
    const noted = async (): Promise<unknown> =>
      z.parse(z.looseObject({ erasing: z.unknown() }), JSON.parse(await readFile(notes, 'utf8'))).erasing;
    const erase = ['erase', SHORT, '--yes'];
    const notes = path.join(home.memoryDir, 'forgotten.json');
    await states.enter('full');
    const { hits } = await home.run({ args: erase, fault: { mode: 'list' } });
    assert.deepEqual(await noted(), []);
    const at = hits.findLast(({ kind, place }) => kind === 'rename' && place.includes('.forgotten.json.'))?.n ?? 0;
    await run('full', erase, { at, mode: 'kill' });
    assert.deepEqual(await noted(), [{ projectId: home.projectId, sessionId: SHORT }]);
    assert.match((await home.run({ args: ['doctor'] })).stdout, /ok +erasing/);
    await home.answer(...erase);
    assert.deepEqual(await noted(), []);
  });

  // What was made of those words holds pieces of them: who has to find those must know the words, also the second time.
  for (const [what, from, args] of [
    ['words', 'full', ['--text', SAID]],
    ['a message', 'full', [SHORT, MESSAGE]],
    ['a message of a session that Claude Code has deleted', 'deleted', [SHORT, MESSAGE]],
  ] as const) {
    it(`a kill while ${what} are erased is told by the doctor, and made good by the same again`, async () => {
      const erase = ['erase', ...args, '--yes'];
      await states.enter(from);
      assert.ok((await filesWith('small machines')).length > 3);
      const { hits } = await home.run({ args: erase, fault: { mode: 'list' } });
      assert.deepEqual(await filesWith('small machines'), []);
      const renames = hits.filter(({ kind, place }) => kind === 'rename' && !place.includes('/.forgotten'));
      const places = [0.1, 0.4, 0.7, 0.95].map((part) => renames[Math.floor(part * renames.length)]?.n ?? 0);
      for (const at of new Set([...places, renames.at(-1)?.n ?? 0])) {
        await run(from, erase, { at, mode: 'kill' });
        const half = await home.run({ args: ['doctor'] });
        assert.match(half.stdout, /look +erasing +cut short, and to be finished: (?:words|message)/, `${at}`);
        await home.answer(...erase);
        assert.deepEqual(await filesWith('small machines'), [], `killed at ${at}`);
        assert.match((await home.run({ args: ['doctor'] })).stdout, /ok +erasing/);
      }
    });
  }

  it('an erase that was cut short is left as it is when that is said', async () => {
    const erase = ['erase', '--text', SAID, '--yes'];
    await run('full', erase, { call: '^rename .*manifest', mode: 'kill' });
    const [, name = ''] = /`keepit never remove (\w+)`/.exec((await home.run({ args: ['doctor'] })).stdout) ?? [];
    await home.answer('never', 'remove', name);
    assert.match((await home.run({ args: ['doctor'] })).stdout, /ok +erasing/);
  });

  /** Files of the store and of the project that say it. */
  async function filesWith(words: string): Promise<string[]> {
    const found: string[] = [];
    for (const folder of [home.memoryDir, home.project]) {
      for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
        const file = path.join(entry.parentPath, entry.name);
        if (entry.isFile() && (await readFile(file, 'utf8')).includes(words)) found.push(file);
      }
    }
    return found;
  }

  it('a kill before the manifest names what was composed in the place of another leaves that other', async () => {
    const file = path.join(home.projectStore, 'composed', 'one', 'composed.md');
    await states.enter('full');
    const before = await readFile(file, 'utf8');
    const replacing = ['compose', SHORT, '--name', 'one', '--budget', '3000', '--replace'];
    await run('full', replacing, { call: '^rename .*/\\.manifest\\.json', mode: 'kill' });
    await home.answer('keepit', 'add', SHORT, 'last', '--weight', '0.8');
    assert.equal(await readFile(file, 'utf8'), before);
    await home.answer('composition', 'show', 'one');
  });

  it("another tool's account of a session comes in with it, also the second time", async () => {
    const args = ['import', '../theirs', '--from', 'memory-keeper'];
    const theirs = path.join(home.project, '.claude/memory/sessions/archive/2026-01-06_1000.l2.json');
    for (const call of ['^rename .*\\.l2\\.json', '^rename .*\\.l1\\.jsonl']) {
      assert.equal((await run('elsewhere', args, { call, error: 'EIO', mode: 'on' })).code, 1);
      await home.answer(...args);
      await access(theirs);
    }
  });

  it('a lock that cannot be removed does not make a composition fail that is there', async () => {
    const fault = { call: `^unlink .*${home.projectId}/\\.lock$`, error: 'EACCES', mode: 'on' } as const;
    assert.equal((await run('full', compose, fault)).code, 0);
    await home.answer('composition', 'show', 'two');
  });
});
