import assert from 'node:assert/strict';
import { mkdir, realpath, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod/mini';
import { projectFolderName } from '../../../src/core/sessions/projectNames';
import { describeHolder } from '../../../src/node/files/fileLock';
import { TranscriptBuilder } from '../../unit/support/transcriptBuilder';
import { CliHome, useProgram } from '../support/cliProcess';

const SESSION = 'a1c2d3e4-0000-4000-8000-000000000001';
const agedSchema = z.looseObject({
  created: z.array(z.unknown()),
  isUnfinished: z.boolean(),
  isOff: z.optional(z.boolean()),
});

describe('automatic decay, with the built command line', function () {
  this.timeout(60_000);
  const program = useProgram();
  let home: CliHome;
  let app: string;
  let lock: string;

  beforeEach(async () => {
    home = await CliHome.make(program);
    app = path.join(await realpath(home.dir), 'app');
    await mkdir(app);
    const projectId = projectFolderName(app);
    lock = path.join(home.memoryDir, 'projects', projectId, 'hooks', '.aging.lock');
    await mkdir(path.dirname(home.transcript(projectId, SESSION)), { recursive: true });
    const said = new TranscriptBuilder(SESSION, app).human('Mend the mail queue.').assistant('It is mended.');
    await writeFile(home.transcript(projectId, SESSION), said.toString());
    assert.equal((await keepit('register', SESSION)).code, 0);
    await mkdir(path.dirname(lock), { recursive: true, mode: 0o700 });
  });
  afterEach(() => home.dispose());

  const keepit = (...args: string[]) => home.run(args, { cwd: app });
  const aged = async () => {
    const { code, stdout, stderr } = await keepit('auto-decay', '--json');
    assert.equal(code, 0, stderr);
    return z.parse(agedSchema, JSON.parse(stdout));
  };
  const hold = async (more: { pid?: number } = {}) =>
    writeFile(lock, JSON.stringify({ ...(await describeHolder('00000000000000aa')), ...more }), { mode: 0o600 });

  it('says that it is off, and not that nothing is due', async () => {
    assert.equal((await aged()).isOff, true);
    assert.match((await keepit('auto-decay')).stdout, /^Automatic decay is off/);
  });

  it('leaves a project to the process that is at it, and says so', async () => {
    await keepit('config', 'set', 'autoDecay.enabled', 'true');
    await hold();
    const { created, isUnfinished } = await aged();
    assert.deepEqual([created, isUnfinished], [[], true]);
    assert.match((await keepit('auto-decay')).stdout, /^Another process is at it/);
  });

  it('goes on at once where a process died', async () => {
    await keepit('config', 'set', 'autoDecay.enabled', 'true');
    await hold({ pid: 2 ** 22 + 1 });
    const { created, isUnfinished } = await aged();
    assert.deepEqual([created.length, isUnfinished], [1, false]);
    assert.match((await keepit('auto-decay')).stdout, /^Nothing is due/);
  });
});
