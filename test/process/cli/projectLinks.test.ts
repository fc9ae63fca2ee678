import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, realpath, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod/mini';
import { projectFolderName } from '../../../src/core/sessions/projectNames';
import { TranscriptBuilder } from '../../unit/support/transcriptBuilder';
import { useProgram } from '../support/cliProcess';
import { HookHome } from '../support/hookHome';

const APP = 'a1c2d3e4-0000-4000-8000-000000000001';
const LIB = 'b1c2d3e4-0000-4000-8000-000000000002';
const OTHER = 'c1c2d3e4-0000-4000-8000-000000000003';
const linkSchema = z.looseObject({
  linkId: z.string(),
  sourceProject: z.string(),
  sourceSession: z.optional(z.string()),
  targetProject: z.string(),
  reason: z.string(),
});
const addedSchema = z.object({ link: linkSchema });
const linksSchema = z.object({
  links: z.array(linkSchema),
  proposed: z.array(z.looseObject({ sourceProject: z.string(), reason: z.string() })),
});
const suggestedSchema = z.object({
  suggestions: z.array(z.looseObject({ projectId: z.string(), sessionId: z.string(), why: z.string() })),
});
const foundSchema = z.looseObject({ results: z.array(z.looseObject({ sessionId: z.string(), why: z.string() })) });

describe('Links across projects', function () {
  this.timeout(60_000);
  const program = useProgram();
  let home: HookHome;
  let app: string;
  let lib: string;
  beforeEach(async () => {
    home = await HookHome.make(program);
    const src = path.join(await realpath(home.dir), 'src');
    app = path.join(src, 'app');
    lib = path.join(src, 'lib');
    await mkdir(path.join(src, '.git'), { recursive: true });
    await say(app, APP, 'Mend the login form of the shop.');
    await say(lib, LIB, 'The quokka parser reads dates with commas.');
    await say(lib, OTHER, 'The quokka writer writes dates without commas.');
    run('register', '--all', '--all-projects');
  });
  afterEach(() => home.dispose());

  const say = async (folder: string, session: string, words: string) => {
    await mkdir(folder, { recursive: true });
    const file = home.transcript(projectFolderName(folder), session);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, new TranscriptBuilder(session, folder).human(words).assistant('It does so now.').toString());
  };
  const keepit = (...args: string[]) => {
    const options = { env: home.env({}), cwd: app, encoding: 'utf8' } as const;
    return spawnSync(process.execPath, [program.file, ...args], options);
  };
  const run = (...args: string[]) => {
    const { status, stdout, stderr } = keepit(...args);
    assert.equal(status, 0, stderr);
    return stdout;
  };
  const json = <S extends z.ZodMiniType>(schema: S, ...args: string[]): z.output<S> =>
    z.parse(schema, JSON.parse(run(...args, '--json')));
  const found = (...args: string[]) =>
    json(foundSchema, 'search', 'quokka', ...args).results.map(({ sessionId, why }) => [sessionId, why] as const);

  it('let a search find what is linked, and say why', () => {
    assert.deepEqual(found(), []);
    const { link } = json(addedSchema, 'link', 'add', LIB.slice(0, 8), '--to', app, '--reason', 'Date parsing');
    assert.deepEqual([link.sourceSession, link.targetProject], [LIB, projectFolderName(app)]);
    assert.deepEqual(found(), []);
    const [[session, why] = [], ...others] = found('--linked');
    assert.equal(session, LIB);
    assert.match(why ?? '', /^linked: Date parsing/);
    assert.deepEqual(others, [], 'of the other project nothing but that session');

    run('link', 'add', lib, '--reason', 'Shared library');
    assert.deepEqual(
      found('--linked')
        .map(([id]) => id)
        .sort(),
      [LIB, OTHER],
    );
  });

  it('let what is linked be suggested, with the reason', () => {
    const suggested = () =>
      json(suggestedSchema, 'suggest', '--topic', 'quokka dates').suggestions.map(({ sessionId }) => sessionId);
    assert.deepEqual(suggested(), []);
    run('link', 'add', LIB.slice(0, 8), '--to', app, '--reason', 'Date parsing');
    const { suggestions } = json(suggestedSchema, 'suggest', '--topic', 'quokka dates');
    assert.deepEqual(
      suggestions.map(({ sessionId, projectId }) => [sessionId, projectId]),
      [[LIB, projectFolderName(lib)]],
    );
    assert.match(suggestions[0]?.why ?? '', /^linked: Date parsing · speaks of quokka dates/);
    run('link', 'add', lib, '--reason', 'Shared library');
    assert.deepEqual(suggested().sort(), [LIB, OTHER]);
  });

  it('tell the next session of what is linked, with the reason', () => {
    run('link', 'add', lib, '--reason', 'Shared library');
    assert.match(run('brief'), /in lib \(Shared library\): It does so now/);
    run('link', 'remove', json(linksSchema, 'links').links[0]!.linkId);
    assert.doesNotMatch(run('brief'), /Shared library/);
  });

  it('are listed from both ends, and proposed between folders of one repository until there is one', () => {
    const [proposal] = json(linksSchema, 'links').proposed;
    assert.equal(proposal?.sourceProject, projectFolderName(lib));
    run('link', 'add', lib, '--reason', proposal.reason);
    run('link', 'add', lib, '--reason', 'Said better');
    for (const project of [app, lib]) {
      const { links, proposed } = json(linksSchema, 'links', '--project', project);
      assert.deepEqual(
        links.map(({ reason }) => reason),
        ['Said better'],
      );
      assert.deepEqual(proposed, []);
    }
  });

  it('are refused where they lead nowhere', () => {
    for (const [args, code] of [
      [['link', 'add', app, '--reason', 'r'], 'link-to-itself'],
      [['link', 'add', 'ffffffff', '--reason', 'r'], 'session-not-found'],
      [['link', 'remove', 'nothing'], 'link-unknown'],
    ] as const) {
      const { status, stdout } = keepit(...args, '--json');
      assert.equal(status, 1);
      assert.match(stdout, new RegExp(code));
    }
    assert.equal(keepit('link', 'add', lib).status, 2);
  });
});
