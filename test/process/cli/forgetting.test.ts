import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { appendFile, mkdir, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import * as z from 'zod/mini';
import { projectFolderName } from '../../../src/core/sessions/projectNames';
import { TranscriptBuilder } from '../../unit/support/transcriptBuilder';
import { CliHome, useProgram } from '../support/cliProcess';

const SESSION = 'abcd1234-1111-4111-8111-111111111111';
const OTHER = 'abcd1234-2222-4222-8222-222222222222';
const LIB = 'ffff1234-3333-4333-8333-333333333333';
const SECRET = 'zebra-quartz"7741\\x';
const PASSAGE =
  'The customer is called Ombrelloni Vaxholm and pays forty thousand each quarter.\nNobody may know that.';

const erasedSchema = z.object({
  places: z.array(z.object({ kind: z.string(), file: z.string(), count: z.number() })),
  erased: z.boolean(),
  stillIn: z.array(z.string()),
});

/** Every file below some folders that says one of these words, whatever is around them. */
async function filesWith(folders: readonly string[], ...words: string[]): Promise<string[]> {
  const found: string[] = [];
  for (const folder of folders) {
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      const file = path.join(entry.parentPath, entry.name);
      if (!entry.isFile()) continue;
      const text = (await readFile(file)).toString('latin1').toLowerCase();
      if (words.some((word) => text.includes(word.toLowerCase()))) found.push(file);
    }
  }
  return found;
}

