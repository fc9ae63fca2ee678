import assert from 'node:assert/strict';
import { readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import type { FakeReply } from '../unit/support/fakeAnthropic';
import { useClaudeStage, useOwnClaudeStages } from './support/claudeStage';

const SETTINGS = '{\n    "cleanupPeriodDays": 60,\n    "enabledPlugins": {}\n}';

/** Calls of the plugin as the commands write them. */
const keepit = (folder: string, rest: string) => `node "${folder}/bin/keepit.js" ${rest}`;

describe('the plugin, in the real claude', () => {
  const stage = useClaudeStage();

  it('is valid as a plugin and as a marketplace, to the letter', async () => {
    for (const file of ['plugin.json', 'marketplace.json']) {
      const manifest = path.join(stage().pluginDir, '.claude-plugin', file);
      const { code, stdout, stderr } = await stage().runClaude(['plugin', 'validate', '--strict', manifest], {
        plugin: false,
      });
      assert.equal(code, 0, stdout + stderr);
    }
    const names = await readdir(stage().pluginDir, { recursive: true });
    assert.ok(!names.some((name) => path.basename(name) === 'package.json'));
  });

  it('can be installed by Claude Code itself, from the folder that `plugin path` prints', async () => {
    const folder = (await stage().keepit('plugin', 'path')).stdout.trim();
    assert.equal(folder, stage().pluginDir);
    for (const args of [
      ['marketplace', 'add', folder],
      ['install', 'keepit@keepit'],
      ['uninstall', 'keepit@keepit'],
      ['marketplace', 'remove', 'keepit'],
    ]) {
      const { code, stdout, stderr } = await stage().runClaude(['plugin', ...args], { plugin: false });
      assert.equal(code, 0, stdout + stderr);
    }
  });
});

describe('the set-up of the real claude', () => {
  const stage = useOwnClaudeStages();

  /** Whether a session that begins now has Keepit's commands, and how often its hook told the session's id. */
  async function seen(): Promise<{ hasCommands: boolean; hooks: number }> {
    const { sessionId } = await stage().ask('What is there?', [], { plugin: false });
    const { all } = stage().model.last;
    return { hasCommands: all.includes('keepit:recall'), hooks: all.split(sessionId).length - 1 };
  }

  for (const scope of ['user', 'project', 'local']) {
    it(`has the plugin in the very next session, and none without a trace, for the scope ${scope}`, async () => {
      const own = scope === 'user' ? stage().claudeDir : path.join(stage().cwd, '.claude');
      const file = path.join(own, scope === 'local' ? 'settings.local.json' : 'settings.json');
      await stage().write(file, SETTINGS);
      const user = path.join(stage().claudeDir, 'settings.json');
      const before = await readFile(user, 'utf8').catch(() => undefined);
      await stage().keepitJson('install-hooks', '--scope', scope);
      assert.deepEqual(await seen(), { hasCommands: true, hooks: 1 });
      await stage().keepitJson('uninstall-hooks', '--scope', scope);
      assert.equal(await readFile(file, 'utf8'), SETTINGS);
      assert.equal(await readFile(user, 'utf8').catch(() => undefined), before);
      assert.deepEqual(await seen(), { hasCommands: false, hooks: 0 });
      const left = await readdir(path.join(stage().claudeDir, 'plugins'), { recursive: true });
      assert.deepEqual(
        left.filter((name) => name.includes('keepit')),
        [],
      );
    });
  }

  it('needs no node on PATH: what set it up runs its hooks, commands and tools', async () => {
    const here = stage();
    const script = path.join(here.pluginDir, 'bin', 'keepit.js');
    const env = { PATH: path.join(here.dir, 'nothing') };
    const made = await here.run(process.execPath, [script, 'install-hooks', '--json'], { env });
    assert.match(made.stdout, /"runtime":{"kind":"node"/, made.stderr);
    const { sessionId } = await here.ask('/keepit:recall', [], { plugin: false, env });
    const { all } = here.model.last;
    assert.ok(all.includes(sessionId), 'the hook has run');
    assert.match(all, /<project-memory>\nkeepit: Layers are not enabled/);
    assert.ok(here.model.last.offers('mcp__plugin_keepit_memory__search'));
  });

  it('has plain hooks and the bare commands, each hook once', async () => {
    const file = path.join(stage().cwd, '.claude', 'settings.json');
    await stage().write(file, SETTINGS);
    await stage().keepitJson('install-hooks', '--scope', 'project', '--as', 'plain');
    assert.deepEqual(await seen(), { hasCommands: false, hooks: 1 });
    await stage().ask('/recall', [], { plugin: false });
    assert.match(stage().model.last.all, /<project-memory>\nkeepit: Layers are not enabled/);
    await stage().keepitJson('uninstall-hooks', '--scope', 'project');
    assert.equal(await readFile(file, 'utf8'), SETTINGS);
    assert.deepEqual(await readdir(path.dirname(file)), ['settings.json']);
  });
});

describe('the slash commands, in the real claude', () => {
  const stage = useClaudeStage();
  let first: string;

  /** What the model was sent for a command, and what it got for the calls that it then made. */
  async function command(words: string, ...calls: string[]): Promise<{ sent: string; results: string[] }> {
    const { model, pluginDir } = stage();
    for (const rest of calls) {
      model.says({
        text: 'I look.',
        tools: [{ name: 'Bash', input: { command: keepit(pluginDir, rest), description: 'Keepit' } }],
      });
    }
    model.says({ text: 'Done.' });
    // What a command may run is said by the command, and by nobody else.
    const args = ['--resume', first, '--output-format', 'json', '-p', words];
    const { code, stdout, stderr } = await stage().runClaude(args);
    assert.equal(code, 0, stdout + stderr);
    return { sent: model.last.all, results: model.last.results };
  }

  before(async () => {
    const here = stage();
    here.model.says({ text: 'We decided to use SQLite because the data is small. The cause was a stale lock.' });
    ({ sessionId: first } = await here.ask('Which database do we take? Always run `make check` before a commit.'));
    await here.keepitJson('layers', 'enable');
  });

  it('/keepit:keepit marks the last answer', async () => {
    const { sent } = await command('/keepit:keepit');
    assert.match(sent, /✓ marked {2}[0-9a-f]+ {2}1\.00 .*We decided to use SQLite/);
    const listed = await stage().keepit('keepits', first);
    assert.match(listed.stdout, /We decided to use SQLite/);
  });

  it('/keepit:never lets the rest of the session not be remembered', async () => {
    const here = stage();
    here.model.says({ text: 'Hello.' });
    const { sessionId } = await here.ask('Hello.');
    const erase = { command: keepit(here.pluginDir, 'erase current --yes'), description: 'Keepit' };
    here.model.says({ text: 'And away with it.', tools: [{ name: 'Bash', input: erase }] }, { text: 'Refused.' });
    const { code, stdout } = await here.runClaude(['--resume', sessionId, '-p', '/keepit:never']);
    assert.equal(code, 0, stdout);
    assert.match(here.model.last.all, new RegExp(`but for what is below\\.\\n {2}${sessionId}`));
    assert.match(here.model.last.results.at(-1) ?? '', /(?:requires|needs) approval|permission|denied|was blocked/i);
    assert.match((await here.keepit('never', '--json')).stdout, new RegExp(sessionId));
  });

  it('/keepit:summarize writes this session into the notebook, without an argument', async () => {
    const { sent, results } = await command('/keepit:summarize', 'summarize current --dry-run', 'summarize current');
    assert.match(sent, /Session to summarize: ""; when that is empty/);
    assert.match(results.at(-2) ?? '', /would be created/);
    assert.match(results.at(-1) ?? '', new RegExp(`✓ created .*${first}\\.md`));
    assert.match(await readFile(path.join(stage().cwd, '_memory', 'conversations', `${first}.md`), 'utf8'), /SQLite/);
  });

  it('/keepit:synthesize shows what would change, and makes master.md of it', async () => {
    await stage().keepitJson('summarize', first);
    const { sent, results } = await command('/keepit:synthesize', 'synthesize --yes');
    assert.match(sent, /<preview>\nwould be created/);
    assert.match(results.at(-1) ?? '', /✓ created .*master\.md/);
  });

  it('/keepit:recall loads master.md', async () => {
    await stage().keepitJson('summarize', first);
    await stage().keepitJson('synthesize');
    const { sent } = await command('/keepit:recall');
    assert.match(sent, /<project-memory>\n# Project Memory[^]*SQLite[^]*<\/project-memory>/);
  });

  it('commands run nothing unasked that accepts, changes settings, or takes away', async () => {
    for (const [words, ...calls] of [
      ['/keepit:recall', 'notebook accept --yes', 'config set hooks.reminders false', 'recall && touch pwned'],
      ['/keepit:synthesize', 'fact confirm r001', 'synthesize --yes --max-tokens 1'],
      ['/keepit:summarize', 'memory migrate-legacy --yes'],
      ['/keepit:keepit', 'keepit remove 12345678', 'keepits --all'],
    ] as const) {
      await command(words, ...calls);
      const answers = stage().model.last.resultsByCall.slice(-calls.length);
      for (const [at, call] of calls.entries()) {
        const [input = '', result = ''] = answers[at] ?? [];
        assert.ok(input.includes(call), `${call}: ${input}`);
        assert.match(result, /(?:requires|needs) approval|permission|denied|was blocked/i, `${call}: ${result}`);
      }
    }
  });

  it('/keepit:search takes words as they are, and finds what was said', async () => {
    const { sent, results } = await command('/keepit:search stale lock; touch pwned $(id)', "search 'stale lock'");
    assert.match(sent, /Search my memory of past sessions for: stale lock; touch pwned \$\(id\)/);
    assert.match(results.at(-1) ?? '', /stale lock/);
  });

  it('/keepit:compose makes a context, and hands it over', async () => {
    const compose = 'compose --name for-the-api --budget 20000 --last 5';
    const { results } = await command(
      '/keepit:compose the api',
      'sessions',
      compose,
      'deliver for-the-api --to next-session',
    );
    assert.match(results.at(-2) ?? '', /for-the-api/);
    assert.doesNotMatch(results.at(-1) ?? '', /^keepit:|requires approval/);
    assert.ok((await readdir(stage().projectStore)).includes('armed.json'));
  });

  it('the agent reads and writes a summary in a context of its own, and tells of it when it is done', async () => {
    const here = stage();
    const task = `Write the summary of ${first}`;
    const command = keepit(here.pluginDir, `summarize ${first}`);
    const input = { subagent_type: 'keepit:summarize', description: 'Summarize', prompt: task };
    here.model.says({ text: 'I ask.', tools: [{ name: 'Agent', input }] }, { text: 'I am told later.' });
    here.model.saysToAgent(
      task,
      { text: 'I read.', tools: [{ name: 'Bash', input: { command, description: 'Keepit' } }] },
      { text: 'Written by the agent.' },
    );
    await here.ask('Use the summarize agent for it.');
    assert.match(here.model.with(task).lastResult, /unchanged|updated|created/);
    // As the answer of the call, or, where agents work in the background, as a message of its own.
    assert.ok(here.model.with('Written by the agent.').all.includes('Use the summarize agent for it.'));
  });

  it('the agent that synthesizes looks first, writes master.md, and corrects it line by line', async () => {
    const here = stage();
    const master = path.join(here.cwd, '_memory', 'master.md');
    await here.keepitJson('summarize', first);
    await rm(master, { force: true });
    const task = 'Bring the memory of the project up to date';
    const run = (name: string, words: string): FakeReply => ({
      text: 'I run it.',
      tools: [{ name, input: { command: keepit(here.pluginDir, words), description: 'Keepit' } }],
    });
    const input = { subagent_type: 'keepit:synthesize', description: 'Synthesize', prompt: task };
    here.model.says({ text: 'I ask.', tools: [{ name: 'Agent', input }] }, { text: 'I am told later.' });
    const edit = { file_path: master, old_string: '# Project Memory', new_string: '# Project Memory, corrected' };
    here.model.saysToAgent(
      task,
      run('Bash', 'synthesize --dry-run'),
      run('Bash', 'synthesize --yes'),
      { text: 'I look.', tools: [{ name: 'Read', input: { file_path: master } }] },
      { text: 'I correct.', tools: [{ name: 'Edit', input: edit }] },
      { text: 'Synthesized by the agent.' },
    );
    await here.ask('Use the synthesize agent for it.', ['--permission-mode', 'acceptEdits']);
    const { results } = here.model.with(task);
    assert.match(results[0] ?? '', /would be created/);
    assert.match(results[1] ?? '', /✓ created .*master\.md/);
    assert.match(await readFile(master, 'utf8'), /^# Project Memory, corrected\n[^]*SQLite/);
    assert.ok(here.model.with('Synthesized by the agent.').all.includes('Use the synthesize agent for it.'));
  });

  it('the skill tells how to mark, and its example is no keepit', async () => {
    const here = stage();
    here.model.says(
      { text: 'I read it.', tools: [{ name: 'Skill', input: { skill: 'keepit:memory' } }] },
      { text: 'Done.' },
    );
    const { sessionId } = await here.ask('How do I mark something?');
    assert.match(here.model.last.all, /Marking what must not be lost/);
    const { stdout } = await here.keepit('keepits', sessionId);
    assert.doesNotMatch(stdout, /mobile app/);
  });
});
