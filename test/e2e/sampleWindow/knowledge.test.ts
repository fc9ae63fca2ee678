import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { useSampleWindow } from '../support/windows';

describe('what is known of the sample project', () => {
  const workbench = useSampleWindow();
  const rows = (): Locator => workbench().treeRows('Knowledge');

  it('is listed by kind', async () => {
    await workbench().showOnly('Knowledge');
    await rows().filter({ hasText: 'Rules' }).waitFor();
    await rows().filter({ hasText: 'Notebook' }).waitFor();
    await rows().filter({ hasText: 'Rolling Memory' }).waitFor();
    await workbench().shotInThemes('knowledge view');
  });

  it('leads from a rule to the message in which it was laid down', async () => {
    const rule = rows().filter({ hasText: 'never put them in the repository' });
    await rule.click();
    await workbench().editorLines().getByText('never put them').first().waitFor();
    const hover = workbench().page.locator('.monaco-hover').filter({ hasText: 'you said so' });
    await workbench().shotInThemes('knowledge source', () => workbench().hover(rule, hover));
  });

  it('is kept in Keepit’s own folder, where that of a project is gone', async () => {
    await workbench().unfold('Projects');
    await workbench().treeRows('Projects').filter({ hasText: 'garden-notes' }).click();
    await workbench().view('Sessions').locator('.pane-header').filter({ hasText: 'garden-notes' }).waitFor();
    await workbench().runCommand('Keepit: Enable Keepit in This Project…');
    const dialog = workbench().page.getByRole('dialog');
    await dialog.getByText('Keepit cannot write in garden-notes').waitFor();
    await workbench().shot('no folder');
    await workbench().answer('Keep It There');
    await dialog.getByText('Nothing is written in the project’s own folder.').waitFor();
    await workbench().answer('Enable');
    await workbench().notifications().filter({ hasText: 'Keepit is enabled in garden-notes' }).waitFor();
    await workbench().treeRows('Knowledge').filter({ hasText: 'Exchanges' }).waitFor();
  });

  it('is left there when that is taken back, which says where', async () => {
    await workbench().page.locator('.notification-toast').getByRole('button', { name: 'Undo' }).click();
    const told = workbench().notifications().filter({ hasText: 'Keepit is disabled in garden-notes' });
    await told.waitFor();
    assert.match((await told.textContent()) ?? '', /-home-mira-garden-notes.layers, until you delete it/);
    await workbench().showOnly('Knowledge');
    await workbench().view('Knowledge').getByRole('button', { name: 'Enable Keepit in This Project' }).waitFor();
  });
});
