import { strict as assert } from 'node:assert';
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { NOWHERE, UNSURE } from '../../../../src/core/knowledge/facts/anchors';
import { DiskProjectProbe } from '../../../../src/node/notebook/diskProjectProbe';
import { RecordingLog } from '../../support/recordingLog';
import { useTempFolder } from '../../support/tempFolder';

describe('DiskProjectProbe', () => {
  const folder = useTempFolder();

  async function project(): Promise<string> {
    const dir = path.join(folder.path, 'app');
    await mkdir(path.join(dir, '_docs', 'deep'), { recursive: true });
    await writeFile(path.join(dir, 'README.md'), '# App\n');
    await writeFile(path.join(dir, '_docs', 'deep', 'auth.md'), '# Auth\n');
    await writeFile(path.join(dir, 'package.json'), '{}');
    return dir;
  }

  it('reads documents and packages, and tells which paths are not there', async () => {
    const dir = await project();
    const look = await new DiskProjectProbe(new RecordingLog()).look(dir, ['package.json', 'src/gone.ts']);
    assert.deepEqual(
      look.docs.map(({ file }) => file),
      ['README.md', '_docs/deep/auth.md'],
    );
    assert.deepEqual(look.manifests, [{ file: 'package.json', text: '{}' }]);
    assert.deepEqual(look.missing, ['src/gone.ts']);
    assert.equal(look.commits, undefined);
  });

  it('says so, and goes on, where there is no git', async () => {
    const dir = await project();
    const log = new RecordingLog();
    const look = await new DiskProjectProbe(log, { PATH: folder.path }).look(dir, []);
    assert.equal(look.docs.length, 2);
    assert.equal(look.commits, undefined);
    assert.equal(
      log.lines.some((line) => line.includes('there is no command git')),
      true,
    );
  });

  it('reads the history of a repository', async () => {
    const dir = await project();
    const run = promisify(execFile);
    const who = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com'];
    await run('git', ['-C', dir, 'init', '-q']);
    await run('git', ['-C', dir, 'add', '.']);
    await run('git', ['-C', dir, ...who, 'commit', '-q', '-m', 'Begin']);
    const { commits } = await new DiskProjectProbe(new RecordingLog()).look(dir, []);
    assert.deepEqual(
      commits?.map(({ subject }) => subject),
      ['Begin'],
    );
    const probe = new DiskProjectProbe(new RecordingLog());
    await run('git', ['-C', dir, 'rm', '-q', 'package.json']);
    const date = { ...process.env, GIT_COMMITTER_DATE: '2026-05-03T12:00:00Z' };
    await run('git', ['-C', dir, ...who, 'commit', '-q', '-m', 'End'], { env: date });
    const { found } = await probe.find(dir, ['README.md', 'package.json', 'src/never.ts']);
    assert.deepEqual(found, { 'README.md': '', 'package.json': '2026-05-03', 'src/never.ts': NOWHERE });
    assert.deepEqual((await probe.find(path.join(dir, 'nowhere'), ['README.md'])).found, { 'README.md': UNSURE });
  });

  it('knows what a file is called since it was moved, and what scripts, packages, ports and symbols there are', async () => {
    const dir = await project();
    const who = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com'];
    const env = { ...process.env, GIT_COMMITTER_DATE: '2026-05-03T12:00:00Z' };
    const git = async (...args: readonly string[]) => promisify(execFile)('git', ['-C', dir, ...who, ...args], { env });
    const manifest = async (scripts: object, dependencies: object): Promise<void> =>
      writeFile(path.join(dir, 'package.json'), JSON.stringify({ scripts, dependencies }));
    await manifest({ build: 'b', lint: 'l' }, { axios: '1' });
    await writeFile(path.join(dir, 'retry.ts'), 'export const retryCount = 3; // and the port 8080\n'.repeat(9));
    await git('init', '-q');
    await git('add', '.');
    await git('commit', '-qm', 'one');
    await manifest({ build: 'b' }, {});
    await git('mv', 'retry.ts', '_docs/again.ts');
    await git('commit', '-qam', 'two');
    const names = [
      'retry.ts',
      'script:build',
      'script:lint',
      'script:never',
      'package:axios',
      'port:8080',
      'port:9090',
      'symbol:retryCount',
    ];
    const probe = new DiskProjectProbe(new RecordingLog());
    const looked = await probe.find(dir, names);
    assert.deepEqual(looked.found, {
      'retry.ts': '2026-05-03 → _docs/again.ts',
      'script:build': '',
      'script:lint': '2026-05-03',
      'script:never': NOWHERE,
      'package:axios': '2026-05-03',
      'port:8080': '',
      'port:9090': NOWHERE,
      'symbol:retryCount': '',
    });
    // Git is asked again only after a change: what was known is believed until then.
    const believed = { ...looked.found, 'port:9090': '' };
    assert.deepEqual((await probe.find(dir, names, { ...looked, found: believed })).found, believed);
    await writeFile(path.join(dir, 'retry.ts'), 'it is back');
    assert.equal((await probe.find(dir, names, looked)).found['retry.ts'], '');
    await git('add', '.');
    await git('commit', '-qm', 'three');
    assert.equal((await probe.find(dir, names, { ...looked, found: believed })).found['port:9090'], NOWHERE);
  });

  it('finds nothing in a folder that is not there', async () => {
    const look = await new DiskProjectProbe(new RecordingLog()).look(path.join(folder.path, 'no'), ['a/b.ts']);
    assert.deepEqual(look, { docs: [], manifests: [], missing: [] });
  });
});