describe('forgetting on purpose, with the built command line', function () {
  this.timeout(120_000);
  const program = useProgram();
  let home: CliHome;
  let project: string;
  let projectId: string;
  let kept: () => string[];
  let restore: () => Promise<void>;

  const json = async (...args: string[]): Promise<unknown> => {
    const { code, stdout, stderr } = await home.run([...args, '--json'], { cwd: project });
    assert.equal(code, 0, `${args.join(' ')}: ${stderr}${stdout}`);
    return JSON.parse(stdout);
  };
  const erase = async (...args: string[]) => z.parse(erasedSchema, await json('erase', ...args));
  const originals = async (): Promise<boolean> => {
    const checks = z.object({ checks: z.array(z.looseObject({ name: z.string(), ok: z.boolean() })) });
    const { checks: found } = z.parse(checks, await json('doctor'));
    return found.filter(({ name }) => /originals|store|manifest|version/.test(name)).every(({ ok }) => ok);
  };

  before(async () => {
    home = await CliHome.make(program);
    project = path.join(await realpath(home.dir), 'app');
    projectId = projectFolderName(project);
    await mkdir(project);
    await promisify(execFile)('git', ['init', '-q'], { cwd: project });
    await mkdir(path.dirname(home.transcript(projectId, SESSION)), { recursive: true });
    const session = new TranscriptBuilder(SESSION, project)
      .human('Please make the mail queue faster. ##keepit0.90## Always use the batch size 500.')
      .assistant('The queue in src/mail/queue.ts is faster now: it sends 500 mails at once.')
      .human(`The password of the test server is ${SECRET}, use that one. ##keepit1.00## ${PASSAGE}`)
      .assistant(`I use ${SECRET} for the test server. I have noted: ${PASSAGE}`)
      .human('Now write the tests for src/mail/queue.ts, please, and run npm test.')
      .assistant('The tests are written and pass.');
    const other = new TranscriptBuilder(OTHER, project)
      .human('Which batch size does the mail queue have?')
      .assistant('It sends 500 mails at once, see src/mail/queue.ts.');
    await writeFile(home.transcript(projectId, SESSION), session.toString());
    await writeFile(home.transcript(projectId, OTHER), other.toString());
    await json('layers', 'enable', '--yes');
    await json('register', '--all');
    await json('compress', SESSION, '--ratio', '2', '--mode', 'uniform', '--level', 'light');
    await json('compress', SESSION, '--keepit-mode', 'preserve-all');
    await json('compose', '--name', 'one', '--budget', '4000', '--last', '2');
    await json('deliver', 'one', '--to', 'next-session');
    await json('summarize', SESSION);
    await json('version', 'delete', SESSION, 'v001', '--yes', '--force');
    await json('search', 'password test server');
    kept = () => [home.memoryDir, path.join(project, '.claude'), path.join(project, '_memory')];
    restore = await home.keep();
  });
  beforeEach(() => restore());
  after(() => home.dispose());

  it('finds words everywhere, and changes nothing in a dry run', async () => {
    const words = SECRET.replace(/["\\].*/, '');
    const before = await filesWith(kept(), words);
    const quoted = await erase('--text', PASSAGE, '--dry-run');
    for (const wanted of ['original', 'version', 'composition', 'trash', 'layer'])
      assert.ok(
        quoted.places.some(({ kind }) => kind === wanted),
        wanted,
      );
    const { places, erased, stillIn } = await erase('--text', SECRET, '--dry-run');
    assert.equal(erased, false);
    assert.deepEqual(stillIn, [home.transcript(projectId, SESSION)]);
    const kinds = new Set(places.map(({ kind }) => kind));
    for (const kind of ['original', 'cache']) assert.ok(kinds.has(kind), kind);
    assert.deepEqual(
      before.filter((file) => !places.some((place) => place.file === file)),
      [],
    );
    assert.deepEqual(await filesWith(kept(), words), before);
  });

  it('leaves no byte of a secret, also after sync, rebuild and registering again', async () => {
    const words = ['zebra-quartz', '7741'];
    const theirs = path.join(home.dir, 'theirs');
    await mkdir(path.join(theirs, 'sessions'), { recursive: true });
    const l1 = { ts: '2026-01-05T10:00:00Z', role: 'user', text: `From now on always use ${SECRET} here.` };
    await writeFile(path.join(theirs, 'memory.md'), `## 2026-01-03\n\nThe password is ${SECRET}.\n`);
    await writeFile(path.join(theirs, 'sessions/2026-01-05_1000.l1.jsonl'), `${JSON.stringify(l1)}\n`);
    await json('import', theirs, '--from', 'memory-keeper');
    const lib = path.join(await realpath(home.dir), 'lib');
    const libSession = home.transcript(projectFolderName(lib), LIB);
    await mkdir(path.dirname(libSession), { recursive: true });
    await writeFile(libSession, new TranscriptBuilder(LIB, lib).human('Hello').assistant('Hello.').toString());
    await json('register', LIB);
    await json('link', 'add', LIB, '--reason', `It has ${SECRET}, too`);
    await json('suggest', '--topic', 'the password zebra-quartz');
    assert.ok((await filesWith(kept(), ...words)).length > 10);
    const { erased, stillIn } = await erase('--text', SECRET, '--yes');
    assert.deepEqual([erased, stillIn], [true, [home.transcript(projectId, SESSION)]]);
    assert.deepEqual(await filesWith(kept(), ...words), []);
    assert.equal(await originals(), true);
    const more = new TranscriptBuilder(SESSION, project).human(`Try ${SECRET} again.`).assistant('Done, it works.');
    await appendFile(home.transcript(projectId, SESSION), more.toString());
    await json('sync');
    await json('layers', 'build', '--full');
    await json('composition', 'rebuild', 'one');
    await json('compress', SESSION);
    await json('summarize', SESSION);
    await json('search', 'zebra-quartz');
    await json('unregister', OTHER, '--yes');
    await json('unregister', SESSION, '--yes');
    await json('register', '--all');
    await json('import', theirs, '--from', 'memory-keeper');
    await json('suggest', '--topic', 'the password zebra-quartz');
    assert.deepEqual(await filesWith(kept(), ...words), []);
    assert.equal(await originals(), true);
    assert.deepEqual((await erase('--text', SECRET, '--yes')).places, []);
  });

  it('leaves no keepit, rule, title or note of which nothing is left to say', async () => {
    const list = z.object({ messages: z.array(z.looseObject({ uuid: z.string(), text: z.string() })) });
    const { messages } = z.parse(list, await json('messages', OTHER));
    const question = messages[0]!;
    await json('keepit', 'add', OTHER, question.uuid, '--weight', '0.8');
    await json('compose', '--name', 'two', '--budget', '4000', '--last', '2');
    await json('summarize', OTHER);
    const counts = z.object({ sessions: z.array(z.looseObject({ keepitMarkers: z.array(z.unknown()) })) });
    const keepits = z.object({ keepits: z.array(z.looseObject({ content: z.string() })) });
    const stats = z.looseObject({ keepits: z.number() });
    assert.equal(z.parse(stats, await json('stats')).keepits, 3);
    await erase('--text', 'Always use the batch size 500.', '--yes');
    await erase(OTHER, question.uuid, '--yes');
    assert.equal(z.parse(stats, await json('stats')).keepits, 1);
    const { sessions } = z.parse(counts, await json('sessions'));
    assert.equal(sessions.flatMap(({ keepitMarkers }) => keepitMarkers).length, 1);
    assert.doesNotMatch((await home.run(['sessions', OTHER], { cwd: project })).stdout, /erased|Keepits/);
    for (const sessionId of [SESSION, OTHER])
      for (const { content } of z.parse(keepits, await json('keepits', sessionId)).keepits)
        assert.doesNotMatch(content, /erased/);
    const told = async (): Promise<void> => {
      for (const command of [['brief'], ['facts', '--all'], ['sessions']])
        assert.doesNotMatch(JSON.stringify(await json(...command)), /\[erased/, command.join(' '));
      // A place in a text may say that something stood there; no point, and no keepit, says nothing else.
      for (const folder of kept())
        for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
          if (!entry.name.endsWith('.md')) continue;
          const text = await readFile(path.join(entry.parentPath, entry.name), 'utf8');
          assert.doesNotMatch(
            text,
            /##keepit\d\.\d\d##\s*\[erased *\]|^\s*[-*] (?:\*\*[^*]*\*\* )?\[erased *\]$/im,
            entry.name,
          );
        }
    };
    await json('sync');
    await json('layers', 'build', '--full');
    await json('compress', SESSION);
    await json('composition', 'rebuild', 'two');
    await told();
    assert.equal(await originals(), true);
  });

  it('takes a message with all that quotes it, and leaves what others have said', async () => {
    const list = z.object({ messages: z.array(z.looseObject({ uuid: z.string(), text: z.string() })) });
    const { messages } = z.parse(list, await json('messages', SESSION));
    await erase(SESSION, messages[2]?.uuid ?? '', '--yes');
    await erase(SESSION, messages[3]?.uuid ?? '', '--yes');
    assert.deepEqual(await filesWith(kept(), 'Vaxholm', 'Ombrelloni', 'forty thousand', 'zebra'), []);
    const now = z.parse(list, await json('messages', SESSION)).messages;
    assert.equal(now.length, messages.length);
    assert.match(now[2]?.text ?? '', /^\[erased/);
    assert.equal(now[0]?.text, messages[0]?.text);
    assert.notDeepEqual(await filesWith([home.memoryDir], 'src/mail/queue.ts'), []);
    assert.equal(await originals(), true);
    await json('sync');
    await json('layers', 'build', '--full');
    assert.deepEqual(await filesWith(kept(), 'Vaxholm', 'Ombrelloni', 'forty thousand'), []);
  });

  it('does not come back from an archive of before, nor does what was made of it', async () => {
    const list = z.object({ messages: z.array(z.looseObject({ uuid: z.string() })) });
    const archive = path.join(home.dir, 'before.tar');
    await json('composition', 'rebuild', 'one', '--budget', '300'); // quotes pieces
    await json('export', '-o', archive);
    const { messages } = z.parse(list, await json('messages', SESSION));
    await erase(SESSION, messages[2]?.uuid ?? '', '--yes');
    await erase(SESSION, messages[3]?.uuid ?? '', '--yes');
    const bringIn = async () => {
      await json('clean-up', '--yes');
      await json('import', archive);
      return filesWith(kept(), 'Vaxholm', 'Ombrelloni', 'forty thousand', 'zebra');
    };
    assert.deepEqual(await bringIn(), []);
    assert.equal(await originals(), true);
    assert.match(JSON.stringify(await json('versions', SESSION)), /v002/);
    await erase(SESSION, '--yes');
    assert.deepEqual(await bringIn(), []);
    assert.deepEqual(await filesWith([home.memoryDir], 'Please make the mail queue faster'), []);
    assert.match(JSON.stringify(await json('sessions')), new RegExp(OTHER));
    await json('never', 'add', path.dirname(project));
    await bringIn();
    assert.deepEqual(await readdir(path.join(home.memoryDir, 'projects')).catch(() => []), []);
  });

  it('leaves no mark on erased words, nor takes one from an archive of before', async () => {
    const list = z.object({ messages: z.array(z.looseObject({ uuid: z.string() })) });
    const marks = z.object({
      keepits: z.array(z.looseObject({ markerId: z.string() })),
      inactive: z.array(z.unknown()),
    });
    const listed = async () => z.parse(marks, await json('keepits', SESSION));
    const { messages } = z.parse(list, await json('messages', SESSION));
    const [first = '', , third = ''] = messages.map(({ uuid }) => uuid);
    await json('keepit', 'add', SESSION, first, '--weight', '0.80', '--start', '0', '--end', '30');
    await json('keepit', 'add', SESSION, third, '--weight', '0.80', '--start', '0', '--end', '30');
    const archive = path.join(home.dir, 'marked.tar');
    await json('export', '-o', archive);
    await erase(SESSION, third, '--yes');
    await erase('--text', 'make the mail queue', '--yes');
    const after = await listed();
    assert.deepEqual(after.inactive, []);
    assert.equal(
      after.keepits.length,
      2,
      'that in the first message, of which words are left, and the one added to it',
    );
    const imported = JSON.stringify(await json('import', archive));
    assert.match(imported, /"keepits":\{"added":\[\]/);
    assert.deepEqual(await listed(), after);
    await json('clean-up', '--yes');
    await json('import', archive);
    const ids = ({ keepits, inactive }: typeof after) => [keepits.map(({ markerId }) => markerId), inactive];
    assert.deepEqual(ids(await listed()), ids(after));
  });

  it('keeps the receipts of versions true', async () => {
    await erase('--text', PASSAGE, '--yes');
    const listed = z.object({ keepits: z.array(z.looseObject({ markerId: z.string() })) });
    const ids = z.parse(listed, await json('keepits', SESSION)).keepits.map(({ markerId }) => markerId);
    const receipts = z.object({
      versions: z.array(
        z.looseObject({
          receipt: z.array(z.looseObject({ markerId: z.string(), kept: z.boolean(), reason: z.string() })),
        }),
      ),
    });
    for (const { receipt } of z.parse(receipts, await json('versions', SESSION)).versions) {
      const isErased = ({ reason }: { readonly reason: string }): boolean => reason === 'its words were erased';
      assert.deepEqual(
        receipt.filter(isErased).map(({ kept: isKept }) => isKept),
        [false],
      );
      const others = receipt.filter((one) => !isErased(one));
      assert.deepEqual(others.map(({ markerId }) => markerId).sort(), [...ids].sort());
    }
    assert.equal(await originals(), true);
  });

  it('takes a whole session away, and does not take it in again', async () => {
    const { places, stillIn } = await erase(SESSION, '--yes');
    assert.ok(places.some(({ kind }) => kind === 'original'));
    assert.deepEqual(stillIn, [home.transcript(projectId, SESSION)]);
    await json('register', '--all');
    await json('layers', 'build', '--full');
    assert.deepEqual(await filesWith(kept(), 'Vaxholm', 'zebra', 'forty thousand'), []);
    assert.equal((await home.run(['show', SESSION], { cwd: project })).code, 1);
    const again = { places: [], erased: true, stillIn: [] };
    for (const ref of [SESSION, SESSION.slice(0, 12)]) assert.deepEqual(await erase(ref, '--yes'), again);
    assert.equal((await home.run(['erase', SESSION, 'none', '--yes'], { cwd: project })).code, 1);
    assert.equal((await home.run(['erase', SESSION.replace('a', 'e'), '--yes'], { cwd: project })).code, 1);
  });

  it('takes a session that goes out of what sessions do again and again', async () => {
    const ids = [1, 2, 3, 4].map((at) => `beef000${at}-1111-4111-8111-111111111111`);
    for (const id of ids) {
      const call = { type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'make build' } };
      const session = new TranscriptBuilder(id, project)
        .human('Build it.')
        .assistant('', { message: { id: 'm1', role: 'assistant', model: 'claude-opus-4-8', content: [call] } })
        .human('', { message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'ok' }] } });
      await writeFile(home.transcript(projectId, id), session.toString());
    }
    await json('register', '--all');
    await json('layers', 'build');
    const patterns = async (): Promise<unknown> => {
      const facts = z.object({ facts: z.array(z.looseObject({ content: z.string(), sources: z.array(z.unknown()) })) });
      const { facts: found } = z.parse(facts, await json('facts', '--type', 'pattern'));
      return found.map(({ content, sources }) => [content, sources.length]);
    };
    assert.deepEqual(await patterns(), [['runs `make build`: 4 sessions', 4]]);
    await erase(ids[1] ?? '', '--yes');
    assert.deepEqual(await patterns(), [['runs `make build`: 3 sessions', 3]]);
    await erase(ids[0] ?? '', '--yes');
    assert.deepEqual(await patterns(), []);
  });

  it('leaves documents whole where a session that goes has said the words that hold them together', async () => {
    const third = 'abcd1234-3333-4333-8333-333333333333';
    const said = new TranscriptBuilder(third, project)
      .human(
        'In uniform mode the order of components, settings and compressions has no label, outputTokens or receipt.',
      )
      .assistant(
        'Exchanges, concepts, topics, rules: their kind, content, confidence and evidence are statements and entries.',
      );
    await writeFile(home.transcript(projectId, third), said.toString());
    await json('register', third);
    await json('layers', 'build');
    const documents = async () => [await json('versions', SESSION), await json('composition', 'show', 'one')];
    const before = await documents();
    await erase(third, '--yes');
    assert.deepEqual(await documents(), before);
    assert.ok(await originals());
    await json('facts');
    await json('layers', 'build');
  });

  it('takes nothing from what is never to be remembered, until that is taken back', async () => {
    await json('never', 'add', project);
    await rm(home.memoryDir, { recursive: true });
    await json('never', 'add', project);
    const found = z.object({ projects: z.array(z.object({ sessions: z.array(z.unknown()) })) });
    const sessions = async () =>
      z.parse(found, await json('discover', '--all-projects')).projects.flatMap((one) => one.sessions);
    assert.deepEqual(await sessions(), []);
    assert.equal((await home.run(['register', home.transcript(projectId, SESSION)], { cwd: project })).code, 1);
    await json('never', 'remove', project);
    assert.equal((await sessions()).length, 2);
  });

  it('never remembers a folder that is not there yet, named by its whole path', async () => {
    const folder = path.join(project, 'not', 'yet');
    const names = async (...args: string[]) => JSON.stringify(await json('never', ...args)).includes(folder);
    assert.equal(await names('add', folder), true);
    assert.equal(await names(), true);
    assert.equal(await names('remove', folder), false);
  });

  it('remembers nothing of what is said in a pause, also not later', async () => {
    await json('pause');
    const now = new Date().toISOString();
    const said = new TranscriptBuilder(SESSION, project)
      .human('The plan is Operation Marzipan.', { timestamp: now })
      .assistant('Marzipan it is.', { timestamp: now });
    await appendFile(home.transcript(projectId, SESSION), said.title('Operation Marzipan').toString());
    await json('sync');
    await json('unpause');
    await json('sync');
    await json('layers', 'build', '--full');
    await json('search', 'plan');
    assert.deepEqual(await filesWith(kept(), 'Marzipan'), []);
  });

  it('shows what is kept of a project, and takes all of it away', async () => {
    const shown = z.object({ places: z.array(z.looseObject({ file: z.string() })), removed: z.boolean() });
    const { places } = z.parse(shown, await json('clean-up', '--dry-run'));
    const inProject = await filesWith([path.join(project, '.claude'), path.join(project, '_memory')], '');
    for (const file of inProject)
      assert.ok(places.some((place) => place.file === file) || file.includes('.lock'), file);
    assert.equal(z.parse(shown, await json('clean-up', '--yes')).removed, true);
    const words = ['queue', 'zebra', 'Vaxholm'];
    assert.deepEqual(await filesWith([home.memoryDir, project], ...words), []);
    assert.ok((await readFile(home.transcript(projectId, SESSION), 'utf8')).includes('Vaxholm'));
  });
});
