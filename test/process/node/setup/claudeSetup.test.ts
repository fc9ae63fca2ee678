import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readFile,
  readdir,
  realpath,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import * as fc from 'fast-check';
import { errorText } from '../../../../src/core/text/keepitError';
import { ClaudeSetup } from '../../../../src/core/claude/setup/claudeSetup';
import { isSame } from '../../../../src/core/claude/setup/jsonc';
import type { SetupRequest } from '../../../../src/core/claude/setup/setupTypes';
import { DiskSetupMachine } from '../../../../src/node/setup/diskSetupMachine';
import { carriedPlugin } from '../../../unit/support/carriedPlugin';
import { commentsIn, readJsonc, writtenJson } from '../../../unit/support/jsoncTexts';
import { RecordingLog } from '../../../unit/support/recordingLog';

const USER_PLUGIN: SetupRequest = { mode: 'plugin', scope: 'user' };
const USER_PLAIN: SetupRequest = { mode: 'plain', scope: 'user' };

const SETTINGS = `{
  "model": "opus",
  "hooks": {
    "Stop": [{ "hooks": [{ "type": "command", "command": "say done" }] }]
  },
  "enabledPlugins": { "other@market": true }
}
`;

describe('the set-up of Claude Code, on disk', () => {
  let dir: string;
  let claudeDir: string;
  let memoryDir: string;
  let project: string;
  let settings: string;

  beforeEach(async () => {
    dir = await realpath(await mkdtemp(path.join(tmpdir(), 'keepit setup ü ')));
    claudeDir = path.join(dir, 'claude');
    memoryDir = path.join(dir, 'memory');
    project = path.join(dir, 'my project');
    settings = path.join(claudeDir, 'settings.json');
    await mkdir(claudeDir);
    await mkdir(project);
    await carriedPlugin(path.join(dir, 'dist'));
  });

  afterEach(async () => {
    await rm(dir, { recursive: true, force: true });
  });

  function open(distDir = path.join(dir, 'dist')): ClaudeSetup {
    const machine = new DiskSetupMachine({ claudeDir, memoryDir, distDir, env: process.env, log: new RecordingLog() });
    return new ClaudeSetup(machine, { now: () => new Date() });
  }

  async function install(request: SetupRequest): Promise<void> {
    const setup = open();
    await setup.apply(await setup.planInstall(request));
  }

  async function uninstall(request: Omit<SetupRequest, 'mode'>): Promise<void> {
    const setup = open();
    await setup.apply(await setup.planUninstall(request));
  }

  async function tree(folder: string): Promise<string[]> {
    return (await readdir(folder, { recursive: true })).sort();
  }

  const json = async (file: string): Promise<unknown> => readJsonc(await readFile(file, 'utf8'));

  it('shows every file as it would be, and changes none before it is applied', async () => {
    await writeFile(settings, SETTINGS);
    const plan = await open().planInstall(USER_PLUGIN);
    assert.deepEqual(
      plan.files.map(({ path: file, before }) => [path.relative(claudeDir, file), before]),
      [
        ['settings.json', SETTINGS],
        [path.join('plugins', 'known_marketplaces.json'), undefined],
      ],
    );
    assert.equal(plan.plugin.change, 'copy');
    assert.equal(await readFile(settings, 'utf8'), SETTINGS);
    assert.deepEqual(await tree(dir).then((names) => names.includes('memory')), false);
    const setup = open();
    await setup.apply(plan);
    assert.equal(await readFile(settings, 'utf8'), plan.files[0]?.after);
    assert.deepEqual(
      (await setup.status()).installs.map(({ mode, scope }) => [mode, scope]),
      [['plugin', 'user']],
    );
  });

  it('leaves what was there in settings, and takes itself out without a trace', async () => {
    await writeFile(settings, SETTINGS);
    const before = await tree(claudeDir);
    await install(USER_PLUGIN);
    const source = { source: 'directory', path: path.join(memoryDir, 'claude-plugin') };
    assert.ok(
      isSame(await json(settings), {
        ...Object(readJsonc(SETTINGS)),
        enabledPlugins: { 'other@market': true, 'keepit@keepit': true },
        extraKnownMarketplaces: { keepit: { source } },
      }),
    );
    await uninstall({ scope: 'user' });
    assert.equal(await readFile(settings, 'utf8'), SETTINGS);
    assert.deepEqual(await tree(claudeDir), before);
    assert.deepEqual(await tree(dir).then((names) => names.includes('memory')), false);
  });

  it('takes out what Claude Code noted about the plugin, and nothing else of its notes', async () => {
    await install(USER_PLUGIN);
    const plugins = path.join(claudeDir, 'plugins');
    const other = { 'x@y': [{ scope: 'user' }] };
    const noted = { version: 2, plugins: { ...other, 'keepit@keepit': [{ scope: 'user' }] } };
    await writeFile(path.join(plugins, 'installed_plugins.json'), JSON.stringify(noted, null, 2));
    const known = path.join(plugins, 'known_marketplaces.json');
    await writeFile(known, JSON.stringify({ ...Object(await json(known)), y: { source: 'y' } }));
    await mkdir(path.join(plugins, 'data', 'keepit-keepit'), { recursive: true });
    await mkdir(path.join(plugins, 'cache', 'keepit', 'keepit'), { recursive: true });
    await uninstall({ scope: 'user' });
    assert.deepEqual(await json(path.join(plugins, 'installed_plugins.json')), { version: 2, plugins: other });
    assert.deepEqual(await json(known), { y: { source: 'y' } });
    assert.deepEqual(await tree(plugins), ['cache', 'data', 'installed_plugins.json', 'known_marketplaces.json']);
  });

  it('puts plain hooks and commands into settings, that call the copy by its path', async () => {
    await writeFile(settings, SETTINGS);
    const own = path.join(claudeDir, 'commands', 'recall.md');
    await mkdir(path.dirname(own));
    await writeFile(own, 'my own recall');
    const setup = open();
    const plan = await setup.planInstall(USER_PLAIN);
    assert.deepEqual(plan.notes, [`${own} is yours and stays as it is.`]);
    await setup.apply(plan);
    const script = path.join(memoryDir, 'claude-plugin', 'bin', 'keepit.js');
    const text = await readFile(settings, 'utf8');
    assert.ok(text.includes(JSON.stringify(`node "${script}" hook Stop`)), text);
    assert.ok(text.includes('say done'));
    assert.ok((await readFile(path.join(claudeDir, 'commands', 'summarize.md'), 'utf8')).includes(script));
    await uninstall({ scope: 'user' });
    assert.equal(await readFile(settings, 'utf8'), SETTINGS);
    assert.deepEqual(await tree(claudeDir), ['commands', path.join('commands', 'recall.md'), 'settings.json']);
    assert.equal(await readFile(own, 'utf8'), 'my own recall');
  });

  it('keeps what people wrote into settings since, whatever they are like', async () => {
    await fc.assert(
      fc.asyncProperty(writtenJson(), fc.constantFrom(USER_PLUGIN, USER_PLAIN), async (text, request) => {
        await writeFile(settings, text);
        await install(request);
        const added = await readFile(settings, 'utf8');
        assert.deepEqual(commentsIn(added), commentsIn(text));
        await uninstall({ scope: 'user' });
        assert.equal(await readFile(settings, 'utf8'), text);
        await install(request);
        await writeFile(settings, (await readFile(settings, 'utf8')).replace(/\}(?=[^}]*$)/, '\n/*c100*/}'));
        await uninstall({ scope: 'user' });
        const left = await readFile(settings, 'utf8');
        assert.ok(isSame(readJsonc(left), readJsonc(text)), left);
        assert.deepEqual(
          commentsIn(left).filter((comment) => comment !== '/*c100*/'),
          commentsIn(text),
        );
      }),
      { numRuns: 3 },
    );
  });

  it('changes the file that a symbolic link leads to, and leaves the link and the mode', async () => {
    const dotfile = path.join(dir, 'dotfiles.json');
    await writeFile(dotfile, SETTINGS);
    await chmod(dotfile, 0o640);
    await symlink(dotfile, settings);
    await install(USER_PLUGIN);
    assert.equal((await lstat(settings)).isSymbolicLink(), true);
    assert.notEqual(await readFile(dotfile, 'utf8'), SETTINGS);
    assert.equal((await stat(dotfile)).mode & 0o777, 0o640);
    await uninstall({ scope: 'user' });
    assert.equal((await lstat(settings)).isSymbolicLink(), true);
    assert.equal(await readFile(dotfile, 'utf8'), SETTINGS);
    await rm(dotfile);
    await assert.rejects(install(USER_PLUGIN), { code: 'setup-dangling-link' });
  });

  it('takes away what one that was killed has left beside settings, also where nothing is to change', async () => {
    await install(USER_PLUGIN);
    const before = await tree(claudeDir);
    for (const file of ['.settings.json', 'plugins/.known_marketplaces.json'])
      await writeFile(path.join(claudeDir, `${file}.7fffffff01234567.tmp`), SETTINGS);
    await install(USER_PLUGIN);
    assert.deepEqual(await tree(claudeDir), before);
  });

  it('refuses settings that it cannot change, and changes nothing then', async () => {
    const cases: [text: string | Buffer, code: string][] = [
      ['{ "a": ', 'setup-broken-settings'],
      ['[]', 'setup-unfit-settings'],
      ['{ "enabledPlugins": [] }', 'setup-unfit-settings'],
      [Buffer.from([0x7b, 0xff, 0x7d]), 'setup-not-utf8'],
    ];
    for (const [text, code] of cases) {
      await writeFile(settings, text);
      await assert.rejects(install(USER_PLUGIN), { code });
      assert.deepEqual(await readFile(settings), Buffer.from(text));
      assert.deepEqual(await tree(claudeDir), ['settings.json']);
    }
  });

  it('takes back what it had written when a file may not be written', async () => {
    const known = path.join(claudeDir, 'plugins', 'known_marketplaces.json');
    await mkdir(path.dirname(known));
    await writeFile(known, '{}');
    await chmod(known, 0o444);
    await writeFile(settings, SETTINGS);
    const before = await tree(dir);
    await assert.rejects(install(USER_PLUGIN), { code: 'setup-not-permitted' });
    assert.equal(await readFile(settings, 'utf8'), SETTINGS);
    assert.deepEqual(
      (await tree(dir)).filter((name) => name !== 'memory'),
      before,
    );
  });

  it('refuses to apply a plan to files that have changed since', async () => {
    const setup = open();
    const plan = await setup.planInstall(USER_PLUGIN);
    await writeFile(settings, SETTINGS);
    await assert.rejects(setup.apply(plan), { code: 'setup-changed' });
    assert.equal(await readFile(settings, 'utf8'), SETTINGS);
  });

  it('lets several installations share what they need, in any order of taking them out', async () => {
    await writeFile(settings, SETTINGS);
    const own = path.join(project, '.claude', 'settings.json');
    await install({ mode: 'plugin', scope: 'project', folder: project });
    assert.deepEqual(await json(own), { enabledPlugins: { 'keepit@keepit': true } });
    await install(USER_PLUGIN);
    await install(USER_PLUGIN);
    await uninstall({ scope: 'project', folder: project });
    assert.deepEqual(await tree(project), []);
    assert.ok((await readFile(settings, 'utf8')).includes('keepit@keepit'));
    await install({ mode: 'plugin', scope: 'local', folder: project });
    await uninstall({ scope: 'user' });
    const text = await readFile(settings, 'utf8');
    assert.ok(text.includes('extraKnownMarketplaces') && !text.includes('keepit@keepit'), text);
    await uninstall({ scope: 'local', folder: project });
    assert.equal(await readFile(settings, 'utf8'), SETTINGS);
    await assert.rejects(uninstall({ scope: 'user' }), { code: 'setup-not-installed' });
  });

  it('changes from plugin to plain in one step, and refuses to have both', async () => {
    await writeFile(settings, SETTINGS);
    await install(USER_PLUGIN);
    const notes = path.join(claudeDir, 'plugins', 'installed_plugins.json');
    await writeFile(notes, '{"version":2,"plugins":{"keepit@keepit":[]}}');
    await install(USER_PLAIN);
    assert.equal(await readFile(notes, 'utf8'), '{"version":2,"plugins":{}}');
    const text = await readFile(settings, 'utf8');
    assert.ok(!text.includes('keepit@keepit') && text.includes('keepit.js'), text);
    const request: SetupRequest = { mode: 'plugin', scope: 'project', folder: project };
    await assert.rejects(install(request), { code: 'setup-other-mode' });
    await uninstall({ scope: 'user' });
    assert.equal(await readFile(settings, 'utf8'), SETTINGS);
  });

  it('lets one of two win that set up at the same time, and stays whole', async () => {
    await writeFile(settings, SETTINGS);
    const plans = await Promise.all([open().planInstall(USER_PLUGIN), open().planInstall(USER_PLAIN)]);
    const ends = await Promise.allSettled(plans.map((plan) => open().apply(plan)));
    const refused = ends.flatMap((end) => (end.status === 'rejected' ? [errorText(end.reason)] : []));
    assert.equal(refused.length, 1);
    assert.match(refused[0] ?? '', /has changed since it was looked at/);
    assert.deepEqual(
      (await open().checks({ repair: false })).filter(({ ok }) => !ok),
      [],
    );
    await uninstall({ scope: 'user' });
    assert.equal(await readFile(settings, 'utf8'), SETTINGS);
  });

  it('leaves settings alone that were given back in another way already', async () => {
    await writeFile(settings, SETTINGS);
    await install(USER_PLUGIN);
    await writeFile(settings, SETTINGS);
    await uninstall({ scope: 'user' });
    assert.equal(await readFile(settings, 'utf8'), SETTINGS);
  });

  it('takes out the rest of what an uninstallation that was cut short has left', async () => {
    const request = { scope: 'project', folder: project } as const;
    const before = await tree(dir);
    await install({ ...request, mode: 'plain' });
    // It writes the settings, removes the copy and forgets what it did, in this order.
    await rm(path.join(project, '.claude'), { recursive: true });
    await rm(path.join(memoryDir, 'claude-plugin', '.claude-plugin'), { recursive: true });
    await uninstall(request);
    assert.deepEqual(
      (await tree(dir)).filter((name) => name !== 'memory'),
      before,
    );
  });

  it('takes itself out also when nothing is remembered any more', async () => {
    await writeFile(settings, SETTINGS);
    await install(USER_PLAIN);
    await rm(path.join(memoryDir, 'claude-setup.json'));
    await uninstall({ scope: 'user' });
    assert.ok(isSame(await json(settings), readJsonc(SETTINGS)));
  });

  it('runs wherever the store lies, and works for that store', async () => {
    await writeFile(path.join(dir, 'package.json'), '{ "type": "module" }');
    await carriedPlugin(path.join(dir, 'dist'), {
      files: {
        'bin/keepit.js':
          "#!/usr/bin/env node\nconsole.log('0.1.0', require('node:path') && process.env.CLAUDE_MEMORY_DIR);\n",
      },
    });
    await install(USER_PLUGIN);
    const script = path.join(memoryDir, 'claude-plugin', 'bin', 'keepit.js');
    const env = { ...process.env, CLAUDE_MEMORY_DIR: '' };
    const { stdout } = await promisify(execFile)(process.execPath, [script], { env });
    assert.equal(stdout, `0.1.0 ${memoryDir}\n`);
    assert.deepEqual(
      (await open().checks({ repair: false })).filter(({ ok }) => !ok),
      [],
    );
  });

  it('brings the copy up to date, keeps what may still be loaded from it, and never goes back', async () => {
    const copy = path.join(memoryDir, 'claude-plugin');
    const setup = open();
    assert.equal(await setup.refresh(), false);
    await install(USER_PLUGIN);
    assert.equal(await setup.refresh(), false);
    await carriedPlugin(path.join(dir, 'dist2'), {
      version: '0.2.0',
      files: { 'bin/part-b.mjs': 'b' },
      without: 'bin/part-a.mjs',
    });
    assert.equal(await open(path.join(dir, 'dist2')).refresh(), true);
    assert.equal((await setup.status()).plugin?.version, '0.2.0');
    assert.deepEqual(await tree(path.join(copy, 'bin')), ['keepit.js', 'part-a.mjs', 'part-b.mjs']);
    assert.equal(await setup.refresh(), false);
    await carriedPlugin(path.join(dir, 'dist3'), { version: '0.3.0', without: 'bin/part-a.mjs' });
    assert.equal(await open(path.join(dir, 'dist3')).refresh(), true);
    assert.deepEqual(await tree(path.join(copy, 'bin')), ['keepit.js', 'part-b.mjs']);
  });

  it('tells of hooks that are gone, twice there, or cannot run, and mends its copy', async () => {
    const badOf = async (setup: ClaudeSetup, repair = false) =>
      (await setup.checks({ repair })).filter(({ ok }) => !ok).map(({ name, detail }) => `${name}: ${detail}`);
    const setup = open();
    assert.deepEqual(await badOf(setup), []);
    await install(USER_PLUGIN);
    assert.deepEqual(await badOf(setup), []);
    const script = path.join(memoryDir, 'claude-plugin', 'bin', 'keepit.js');
    await writeFile(script, 'throw 1');
    const problems = await badOf(setup);
    assert.match(
      problems.join('\n'),
      /plugin: not as it was written: bin\/keepit\.js\nhook runtime: node does not run/,
    );
    assert.deepEqual(await badOf(setup, true), []);
    const plain = JSON.stringify({ type: 'command', command: `node "${script}" hook Stop` });
    await writeFile(
      settings,
      `{"enabledPlugins":{"keepit@keepit":true},"hooks":{"Stop":[{"hooks":[${plain},${plain}]}]}}`,
    );
    assert.match(
      (await badOf(setup)).join('\n'),
      /the same hook twice · Keepit is there as a plugin and as plain hooks/,
    );
    await writeFile(settings, '{} // nothing');
    assert.match((await badOf(setup)).join('\n'), /Claude Code reads nothing of such a file/);
    await writeFile(settings, '{}');
    assert.match((await badOf(setup)).join('\n'), /is not there any more/);
  });
});
