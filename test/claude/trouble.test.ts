import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod/mini';
import { SmallDisk } from '../unit/support/smallDisk';
import { type ClaudeStage, useOwnClaudeStages } from './support/claudeStage';
import { eventually } from './support/eventually';

const GIVEN = 'SessionStart:startup hook success: Keepit session ID: ID';
const lockSchema = z.looseObject({ pid: z.number() });

/** Processes that run something of the stage's, as the system lists them. */
function processesOf(stage: ClaudeStage): string[] {
  const { stdout } = spawnSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' });
  return stdout.split('\n').filter((line) => line.includes(stage.pluginDir));
}

async function assertWhole(stage: ClaudeStage): Promise<void> {
  const entries = await readdir(stage.memoryDir, { recursive: true, withFileTypes: true });
  for (const entry of entries.filter((one) => one.isFile() && one.name.endsWith('.json'))) {
    const file = path.join(entry.parentPath, entry.name);
    const text = await readFile(file, 'utf8').catch(() => 'null'); // done and removed by the background meanwhile
    assert.doesNotThrow(() => void JSON.parse(text), file);
  }
  const { code, stdout } = await stage.keepit('doctor');
  assert.equal(code, 0, stdout);
}

describe('sessions of the real claude that are killed', () => {
  const stage = useOwnClaudeStages(async (here) => {
    await here.keepitJson('config', 'set', 'defaults.autoRegisterSessions', 'true');
  });

  it('are in memory with all that was said, once another one begins', async () => {
    const here = stage();
    const { model } = here;
    model.says(
      { text: 'The first answer.' },
      { text: 'I look.', tools: [{ name: 'Bash', input: { command: 'echo the-last-words' } }] },
      { after: new Promise(() => undefined) },
    );
    const isWritten = async (): Promise<boolean> => {
      const folder = path.join(here.claudeDir, 'projects', here.projectId);
      return (await here.read(path.join(folder, `${model.last.sessionId}.jsonl`))).includes('the-last-words');
    };
    await here.converse(['What is first?', 'What is second?'], {
      // Claude Code writes late: what it has not written yet is lost to everybody.
      during: (child) =>
        void model
          .asked(3)
          .then(() => eventually('Claude Code has written what was said', isWritten))
          .then(() => child.kill('SIGKILL')),
    });
    const { sessionId } = model.last;
    await eventually('the server of tools has ended too', () => processesOf(here).length === 0);
    await here.settled();
    await assertWhole(here);
    const next = await here.ask('Is all well?');
    assert.equal(model.last.count(`Keepit session ID: ${next.sessionId}`), 1);
    await here.settled();
    const original = await here.read(path.join(here.projectStore, 'originals', `${sessionId}.jsonl`));
    for (const words of ['The first answer.', 'What is second?', 'the-last-words']) {
      assert.ok(original.includes(words), words);
    }
  });

  it('are in memory too when they were killed amid their first turn', async () => {
    const here = stage();
    const { model } = here;
    model.says(
      { text: 'I look.', tools: [{ name: 'Bash', input: { command: 'echo seen-before-the-end' } }] },
      { after: new Promise(() => undefined) },
    );
    const isWritten = async (): Promise<boolean> => {
      const file = here.transcript(model.last.sessionId);
      return (await here.read(file)).includes('seen-before-the-end');
    };
    await here.converse(['Find the odd gauge.'], {
      during: (child) =>
        void model
          .asked(2)
          .then(() => eventually('Claude Code has written what was said', isWritten))
          .then(() => child.kill('SIGKILL')),
    });
    const { sessionId } = model.last;
    await here.settled();
    const original = path.join(here.projectStore, 'originals', `${sessionId}.jsonl`);
    assert.equal(await here.read(original), '');
    await here.ask('Is all well?');
    await here.settled();
    const kept = await here.read(original);
    for (const words of ['Find the odd gauge.', 'seen-before-the-end']) assert.ok(kept.includes(words), words);
    const capture = (await here.activity(sessionId)).find(({ event }) => event === 'Capture');
    assert.match(capture?.note ?? '', /did not tell of its end/);
    await assertWhole(here);
  });

  it('are taken in while they work, after so many tool calls, so that little is lost', async () => {
    const here = stage();
    const { model } = here;
    await here.keepitJson('config', 'set', 'hooks.captureInterval', '2');
    const echo = (words: string) => ({
      text: 'I work.',
      tools: [{ name: 'Bash', input: { command: `echo ${words}` } }],
    });
    model.says(echo('step-one'), echo('step-two'), { after: new Promise(() => undefined) });
    await here.converse(['Work for long.'], {
      during: (child) =>
        void model
          .asked(3)
          .then(() => here.settled())
          .then(() => child.kill('SIGKILL')),
    });
    const { sessionId } = model.last;
    const original = await here.read(path.join(here.projectStore, 'originals', `${sessionId}.jsonl`));
    for (const words of ['Work for long.', 'step-one', 'step-two']) assert.ok(original.includes(words), words);
    const capture = (await here.activity(sessionId)).find(({ event }) => event === 'Capture');
    assert.equal(capture?.source, 'interval');
  });

  it('leave a store behind that is whole, also when the background is killed with them', async () => {
    const here = stage();
    const lock = path.join(here.projectStore, 'hooks', '.work.lock');
    let killed = 0;
    const hunt = async (): Promise<void> => {
      await eventually('the background is at work', async () => {
        const holder = lockSchema.safeParse(parsed(await here.read(lock)));
        if (!holder.success) return false;
        process.kill(holder.data.pid, 'SIGKILL');
        killed = holder.data.pid;
        return true;
      });
    };
    const [told] = await Promise.all([here.ask('Remember the number 31337.'), hunt()]);
    assert.ok(killed > 0);
    await assertWhole(here);
    const next = await here.ask('And now?');
    await here.keepitJson('hook-work', `--project=${here.projectId}`);
    await here.settled();
    const ids = (await here.memory.service.sessions.list(here.projectId)).map(({ sessionId }) => sessionId);
    for (const { sessionId } of [told, next]) assert.ok(ids.includes(sessionId), ids.join());
    await assertWhole(here);
  });
});

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // not there, or not written yet
  }
}

