import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod/mini';
import { SmallDisk } from '../../unit/support/smallDisk';
import { TranscriptBuilder } from '../../unit/support/transcriptBuilder';
import { CliHome, useProgram } from '../../process/support/cliProcess';
import { isFull, randomFor, sampled } from '../support/effort';

const PROJECT = '-tmp-strange-app';

/** What a file system without hard links or clones answers, and one that has a clock of its own. */
const NO_LINKS = (code: string) => `
const fs = require('node:fs');
const refuse = async (...names) => { throw Object.assign(new Error('no links here: ' + names.join()), { code: '${code}' }); };
fs.promises.link = refuse;
const { copyFile } = fs.promises;
fs.promises.copyFile = (from, to, mode) => ((mode ?? 0) & fs.constants.COPYFILE_FICLONE_FORCE) ? refuse(from, to) : copyFile(from, to, mode);
require('node:module').syncBuiltinESMExports();
`;
const JUMPED = (days: number) => `
const real = Date.now, Old = Date, shift = ${days} * 24 * 60 * 60 * 1000;
globalThis.Date = class extends Old { constructor(...given) { if (given.length > 0) super(...given); else super(real() + shift); } static now() { return real() + shift; } };
`;

/** Another computer: a name of its own, and process ids that mean nothing elsewhere. */
const OTHER_HOST = `
require('node:os').hostname = () => 'another-computer';
require('node:module').syncBuiltinESMExports();
`;

const manifestSchema = z.looseObject({
  sessions: z.record(z.string(), z.looseObject({ kept: z.looseObject({ method: z.string() }) })),
});

