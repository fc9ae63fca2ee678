import assert from 'node:assert/strict';
import { currentStage } from './support/stage';
import { useWorkbench, type Theme } from './support/workbench';

const themes: Theme[] = ['dark', 'light', 'highContrast'];

describe('the packaged extension', () => {
  for (const theme of themes) {
    describe(`in a ${theme} window`, () => {
      const workbench = useWorkbench(currentStage(), { theme });

      it('has its views in a container of the activity bar', async () => {
        await workbench().openView('Keepit');
        for (const title of ['Projects', 'Sessions']) await workbench().view(title).waitFor();
        await workbench().shot(`views ${theme}`);
      });

      it('is listed among the installed extensions, with its icon', async () => {
        await workbench().openView('Extensions');
        const entry = workbench().page.locator('.extension-list-item', { hasText: 'Keepit: Memory for Claude Code' });
        const icon = entry.first().locator('img.icon');
        await icon.waitFor();
        assert.match((await icon.getAttribute('src')) ?? '', /icon\.png/);
      });
    });
  }
});
