import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { cp, mkdir, readdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod/mini';
import { FileMemoryStore } from '../../../src/node/store/fileMemoryStore';
import { projectFolderName } from '../../../src/core/sessions/projectNames';
import { RecordingLog } from '../../unit/support/recordingLog';
import { TranscriptBuilder } from '../../unit/support/transcriptBuilder';
import { CliHome, useProgram } from '../support/cliProcess';

const PROJECTS = 10;
const SESSIONS = ['abcd1234-1111-4111-8111-111111111111', 'abcd1234-2222-4222-8222-222222222222'];
const [CHANGED = ''] = SESSIONS;
/** What the session says that is replaced, and what comes in its place: as long. */
const [HERE, COMING] = ['five hundred at once', 'four hundred at once'];

/** A moment of an import: so many files are unpacked, or so many projects in their places. */
type Moment = { readonly unpacked: number } | { readonly placed: number };

const UNPACKED: readonly Moment[] = [0, 40, 100].map((unpacked) => ({ unpacked }));
const PLACED: readonly Moment[] = [1, 4, 10].map((placed) => ({ placed }));

/** The manifests that are in their places, and which file each of them is. */
async function manifestsIn(store: string): Promise<Map<string, number>> {
  const names = await readdir(path.join(store, 'projects')).catch((): string[] => []);
  const found = new Map<string, number>();
  for (const name of names) {
    const stats = await stat(path.join(store, 'projects', name, 'manifest.json')).catch(() => undefined);
    if (stats !== undefined) found.set(name, stats.ino);
  }
  return found;
}

async function killAt(child: ChildProcess, store: string, moment: Moment): Promise<void> {
  const before = await manifestsIn(store);
  const isThere = async (): Promise<boolean> => {
    if ('placed' in moment) {
      const now = [...(await manifestsIn(store))];
      return now.filter(([name, inode]) => before.get(name) !== inode).length >= moment.placed;
    }
    const names = await readdir(store, { recursive: true }).catch((): string[] => []);
    return names.filter((name) => name.startsWith('.import-')).length > moment.unpacked;
  };
  while (child.exitCode === null && child.signalCode === null) {
    if (await isThere()) child.kill('SIGKILL');
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** The files below a folder but locks. */
async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
  return files
    .map((file) => path.relative(folder, file))
    .filter((name) => !name.includes('.lock'))
    .sort();
}

const checksSchema = z.object({ checks: z.array(z.object({ name: z.string(), ok: z.boolean(), detail: z.string() })) });

describe('an import of ten projects', function () {
  this.timeout(180_000);
  const program = useProgram();
  let home: CliHome;
  let archive: string;
  let store: string;

  const run = async (args: readonly string[], during?: (child: ChildProcess) => void, memoryDir = store) =>
    home.run([...args, '--json'], { env: { CLAUDE_MEMORY_DIR: memoryDir }, ...(during && { during }) });
  const json = async (args: readonly string[], memoryDir?: string): Promise<unknown> => {
    const { code, stdout, stderr } = await run(args, undefined, memoryDir);
    assert.equal(code, 0, `${args.join(' ')}: ${stderr}${stdout}`);
    return JSON.parse(stdout);
  };

  /** What any reader is told of each project: nothing, what was here, or what comes. */
  async function look(): Promise<string[]> {
    const reader = new FileMemoryStore({ dir: store, clock: { now: () => new Date() }, log: new RecordingLog() });
    const seen: string[] = [];
    for (const projectId of await reader.listProjects()) {
      const { sessions = {}, compositions = {} } = (await reader.readManifest(projectId)) ?? {};
      const file = (await reader.sessions.path(projectId, CHANGED)) ?? '';
      const said = (await readFile(file, 'utf8')).includes(COMING) ? 'coming' : 'here';
      seen.push([said, Object.keys(sessions).length, Object.keys(compositions).length].join(' '));
    }
    return seen;
  }

  before(async () => {
    home = await CliHome.make(program);
    const full = path.join(home.dir, 'full');
    const other = path.join(home.dir, 'other');
    archive = path.join(home.dir, 'memory.tar');
    store = path.join(home.dir, 'store');
    const folder = path.join(await realpath(home.dir), 'app');
    const projectId = projectFolderName(folder);
    await mkdir(folder);
    await mkdir(path.dirname(home.transcript(projectId, CHANGED)), { recursive: true });
    const write = async (sessionId: string, text: string): Promise<void> => {
      const said = new TranscriptBuilder(sessionId, folder).human(`How many mails? ${text}.`).assistant('So many.');
      await writeFile(home.transcript(projectId, sessionId), said.toString());
    };
    await write(CHANGED, HERE);
    await json(['register', CHANGED], other);
    await write(CHANGED, COMING);
    for (const sessionId of SESSIONS.slice(1)) await write(sessionId, 'None');
    for (const sessionId of SESSIONS) await json(['register', sessionId], full);
    await json(['compress', CHANGED], full);
    await json(['compose', ...SESSIONS, '--name', 'one', '--budget', '4000', '--project', projectId], full);
    for (const dir of [full, other]) await multiply(path.join(dir, 'projects', projectId), projectId, folder);
    await json(['export', '--all-projects', '-o', archive], full);
  });
  after(() => home.dispose());

  /** The project once more, under other names. */
  async function multiply(project: string, projectId: string, folder: string): Promise<void> {
    for (let n = 1; n < PROJECTS; n++) {
      await cp(project, `${project}-${n}`, { recursive: true });
      const manifest = path.join(`${project}-${n}`, 'manifest.json');
      const text = (await readFile(manifest, 'utf8'))
        .replaceAll(JSON.stringify(projectId), JSON.stringify(`${projectId}-${n}`))
        .replaceAll(JSON.stringify(folder), JSON.stringify(`${folder}-${n}`));
      await writeFile(manifest, text);
    }
  }

  async function begin(from: string | undefined): Promise<void> {
    await rm(store, { recursive: true, force: true });
    if (from !== undefined) await cp(path.join(home.dir, from), store, { recursive: true });
  }

  const ways: readonly { mode: readonly string[]; from?: string; old: readonly string[] }[] = [
    { mode: [], old: [] },
    { mode: ['--merge'], from: 'other', old: Array.from({ length: PROJECTS }, () => 'here 1 0') },
    { mode: ['--replace'], from: 'other', old: Array.from({ length: PROJECTS }, () => 'here 1 0') },
  ];
  for (const { mode, from, old } of ways) {
    describe(`into ${from === undefined ? 'an empty memory' : `one that has another session, ${mode.join('')}`}`, () => {
      const fresh = Array.from({ length: PROJECTS }, () => (mode.includes('--merge') ? 'here 2 1' : 'coming 2 1'));
      let whole: { before: string[]; after: string[] };

      before(async () => {
        await begin(from);
        const before = await filesIn(path.join(store, 'projects'));
        await run(['import', archive, ...mode]);
        assert.deepEqual(await look(), fresh);
        whole = { before, after: await filesIn(path.join(store, 'projects')) };
      });

      it('is seen by nobody, or all of it, wherever it is killed; the next change leaves nothing half', async () => {
        const met = new Set<string>();
        for (const moment of [...UNPACKED, ...PLACED]) {
          const which = JSON.stringify(moment);
          await begin(from);
          await run(['import', archive, ...mode], (child) => void killAt(child, store, moment));
          const seen = await look();
          const isIn = seen.join() === fresh.join();
          assert.deepEqual(seen, isIn ? fresh : old, `kill at ${which}`);
          met.add(isIn ? 'in' : 'out');
          const { checks } = z.parse(checksSchema, JSON.parse((await run(['doctor'])).stdout));
          const wrong = checks.filter(
            ({ name, ok }) => !ok && /^(?:originals|versions|compositions|damaged)/.test(name),
          );
          assert.deepEqual(wrong, [], `doctor after a kill at ${which}`);
          await json(['config', 'set', 'defaults.versionsOnRegister', 'false']);
          assert.deepEqual(
            (await readdir(store)).filter((name) => name.startsWith('.import-')),
            [],
            which,
          );
          assert.deepEqual(await look(), seen, `after a change, killed at ${which}`);
          const timeless = (names: readonly string[]) =>
            names.map((name) => name.replace(/\d{4}-\d\d-\d\dT[\d-]+Z/, '<time>'));
          const left = (await filesIn(path.join(store, 'projects'))).filter((name) => !name.endsWith('.trash-looked'));
          assert.deepEqual(
            timeless(left),
            timeless(isIn ? whole.after : whole.before),
            `files after a kill at ${which}`,
          );
        }
        assert.deepEqual([...met].sort(), ['in', 'out']);
      });

      it('comes in at once for who reads meanwhile', async () => {
        await begin(from);
        const lists = new Set<string>();
        const counts: string[][] = [];
        const importing = { isOver: false };
        const reader = new FileMemoryStore({ dir: store, clock: { now: () => new Date() }, log: new RecordingLog() });
        const take = async (): Promise<void> => {
          const ids = await reader.listProjects();
          lists.add(String(ids.length));
          // The last one first: they are moved to their places in the other order.
          const found: string[] = [];
          for (const id of ids.reverse())
            found.push(String(Object.keys((await reader.readManifest(id))?.sessions ?? {}).length));
          counts.push(found);
        };
        const watching = (async () => {
          while (!importing.isOver) await take();
        })();
        await run(['import', archive, ...mode]);
        importing.isOver = true;
        await watching;
        await take(); // the import may have ended before anybody looked again
        assert.deepEqual([...lists], from === undefined ? ['0', String(PROJECTS)] : [String(PROJECTS)]);
        // Who has seen one of them sees all that are looked at after it.
        assert.deepEqual(
          counts.filter((found) => found.lastIndexOf('1') > found.indexOf('2') && found.includes('2')),
          [],
        );
        assert.ok(counts.some((found) => found.every((count) => count === '2')));
      });
    });
  }
});
