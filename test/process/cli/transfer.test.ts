import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdir, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import * as z from 'zod/mini';
import { projectFolderName } from '../../../src/core/sessions/projectNames';
import { tarOf, type TarEntry } from '../../../src/node/transfer/tarFile';
import { TranscriptBuilder } from '../../unit/support/transcriptBuilder';
import { CliHome, useProgram } from '../support/cliProcess';
import { hasTerminals, onTerminal } from '../support/terminal';

const SESSION = 'abcd1234-1111-4111-8111-111111111111';
const OTHER = 'abcd1234-2222-4222-8222-222222222222';

type ArchivedFile = TarEntry & { readonly modified: Date };

const conflict = z.object({ name: z.string(), reason: z.string() });
const merged = z.object({ added: z.array(z.string()), same: z.array(z.string()), conflicts: z.array(conflict) });
const importedSchema = z.object({
  projects: z.array(
    z.looseObject({
      projectId: z.string(),
      sessions: merged,
      versions: merged,
      keepits: merged,
      links: merged,
      compositions: merged,
      knowledge: z.string(),
    }),
  ),
  imported: z.boolean(),
});

/** The content of all files below a folder, by their names in it. */
async function contentsOf(folder: string): Promise<Map<string, string>> {
  const contents = new Map<string, string>();
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])) {
    const file = path.join(entry.parentPath, entry.name);
    if (entry.isFile()) contents.set(path.relative(folder, file), (await readFile(file)).toString('latin1'));
  }
  return contents;
}

/** An archive that says that it has this project, with such a manifest. */
async function* forged(projectId: string, manifest: string | undefined): AsyncGenerator<ArchivedFile> {
  const entry = (name: string, text: string): ArchivedFile => {
    const content = Buffer.from(text);
    return { name, bytes: content.length, content: Readable.from([content]), modified: new Date(0) };
  };
  const name = `projects/${projectId}/manifest.json`;
  const files = manifest === undefined ? [] : [{ name, text: manifest }];
  for (const { text } of files) yield entry(name, text);
  const listed = files.map(({ text }) => ({
    name,
    bytes: Buffer.byteLength(text),
    sha256: createHash('sha256').update(text).digest('hex'),
  }));
  const projects = [{ projectId, originalPath: '/app', displayName: 'app' }];
  yield entry('keepit-archive.json', JSON.stringify({ version: '1.0.0', createdAt: '', projects, files: listed }));
}

