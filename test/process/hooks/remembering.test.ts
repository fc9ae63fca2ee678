import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, realpath, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod/mini';
import { carriedPlugin } from '../../unit/support/carriedPlugin';
import { TranscriptBuilder } from '../../unit/support/transcriptBuilder';
import { useProgram } from '../support/cliProcess';
import { HookHome } from '../support/hookHome';

const SESSION = 'b1c2d3e4-0000-4000-8000-000000000001';
const doctorSchema = z.object({ checks: z.array(z.looseObject({ name: z.string(), ok: z.boolean() })) });

describe('Keepit as it is from installing on', function () {
  this.timeout(60_000);
  const program = useProgram();
  let home: HookHome;
  let project: string;
  let projectId: string;
  before(() => carriedPlugin(path.dirname(program.file)));
  beforeEach(async () => {
    home = await HookHome.make(program);
    project = path.join(await realpath(home.dir), 'app');
    projectId = project.replace(/[^A-Za-z0-9]/g, '-');
    await mkdir(project);
  });
  afterEach(() => home.dispose());

  const run = (...args: string[]) => {
    const options = { env: home.env({}), cwd: project, encoding: 'utf8' } as const;
    return spawnSync(process.execPath, [program.file, ...args], options);
  };
  const start = () => {
    const input = {
      session_id: 'next',
      transcript_path: '',
      cwd: project,
      hook_event_name: 'SessionStart',
      source: 'startup',
    };
    return home.hook('SessionStart', { input });
  };

  const rememberedCheck = () => {
    const { checks } = z.parse(doctorSchema, JSON.parse(run('doctor', '--json').stdout));
    return checks.find(({ name }) => name === 'remembered projects');
  };

  it('takes in what was said before, and tells the very next session of it', async () => {
    const transcript = new TranscriptBuilder(SESSION, project).human('From now on, always use tabs.').assistant('Yes.');
    await mkdir(path.dirname(home.transcript(projectId, SESSION)), { recursive: true });
    await writeFile(home.transcript(projectId, SESSION), transcript.toString());
    const installed = run('install-hooks', '--yes');
    assert.match(installed.stdout, /1 session taken in, 1 request known/);
    assert.match(run('facts').stdout, /always use tabs/);
    assert.match(run('memory', 'get', 'memory.md').stdout, /always use tabs/);
    const prompt = {
      session_id: 'next',
      cwd: project,
      hook_event_name: 'UserPromptSubmit',
      prompt: 'Indent the parser',
    };
    assert.match(home.hook('UserPromptSubmit', { input: prompt }).stdout, /always use tabs/);
    assert.equal(rememberedCheck()?.ok, true);
  });

  it('begins in a repository in which there was no session yet', () => {
    spawnSync('git', ['init', '-q'], { cwd: project });
    const installed = run('install-hooks', '--yes');
    assert.match(installed.stdout, /0 sessions taken in/, installed.stderr);
    assert.match(run('layers', '--project', projectId).stdout, /✓ enabled/);
  });

  it('writes to no project without a person’s word', () => {
    spawnSync('git', ['init', '-q'], { cwd: project });
    assert.equal(
      z.parse(z.looseObject({ remembered: z.null() }), JSON.parse(run('install-hooks', '--json').stdout)).remembered,
      null,
    );
  });

  it('fails loudly in the doctor when hooks run and nothing is kept', () => {
    run('install-hooks');
    start();
    assert.equal(rememberedCheck()?.ok, false);
    assert.match(String(rememberedCheck()?.['hint']), /keepit layers enable/);
  });

  it('is content where no hook has run, though versions have aged', async () => {
    const transcript = new TranscriptBuilder(SESSION, project).human('Mend the parser.').assistant('It is mended.');
    await mkdir(path.dirname(home.transcript(projectId, SESSION)), { recursive: true });
    await writeFile(home.transcript(projectId, SESSION), transcript.toString());
    run('register', '--all');
    run('config', 'set', 'autoDecay.enabled', 'true');
    assert.match(run('auto-decay').stdout, /made/);
    assert.equal(rememberedCheck()?.ok, true);
  });
});
