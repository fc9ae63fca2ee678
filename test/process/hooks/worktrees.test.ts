import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, realpath, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod/mini';
import { projectFolderName } from '../../../src/core/sessions/projectNames';
import { commitAll, git } from '../../unit/support/gitRepository';
import { TranscriptBuilder } from '../../unit/support/transcriptBuilder';
import { useProgram } from '../support/cliProcess';
import { HookHome } from '../support/hookHome';

const MAIN_SESSION = 'b1c2d3e4-0000-4000-8000-000000000001';
const TREE_SESSION = 'c1c2d3e4-0000-4000-8000-000000000002';
const discoveredSchema = z.looseObject({
  projects: z.array(
    z.looseObject({
      projectId: z.string(),
      originalPath: z.string(),
      sessions: z.array(z.looseObject({ sessionId: z.string(), registered: z.boolean() })),
    }),
  ),
});

describe('Worktrees of one repository', function () {
  this.timeout(60_000);
  const program = useProgram();
  let home: HookHome;
  let main: string;
  let tree: string;
  beforeEach(async () => {
    home = await HookHome.make(program);
    main = path.join(await realpath(home.dir), 'app');
    tree = path.join(await realpath(home.dir), 'trees', 'retry');
    await mkdir(main);
    git(main, 'init', '-q', '-b', 'main');
    commitAll(main);
    git(main, 'worktree', 'add', '-q', '-b', 'retry', tree);
  });
  afterEach(() => home.dispose());

  const run = (cwd: string, ...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [program.file, ...args], {
      env: home.env({}),
      cwd,
      encoding: 'utf8',
    });
    assert.equal(status, 0, stderr);
    return stdout;
  };
  const say = async (folder: string, session: string, words: string) => {
    const transcript = new TranscriptBuilder(session, folder).human(words).assistant('Yes.');
    const file = home.transcript(projectFolderName(folder), session);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, transcript.toString());
    return file;
  };
  const hook = (event: string, more: object) =>
    home.hook(event, { input: { session_id: TREE_SESSION, cwd: tree, hook_event_name: event, ...more } });
  const projects = (cwd = main) =>
    z.parse(discoveredSchema, JSON.parse(run(cwd, 'discover', '--all-projects', '--json'))).projects;
  const remembered = async () => {
    await say(main, MAIN_SESSION, 'From now on, always use tabs.');
    run(main, 'layers', 'enable', '--yes');
  };

  it('have one memory: a session in a new one starts with what is known', async () => {
    await remembered();
    const file = home.transcript(projectFolderName(tree), TREE_SESSION);
    assert.match(hook('SessionStart', { transcript_path: file, source: 'startup' }).stdout, /always use tabs/);
    await home.settled(projectFolderName(main));

    await say(tree, TREE_SESSION, 'From now on, never retry a POST.');
    hook('SessionEnd', { transcript_path: file, reason: 'exit' });
    await home.settled(projectFolderName(main));
    assert.match(run(main, 'facts'), /never retry a POST/);
    assert.equal(existsSync(path.join(home.memoryDir, 'projects', projectFolderName(tree))), false);
    assert.equal(existsSync(path.join(tree, '.claude')), false, 'what is known lies in the main folder');
  });

  it('are listed as one project, from each of them, and after one is removed', async () => {
    await say(main, MAIN_SESSION, 'In the main folder.');
    await say(tree, TREE_SESSION, 'In a worktree.');
    run(main, 'register', MAIN_SESSION);
    for (const folder of [main, tree]) {
      const [project, ...others] = projects(folder);
      assert.deepEqual([project?.projectId, project?.originalPath], [projectFolderName(main), main]);
      assert.deepEqual(project?.sessions.map(({ sessionId }) => sessionId).sort(), [MAIN_SESSION, TREE_SESSION]);
      assert.deepEqual(others, []);
    }
    git(main, 'worktree', 'remove', '--force', tree);
    run(main, 'register', TREE_SESSION);
    assert.deepEqual(
      projects().map(({ sessions }) => sessions.map(({ registered }) => registered)),
      [[true, true]],
    );
  });

  it('name the main folder also when nothing was ever said there', async () => {
    await say(tree, TREE_SESSION, 'In a worktree.');
    run(tree, 'register', TREE_SESSION);
    assert.deepEqual(
      projects(tree).map(({ originalPath }) => originalPath),
      [main],
    );
  });

  it('are projects of their own where a setting says so, or where they had memory before', async () => {
    await remembered();
    run(main, 'config', 'set', 'storage.worktrees', 'apart');
    const file = await say(tree, TREE_SESSION, 'In a worktree.');
    assert.doesNotMatch(hook('SessionStart', { transcript_path: file, source: 'startup' }).stdout, /always use tabs/);
    assert.equal(projects().length, 2);
    run(tree, 'register', TREE_SESSION);
    run(main, 'config', 'set', 'storage.worktrees', 'together');
    assert.equal(projects().length, 2);
  });

  it('are believed only where the repository names them too', async () => {
    await remembered();
    const forged = path.join(await realpath(home.dir), 'forged');
    await mkdir(forged);
    await writeFile(path.join(forged, '.git'), `gitdir: ${main}/.git/worktrees/retry\n`);
    const input = { session_id: TREE_SESSION, cwd: forged, hook_event_name: 'SessionStart', source: 'startup' };
    assert.doesNotMatch(home.hook('SessionStart', { input }).stdout, /always use tabs/);
    await say(forged, TREE_SESSION, 'In a folder that says it is one.');
    assert.equal(projects().length, 2);
  });
});
