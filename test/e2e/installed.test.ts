import { currentStage } from './support/stage';
import { useWorkbench, type Theme } from './support/workbench';

const themes: Theme[] = ['dark', 'light', 'highContrast'];

describe('the packaged extension', () => {
  for (const theme of themes) {
    describe(`in a ${theme} window`, () => {
      const workbench = useWorkbench(currentStage(), { theme });

      it('is listed among the installed extensions', async () => {
        await workbench().openView('Extensions');
        const entry = workbench().page.locator('.extension-list-item', { hasText: 'Keepit: Memory for Claude Code' });
        await entry.first().waitFor();
        await workbench().shot(`installed ${theme}`);
      });
    });
  }
});
