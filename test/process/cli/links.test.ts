import assert from 'node:assert/strict';
import { lstat, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod/mini';
import { errorOf } from '../../unit/cli/support/documents';
import { carriedPlugin } from '../../unit/support/carriedPlugin';
import { TranscriptBuilder } from '../../unit/support/transcriptBuilder';
import { CliHome, useProgram, type Ended } from '../support/cliProcess';

const PROJECT = '-tmp-links-app';
const SESSION = 'abcd1234-1111-4111-8111-111111111111';
const OTHER = 'bcde1234-2222-4222-8222-222222222222';
const SECRET = 'the-words-of-somebody-else';

const discoverySchema = z.looseObject({
  projects: z.array(
    z.looseObject({
      projectId: z.string(),
      problem: z.optional(z.string()),
      sessions: z.array(z.looseObject({ sessionId: z.string() })),
      skipped: z.optional(z.array(z.looseObject({ path: z.string(), problem: z.string() }))),
    }),
  ),
});
const checksSchema = z.looseObject({
  checks: z.array(z.looseObject({ name: z.string(), ok: z.boolean(), detail: z.string() })),
});

describe('symbolic links and the built command line', function () {
  this.timeout(120_000);
  const program = useProgram();
  let home: CliHome;
  let project: string;
  let outside: string;

  before(() => carriedPlugin(path.dirname(program.file)));
  beforeEach(async () => {
    home = await CliHome.make(program);
    project = path.join(home.dir, 'app');
    outside = path.join(home.dir, 'outside');
    await mkdir(path.join(project, '.git', 'info'), { recursive: true });
    await mkdir(path.join(outside, 'subagents'), { recursive: true });
    await writeFile(path.join(outside, 'mine.txt'), SECRET);
    const transcript = new TranscriptBuilder(SESSION, project)
      .human('Always use Postgres for the session cache. ##keepit0.90##')
      .assistant('The root cause was that the tokenizer dropped the last line of every file.');
    await mkdir(path.dirname(home.transcript(PROJECT, SESSION)), { recursive: true });
    await writeFile(home.transcript(PROJECT, SESSION), transcript.toString());
    await writeFile(
      path.join(outside, 'foreign.jsonl'),
      new TranscriptBuilder(OTHER, project).human(SECRET).toString(),
    );
  });
  afterEach(() => home.dispose());

  const call = (...args: string[]): Promise<Ended> => home.run([...args, '--project', PROJECT, '--json']);

  async function link(target: string, ...names: string[]): Promise<string> {
    const file = path.join(...names);
    await mkdir(path.dirname(file), { recursive: true });
    await rm(file, { recursive: true, force: true });
    await symlink(target, file);
    return file;
  }

  /** All that lies outside, with its content. */
  async function seen(): Promise<[string, string][]> {
    const entries = await readdir(outside, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
    return Promise.all(
      files.sort().map(async (file): Promise<[string, string]> => [file, await readFile(file, 'utf8')]),
    );
  }

  /** Refused in a sentence that names the link and where it leads. */
  function isRefused(ended: Ended, file: string, target: string): void {
    assert.equal(ended.code, 1, ended.stdout + ended.stderr);
    const { code, message } = errorOf(ended.stdout);
    assert.equal(code, 'store-link', message);
    assert.ok(message.includes(file) && message.includes(target), message);
  }

  for (const names of [['.claude'], ['.claude', 'memory'], ['_memory']]) {
    it(`writes no layers through ${names.join('/')} of a project, and reads none`, async () => {
      const before = await seen();
      const file = await link(outside, project, ...names);
      isRefused(await call('layers', 'enable'), file, outside);
      const inside = path.join(project, 'notes');
      await mkdir(inside, { recursive: true });
      await link(inside, project, ...names);
      isRefused(await call('layers', 'enable'), file, inside);
      assert.deepEqual(await readdir(inside), [], 'also where the link stays in the project');
      await rm(file);
      assert.equal((await call('layers', 'enable')).code, 0);
      assert.equal((await call('layers', 'build')).code, 0);
      await link(outside, project, ...names);
      const commands = [
        ['layers', 'build'],
        ['summarize', 'abcd'],
        ['synthesize'],
        ['recall'],
        ['layers', 'show', 'l1'],
      ];
      for (const command of commands) {
        const { code, stdout, stderr } = await call(...command);
        assert.ok(code === 0 || code === 1, `${command.join(' ')}: ${stdout}${stderr}`);
        assert.ok(!stdout.includes(SECRET), command.join(' '));
      }
      if (names[0] === '_memory') isRefused(await call('summarize', 'abcd'), file, outside);
      assert.deepEqual(await seen(), before);
    });
  }

  it('writes no file of git through a link', async () => {
    await writeFile(path.join(outside, 'exclude'), '# mine\n');
    const before = await seen();
    const file = await link(path.join(outside, 'exclude'), project, '.git', 'info', 'exclude');
    isRefused(await call('layers', 'enable'), file, path.join(outside, 'exclude'));
    assert.deepEqual(await seen(), before);
  });

  it('passes over transcripts that lead out of Claude’s folder, says which, and keeps the others', async () => {
    const folder = path.dirname(home.transcript(PROJECT, SESSION));
    const foreign = path.join(outside, 'foreign.jsonl');
    const skipped = [
      await link(foreign, folder, `${OTHER}.jsonl`),
      await link(foreign, folder, SESSION, 'subagents', 'agent-1.jsonl'),
      await link(outside, folder, OTHER),
    ];
    await link(outside, folder, '..', '-linked');
    const { stdout } = await home.run(['discover', '--all-projects', '--json']);
    const { projects } = z.parse(discoverySchema, JSON.parse(stdout));
    const own = projects.find(({ projectId }) => projectId === PROJECT);
    assert.deepEqual(
      own?.sessions.map(({ sessionId }) => sessionId),
      [SESSION],
    );
    assert.deepEqual(own.skipped?.map((one) => one.path).sort(), [...skipped].sort());
    assert.match(projects.find(({ projectId }) => projectId === '-linked')?.problem ?? '', new RegExp(outside));
    assert.ok(!stdout.includes(SECRET));
    const page = (await home.run(['discover', '--all-projects'])).stdout;
    for (const file of skipped) assert.ok(page.includes(`${file} is a symbolic link`), page);
    const all = await home.run(['register', '--all', '--project', PROJECT]);
    assert.equal(all.code, 0);
    for (const file of skipped) assert.ok(all.stdout.includes(`${file} is a symbolic link`), all.stdout);
    const { skipped: told } = z.parse(
      z.looseObject({ skipped: z.array(z.looseObject({ path: z.string() })) }),
      JSON.parse((await call('register', '--all')).stdout),
    );
    assert.deepEqual(told.map((one) => one.path).sort(), [...skipped].sort());
    assert.notEqual((await call('register', OTHER)).code, 0);
    for (const file of skipped.filter((one) => one.endsWith('.jsonl'))) {
      const { code, stdout: answer, stderr } = await call('register', file);
      assert.match(`${code} ${answer}${stderr}`, /^1 .*symbolic link/s);
    }
    const kept = await readdir(path.join(home.memoryDir, 'projects', PROJECT, 'originals'), { recursive: true });
    assert.deepEqual(kept, [`${SESSION}.jsonl`]);
    const doctor = z.parse(checksSchema, JSON.parse((await home.run(['doctor', '--json'])).stdout));
    const check = doctor.checks.find(({ name }) => name === 'transcripts');
    assert.equal(check?.ok, false);
    assert.match(check.detail, /symbolic link/);
  });

  it('keeps no transcript that became a link after it was registered', async () => {
    assert.equal((await call('register', '--all')).code, 0);
    await link(path.join(outside, 'foreign.jsonl'), home.transcript(PROJECT, SESSION));
    await home.run(['sync', '--all-projects', '--json']);
    const kept = path.join(home.memoryDir, 'projects', PROJECT, 'originals', `${SESSION}.jsonl`);
    assert.ok(!(await readFile(kept, 'utf8')).includes(SECRET));
    assert.equal((await call('messages', 'abcd')).code, 0, 'what was kept is read instead');
  });

  for (const name of ['', 'originals', 'summaries', 'composed', 'trash']) {
    it(`changes nothing through ${name === '' ? 'a project’s folder in the store' : name}, and reads what it can`, async () => {
      assert.equal((await call('register', '--all')).code, 0);
      const before = await seen();
      const file = await link(outside, home.memoryDir, 'projects', PROJECT, name);
      for (const command of [
        ['unregister', 'abcd'],
        ['compress', 'abcd', '--preset', 'archive'],
        ['register', '--all'],
      ]) {
        const ended = await call(...command);
        if (ended.code !== 0) assert.match(ended.stdout, /symbolic link|usage|not in memory/, command.join(' '));
      }
      isRefused(await call('keepit', 'add', 'abcd', await firstMessage(), '--weight', '0.80'), file, outside);
      for (const command of [
        ['discover'],
        ['sessions'],
        ['trash'],
        ['versions', 'abcd'],
        ['stats'],
        ['search', 'cache'],
      ]) {
        const { code, stderr } = await home.run([...command, '--all-projects', '--json']);
        assert.ok(code === 0 || code === 1 || code === 2, `${command.join(' ')}: ${stderr}`);
      }
      const { stdout, stderr } = await home.run(['doctor', '--repair', '--json']);
      assert.equal(stderr, '');
      const found = z.parse(checksSchema, JSON.parse(stdout)).checks.find((check) => check.name === 'links');
      assert.equal(found?.ok, false);
      assert.ok(found.detail.includes(file) && found.detail.includes(outside), found.detail);
      assert.deepEqual(await seen(), before);
      assert.equal((await lstat(file)).isSymbolicLink(), true);
    });
  }

  async function firstMessage(): Promise<string> {
    const text = await readFile(home.transcript(PROJECT, SESSION), 'utf8');
    return z.parse(z.looseObject({ uuid: z.string() }), JSON.parse(text.split('\n')[0] ?? '')).uuid;
  }

  it('goes on without a cache that is a link, and leaves what it leads to', async () => {
    const before = await seen();
    await link(outside, home.memoryDir, 'cache');
    assert.equal((await home.run(['discover', '--all-projects'])).code, 0);
    assert.equal((await call('register', '--all')).code, 0);
    assert.equal((await home.run(['search', 'Postgres', '--all-projects'])).code, 0);
    assert.deepEqual(await seen(), before);
  });

  it('takes the store, Claude’s folder and a project’s folder as links, as dotfiles are', async () => {
    const dotfiles = path.join(home.dir, 'dotfiles');
    await mkdir(path.join(dotfiles, 'memory'), { recursive: true });
    await link(path.join(dotfiles, 'memory'), home.memoryDir);
    const claudeDir = await link(home.claudeDir, home.dir, 'linked-claude');
    const env = { CLAUDE_CONFIG_DIR: claudeDir };
    assert.equal((await home.run(['register', '--all', '--all-projects'], { env })).code, 0);
    assert.equal((await home.run(['layers', 'enable', '--project', PROJECT], { env })).code, 0);
    assert.deepEqual(await readdir(path.join(dotfiles, 'memory', 'projects')), [PROJECT]);
  });

  it('sets Claude Code up through the user’s own link, and not through one that leads out of a project', async () => {
    await writeFile(path.join(outside, 'settings.json'), '{}\n');
    const own = await link(path.join(outside, 'settings.json'), home.claudeDir, 'settings.json');
    assert.equal((await home.run(['install-hooks', '--json'])).code, 0);
    assert.equal((await lstat(own)).isSymbolicLink(), true);
    assert.equal((await home.run(['uninstall-hooks', '--json'])).code, 0);
    const before = await seen();
    for (const names of [['.claude', 'settings.json'], ['.claude']]) {
      await rm(path.join(project, '.claude'), { recursive: true, force: true });
      const target = names.length === 1 ? outside : path.join(outside, 'settings.json');
      const file = await link(target, project, ...names);
      const args = ['install-hooks', '--scope', 'project', '--as', 'plain', '--project', project, '--json'];
      isRefused(await home.run(args), file, target);
      assert.deepEqual(await seen(), before);
    }
    await rm(path.join(project, '.claude'));
    await writeFile(path.join(project, 'shared.json'), '{}\n');
    await link('../shared.json', project, '.claude', 'settings.json');
    const args = ['install-hooks', '--scope', 'project', '--as', 'plain', '--project', project, '--json'];
    assert.equal((await home.run(args)).code, 0, 'a link that stays in the project is the user’s own');
    assert.match(await readFile(path.join(project, 'shared.json'), 'utf8'), /keepit/);
  });
});
