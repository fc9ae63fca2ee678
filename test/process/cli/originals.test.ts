import assert from 'node:assert/strict';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod/mini';
import { TranscriptBuilder } from '../../unit/support/transcriptBuilder';
import { CliHome, useProgram } from '../support/cliProcess';

const PROJECT = '-tmp-originals-app';
const SESSION = 'abcd1234-1111-4111-8111-111111111111';

const checksSchema = z.looseObject({
  checks: z.array(z.looseObject({ name: z.string(), ok: z.boolean(), detail: z.string() })),
});

describe('kept originals and the doctor of the built command line', function () {
  this.timeout(60_000);
  const program = useProgram();
  let home: CliHome;
  let kept: string;
  let claudes: string;
  let content: string;

  beforeEach(async () => {
    home = await CliHome.make(program);
    claudes = home.transcript(PROJECT, SESSION);
    kept = path.join(home.memoryDir, 'projects', PROJECT, 'originals', `${SESSION}.jsonl`);
    content = new TranscriptBuilder(SESSION, '/tmp/originals/app').human('One.').assistant('Two.').toString();
    await mkdir(path.dirname(claudes), { recursive: true });
    await writeFile(claudes, content);
    assert.equal((await home.run(['register', '--all', '--all-projects'])).code, 0);
  });
  afterEach(() => home.dispose());

  /** Of its own bytes, whether it was a link before or not. */
  async function damage(file: string, text: string): Promise<void> {
    await rm(file);
    await writeFile(file, text, { mode: 0o600 });
  }

  async function check(...args: string[]): Promise<{ ok: boolean; detail: string }> {
    const { code, stdout, stderr } = await home.run(['doctor', ...args, '--json']);
    assert.equal(code, 0, stderr);
    const found = z.parse(checksSchema, JSON.parse(stdout)).checks.find(({ name }) => name === 'originals');
    assert.ok(found);
    return found;
  }

  it('are found sound, also after they have grown', async () => {
    assert.equal((await check()).ok, true);
    await writeFile(claudes, `${content}${new TranscriptBuilder(SESSION, '/tmp').human('Three.').toString()}`);
    assert.equal((await check()).ok, true);
    assert.equal((await home.run(['sync', '--all-projects'])).code, 0);
    assert.equal((await check()).ok, true);
  });

  it('that are a second name of Claude’s file become files of their own when they are synced', async () => {
    await rm(kept);
    await link(claudes, kept);
    assert.equal((await check()).ok, false);
    assert.equal((await home.run(['sync', '--all-projects'])).code, 0);
    assert.equal((await check()).ok, true);
    await writeFile(claudes, content.slice(0, 40));
    assert.equal(await readFile(kept, 'utf8'), content);
  });

  it('that were changed are named, and taken afresh where Claude’s file has what was kept', async () => {
    await damage(kept, content.replace('One.', 'Won.'));
    const found = await check();
    assert.equal(found.ok, false);
    assert.ok(found.detail.includes(kept) && found.detail.includes('from byte 0 on'), found.detail);
    assert.match(await readFile(kept, 'utf8'), /Won\./, 'looking changes nothing');
    assert.equal((await check('--repair')).ok, true);
    assert.equal(await readFile(kept, 'utf8'), content);
    assert.equal((await check()).ok, true);
  });

  it('that nobody has any more stay as they are, and it is said what is lost', async () => {
    await damage(kept, content.replace('One.', 'Won.'));
    await damage(claudes, content.replace('One.', 'Ten.'));
    for (const args of [['--repair'], []]) {
      const found = await check(...args);
      assert.equal(found.ok, false);
      assert.ok(found.detail.includes(kept), found.detail);
    }
    assert.match(
      (await check('--repair')).detail,
      /Claude Code's own file is not what was kept either, from byte 0 on/,
    );
    assert.match(await readFile(kept, 'utf8'), /Won\./);
    assert.match(await readFile(claudes, 'utf8'), /Ten\./);
    await rm(claudes);
    assert.match((await check('--repair')).detail, /own file is gone, too/);
    assert.match(await readFile(kept, 'utf8'), /Won\./);
  });

  it('that are gone come back', async () => {
    await rm(kept);
    assert.equal((await check()).ok, false);
    assert.equal((await check('--repair')).ok, true);
    assert.equal(await readFile(kept, 'utf8'), content);
  });
});