describe('strange disks and clocks', function () {
  this.timeout(300_000);
  const program = useProgram();
  let disk: SmallDisk | undefined;
  let home: CliHome;

  beforeEach(async () => {
    home = await CliHome.make(program);
    disk = undefined;
    await mkdir(path.dirname(home.transcript(PROJECT, 'x')), { recursive: true });
  });
  afterEach(async () => {
    await disk?.unmount();
    await home.dispose();
  });

  async function addSession(n: number): Promise<string> {
    const sessionId = `abcd000${n}-1111-4111-8111-111111111111`;
    const said = new TranscriptBuilder(sessionId, path.join(home.dir, 'app'))
      .human(`##keepit0.90## Always use Postgres for cache number ${n}.`)
      .assistant('The root cause was that the tokenizer dropped the last line.');
    await writeFile(home.transcript(PROJECT, sessionId), said.toString());
    return sessionId;
  }

  async function preloading(script: string): Promise<Record<string, string>> {
    const file = path.join(home.dir, 'preload.cjs');
    await writeFile(file, script);
    return { NODE_OPTIONS: `--require=${file}` };
  }

  const manifest = async () =>
    z.parse(
      manifestSchema,
      JSON.parse(await readFile(path.join(home.memoryDir, 'projects', PROJECT, 'manifest.json'), 'utf8')),
    );

  for (const code of isFull ? ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'] : ['EPERM']) {
    it(`keep copies, and one writer at a time, where there are no hard links (${code})`, async () => {
      const env = await preloading(NO_LINKS(code));
      const ids = await Promise.all((isFull ? [1, 2, 3, 4, 5] : [1, 2, 3]).map(addSession));
      const ended = await Promise.all(ids.map((id) => home.run(['register', id, '--project', PROJECT], { env })));
      assert.deepEqual(
        ended.map((one) => one.code),
        ids.map(() => 0),
        ended.map((one) => one.stderr).join('\n'),
      );
      const { sessions } = await manifest();
      assert.deepEqual(Object.keys(sessions).sort(), [...ids].sort());
      for (const { kept } of Object.values(sessions)) assert.equal(kept.method, 'copy');
      const compressed = ['compress', ids[0] ?? '', '--mode', 'uniform', '--ratio', '2', '--project', PROJECT];
      for (const args of [
        compressed,
        ['unregister', ids[1] ?? '', '--yes'],
        ['layers', 'enable', '--location', 'home'],
      ]) {
        const { code: exit, stderr } = await home.run([...args, '--project', PROJECT].slice(0, 20), { env });
        assert.equal(exit, 0, `${args.join(' ')}: ${stderr}`);
      }
      const names = await readdir(home.memoryDir, { recursive: true });
      assert.deepEqual(
        names.filter((name) => /\.tmp$|\.lock/.test(name)),
        [],
      );
    });
  }

  it('lose nothing where two computers write to one store at once', async () => {
    const other = await preloading(OTHER_HOST);
    const ids = await Promise.all([1, 2, 3, 4, 5, 6].map(addSession));
    const ended = await Promise.all(
      ids.map((id, n) => home.run(['register', id, '--project', PROJECT], n % 2 === 0 ? { env: other } : {})),
    );
    assert.deepEqual(
      ended.map(({ code }) => code),
      ids.map(() => 0),
      ended.map(({ stderr }) => stderr).join('\n'),
    );
    assert.deepEqual(Object.keys((await manifest()).sessions).sort(), [...ids].sort());
    // The other computer has died with the lock: its process id is that of a living process here, and is not asked.
    const lock = path.join(home.memoryDir, 'projects', PROJECT, '.lock');
    const { describeHolder } = await import('../../../src/node/files/fileLock');
    const holder = { ...(await describeHolder('00000000000000bb')), host: 'another-computer', machine: 'another' };
    await writeFile(lock, JSON.stringify(holder));
    const next = ['unregister', ids[0] ?? '', '--yes', '--project', PROJECT];
    const { code, stderr } = await home.run(next);
    assert.equal(code, 0, stderr);
    await assert.rejects(stat(lock));
  });

  /** Everything that a memory holds, of one session. */
  async function fill(sessionId: string): Promise<void> {
    for (const args of [
      ['register', '--all'],
      ['compress', sessionId, '--mode', 'uniform', '--ratio', '2'],
      ['compose', '--name', 'one', '--budget', '4000', '--session', sessionId],
      ['layers', 'enable', '--location', 'home'],
      ['layers', 'build'],
    ]) {
      const { code, stderr } = await home.run([...args, '--project', PROJECT]);
      assert.equal(code, 0, `${args.join(' ')}: ${stderr}`);
    }
  }

  it('can be read, and say in a sentence that they cannot be written, when they are read-only', async function () {
    disk = await SmallDisk.mount(home.memoryDir, 8192);
    if (disk === undefined) return this.skip(); // only root may mount one
    const sessionId = await addSession(1);
    const run = async (...args: string[]) => home.run([...args, '--project', PROJECT]);
    await fill(sessionId);
    const { stdout } = await run('keepits', '--json');
    const markerId = /"markerId":"([^"]+)"/.exec(stdout)?.[1] ?? '';
    const before = await readdir(home.memoryDir, { recursive: true });
    await disk.makeReadOnly();
    await addSession(2);
    const reading = [
      ...[['discover'], ['sessions'], ['show', sessionId], ['messages', sessionId], ['keepits']],
      ['versions', sessionId],
      ...[['compositions'], ['composition', 'show', 'one'], ['layers'], ['layers', 'show', 'l1'], ['facts'], ['trash']],
      ...[['search', 'Postgres'], ['stats'], ['decay', sessionId, '--ratio', '30', '--level', 'light']],
    ];
    for (const args of sampled(reading, 2, randomFor('reading'))) {
      const { code, stderr } = await run(...args);
      assert.equal(code, 0, `${args.join(' ')}: ${stderr}`);
    }
    const tending = [['doctor'], ['doctor', '--repair'], ['config', 'list'], ['ledger']];
    for (const args of sampled(tending, 1, randomFor('tending'))) {
      const { code, stderr } = await home.run(args);
      assert.equal(code, 0, `${args.join(' ')}: ${stderr}`);
    }
    const writing = [
      ['register', '--all'],
      ['unregister', sessionId, '--yes'],
      ['keepit', 'weight', markerId, '0.50'],
      ['compress', sessionId, '--mode', 'uniform', '--ratio', '3'],
      ['compose', '--name', 'two', '--budget', '4000', '--session', sessionId],
      ['composition', 'delete', 'one', '--yes'],
      ['layers', 'build'],
      ['layers', 'disable'],
      ['deliver', 'one', '--to', 'next-session'],
    ];
    for (const args of sampled(writing, 2, randomFor('writing'))) {
      const { code, stderr } = await run(...args);
      assert.equal(code, 1, `${args.join(' ')}: ${stderr}`);
      assert.match(stderr, /read-only|cannot be written|could not be/, args.join(' '));
      assert.doesNotMatch(stderr, /\n {4}at /, args.join(' '));
    }
    assert.equal((await home.run(['config', 'set', 'storage.trashDays', '3'])).code, 1);
    assert.deepEqual(await readdir(home.memoryDir, { recursive: true }), before);
  });

  it('lose nothing to a clock that jumps forward or back between runs', async () => {
    const sessionId = await addSession(1);
    const run = async (args: string[], env: Record<string, string> = {}) => {
      const { code, stdout, stderr } = await home.run([...args, '--project', PROJECT], { env });
      assert.equal(code, 0, `${args.join(' ')}: ${stderr}`);
      return stdout;
    };
    await run(['register', '--all']);
    await run(['compress', sessionId, '--mode', 'uniform', '--ratio', '2']);
    await run(['compose', '--name', 'one', '--budget', '4000', '--session', sessionId]);
    await run(['deliver', 'one', '--to', 'next-session']);
    await run(['compose', '--name', 'two', '--budget', '4000', '--session', sessionId]);
    await run(['composition', 'delete', 'two', '--yes']);
    const project = path.join(home.memoryDir, 'projects', PROJECT);
    const seen = async () => [
      await readdir(path.join(project, 'trash')).then((names) => names.filter((name) => !name.startsWith('.'))),
      await stat(path.join(project, 'armed.json')).then(() => 'armed'),
      await readdir(path.join(project, 'originals')),
    ];
    const before = await seen();
    for (const days of isFull ? [4000, -4000, 40, -40, 0.5, 10_000] : [4000]) {
      const env = await preloading(JUMPED(days));
      await addSession(2);
      await run(['register', '--all'], env);
      await run(['keepit', 'weight', await markerOf(sessionId), '0.80'], env);
      await run(['keepit', 'weight', await markerOf(sessionId), '0.90']);
      assert.match(await run(['search', 'Postgres'], env), /Postgres/);
      await run(['unregister', 'abcd0002-1111-4111-8111-111111111111', '--yes']);
      const now = await seen();
      assert.deepEqual([now[1], now[2]], [before[1], before[2]], `${days} days`);
      const [trashed] = before;
      for (const name of trashed ?? []) assert.ok(now[0]?.includes(name), `${days} days: ${name}`);
    }
  });

  it('go on after a holder from the future: a lock of a dead process is taken over whatever the dates say', async () => {
    await addSession(1);
    const folder = path.join(home.memoryDir, 'projects', PROJECT);
    await mkdir(folder, { recursive: true });
    const { describeHolder } = await import('../../../src/node/files/fileLock');
    const holder = {
      ...(await describeHolder('00000000000000aa')),
      processStart: '1',
      since: '2099-01-01T00:00:00.000Z',
    };
    await writeFile(path.join(folder, '.lock'), JSON.stringify(holder)); // our own number, of a process that began at another time
    const future = new Date('2099-01-01');
    await utimes(path.join(folder, '.lock'), future, future);
    assert.equal((await home.run(['register', '--all', '--project', PROJECT])).code, 0);
  });

  async function markerOf(sessionId: string): Promise<string> {
    const { stdout } = await home.run(['keepits', sessionId, '--project', PROJECT, '--json']);
    return /"markerId":"([^"]+)"/.exec(stdout)?.[1] ?? '';
  }
});
