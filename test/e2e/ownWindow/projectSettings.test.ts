import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Locator } from 'playwright-core';
import * as z from 'zod';
import { useOwnWindow } from '../support/windows';
import type { Workbench } from '../support/workbench';

const manifestSchema = z.looseObject({ settings: z.looseObject({ defaultCompressionPreset: z.string() }) });

describe('the settings of a project', () => {
  const workbench = useOwnWindow();
  const rows = (): Locator => workbench().page.locator('.quick-input-list .monaco-list-row');
  const project = (): Locator => workbench().treeRows('Projects').filter({ hasText: 'workspace' });

  it('begin when one of its sessions is in memory', async () => {
    await workbench().openView('Keepit');
    await workbench().pickFromMenuOf(project(), 'Project Settings…');
    const told = workbench().notifications().filter({ hasText: 'has settings of its own as soon as' });
    await told.waitFor();
    await workbench().page.getByRole('button', { name: 'Add Sessions…' }).click();
    await workbench().answer('Add to Memory');
    await project().filter({ hasText: '2 of 2 in memory' }).waitFor();
  });

  it('are changed in a list, by keys alone', async () => {
    await workbench().pickFromMenuOf(project(), 'Project Settings…');
    await rows()
      .filter({ hasText: 'Compression, where nothing else is said' })
      .filter({ hasText: 'Moderate' })
      .waitFor();
    await workbench().shot('project settings');
    await workbench().page.keyboard.press('Enter');
    await rows().filter({ hasText: 'Tiered aggressive' }).waitFor();
    await workbench().shot('project settings, one of them');
    await workbench().page.keyboard.press('ArrowDown');
    await workbench().page.keyboard.press('Enter');
    await rows()
      .filter({ hasText: 'Compression, where nothing else is said' })
      .filter({ hasText: 'Aggressive' })
      .waitFor();
    await workbench().page.keyboard.press('Escape');
    assert.equal((await settingsOf(workbench())).defaultCompressionPreset, 'aggressive');
  });

  it('are what a compression begins with', async () => {
    const session = workbench().treeRows('Sessions').filter({ hasText: 'Retry failed orders' });
    await workbench().unfoldRow('October 2025', 'Retry failed orders');
    await workbench().pickFromMenuOf(session, 'Create Compression…');
    const panel = workbench().webview();
    await panel.getByRole('combobox', { name: 'Preset' }).filter({ hasText: 'Aggressive' }).waitFor();
  });
});

async function settingsOf({ home }: Workbench): Promise<z.infer<typeof manifestSchema>['settings']> {
  const projects = path.join(home.memoryDir, 'projects');
  const folder = (await readdir(projects)).find((name) => name.includes('workspace')) ?? '';
  const text = await readFile(path.join(projects, folder, 'manifest.json'), 'utf8');
  return manifestSchema.parse(JSON.parse(text)).settings;
}
