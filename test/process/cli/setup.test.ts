import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod/mini';
import { carriedPlugin } from '../../unit/support/carriedPlugin';
import { CliHome, useProgram } from '../support/cliProcess';

const EXPORTS = 'a1b2ffff-2222-4222-8222-222222222222';
const SETTINGS = '{ "env": { "KEY": "value" } } // mine\n';

const answerSchema = z.looseObject({
  action: z.string(),
  mode: z.string(),
  isWritten: z.boolean(),
  undo: z.optional(z.string()),
  files: z.array(z.looseObject({ path: z.string(), change: z.string(), diff: z.string() })),
  plugin: z.looseObject({ path: z.string(), change: z.string() }),
  runtime: z.optional(z.looseObject({ kind: z.string() })),
  notes: z.array(z.string()),
});
const errorSchema = z.object({ error: z.looseObject({ code: z.string() }) });
const pathSchema = z.looseObject({ path: z.string(), version: z.string(), installed: z.unknown() });
const markedSchema = z.looseObject({ marker: z.looseObject({ content: z.string(), sessionId: z.string() }) });

describe('the set-up of Claude Code with the built command line', function () {
  this.timeout(30_000);
  const program = useProgram();
  let home: CliHome;
  let settings: string;

  before(async () => {
    await carriedPlugin(path.dirname(program.file));
  });
  beforeEach(async () => {
    home = await CliHome.make(program, 'mixed-home');
    settings = path.join(home.claudeDir, 'settings.json');
    await writeFile(settings, SETTINGS);
  });
  afterEach(() => home.dispose());

  async function json<Schema extends z.core.$ZodType>(schema: Schema, ...args: string[]): Promise<z.output<Schema>> {
    const { stdout, stderr } = await home.run([...args, '--json']);
    assert.equal(stderr, '');
    return z.parse(schema, JSON.parse(stdout));
  }

  it('shows the exact change, makes it, and takes it back to the byte', async () => {
    const dry = await json(answerSchema, 'install-hooks', '--dry-run');
    assert.equal(dry.isWritten, false);
    assert.equal(await readFile(settings, 'utf8'), SETTINGS);
    const made = await json(answerSchema, 'install-hooks');
    assert.deepEqual(
      made.files.map(({ path: file, change }) => [path.basename(file), change]),
      [
        ['settings.json', 'changed'],
        ['known_marketplaces.json', 'made'],
      ],
    );
    assert.match(made.files[0]?.diff ?? '', /^\+.*"keepit@keepit":true/m);
    assert.equal(made.notes.length, 1, 'comments in settings are told');
    assert.equal(made.runtime?.kind, 'path');
    assert.equal(made.undo, 'keepit uninstall-hooks');
    assert.match(await readFile(settings, 'utf8'), /keepit@keepit.*\/\/ mine/s);
    const gone = await json(answerSchema, 'uninstall-hooks');
    assert.equal(gone.plugin.change, 'remove');
    assert.equal(await readFile(settings, 'utf8'), SETTINGS);
    assert.equal((await json(errorSchema, 'uninstall-hooks')).error.code, 'setup-not-installed');
  });

  it('sets one project up, as plain hooks, in the current folder or the one that is named', async () => {
    const project = path.join(home.dir, 'a project');
    await mkdir(project);
    const made = await json(answerSchema, 'install-hooks', '--scope', 'project', '--as', 'plain', '--project', project);
    const names = made.files.map(({ path: file }) => path.relative(project, file)).sort();
    const commands = ['recall.md', 'summarize.md', 'synthesize.md'].map((name) => path.join('.claude/commands', name));
    assert.deepEqual(names, [...commands, path.join('.claude', 'settings.json')]);
    const { stdout } = await home.run(['uninstall-hooks', '--scope', 'project'], { cwd: project });
    assert.match(stdout, /Keepit is out of Claude Code/);
    const nowhere = ['install-hooks', '--scope', 'local', '--project', path.join(project, 'none')];
    assert.equal((await json(errorSchema, ...nowhere)).error.code, 'setup-no-folder');
  });

  it('refuses words that it does not know', async () => {
    for (const args of [
      ['--as', 'magic'],
      ['--scope', 'world'],
    ]) {
      const { code, stderr } = await home.run(['install-hooks', ...args]);
      assert.equal(code, 2, stderr);
    }
    assert.equal(await readFile(settings, 'utf8'), SETTINGS);
  });

  it('prints the folder of the plugin, and tells doctor what is set up', async () => {
    const { path: folder, installed } = await json(pathSchema, 'plugin', 'path');
    assert.equal(folder, path.join(path.dirname(program.file), 'claude-plugin'));
    assert.equal(installed, null);
    await writeFile(settings, '{}');
    await home.run(['install-hooks']);
    const { stdout } = await home.run(['doctor']);
    assert.match(
      stdout,
      /ok {4}claude code hooks {2}plugin, for you\n.*ok {4}claude code plugin.*\n.*ok {4}hook runtime/,
    );
  });

  it('marks the last answer of the session that calls, and takes that session into memory', async () => {
    const env = { CLAUDE_CODE_SESSION_ID: EXPORTS };
    const args = ['keepit', 'add', 'current', 'last', '--weight', 'pinned', '--register', '--json'];
    const { stdout, code } = await home.run(args, { env });
    assert.equal(code, 0, stdout);
    const { marker } = markedSchema.parse(JSON.parse(stdout));
    assert.equal(marker.sessionId, EXPORTS);
    const all = await home.run(['messages', EXPORTS, '--json']);
    const said = z.looseObject({ messages: z.array(z.looseObject({ role: z.string(), text: z.string() })) });
    const answers = said.parse(JSON.parse(all.stdout)).messages.filter(({ role }) => role === 'assistant');
    assert.equal(answers.at(-1)?.text.includes(marker.content), true);
    assert.equal((await json(errorSchema, 'show', 'current')).error.code, 'no-current-session');
    const recalled = await home.run(['recall', '--json'], { env });
    assert.match(recalled.stdout, /not enabled for -home-ada-src-ledger/, 'the project is that of the calling session');
  });
});