describe('memory in an archive, with the built command line', function () {
  this.timeout(120_000);
  const program = useProgram();
  let home: CliHome;
  let project: string;
  let projectId: string;
  let archive: string;
  let elsewhere: string;

  const run = async (args: readonly string[], memoryDir = home.memoryDir) =>
    home.run([...args, '--json'], { cwd: project, env: { CLAUDE_MEMORY_DIR: memoryDir } });
  const json = async (args: readonly string[], memoryDir?: string): Promise<unknown> => {
    const { code, stdout, stderr } = await run(args, memoryDir);
    assert.equal(code, 0, `${args.join(' ')}: ${stderr}${stdout}`);
    return JSON.parse(stdout);
  };
  const bringIn = async (...args: string[]) => {
    const { projects, imported } = z.parse(importedSchema, await json(['import', archive, ...args], elsewhere));
    return { imported, ...projects[0]! };
  };
  const inStore = (dir: string, ...names: string[]): string => path.join(dir, 'projects', projectId, ...names);

  before(async () => {
    home = await CliHome.make(program);
    project = path.join(await realpath(home.dir), 'app');
    projectId = projectFolderName(project);
    archive = path.join(home.dir, 'memory.tar');
    elsewhere = path.join(home.dir, 'elsewhere-store');
    await mkdir(path.dirname(home.transcript(projectId, SESSION)), { recursive: true });
    await mkdir(project);
    const session = new TranscriptBuilder(SESSION, project)
      .human('From now on always use the batch size 500. ##keepit0.90## Never more than that.')
      .assistant('The queue in src/mail/queue.ts sends 500 mails at once.')
      .human('Now write tests for src/mail/queue.ts, with emoji 🎉 and Ümlauts.')
      .assistant('The tests are written and pass.');
    const other = new TranscriptBuilder(OTHER, project).human('Which batch size?').assistant('It is 500.');
    await writeFile(home.transcript(projectId, SESSION), session.toString());
    await writeFile(home.transcript(projectId, OTHER), other.toString());
    await json(['layers', 'enable', '--yes', '--location', 'home']);
    await json(['register', '--all']);
    await json(['summarize', SESSION]);
    await json(['compress', SESSION]);
    await json(['compress', SESSION, '--preset', 'aggressive', '--whole']);
    await json(['compose', '--name', 'one', '--budget', '4000', '--last', '2']);
    await json(['export', '-o', archive]);
  });
  beforeEach(() => rm(elsewhere, { recursive: true, force: true }));
  after(() => home.dispose());

  it('comes back as it was, byte for byte', async () => {
    const dry = await bringIn('--dry-run');
    assert.deepEqual([dry.imported, dry.sessions.added.length], [false, 2]);
    assert.deepEqual(await contentsOf(elsewhere), new Map());
    assert.equal((await bringIn()).knowledge, 'added');
    for (const folder of ['originals', 'summaries', 'composed', 'layers', 'notebook']) {
      const before = await contentsOf(inStore(home.memoryDir, folder));
      assert.ok(before.size > 0, folder);
      const lockless = (all: Map<string, string>) => [...all].filter(([name]) => !name.includes('.lock')).sort();
      assert.deepEqual(lockless(await contentsOf(inStore(elsewhere, folder))), lockless(before), folder);
    }
    for (const command of [['facts', '--all'], ['keepits', SESSION], ['versions', SESSION], ['compositions']]) {
      const there = JSON.stringify(await json(command, elsewhere)).replaceAll(elsewhere, home.memoryDir);
      assert.deepEqual(JSON.parse(there), await json(command), command.join(' '));
    }
    const checks = z.object({ checks: z.array(z.looseObject({ name: z.string(), ok: z.boolean() })) });
    const { checks: found } = z.parse(checks, await json(['doctor'], elsewhere));
    for (const { name, ok } of found.filter((one) => /store|originals|versions|compositions/.test(one.name)))
      assert.ok(ok, name);
  });

  it('says what to do where its folder is not there', async () => {
    for (const folder of [path.join(home.dir, 'backups', 'may'), archive]) {
      const { code, stdout } = await run(['export', '-o', path.join(folder, 'memory.tar')]);
      assert.deepEqual(
        [code, JSON.parse(stdout)],
        [
          1,
          {
            error: {
              code: 'no-export-folder',
              message: `There is no folder ${folder} to put the archive into.`,
              hint: 'Make it first, or name a file in a folder that is there.',
            },
          },
        ],
      );
    }
    assert.ok(!(await readdir(home.dir)).includes('backups'));
  });

  it('can be unpacked by any tar, and names what is in it', async () => {
    const folder = path.join(home.dir, 'unpacked');
    await mkdir(folder, { recursive: true });
    await promisify(execFile)('tar', ['-xf', archive, '-C', folder]);
    const original = await readFile(path.join(folder, 'projects', projectId, 'originals', `${SESSION}.jsonl`), 'utf8');
    assert.equal(original, await readFile(home.transcript(projectId, SESSION), 'utf8'));
  });

  it('comes in once, however often', async () => {
    await bringIn();
    const before = await contentsOf(inStore(elsewhere));
    const again = await bringIn();
    assert.deepEqual([again.sessions.added, again.sessions.same.length, again.compositions.same], [[], 2, ['one']]);
    assert.deepEqual(await contentsOf(inStore(elsewhere)), before);
  });

  it('leaves what is there and another, and says so; replaced, that is in the trash', async () => {
    await json(['register', SESSION], elsewhere);
    const original = inStore(elsewhere, 'originals', `${SESSION}.jsonl`);
    const own = (await readFile(original, 'utf8')).replace('batch size 500', 'batch size 400');
    await writeFile(original, own);
    const { code, stdout } = await run(['import', archive], elsewhere);
    assert.equal(code, 1);
    const [told] = z.parse(importedSchema, JSON.parse(stdout)).projects;
    assert.deepEqual(
      told!.sessions.conflicts.map(({ name }) => name),
      [SESSION],
    );
    assert.deepEqual(told!.sessions.added, [OTHER]);
    assert.equal(await readFile(original, 'utf8'), own);
    await bringIn('--replace');
    assert.equal(await readFile(original, 'utf8'), await readFile(home.transcript(projectId, SESSION), 'utf8'));
    assert.match(JSON.stringify(await json(['trash'], elsewhere)), new RegExp(SESSION));
  });

  it('changes nothing when the archive is cut off, or a byte of it is another', async () => {
    const bytes = await readFile(archive);
    const broken = path.join(home.dir, 'broken.tar');
    const flipped = Buffer.from(bytes);
    flipped.write('X', bytes.indexOf('batch size 500'));
    for (const [content, code] of [
      [bytes.subarray(0, bytes.length / 2), 'damaged-archive'],
      [flipped, 'damaged-archive'],
      [Buffer.from('no archive at all'), 'no-archive'],
    ] as const) {
      await writeFile(broken, content);
      const ended = await run(['import', broken], elsewhere);
      assert.equal(ended.code, 1);
      assert.match(ended.stdout, new RegExp(code));
      assert.deepEqual(await contentsOf(elsewhere), new Map());
    }
  });

  it('changes nothing when what is in it was made up, though its hashes are right', async () => {
    const named = (file: string) => ({ versionId: 'v001', file });
    for (const content of [
      undefined,
      'no manifest',
      JSON.stringify({ version: '1.0.0', sessions: { [SESSION]: { compressions: [named('../../../away')] } } }),
    ]) {
      await writeFile(path.join(home.dir, 'forged.tar'), Readable.from(tarOf(forged(projectId, content))));
      const ended = await run(['import', path.join(home.dir, 'forged.tar')], elsewhere);
      assert.equal(ended.code, 1, ended.stderr);
      assert.match(ended.stdout, /damaged-archive/);
      assert.deepEqual(
        [...(await contentsOf(elsewhere)).keys()].filter((name) => !name.startsWith('cache')),
        [],
      );
    }
  });

  describe('that is encrypted', () => {
    let secret: string;
    let passphrases: { right: string; wrong: string };

    before(async () => {
      secret = path.join(home.dir, 'memory.tar.age');
      passphrases = { right: path.join(home.dir, 'right'), wrong: path.join(home.dir, 'wrong') };
      await writeFile(passphrases.right, 'rather many words here\r\nand a line that does not count\n');
      await writeFile(passphrases.wrong, 'rather many words there\n');
      await json(['export', '-o', secret, '--passphrase-file', passphrases.right]);
    });

    it('says nothing to who does not know the passphrase, and everything to who does', async () => {
      assert.ok(!(await readFile(secret)).includes(Buffer.from('batch size')));
      for (const [args, code] of [
        [[], 'no-passphrase'],
        [['--passphrase-file', passphrases.wrong], 'wrong-passphrase'],
      ] as const) {
        const ended = await run(['import', secret, ...args], elsewhere);
        assert.equal(ended.code, 1);
        assert.match(ended.stdout, new RegExp(`"code":"${code}"`));
        assert.deepEqual(await contentsOf(elsewhere), new Map());
      }
      await json(['import', secret, '--passphrase-file', passphrases.right], elsewhere);
      const original = await readFile(inStore(elsewhere, 'originals', `${SESSION}.jsonl`), 'utf8');
      assert.equal(original, await readFile(home.transcript(projectId, SESSION), 'utf8'));
    });

    it('changes nothing where a byte of it is another, or its end is missing', async () => {
      const bytes = await readFile(secret);
      const broken = path.join(home.dir, 'broken.age');
      const flipped = (at: number): Buffer => {
        const copy = Buffer.from(bytes);
        copy.writeUInt8(copy.readUInt8(at) ^ 1, at);
        return copy;
      };
      for (const content of [flipped(bytes.length - 40), flipped(400), bytes.subarray(0, bytes.length - 30)]) {
        await writeFile(broken, content);
        const ended = await run(['import', broken, '--passphrase-file', passphrases.right], elsewhere);
        assert.equal(ended.code, 1, ended.stderr);
        assert.match(ended.stdout, /damaged-archive/);
        assert.deepEqual(await contentsOf(elsewhere), new Map());
      }
    });

    it('wants a passphrase that is one', async () => {
      const empty = path.join(home.dir, 'empty');
      await writeFile(empty, '\nsecond line\n');
      for (const file of [empty, path.join(home.dir, 'nowhere')])
        assert.equal((await run(['export', '-o', `${secret}2`, '--passphrase-file', file])).code, 2);
      await assert.rejects(readFile(`${secret}2`));
    });
  });

  it('comes in whole or not at all, also where it is of two projects', async () => {
    const second = path.join(await realpath(home.dir), 'second');
    const secondId = projectFolderName(second);
    await mkdir(path.dirname(home.transcript(secondId, OTHER)), { recursive: true });
    await writeFile(home.transcript(secondId, OTHER), new TranscriptBuilder(OTHER, second).human('Hello').toString());
    await json(['register', '--all', '--all-projects']);
    const both = path.join(home.dir, 'both.tar');
    await json(['export', '--all-projects', '-o', both]);
    await mkdir(path.join(elsewhere, 'projects'), { recursive: true });
    await writeFile(path.join(elsewhere, 'projects', secondId), 'in the way');
    assert.notEqual((await run(['import', both], elsewhere)).code, 0);
    const left = [...(await contentsOf(elsewhere)).keys()].filter((name) => !/\.lock|^cache/.test(name));
    assert.deepEqual(left, [path.join('projects', secondId)]);
    assert.deepEqual(await readdir(path.join(elsewhere, 'projects')), [secondId]);
    await rm(path.join(elsewhere, 'projects', secondId));
    const { projects } = z.parse(importedSchema, await json(['import', both], elsewhere));
    assert.deepEqual(projects.map((one) => one.sessions.added.length).sort(), [1, 2]);
  });

  it('asks on a terminal where a project is that is not here, and keeps its path elsewhere', async function () {
    if (!hasTerminals()) this.skip(); // python3 makes the terminal
    const moved = path.join(await realpath(home.dir), 'moved by hand');
    await mkdir(moved);
    await promisify(execFile)('mv', [project, `${project}-gone`]);
    try {
      const env = {
        PATH: process.env.PATH ?? '',
        HOME: home.dir,
        CLAUDE_CONFIG_DIR: path.join(home.dir, 'no-claude'),
        CLAUDE_MEMORY_DIR: elsewhere,
      };
      const command = [process.execPath, program.file, 'import', archive];
      const { code, screen } = await onTerminal(command, { cwd: home.dir, env, typed: `${moved}\n` });
      assert.equal(code, 0, screen);
      assert.match(screen, /In which folder is that project now\?/);
      const there = await readdir(path.join(elsewhere, 'projects'));
      assert.ok(there.includes(projectFolderName(moved)), there.join());
      await rm(elsewhere, { recursive: true });
      const quiet = await home.run(['import', archive, '--json'], { cwd: home.dir, env });
      assert.match(quiet.stdout, /"knownBy":"nothing"/);
      assert.ok((await readdir(path.join(elsewhere, 'projects'))).includes(projectId));
    } finally {
      await promisify(execFile)('mv', [`${project}-gone`, project]);
    }
  });

  it('brings settings and links of a project along', async () => {
    const linked = path.join(home.dir, 'linked.tar');
    const lib = path.join(await realpath(home.dir), 'lib');
    const libSession = 'abcd1234-3333-4333-8333-333333333333';
    await mkdir(path.dirname(home.transcript(projectFolderName(lib), libSession)), { recursive: true });
    const said = new TranscriptBuilder(libSession, lib).human('Hello').assistant('Hello.');
    await writeFile(home.transcript(projectFolderName(lib), libSession), said.toString());
    await json(['register', libSession]);
    await json(['link', 'add', lib, '--to', projectId, '--reason', 'Shared library']);
    await json(['config', 'set', 'project.keepitDecayEnabled', 'false']);
    await json(['export', '--all-projects', '-o', linked]);
    const { projects } = z.parse(importedSchema, await json(['import', linked], elsewhere));
    assert.equal(projects.filter(({ links }) => links.added.length === 1).length, 1);
    for (const command of [['links'], ['config', 'list']]) {
      const told = z.looseObject({ config: z.optional(z.unknown()) });
      const { config: _machine, ...there } = z.parse(told, await json(command, elsewhere));
      const { config: _own, ...here } = z.parse(told, await json(command));
      assert.deepEqual(there, here);
    }
  });

  it('adds weights, marks, and versions of parts to a session that is here already', async () => {
    const marked = path.join(home.dir, 'marked.tar');
    await json(['register', SESSION], elsewhere);
    const { messages } = z.parse(
      z.looseObject({ messages: z.array(z.looseObject({ uuid: z.string() })) }),
      await json(['messages', SESSION]),
    );
    await json(['keepit', 'add', SESSION, messages[1]!.uuid, '--weight', '0.8']);
    await json(['compress', SESSION, '--delta']);
    await json(['export', '-o', marked]);
    const usual = archive;
    archive = marked;
    const came = await bringIn();
    assert.deepEqual([came.sessions.same, came.keepits.added.length], [[SESSION], 1]);
    for (const command of [
      ['keepits', SESSION],
      ['versions', SESSION],
    ]) {
      const there = JSON.stringify(await json(command, elsewhere)).replaceAll(elsewhere, home.memoryDir);
      assert.deepEqual(JSON.parse(there), await json(command), command.join(' '));
    }
    assert.deepEqual((await bringIn()).keepits.added, []);
    archive = usual;
  });

  it('brings nothing back that was erased', async () => {
    await json(['erase', '--text', 'sends 500 mails at once', '--yes'], elsewhere);
    await bringIn();
    const found = [...(await contentsOf(elsewhere)).values()].filter((text) =>
      text.includes('sends 500 mails at once'),
    );
    assert.deepEqual(found, []);
  });

  it('finds a project whose folder is elsewhere by its git remote', async () => {
    const git = (...args: string[]) => promisify(execFile)('git', args);
    await git('init', '-q', project);
    await git('-C', project, 'remote', 'add', 'origin', 'https://user:secret@example.org/app.git');
    const moved = path.join(await realpath(home.dir), 'moved');
    const remote = path.join(home.dir, 'remote.tar');
    await json(['export', '-o', remote]);
    assert.ok(!(await readFile(remote, 'latin1')).includes('user:secret'));
    await cp(project, moved, { recursive: true });
    await git('-C', moved, 'remote', 'set-url', 'origin', 'git@Example.org:app.git'); // as others ask for the same
    await promisify(execFile)('mv', [project, `${project}-gone`]);
    try {
      const { code, stdout } = await home.run(['import', remote, '--json'], {
        cwd: moved,
        env: { CLAUDE_MEMORY_DIR: elsewhere },
      });
      assert.equal(code, 0, stdout);
      assert.equal(z.parse(importedSchema, JSON.parse(stdout)).projects[0]?.projectId, projectFolderName(moved));
    } finally {
      await promisify(execFile)('mv', [`${project}-gone`, project]);
    }
  });

  it('overwrites no file, and leaves none behind when there is nothing to write', async () => {
    assert.equal((await run(['export', '-o', archive])).code, 1);
    const other = path.join(home.dir, 'none.tar');
    assert.equal((await run(['export', '-o', other], path.join(home.dir, 'empty-store'))).code, 1);
    await assert.rejects(readFile(other));
  });
});
