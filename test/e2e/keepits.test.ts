import type { Locator } from 'playwright-core';
import { currentStage } from './support/stage';
import { useWorkbench, type Theme } from './support/workbench';

const themes: Theme[] = ['dark', 'light', 'highContrast'];

for (const theme of themes) {
  describe(`keepits of the sample memory in a ${theme} window`, () => {
    const workbench = useWorkbench(currentStage(), { theme, env: { KEEPIT_OPEN_SAMPLE: '1' } });
    const rows = (): Locator => workbench().treeRows('Keepits');

    it('are listed by weight, with what becomes of them', async () => {
      await workbench().treeRows('Projects').filter({ hasText: 'tidewatch' }).waitFor();
      await rows().filter({ hasText: 'Critical' }).waitFor();
      const row = rows().filter({ hasText: /0\.90 · (survives|barely survives|fades)/ });
      await row.first().waitFor();
      await workbench().shot(`keepits view ${theme}`);
    });

    it('are tinted in the transcript that a click leads to', async () => {
      const row = rows().filter({ hasText: 'An alert needs two consecutive' });
      await row.click();
      await workbench().page.locator('.codelens-decoration').filter({ hasText: 'critical' }).first().waitFor();
      await workbench().editorLines().locator('[class*="ced-"]').first().waitFor();
      await workbench().shot(`keepit in transcript ${theme}`);
    });
  });
}