describe('the real claude, when Keepit cannot do its part', () => {
  const stage = useOwnClaudeStages();

  /** A session as it is without Keepit: it is answered, and its model is told of no trouble. What hooks have said. */
  async function works(env: NodeJS.ProcessEnv, trouble = /^$/): Promise<{ said: string[]; sessionId: string }> {
    const { model } = stage();
    model.says({ text: 'All is well.' });
    const { result, stderr, sessionId } = await stage().ask('Is all well?', [], { env });
    assert.equal(result, 'All is well.');
    assert.match(stderr, trouble);
    const said = model.last.all.match(/^\w+(?::\w+)? hook [a-z ]+: .*$/gm) ?? [];
    return { said: said.map((line) => line.replace(sessionId, 'ID')), sessionId };
  }

  it('works where a file lies in the place of the store', async () => {
    const { said } = await works({ CLAUDE_MEMORY_DIR: await stage().write('no store', 'a file') });
    assert.deepEqual(said, [GIVEN]);
    assert.equal(await readFile(path.join(stage().dir, 'no store'), 'utf8'), 'a file');
  });

  it('works with a store that cannot be written to', async function () {
    const store = path.join(stage().dir, 'read only');
    const disk = await SmallDisk.mount(store, 64);
    if (disk === undefined) return this.skip(); // only root may make one
    try {
      await disk.makeReadOnly();
      assert.deepEqual((await works({ CLAUDE_MEMORY_DIR: store })).said, [GIVEN]);
    } finally {
      await disk.unmount();
    }
  });

  it('works with a store whose every file is damaged, and says so in the log', async () => {
    const here = stage();
    const store = path.join(here.dir, 'damaged');
    const project = path.join(store, 'projects', here.projectId);
    for (const file of ['config.json', 'claude-setup.json']) await here.write(path.join(store, file), '{"version":');
    for (const file of ['manifest.json', 'armed.json', 'hooks/brief.json', 'hooks/reminders.json']) {
      await here.write(path.join(project, file), '\0\0{]');
    }
    const { said } = await works({ CLAUDE_MEMORY_DIR: store });
    assert.deepEqual(said, [GIVEN]);
    // What cannot be taken in waits for the next background: there is no end of it to wait for.
    const asides = async (): Promise<string[]> =>
      (await readdir(project)).filter((name) => name.startsWith('manifest.json.corrupt-'));
    await eventually('the damaged manifest is set aside', async () => (await asides()).length > 0);
    const aside = await asides();
    assert.match(await here.read(path.join(store, 'logs', 'hooks.log')), /brief\.json: it is damaged/);
    assert.equal(await here.read(path.join(project, aside[0] ?? '')), '\0\0{]');
  });

  it('works where there is no node to run the plugin', async () => {
    const bin = path.join(stage().dir, 'bin');
    await mkdir(bin);
    for (const name of ['bash', 'sh', 'env', 'cat', 'uname']) await symlink(`/bin/${name}`, path.join(bin, name));
    assert.deepEqual((await works({ PATH: bin }, /^SessionEnd hook .*node: not found\s*$/)).said, []);
  });

  it('works with a plugin of which a part is missing', async () => {
    const here = stage();
    await writeFile(path.join(here.pluginDir, 'bin', 'hook.js'), '');
    assert.deepEqual((await works({})).said, []);
  });

  it('is told everything once where Keepit is installed twice', async () => {
    const here = stage();
    await here.keepitJson('install-hooks', '--as', 'plain');
    const { said, sessionId } = await works({});
    assert.deepEqual(said, [GIVEN]);
    const stops = (await here.activity(sessionId)).filter(({ event }) => event === 'Stop');
    assert.equal(stops.length, 2, 'the hooks were there once only');
  });

  it('runs none of it where Keepit itself asks a model', async () => {
    const here = stage();
    const { said, sessionId } = await works({ KEEPIT_MODEL_RUN: '1' });
    assert.deepEqual([said, await here.activity(sessionId)], [[], []]);
    here.model.says({ text: 'A parcel goes from the depot to the shop, and is weighed there in grams. '.repeat(60) });
    const { sessionId: past } = await here.ask('Tell me all about parcels, please.');
    await here.keepitJson('register', past);
    await here.keepitJson('install-hooks');
    const before = await readdir(path.join(here.projectStore, 'activity'));
    const asked = here.model.requests;
    await summarize(past);
    assert.ok(here.model.requests > asked, 'no model was asked');
    assert.deepEqual(await readdir(path.join(here.projectStore, 'activity')), before);
    assert.deepEqual(await readdir(path.join(here.memoryDir, 'projects')), [here.projectId]);
  });

  /** Lets Claude Code write a summary; what the model of ours answers is none. */
  async function summarize(sessionId: string): Promise<void> {
    const here = stage();
    const bin = path.join(here.dir, 'bin with claude');
    await mkdir(bin);
    await symlink(here.claude, path.join(bin, 'claude'));
    const script = path.join(here.pluginDir, 'bin', 'keepit.js');
    const args = [script, 'compress', sessionId, '--provider', 'claude-cli', '--model', 'haiku', '--yes'];
    const PATH = `${bin}${path.delimiter}${process.env.PATH ?? ''}`;
    await here.run(process.execPath, args, { env: { PATH } });
  }
});
