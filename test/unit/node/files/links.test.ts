import assert from 'node:assert/strict';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import {
  findLink,
  findWayOut,
  readWithin,
  refuseLinks,
  refuseWayOut,
  resolveWithin,
} from '../../../../src/node/files/links';
import { useTempFolder } from '../../support/tempFolder';

describe('symbolic links below a folder that people name', () => {
  const temp = useTempFolder();
  const at = (...names: string[]) => path.join(temp.path, ...names);

  beforeEach(async () => {
    await mkdir(at('root', 'folder'), { recursive: true });
    await mkdir(at('outside'));
    await writeFile(at('root', 'folder', 'own.txt'), 'own');
    await writeFile(at('outside', 'secret.txt'), 'secret');
    await symlink(at('outside'), at('root', 'out'));
    await symlink('folder', at('root', 'in'));
    await symlink('nowhere', at('root', 'dangling'));
    await symlink(at('root'), at('linked-root'));
  });

  it('are found on the way to a file, and with where they lead', async () => {
    assert.deepEqual(await findLink(at('root'), at('root', 'out', 'secret.txt')), {
      link: at('root', 'out'),
      target: at('outside'),
    });
    assert.equal(await findLink(at('root'), at('root', 'folder', 'own.txt')), undefined);
    assert.equal(await findLink(at('root'), at('root', 'not', 'there', 'yet')), undefined);
  });

  it('may be the folder itself', async () => {
    assert.equal(await findLink(at('linked-root'), at('linked-root', 'folder', 'own.txt')), undefined);
    assert.equal((await readWithin(at('linked-root'), at('linked-root', 'in', 'own.txt')))?.toString(), 'own');
  });

  it('are all refused before something is written', async () => {
    for (const name of ['out', 'in', 'dangling', 'out/new.txt', 'in/own.txt']) {
      await assert.rejects(refuseLinks(at('root'), at('root', ...name.split('/'))), { code: 'store-link' }, name);
    }
  });

  it('are read through only where that does not lead out', async () => {
    assert.equal((await readWithin(at('root'), at('root', 'in', 'own.txt')))?.toString(), 'own');
    assert.equal(await readWithin(at('root'), at('root', 'dangling')), undefined);
    assert.equal(await findWayOut(at('root'), at('root', 'dangling')), undefined);
    const attempt = readWithin(at('root'), at('root', 'out', 'secret.txt'));
    await assert.rejects(attempt, {
      code: 'store-link',
      message: new RegExp(`${at('root', 'out')}.*${at('outside')}`),
    });
    await assert.rejects(refuseWayOut(at('root'), at('root', 'out')), { code: 'store-link' });
  });

  it('lead a file of the user to another of the same folder, and to none that git keeps', async () => {
    await writeFile(at('root', 'AGENTS.md'), 'own');
    await symlink('AGENTS.md', at('root', 'CLAUDE.md'));
    assert.equal(await resolveWithin(at('root'), at('root', 'CLAUDE.md')), at('root', 'AGENTS.md'));
    await mkdir(at('root', '.git', 'hooks'), { recursive: true });
    await writeFile(at('root', '.git', 'hooks', 'pre-commit'), '');
    await symlink('.git/hooks/pre-commit', at('root', 'HOOK.md'));
    await symlink(at('outside', 'secret.txt'), at('root', 'OUT.md'));
    for (const name of ['HOOK.md', 'OUT.md', 'dangling']) {
      await assert.rejects(resolveWithin(at('root'), at('root', name)), { code: 'store-link' }, name);
    }
    assert.equal(await readFile(at('outside', 'secret.txt'), 'utf8'), 'secret');
  });

  it('are no way out of a folder that only begins with the same letters', async () => {
    await mkdir(at('root-too'));
    await symlink(at('root-too'), at('root', 'sibling'));
    await assert.rejects(refuseWayOut(at('root'), at('root', 'sibling')), { code: 'store-link' });
    await assert.rejects(findLink(at('root'), at('root-too')), TypeError);
  });
});
