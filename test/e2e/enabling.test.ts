import assert from 'node:assert/strict';
import { appendFile, mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Locator } from 'playwright-core';
import type { TestHome } from '../../scripts/lib/testHome.mjs';
import { SmallDisk } from '../unit/support/smallDisk';
import { TranscriptBuilder } from '../unit/support/transcriptBuilder';
import { currentStage, inRepository } from './support/stage';
import { useWorkbench } from './support/useWorkbench';

const WEB_SESSION = 'c3d4e5f6-0000-4000-8000-000000000001';

function transcriptOf({ claudeDir }: TestHome, folder: string, sessionId: string): string {
  return path.join(claudeDir, 'projects', folder.replace(/[^A-Za-z0-9]/g, '-'), `${sessionId}.jsonl`);
}

describe('Keepit in a workspace with several folders', () => {
  const stage = currentStage();
  const folderOf = ({ dir }: TestHome): string => path.join(dir, 'web');
  const workbench = useWorkbench(stage, {
    claudeFixture: inRepository(stage, 'test/fixtures/knowledge-home'),
    prepare: async (home) => {
      const web = folderOf(home);
      const transcript = transcriptOf(home, web, WEB_SESSION);
      await mkdir(web);
      await mkdir(path.dirname(transcript));
      await writeFile(transcript, said(web).toString());
      const file = path.join(home.dir, 'both.code-workspace');
      await writeFile(file, JSON.stringify({ folders: [{ path: home.workspace }, { path: web }] }));
      return file;
    },
  });
  const row = (text: string): Locator => workbench().treeRows('Knowledge').filter({ hasText: text }).first();

  it('asks in which of them it is to be enabled, and names its folder', async () => {
    await workbench().openView('Keepit');
    await workbench().treeRows('Sessions').filter({ hasText: 'Bounces and the dashboard' }).waitFor();
    await workbench().runCommand('Keepit: Enable Keepit in This Project…');
    await workbench().page.locator('.quick-input-list').getByText('web').first().waitFor();
    await workbench().shot('which project');
    await workbench().pick('web');
    const dialog = workbench().page.getByRole('dialog');
    await dialog.getByText('Enable Keepit in web?').waitFor();
    const text = (await dialog.textContent()) ?? '';
    for (const part of [
      path.join(folderOf(workbench().home), '.claude/memory'),
      'The folder is in no git repository.',
    ]) {
      assert.ok(text.includes(part), `${part} is not in: ${text}`);
    }
    await workbench().answer('Enable');
    await workbench().showOnly('Knowledge');
    await row('Always name components').waitFor();
    assert.deepEqual(await readdir(workbench().home.workspace), ['README.md']);
    assert.deepEqual(await readdir(folderOf(workbench().home)), ['.claude']);
    await workbench().runCommand('Notifications: Clear All Notifications');
  });

  it('takes in what is said in the second of them', async () => {
    const { home } = workbench();
    const more = said(folderOf(home)).human('Never import from the parent folder in web.').toString();
    const [last = ''] = more.trimEnd().split('\n').slice(-1);
    await appendFile(transcriptOf(home, folderOf(home), WEB_SESSION), `${last}\n`);
    await row('Never import from the parent folder').waitFor();
    await workbench().shot('second folder');
  });

  function said(cwd: string): TranscriptBuilder {
    return new TranscriptBuilder(WEB_SESSION, cwd)
      .human('Always name components after their folder.')
      .assistant('Noted: components are named after their folder.');
  }
});

describe('Keepit in a project whose folder is read-only', () => {
  let disk: SmallDisk | undefined;
  const stage = currentStage();
  // Before the window's own: a folder on which a disk is mounted cannot be deleted.
  after(async () => disk?.unmount());
  const workbench = useWorkbench(stage, {
    claudeFixture: inRepository(stage, 'test/fixtures/knowledge-home'),
    prepare: async ({ workspace }) => {
      disk = await SmallDisk.mount(workspace, 512);
      await disk?.makeReadOnly();
      return undefined;
    },
  });

  it('says that it cannot write there, and keeps what it knows in its own folder', async function () {
    if (disk === undefined) return this.skip(); // only root may make a small disk
    await workbench().openView('Keepit');
    await workbench().treeRows('Sessions').filter({ hasText: 'Bounces and the dashboard' }).waitFor();
    await workbench().showOnly('Knowledge');
    await workbench().view('Knowledge').getByRole('button', { name: 'Enable Keepit in This Project' }).click();
    const dialog = workbench().page.getByRole('dialog');
    await dialog.getByText('.claude/memory cannot be written to.').waitFor();
    await workbench().shot('read-only folder');
    await workbench().answer('Keep It There');
    await dialog.getByText('Nothing is written in the project’s own folder.').waitFor();
    await workbench().answer('Enable');
    await workbench().notifications().filter({ hasText: 'Keepit is enabled in workspace' }).waitFor();
    await workbench().treeRows('Knowledge').filter({ hasText: 'Rules' }).first().waitFor();
    assert.deepEqual(await readdir(workbench().home.workspace), []);
  });
});
