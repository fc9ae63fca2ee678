import assert from 'node:assert/strict';
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod/mini';
import { sessionManifestEntrySchema } from '../../../src/core/model/manifest';
import { sharedData } from '../../unit/support/sharedData';
import { CliHome, useProgram, type Ended } from '../support/cliProcess';
import { errorOf } from '../../unit/cli/support/documents';

const LEDGER = '-home-ada-src-ledger';
const SITE = '-home-ada-src-site';
const AMOUNTS = 'a1b2c3d4-1111-4111-8111-111111111111';
const COPY = 'a1b2ffff-2222-4222-8222-222222222222';
const DAMAGED = 'dddd0000-3333-4333-8333-333333333333';
const MENU = 'eeee0000-4444-4444-8444-444444444444';

const discoveredSchema = z.looseObject({
  sessionId: z.string(),
  file: z.string(),
  bytes: z.number(),
  firstTimestamp: z.string(),
  lastTimestamp: z.string(),
  messages: z.number(),
  title: z.string(),
  registered: z.boolean(),
  expiresInDays: z.optional(z.number()),
});
const discoverySchema = z.looseObject({
  projects: z.array(
    z.looseObject({
      projectId: z.string(),
      originalPath: z.string(),
      displayName: z.string(),
      sessions: z.array(discoveredSchema),
    }),
  ),
});
const failuresSchema = z.array(z.object({ session: z.string(), error: z.string() }));
const registeredSchema = z.looseObject({
  registered: z.array(sessionManifestEntrySchema),
  unchanged: z.array(z.string()),
  failed: failuresSchema,
});
const sessionsSchema = z.object({ sessions: z.array(sessionManifestEntrySchema) });
const showSchema = z.looseObject({
  session: z.looseObject({ sessionId: z.string() }),
  delta: z.object({ newMessages: z.number(), nextPart: z.number() }),
  reader: z.object({
    lines: z.number(),
    used: z.number(),
    skipped: z.record(z.string(), z.number()),
    broken: z.array(z.object({ line: z.number(), error: z.string() })),
  }),
});
const messagesSchema = z.object({
  messages: z.array(
    z.looseObject({
      index: z.number(),
      uuid: z.string(),
      role: z.enum(['user', 'assistant']),
      timestamp: z.string(),
      text: z.string(),
      tokens: z.number(),
      tools: z.array(z.object({ name: z.string(), target: z.string() })),
    }),
  ),
});
const doctorSchema = z.object({
  checks: z.array(z.looseObject({ name: z.string(), ok: z.boolean(), detail: z.string() })),
});

/** The one document on stdout of a command that did what it was told. */
function documentOf<Schema extends z.core.$ZodType>(schema: Schema, ended: Ended): z.output<Schema> {
  assert.equal(ended.code, 0, ended.stderr);
  assert.equal(ended.stderr, '');
  return z.parse(schema, JSON.parse(ended.stdout));
}

