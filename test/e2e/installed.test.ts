import assert from 'node:assert/strict';
import { currentStage } from './support/stage';
import { useWorkbench } from './support/workbench';

describe('the packaged extension', () => {
  const workbench = useWorkbench(currentStage());

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
});
