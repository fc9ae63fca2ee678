import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { HOOK_EVENTS } from '../../../src/core/model/hookInput';
import { CliProgram, useProgram } from '../support/cliProcess';
import { sharedData } from '../../unit/support/sharedData';
import { SmallDisk } from '../../unit/support/smallDisk';
import { HookHome, type HookEnd } from '../support/hookHome';

const PROJECT = '-home-ada-src-app';
const SESSION = '11111111-2222-4333-8444-555555555555';
const ID = `Keepit session ID: ${SESSION}`;

describe('hooks, whatever happens', function () {
  this.timeout(60_000);
  const program = useProgram();
  let home: HookHome;
  beforeEach(async () => {
    home = await HookHome.make(program);
  });
  afterEach(() => home.dispose());

  const input = (fields: object = {}): object => ({
    session_id: SESSION,
    transcript_path: home.transcript(PROJECT, SESSION),
    cwd: '/home/ada/src/app',
    ...fields,
  });
  const isQuiet = ({ code, stdout, stderr }: HookEnd, what: string): void => {
    assert.deepEqual({ code, stdout, stderr }, { code: 0, stdout: '', stderr: '' }, what);
  };
  const card = (): string => path.join(home.memoryDir, 'projects', PROJECT, 'hooks', 'brief.json');
  const started = (fields: object = {}): HookEnd =>
    home.hook('SessionStart', { input: input({ source: 'startup', ...fields }) });

  it('say nothing and end well for input that is empty, torn, of another kind, or names no session', async () => {
    for (const text of [
      '',
      ' ',
      '{',
      '{"session_id":"s"',
      '[]',
      'null',
      '7',
      '{}',
      '{"session_id":7}',
      '\0\0',
      '"{}"',
    ]) {
      isQuiet(home.hook('SessionStart', { input: text }), JSON.stringify(text));
    }
    assert.match(await home.log(), /SessionStart: its input is empty, torn, or names no session/);
  });

  it('say nothing for events that Keepit does not answer', () => {
    for (const event of ['Notification', 'SessionMiddle', 'x', 'constructor'])
      isQuiet(home.hook(event, { input: input() }), event);
  });

  it('end well however they are called', () => {
    for (const args of [
      ['hook'],
      ['hook', ''],
      ['hook', '--bogus'],
      ['--json', 'hook'],
      ['--verbose', 'hook', 'X'],
      ['hook', '--bogus', 'SessionStart'],
      ['hook', 'SessionStart', 'extra', '--piece'],
      ['--project', PROJECT, 'hook', 'Stop', '--', 'hook'],
    ]) {
      isQuiet(home.keepit(...args), args.join(' ')); // there is nothing on stdin
    }
  });

  it('end well where the program that answers them is damaged, or gone', async () => {
    const broken = await CliProgram.copy();
    const hook = path.join(path.dirname(broken.file), 'hook.js');
    const there = await HookHome.make(broken);
    try {
      for (const text of ['', 'const = 7;', 'throw new Error("no");', 'process.nothing.at(1)']) {
        await writeFile(hook, text);
        for (const event of HOOK_EVENTS) isQuiet(there.hook(event, { input: input() }), text);
      }
      await rm(hook);
      isQuiet(there.hook('UserPromptSubmit', { input: input() }), 'gone');
    } finally {
      await there.dispose();
      await broken.dispose();
    }
  });

  it('end well in a folder that is gone, for somebody without a home', async function () {
    if (process.platform === 'win32') return this.skip(); // a folder in which a program runs stays there
    const cwd = path.join(home.dir, 'gone');
    await mkdir(cwd);
    const script = `rmdir "$PWD" && exec "${process.execPath}" "${program.file}" hook SessionStart`;
    const { status, stderr } = spawnSync('sh', ['-c', script], {
      cwd,
      input: JSON.stringify(input({ source: 'startup' })),
      env: { PATH: process.env.PATH, CLAUDE_MEMORY_DIR: home.memoryDir },
      encoding: 'utf8',
    });
    assert.deepEqual([status, stderr], [0, '']);
  });

  it('read input of a later version', () => {
    const end = started({ source: { kind: 'startup' }, cwd: ['/x'], hook_event_name: 'SessionBegin', version: 9 });
    assert.equal(end.stdout, ID);
  });

  it('do not keep a hundred megabytes that a tool has answered, and do not refuse to read them', async () => {
    const head = JSON.stringify(input({ tool_name: 'Read' })).slice(0, -1);
    const text = `${head},"tool_response":{"session_id":"other","text":"${'x'.repeat(100 * 1024 * 1024)}"}}`;
    isQuiet(home.hook('PostToolUse', { input: text }), 'huge');
    const [line] = await home.activity(PROJECT, SESSION);
    assert.deepEqual([line?.event, line?.source], ['PostToolUse', 'Read']);
  });

  it('keep to the store for session ids, projects and transcripts that lead out of it', async () => {
    for (const id of ['../../../evil', '/etc/passwd', '..', 'a/b', 'a\\b', '', 'x'.repeat(300), 'nul']) {
      for (const event of HOOK_EVENTS) {
        const end = home.hook(event, { input: { ...input(), session_id: id } });
        assert.deepEqual([end.code, end.stderr], [0, ''], id);
      }
    }
    for (const place of ['/etc/passwd', '/x/projects/../../evil.jsonl', 'projects/-x/../..', '/dev/zero', home.dir]) {
      for (const event of ['SessionStart', 'PreCompact', 'Stop'] as const) {
        assert.equal(home.hook(event, { input: input({ transcript_path: place }) }).code, 0, place);
      }
    }
    assert.deepEqual((await readdir(home.dir)).sort(), ['claude', 'memory with spaces']);
  });

  it('work for projects named "-", with emoji, and of more than 200 characters', async () => {
    const long = `/home/${'very-long-name/'.repeat(20)}end`;
    for (const [cwd, projectId] of [
      ['/', '-'],
      ['/home/👩‍👩‍👧', '-home---------'],
      [long, undefined],
    ] as const) {
      const end = home.hook('SessionStart', { input: { session_id: SESSION, cwd, source: 'startup' } });
      assert.equal(end.stdout, ID, cwd);
      if (projectId !== undefined) assert.equal((await home.activity(projectId, SESSION)).length, 1, cwd);
    }
    assert.equal((await readdir(path.join(home.memoryDir, 'projects'))).length, 3);
  });

  it('do without a store whose files are damaged, and say so in the log alone', async () => {
    await mkdir(path.dirname(card()), { recursive: true });
    await writeFile(path.join(home.memoryDir, 'config.json'), '{"hooks":');
    await writeFile(card(), '{"version":"9.0.0","brief":7}');
    await writeFile(path.join(path.dirname(card()), 'reminders.json'), '\0\0\0');
    await writeFile(path.join(home.memoryDir, 'projects', PROJECT, 'armed.json'), '[');
    assert.equal(started().stdout, ID);
    isQuiet(home.hook('UserPromptSubmit', { input: input({ prompt: 'how does the parser work' }) }), 'prompt');
    assert.match(await home.log(), /brief\.json: it is damaged/);
    assert.match(await home.log(), /config\.json: it cannot be read/);
  });

  it('do without a store in whose place there is something else', async () => {
    await writeFile(home.memoryDir, 'not a folder');
    for (const event of HOOK_EVENTS) assert.equal(home.hook(event, { input: input({ prompt: 'x' }) }).code, 0);
    assert.equal(started().stdout, ID);
    assert.equal(await readFile(home.memoryDir, 'utf8'), 'not a folder');
  });

  it('do without a store that cannot be written to, or is full', async function () {
    const disk = await SmallDisk.mount(home.memoryDir, 64);
    if (disk === undefined) return this.skip(); // only root may make a small disk
    try {
      execFileSync('sh', ['-c', `head -c 1000000 /dev/zero > "${home.memoryDir}/filler" || true`], { stdio: 'ignore' });
      assert.equal(started().stdout, ID);
      for (const event of HOOK_EVENTS) assert.equal(home.hook(event, { input: input({ prompt: 'x' }) }).code, 0);
      await disk.makeReadOnly();
      assert.equal(started({ session_id: `${SESSION}-b` }).stdout, `${ID}-b`);
      for (const event of HOOK_EVENTS) assert.equal(home.hook(event, { input: input({ prompt: 'x' }) }).stderr, '');
    } finally {
      await disk.unmount();
    }
  });

  it('do without a store that belongs to somebody else', async function () {
    if (process.getuid?.() === 0 || process.platform === 'win32') return this.skip(); // root may write anywhere
    await mkdir(home.memoryDir);
    await chmod(home.memoryDir, 0o500);
    assert.equal(started().stdout, ID);
    await chmod(home.memoryDir, 0o700);
  });

  it('wait for nobody who holds a lock', async () => {
    const hooks = path.dirname(card());
    await mkdir(hooks, { recursive: true });
    await writeFile(path.join(hooks, '.work.lock'), '');
    await writeFile(path.join(home.memoryDir, 'projects', PROJECT, '.lock'), '');
    assert.equal(started().stdout, ID);
    assert.deepEqual(await readdir(path.join(hooks, 'requests')), [`${SESSION}.start.json`]);
  });

  it('follow no link out of the store that somebody has put in the place of a session', async () => {
    const sessions = path.join(path.dirname(card()), 'sessions');
    await mkdir(sessions, { recursive: true });
    await symlink('/nonexistent/place', path.join(sessions, SESSION));
    assert.equal(started().stdout, ID);
  });

  it('leave alone the sessions in which Keepit itself asks a model', async () => {
    const env = { KEEPIT_MODEL_RUN: '1' };
    for (const event of HOOK_EVENTS) isQuiet(home.hook(event, { input: input({ prompt: 'x' }), env }), event);
    assert.deepEqual(await readdir(home.dir), ['claude']);
  });

  it('write nothing of the environment, and nothing of a prompt, anywhere', async () => {
    const env = { ANTHROPIC_API_KEY: 'sk-ant-very-secret', CLAUDE_PROJECT_DIR: '/home/ada/src/app' };
    for (const event of HOOK_EVENTS) {
      const words = { prompt: 'my-private-prompt', last_assistant_message: 'my-private-answer', tool_name: 'Bash' };
      home.hook(event, { input: input(words), env });
    }
    home.hook('SessionStart', { input: '{"session_id":"my-private-torn', env });
    await home.settled(PROJECT);
    for (const [file, text] of await home.texts()) {
      assert.ok(!text.includes('very-secret') && !text.includes('my-private'), file);
    }
  });

  it('answer every input that Claude Code was seen to send', async function () {
    const folder = sharedData('hook-samples');
    if (folder === undefined) return this.skip(); // needs the shared data
    for (const name of (await readdir(folder)).filter((one) => one !== 'ENVIRONMENT.json')) {
      const event = name.slice(0, name.indexOf('.'));
      const { code, stdout, stderr } = home.hook(event, { input: await readFile(path.join(folder, name), 'utf8') });
      assert.deepEqual([code, stderr], [0, ''], name);
      if (event !== 'SessionStart' && event !== 'UserPromptSubmit') assert.equal(stdout, '', name);
    }
    const events = (await home.activity('-home-dev-demo', '1448747f-52ca-4fc9-9d87-5dce164b9095')).map(
      ({ event }) => event,
    );
    // What asks about a file alone leaves no trace where there is nothing to say.
    const expected = HOOK_EVENTS.filter((event) => event !== 'PreToolUse').sort();
    assert.deepEqual([...new Set(events)].filter((event) => event !== 'Capture').sort(), expected);
  });
});