describe('the built command line', function () {
  this.timeout(30_000);
  const program = useProgram();
  let home: CliHome;

  beforeEach(async () => {
    home = await CliHome.make(program, 'mixed-home');
  });

  afterEach(() => home.dispose());

  const json = (...args: string[]) => home.run([...args, '--json']);

  it('says its version and its help', async () => {
    const version = z
      .looseObject({ version: z.string() })
      .parse(JSON.parse(await readFile('package.json', 'utf8'))).version;
    assert.deepEqual(await home.run(['--version']), { code: 0, stdout: `${version}\n`, stderr: '' });
    const help = await home.run(['--help']);
    assert.equal(help.code, 0);
    assert.match(help.stdout, /Usage: keepit <command>/);
  });

  it('discovers all projects and sessions, damaged and empty ones too', async () => {
    const { projects } = documentOf(discoverySchema, await json('discover'));
    assert.deepEqual(projects.map(({ projectId }) => projectId).sort(), [LEDGER, SITE]);
    const sessions = projects.flatMap((project) => project.sessions);
    const amounts = sessions.find(({ sessionId }) => sessionId === AMOUNTS);
    assert.equal(amounts?.title, 'Amounts off by a cent after import');
    assert.equal(amounts.registered, false);
    assert.equal(amounts.messages, 6);
    assert.equal(amounts.file, home.transcript(LEDGER, AMOUNTS));
    assert.equal(sessions.find(({ sessionId }) => sessionId === DAMAGED)?.messages, 4);
    const ledger = projects.find(({ projectId }) => projectId === LEDGER);
    assert.equal(ledger?.originalPath, '/home/ada/src/ledger');
    assert.equal(ledger.displayName, 'ledger');
  });

  it('narrows to a project by its id, although that begins with a dash', async () => {
    const { projects } = documentOf(discoverySchema, await json('discover', '--project', SITE));
    assert.deepEqual(
      projects.map(({ projectId }) => projectId),
      [SITE],
    );
    const missing = await json('discover', '--project', 'nowhere');
    assert.equal(missing.code, 1);
    assert.equal(errorOf(missing.stdout).code, 'project-not-found');
  });

  it('says when Claude Code will delete a session', async () => {
    const old = await CliHome.make(program, 'mixed-home', 26.5);
    try {
      const { projects } = documentOf(discoverySchema, await old.run(['discover', '--json']));
      const days = projects.flatMap(({ sessions }) => sessions.map(({ expiresInDays }) => expiresInDays));
      assert.deepEqual([...new Set(days)], [3]);
      assert.match((await old.run(['discover'])).stdout, /will be deleted in 3 days/);
    } finally {
      await old.dispose();
    }
  });

  it('answers with an empty list where Claude Code was never used', async () => {
    const empty = await CliHome.make(program);
    try {
      assert.deepEqual(documentOf(discoverySchema, await empty.run(['discover', '--json'])).projects, []);
      assert.equal((await empty.run(['discover'])).code, 0);
      assert.deepEqual(documentOf(sessionsSchema, await empty.run(['sessions', '--json'])).sessions, []);
    } finally {
      await empty.dispose();
    }
  });

  it('accounts for every line of a damaged transcript', async () => {
    const { reader, session } = documentOf(showSchema, await json('show', 'dddd'));
    assert.equal(session.sessionId, DAMAGED);
    const skipped = Object.values(reader.skipped).reduce((sum, count) => sum + count, 0);
    assert.equal(reader.lines, reader.used + skipped + reader.broken.length);
    assert.ok(
      reader.broken.some(({ line }) => line === 2),
      JSON.stringify(reader),
    );
  });

  it('accounts for every line of real transcripts', async function () {
    const claudeDir = sharedData('claude-home');
    if (claudeDir === undefined) this.skip(); // needs the shared data
    const env = { CLAUDE_CONFIG_DIR: claudeDir };
    const { projects } = documentOf(discoverySchema, await home.run(['discover', '--json'], { env }));
    const sessions = projects.flatMap((project) => project.sessions);
    assert.ok(sessions.length > 10);
    for (const { file } of sessions.slice(0, 2)) {
      const { reader } = documentOf(showSchema, await home.run(['show', file, '--json'], { env }));
      const skipped = Object.values(reader.skipped).reduce((sum, count) => sum + count, 0);
      assert.equal(reader.lines, reader.used + skipped + reader.broken.length, file);
    }
  });

  it('takes a path for a session, also a relative one', async () => {
    const file = home.transcript(SITE, MENU);
    assert.equal(documentOf(showSchema, await json('show', file)).session.sessionId, MENU);
    const relative = await home.run(['show', path.relative(home.cwd, file), '--json']);
    assert.equal(documentOf(showSchema, relative).session.sessionId, MENU);
  });

  it('lists the candidates of an ambiguous prefix, and refuses one that is too short', async () => {
    const ambiguous = await json('show', 'a1b2');
    assert.equal(ambiguous.code, 1);
    const { code, message } = errorOf(ambiguous.stdout);
    assert.equal(code, 'session-ambiguous');
    assert.ok(message.includes(AMOUNTS) && message.includes(COPY), message);
    assert.equal(errorOf((await json('show', 'a1b')).stdout).code, 'session-too-short');
    const text = await home.run(['show', '0000']);
    assert.equal(text.code, 1);
    assert.equal(text.stdout, '');
    assert.match(text.stderr, /^keepit: There is no session "0000"\. [^\n]*\n$/);
  });

  it('prints the live conversation, and not the way that a rewind left', async () => {
    const { messages } = documentOf(messagesSchema, await json('messages', 'a1b2c'));
    assert.deepEqual(
      messages.map(({ index, role }) => [index, role]),
      [0, 1, 2, 3, 4, 5].map((index) => [index, index === 0 || index === 3 ? 'user' : 'assistant']),
    );
    assert.ok(messages.every(({ text }) => !text.includes('Math.round')));
    assert.deepEqual(
      messages.flatMap(({ tools }) => tools.map(({ name }) => name)),
      ['Read', 'Edit', 'Bash'],
    );
    const part = documentOf(messagesSchema, await json('messages', 'a1b2c', '--from', '1', '--to', '2')).messages;
    assert.deepEqual(part, messages.slice(1, 3));
  });

  it('registers, lists, finds nothing new, and keeps what Claude Code deletes', async () => {
    const first = documentOf(registeredSchema, await json('register', 'a1b2c', 'eeee'));
    assert.deepEqual(first.registered.map(({ sessionId }) => sessionId).sort(), [AMOUNTS, MENU]);
    const amounts = first.registered.find(({ sessionId }) => sessionId === AMOUNTS);
    assert.deepEqual(amounts?.keepitMarkers.map(({ weight }) => weight).sort(), [0.9, 1]);
    const again = documentOf(registeredSchema, await json('register', 'a1b2c'));
    assert.deepEqual([again.registered, again.unchanged], [[], [AMOUNTS]]);
    const before = await readFile(home.transcript(LEDGER, AMOUNTS));
    await rm(home.transcript(LEDGER, AMOUNTS));
    const { sessions } = documentOf(sessionsSchema, await json('sessions'));
    assert.equal(sessions.length, 2);
    assert.equal(documentOf(messagesSchema, await json('messages', AMOUNTS)).messages.length, 6);
    const kept = sessions.find(({ sessionId }) => sessionId === AMOUNTS)?.kept?.file ?? '';
    assert.deepEqual(await readFile(path.join(home.memoryDir, 'projects', LEDGER, kept)), before);
  });

  it('brings what was said since into memory', async () => {
    documentOf(registeredSchema, await json('register', 'eeee'));
    const file = home.transcript(SITE, MENU);
    const [line = ''] = (await readFile(file, 'utf8')).split('\n');
    const said = line
      .replace('Make the menu usable by keyboard.', 'And the footer?')
      .replace('000000000001', '000000000009');
    await writeFile(
      file,
      `${said.replace('"parentUuid":null', '"parentUuid":"eeee0000-0000-4000-8000-000000000002"')}\n`,
      {
        flag: 'a',
      },
    );
    assert.equal(documentOf(showSchema, await json('show', 'eeee')).delta.newMessages, 1);
    const schema = z.looseObject({
      synced: z.array(z.looseObject({ sessionId: z.string(), newMessages: z.number() })),
    });
    const { synced } = documentOf(schema, await json('sync'));
    assert.deepEqual(
      synced.map(({ sessionId, newMessages }) => [sessionId, newMessages]),
      [[MENU, 1]],
    );
    assert.equal(documentOf(showSchema, await json('show', 'eeee')).delta.newMessages, 0);
  });

  it('does what can be done, and says what could not', async () => {
    const ended = await json('register', 'eeee', '0000');
    assert.equal(ended.code, 1);
    const { registered, failed } = registeredSchema.parse(JSON.parse(ended.stdout));
    assert.deepEqual(
      [registered.map(({ sessionId }) => sessionId), failed.map(({ session }) => session)],
      [[MENU], ['0000']],
    );
    assert.equal(errorOf(ended.stdout).code, 'partly-failed');
  });

  it('writes nothing with --dry-run', async () => {
    const ended = await home.run(['register', '--all', '--dry-run']);
    assert.equal(ended.code, 0, ended.stderr);
    assert.match(ended.stdout, /Keyboard menu/);
    assert.deepEqual(documentOf(sessionsSchema, await json('sessions')).sessions, []);
  });

  it('takes a session out of memory, and brings it back', async () => {
    documentOf(registeredSchema, await json('register', '--all'));
    const removedSchema = z.looseObject({ unregistered: z.looseObject({ trash: z.string() }), undo: z.string() });
    const { undo } = documentOf(removedSchema, await json('unregister', MENU));
    const left = documentOf(sessionsSchema, await json('sessions')).sessions;
    assert.ok(left.every(({ sessionId }) => sessionId !== MENU));
    const undone = await home.run(undo.split(' ').slice(1));
    assert.equal(undone.code, 0, undone.stderr);
    const back = documentOf(sessionsSchema, await json('sessions')).sessions;
    assert.equal(back.length, left.length + 1);
    const twice = await home.run([...undo.split(' ').slice(1), '--json']);
    assert.equal(twice.code, 1);
  });

  it('changes settings, and refuses what is not allowed', async () => {
    const set = await home.run(['config', 'set', 'defaults.autoRegisterSessions', 'true']);
    assert.deepEqual(set, { code: 0, stdout: 'defaults.autoRegisterSessions = true\n', stderr: '' });
    const valueSchema = z.looseObject({ value: z.unknown() });
    assert.equal(documentOf(valueSchema, await json('config', 'get', 'defaults.autoRegisterSessions')).value, true);
    const wrong = await json('config', 'set', 'keepitDecay.compressionBase.light', '7');
    assert.equal(wrong.code, 1);
    assert.equal(errorOf(wrong.stdout).code, 'config-invalid-value');
    assert.equal(errorOf((await json('config', 'set', 'no.such', '1')).stdout).code, 'config-unknown-key');
    assert.equal(errorOf((await json('config', 'get', 'no.such')).stdout).code, 'config-unknown-key');
    assert.match((await home.run(['config', 'list'])).stdout, /^keepitDecay\.compressionBase\.light +0\.1$/m);
  });

  it('changes the settings of one project, apart from the defaults for new ones', async () => {
    assert.equal((await home.run(['register', MENU])).code, 0);
    const set = await home.run(['config', 'set', 'project.keepitDecayEnabled', 'false', '--project', SITE]);
    assert.deepEqual(set, { code: 0, stdout: 'project.keepitDecayEnabled = false\n', stderr: '' });
    const listed = (await home.run(['config', 'list', '--project', SITE])).stdout;
    assert.match(listed, /^project\.keepitDecayEnabled +false$/m);
    assert.match(listed, /^defaults\.keepitDecayEnabled +true$/m);
    assert.equal(errorOf((await json('config', 'get', 'project.keepitDecayEnabled')).stdout).code, 'project-needed');
  });

  it('reaches with a default the projects that are in memory, and have set nothing of their own', async () => {
    assert.equal((await home.run(['register', MENU])).code, 0);
    assert.equal((await home.run(['config', 'set', 'defaults.compressionPreset', 'aggressive'])).code, 0);
    assert.match((await home.run(['compress', MENU, '--dry-run'])).stdout, /tiered aggressive/);
    await home.run(['config', 'set', 'project.defaultCompressionPreset', 'gentle', '--project', SITE]);
    assert.match((await home.run(['compress', MENU, '--dry-run'])).stdout, /tiered gentle/);
  });

  it('reports broken files of the store in words, and does not touch them', async () => {
    await mkdir(home.memoryDir, { recursive: true });
    const file = path.join(home.memoryDir, 'config.json');
    await writeFile(file, '{"version": "999.0"');
    const broken = await json('config', 'list');
    assert.equal(broken.code, 1);
    assert.match(errorOf(broken.stdout).code, /^store-/);
    assert.equal(broken.stderr, '');
    const doctor = await json('doctor');
    assert.equal(doctor.code, 0);
    const { checks } = doctorSchema.parse(JSON.parse(doctor.stdout));
    assert.ok(
      checks.some(({ name, ok }) => name === 'configuration' && !ok),
      doctor.stdout,
    );
    assert.equal(await readFile(file, 'utf8'), '{"version": "999.0"');
  });

  it('survives broken settings of Claude Code', async () => {
    await writeFile(path.join(home.claudeDir, 'settings.json'), '{ "cleanupPeriodDays": ');
    assert.equal((await json('discover')).code, 0);
  });

  it('checks a healthy store, and tells its figures', async () => {
    documentOf(registeredSchema, await json('register', '--all'));
    assert.ok(documentOf(doctorSchema, await json('doctor')).checks.length > 3);
    const figures = documentOf(z.looseObject({ sessions: z.number(), projects: z.number() }), await json('stats'));
    assert.deepEqual(figures, { ...figures, sessions: 4, projects: 2 });
    const commands = ['discover', 'sessions', 'stats', 'doctor', 'sync'];
    for (const ended of await Promise.all(commands.map((command) => home.run([command])))) {
      assert.equal(ended.code, 0, ended.stderr);
      assert.ok(!ended.stdout.includes('\u001b') && ended.stdout.endsWith('\n'));
    }
  });

  it('ends with 2 and one line for wrong usage', async () => {
    const lines = ['discovr', 'show', 'register', 'messages eeee --from x', 'register eeee --all'];
    for (const ended of await Promise.all(lines.map((line) => home.run(line.split(' '))))) {
      assert.deepEqual([ended.code, ended.stdout], [2, '']);
      assert.match(ended.stderr, /^keepit: [^\n]+\n$/);
    }
    assert.equal(errorOf((await json('discovr')).stdout).code, 'usage');
  });

  it('prints a large document whole, and is quiet when its reader leaves', async () => {
    const file = home.transcript(SITE, MENU);
    const [line = ''] = (await readFile(file, 'utf8')).split('\n');
    const words = 'A long prompt that fills the pipe. '.repeat(60_000);
    await writeFile(file, `${line.replace('Make the menu usable by keyboard.', words)}\n`);
    const whole = await json('messages', file);
    assert.equal(documentOf(messagesSchema, whole).messages[0]?.text.length, words.length);
    const left = await home.run(['messages', file], {
      during: (child) => child.stdout?.once('data', () => child.stdout?.destroy()),
    });
    assert.deepEqual([left.code, left.stderr], [0, '']);
  });

  it('can be interrupted in the middle of bulk work, and repeated without loss', async () => {
    const count = 24;
    for (let i = 0; i < count; i++) {
      const sessionId = `${String(i).padStart(8, '0')}-6666-4666-8666-666666666666`;
      await copyFile(home.transcript(SITE, MENU), home.transcript(SITE, sessionId));
    }
    const originals = path.join(home.memoryDir, 'projects', SITE, 'originals');
    const stopped = await home.run(['register', '--all', '--json'], {
      during: (child) => {
        const timer = setInterval(() => {
          void readdir(originals).then(
            () => child.kill('SIGINT'),
            () => undefined, // not there yet
          );
        }, 2);
        child.once('close', () => clearInterval(timer));
      },
    });
    assert.ok(stopped.code === 130 || stopped.code === 0, `${String(stopped.code)}: ${stopped.stderr}`);
    const before = documentOf(sessionsSchema, await json('sessions')).sessions.length;
    const again = documentOf(registeredSchema, await json('register', '--all'));
    assert.equal(again.registered.length + again.unchanged.length, count + 4);
    assert.equal(again.unchanged.length, before);
    const { checks } = documentOf(doctorSchema, await json('doctor'));
    const store = checks.filter(({ name, ok }) => !ok && /manifest|lock|temporary|original/i.test(name));
    assert.deepEqual(store, []);
  });
});
