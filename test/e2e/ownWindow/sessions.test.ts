import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { useOwnWindow } from '../support/windows';
import type { Workbench } from '../support/workbench';

async function openSample(workbench: Workbench): Promise<Workbench> {
  const sample = await workbench.windowOpenedBy(() => workbench.runCommand('Keepit: Open Sample Memory'));
  await sample.treeRows('Projects').filter({ hasText: 'tidewatch' }).waitFor();
  return sample;
}

/** Claude Code's folder and the store of the user's own memory. */
async function ownFiles({ home }: Workbench): Promise<Map<string, string>> {
  const entries = await readdir(home.dir, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
  const own = files.filter((file) => [home.claudeDir, home.memoryDir].some((dir) => file.startsWith(dir + path.sep)));
  return new Map(await Promise.all(own.sort().map(async (file) => [file, await readFile(file, 'utf8')] as const)));
}

describe('the packaged extension', () => {
  const workbench = useOwnWindow();

  it('has its views in a container of the activity bar', async () => {
    await workbench().openView('Keepit');
    await workbench().shotInThemes('views', async () => {
      for (const title of ['Projects', 'Sessions']) await workbench().view(title).waitFor();
    });
  });

  it('is listed among the installed extensions, with its icon', async () => {
    await workbench().openView('Extensions');
    const entry = workbench().page.locator('.extension-list-item', { hasText: 'Keepit: Memory for Claude Code' });
    const icon = entry.first().locator('img.icon');
    await icon.waitFor();
    assert.match((await icon.getAttribute('src')) ?? '', /icon\.png/);
  });

  describe('the sessions of Claude Code', () => {
    it('are listed by month with their titles, those of the open folder', async () => {
      await workbench().openView('Keepit');
      await workbench().treeRows('Projects').filter({ hasText: 'mailer' }).waitFor();
      const row = (text: string): Promise<void> => workbench().treeRows('Sessions').filter({ hasText: text }).waitFor();
      await row('The order list takes four seconds');
      await workbench().unfoldRow('October 2025', 'Retry failed orders');
      assert.equal(await workbench().treeRows('Sessions').filter({ hasText: 'Umlauts' }).count(), 0);
      await workbench().shot('sessions');
    });

    it('open as a readable transcript', async () => {
      await workbench().treeRows('Sessions').filter({ hasText: 'Retry failed orders' }).click();
      const human = workbench().editorLines().filter({ hasText: 'blocks us after the fourth' });
      await human.first().waitFor();
      await workbench().shot('transcript');
    });

    it('stay as they are while the sample memory is looked at, in a window of its own', async () => {
      const before = await ownFiles(workbench());
      const sample = await openSample(workbench());
      await sample.view('Projects').getByText('This window shows a sample memory').waitFor();
      await sample.treeRows('Projects').filter({ hasText: '3 of 6 in memory' }).waitFor();
      await sample.unfold('Knowledge');
      await sample.treeRows('Knowledge').filter({ hasText: 'Rules' }).waitFor();
      await sample.shot('sample memory');
      assert.equal(await sample.treeRows('Projects').filter({ hasText: 'mailer' }).count(), 0);
      assert.deepEqual(await ownFiles(workbench()), before);
      assert.equal(await workbench().treeRows('Projects').filter({ hasText: 'tidewatch' }).count(), 0);
      await sample.page.close();
    });

    it('have a sample beside them that is as it was at first whenever it is asked for', async () => {
      const { home } = workbench();
      const folders = await readdir(home.dir, { recursive: true });
      const written = path.join(
        home.dir,
        folders.find((name) => name.endsWith('keepit-sample/memory')) ?? '',
        'written',
      );
      await writeFile(written, '');
      const sample = await openSample(workbench());
      await assert.rejects(readFile(written), { code: 'ENOENT' });
      await sample.page.close();
    });
  });
});
