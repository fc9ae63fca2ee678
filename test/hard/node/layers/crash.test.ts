import assert from 'node:assert/strict';
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { projectFolderName } from '../../../../src/core/sessions/projectNames';
import { createMemory } from '../../../../src/node/createMemory';
import { useProgram } from '../../../process/support/cliProcess';
import { WorkerScript } from '../../../unit/support/childProcess';
import { RecordingLog } from '../../../unit/support/recordingLog';
import { useTempFolder } from '../../../unit/support/tempFolder';
import { TranscriptBuilder } from '../../../unit/support/transcriptBuilder';
import { isFull, randomFor } from '../../support/effort';

const KILLS = isFull ? 20 : 2;
const SESSIONS = Array.from({ length: isFull ? 5 : 3 }, (_, index) => `aaaa111${index}-0000-4000-8000-000000000000`);

/** What was written by hand before, nearly as much as a memory may hold: the second session makes it rotate. */
const OLD_MEMORY = Array.from(
  { length: 1290 },
  (_, at) => `- **Decision:** We decided to keep step ${at} of the plan, it works.\n`,
).join('');

function session(id: string, cwd: string, index: number): string {
  const builder = new TranscriptBuilder(id, cwd);
  for (let turn = 0; turn < 6; turn++) {
    builder
      .human(
        `We decided to use store${index}_${turn} for the cache of part ${turn}. Always run check${index}_${turn} first.`,
      )
      .assistant(
        `The root cause was that loader${index}_${turn} dropped its last line; it is fixed in src/part${turn}.ts.`,
      );
  }
  return builder.toString();
}

describe('layers and rolling memory, when a process is killed', function () {
  this.timeout(120_000);
  const temp = useTempFolder();
  const program = useProgram();
  let script: WorkerScript;
  let projectId = '';

  before(async () => {
    script = await WorkerScript.build('layersWorker');
  });
  after(() => script.dispose());

  const dirOf = (root: string): string => path.join(root, 'store', 'projects', projectId, 'layers');

  async function prepare(): Promise<string> {
    const root = path.join(temp.path, 'fresh');
    const cwd = '/home/ada/src/app';
    projectId = projectFolderName(cwd);
    const folder = path.join(root, 'claude', 'projects', projectId);
    await mkdir(folder, { recursive: true });
    for (const [index, id] of SESSIONS.entries())
      await writeFile(path.join(folder, `${id}.jsonl`), session(id, cwd, index));
    const places = { claudeDir: path.join(root, 'claude'), memoryDir: path.join(root, 'store') };
    const memory = createMemory({ ...places, distDir: program.dir, log: new RecordingLog() });
    await memory.service.layers.enable(projectId, { location: 'home' });
    await memory.dispose();
    await writeFile(path.join(dirOf(root), 'memory.md'), OLD_MEMORY);
    return root;
  }

  async function copyOf(root: string, name: string): Promise<string> {
    const copy = path.join(temp.path, name);
    await cp(root, copy, { recursive: true, preserveTimestamps: true });
    return copy;
  }

  /** All files of the layers, what a killed process had not finished writing aside. */
  async function filesOf(root: string): Promise<Map<string, string>> {
    const files = new Map<string, string>();
    for (const entry of await readdir(dirOf(root), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || /\.tmp$|^\.lock/.test(entry.name)) continue;
      const file = path.join(entry.parentPath, entry.name);
      files.set(path.relative(dirOf(root), file), await readFile(file, 'utf8'));
    }
    return files;
  }

  const start = (root: string) => script.start(root, program.dir, projectId, ...SESSIONS);

  /** Every file is whole, and tells of no message twice. */
  function assertWhole(files: ReadonlyMap<string, string>, moment: string): void {
    for (const [name, text] of files) {
      assert.doesNotMatch(name, /corrupt/, moment);
      if (name.endsWith('.json')) assert.doesNotThrow(() => void JSON.parse(text), `${name} ${moment}`);
      else if (text !== '') assert.ok(text.endsWith('\n'), `${name} ${moment}`);
      if (name.endsWith('.jsonl')) for (const line of text.trimEnd().split('\n')) JSON.parse(line);
      if (!name.endsWith('.md')) continue;
      for (const [index, id] of SESSIONS.entries()) {
        assert.ok(text.split(`<!-- keepit ${id} `).length <= 2, `${name} tells twice of ${index} ${moment}`);
      }
    }
  }

  it('leaves every file old or new, and a repeated call completes it, each message once', async () => {
    const fresh = await prepare();
    const whole = await copyOf(fresh, 'whole');
    const begun = performance.now();
    assert.deepEqual((await start(whole).ends()).at(-1), 'done');
    const lengthMs = performance.now() - begun;
    const expected = await filesOf(whole);
    assert.ok(
      [...expected.keys()].some((name) => /^memory_\d{8}_\d{6}\.md$/.test(name)),
      [...expected.keys()].join(),
    );
    assert.equal([...expected.keys()].filter((name) => name.endsWith('.l1.jsonl')).length, SESSIONS.length);
    const random = randomFor('kills of layers');
    let interrupted = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      const root = await copyOf(fresh, `kill${kill}`);
      const worker = start(root);
      await worker.speaks();
      await sleep(random() * lengthMs * 0.7);
      const told = await worker.kill();
      if (!told.includes('done')) interrupted += 1;
      assertWhole(await filesOf(root), `after kill ${kill}`);
      assert.equal((await start(root).ends()).at(-1), 'done');
      const completed = await filesOf(root);
      assertWhole(completed, `completed after kill ${kill}`);
      assert.deepEqual([...completed.keys()].sort(), [...expected.keys()].sort());
      for (const [name, text] of expected) {
        // Says how often a file was written, and not what is in it.
        if (name !== 'memory-index.json' && name !== 'layers.json')
          assert.equal(completed.get(name), text, `${name} after kill ${kill}`);
      }
      await rm(root, { recursive: true, force: true });
    }
    assert.ok(interrupted > 0, 'no process was killed at work');
  });
});
