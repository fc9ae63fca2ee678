import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { projectFolderName } from '../../../../src/core/sessions/projectNames';
import { createMemory, type Memory } from '../../../../src/node/createMemory';
import { useProgram } from '../../support/cliProcess';
import { RecordingLog } from '../../../unit/support/recordingLog';
import { SmallDisk } from '../../../unit/support/smallDisk';
import { useTempFolder } from '../../../unit/support/tempFolder';
import { TranscriptBuilder } from '../../../unit/support/transcriptBuilder';

const ID = 'aaaa1111-0000-4000-8000-000000000000';

describe('layers at places that are not as they should be', () => {
  let disk: SmallDisk | undefined;
  let memory: Memory;
  afterEach(async () => {
    await memory.dispose();
    await disk?.unmount();
    disk = undefined;
  }); // declared first: it has to run before the folder is removed
  const temp = useTempFolder();
  const program = useProgram();
  let project: string;
  let projectId: string;

  beforeEach(async () => {
    project = path.join(temp.path, 'app');
    projectId = projectFolderName(project);
    await mkdir(project);
    await speak(1);
    const places = { claudeDir: path.join(temp.path, 'claude'), memoryDir: path.join(temp.path, 'store') };
    memory = createMemory({ ...places, distDir: program.dir, log: new RecordingLog() });
  });

  /** The session as it is after so many requests. */
  async function speak(requests: number): Promise<void> {
    const builder = new TranscriptBuilder(ID, project);
    for (let at = 0; at < requests; at++) {
      builder
        .human(`Always keep part ${at} of the parser green. ${'It matters. '.repeat(40)}`)
        .assistant('I will keep it green.');
    }
    const folder = path.join(temp.path, 'claude', 'projects', projectId);
    await mkdir(folder, { recursive: true });
    await writeFile(path.join(folder, `${ID}.jsonl`), builder.toString());
  }

  it('need no repository', async () => {
    const status = await memory.service.layers.enable(projectId);
    assert.deepEqual([status.isEnabled, status.excludeFile], [true, undefined]);
    assert.equal((await memory.service.layers.build(projectId)).layered.length, 1);
  });

  it('say before anything is written that a folder is read-only, and where else they can be kept', async function () {
    disk = await SmallDisk.mount(project, 512);
    if (disk === undefined) return this.skip(); // only root may make a small disk
    await disk.makeReadOnly();
    assert.equal((await memory.service.layers.status(projectId)).problem, 'not-writable');
    await assert.rejects(memory.service.layers.enable(projectId), {
      code: 'layers-not-writable',
      message: /cannot be written to/,
      hint: /--location home/,
    });
    assert.equal((await memory.service.layers.enable(projectId, { location: 'home' })).isEnabled, true);
    assert.equal((await memory.service.layers.build(projectId)).layered.length, 1);
  });

  it('say that a folder has become read-only, and can still be read', async function () {
    disk = await SmallDisk.mount(project, 512);
    if (disk === undefined) return this.skip(); // only root may make a small disk
    await memory.service.layers.enable(projectId);
    await memory.service.layers.build(projectId);
    await disk.makeReadOnly();
    await speak(2);
    await assert.rejects(memory.service.layers.build(projectId), { code: 'layers-not-writable' });
    await assert.rejects(memory.service.rolling.final({ projectId, sessionId: ID }), { code: 'layers-not-writable' });
    assert.equal((await memory.service.layers.facts(projectId)).length, 1);
    assert.deepEqual(await memory.service.rolling.list(projectId), []);
    assert.equal((await memory.service.layers.layer(projectId, 'l1')).layer, 'l1');
  });

  it('say that the disk is full, keep what they have, and are completed when there is room again', async function () {
    disk = await SmallDisk.mount(project, 512);
    if (disk === undefined) return this.skip(); // only root may make a small disk
    await memory.service.layers.enable(projectId);
    await memory.service.layers.build(projectId);
    const dir = path.join(project, '.claude', 'memory');
    const filler = path.join(project, 'filler');
    await assert.rejects(writeFile(filler, Buffer.alloc(1024 * 1024)), { code: 'ENOSPC' });
    await rm(filler);
    await writeFile(filler, Buffer.alloc(430 * 1024));
    const before = await textsIn(dir);
    await speak(150);
    const full = { code: 'store-disk-full', message: /no space left/, hint: /Free some disk space/ };
    const build = async (): Promise<void> => {
      const { failed } = await memory.service.layers.build(projectId);
      if (failed[0] !== undefined) throw failed[0].error;
    };
    await assert.rejects(build(), full);
    const after = await textsIn(dir);
    for (const [name, text] of before) {
      const now = after.get(name) ?? '';
      assert.ok(now === text || now.endsWith('\n'), `${name} is old or new`);
      if (name.endsWith('.json')) JSON.parse(now);
    }
    assert.deepEqual(
      [...after.keys()].filter((name) => name.endsWith('.tmp')),
      [],
    );
    await rm(filler);
    await build();
    const { facts } = await memory.service.layers.build(projectId);
    assert.ok(facts.rules > 0);
  });

  async function textsIn(dir: string): Promise<Map<string, string>> {
    const texts = new Map<string, string>();
    for (const entry of await readdir(dir, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const file = path.join(entry.parentPath, entry.name);
      texts.set(path.relative(dir, file), await readFile(file, 'utf8'));
    }
    return texts;
  }
});
