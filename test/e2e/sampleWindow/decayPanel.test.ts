import assert from 'node:assert/strict';
import type { FrameLocator, Locator } from 'playwright-core';
import { useSampleWindow } from '../support/windows';

describe('the decay preview', () => {
  const workbench = useSampleWindow();
  const panel = (): FrameLocator => workbench().webview();
  const summary = (): Locator => panel().locator('.summary');
  const fading = (): Locator => panel().locator('tbody tr.fades');

  it('opens with the keepits of what the view shows, at the project’s usual settings', async () => {
    await workbench().treeRows('Keepits').filter({ hasText: 'Critical' }).waitFor();
    await workbench().runCommand('Keepit: Preview Decay');
    await summary()
      .filter({ hasText: /\d+ of \d+ survive.*threshold/ })
      .waitFor();
    await workbench().shotInThemes('decay preview');
  });

  it('follows the sliders, moved by the keyboard', async () => {
    const before = await fading().count();
    await panel().getByRole('slider', { name: 'Ratio' }).focus();
    await workbench().page.keyboard.press('Home');
    await panel().getByRole('radio', { name: 'By ratio (light)' }).waitFor();
    assert.ok((await fading().count()) < before);
    await workbench().page.keyboard.press('End');
    await panel().getByRole('radio', { name: 'By ratio (aggressive)' }).waitFor();
    await panel().getByRole('slider', { name: 'Distance' }).focus();
    await workbench().page.keyboard.press('End');
    await summary().filter({ hasText: 'threshold 1.50' }).waitFor();
    await workbench().shotInThemes('decay preview at its hardest');
  });

  it('leads from a row to its message, beside the preview', async () => {
    const words = panel().getByRole('button', { name: /^Every alarm path/ });
    await words.focus();
    await workbench().page.keyboard.press('Enter');
    await workbench().page.locator('.codelens-decoration').filter({ hasText: 'critical' }).first().waitFor();
    await panel().locator('.summary').waitFor();
    await workbench().shot('decay preview, a row opened');
  });

  it('previews one session from its menu', async () => {
    await workbench().pickFromMenuOf(
      workbench().treeRows('Sessions').filter({ hasText: 'Release 1.0' }),
      'Preview Decay',
    );
    await workbench().page.locator('.tab').filter({ hasText: 'Decay: Release 1.0' }).waitFor();
  });

  it('knows its settings after the window was reloaded', async () => {
    await panel().getByRole('slider', { name: 'Ratio' }).focus();
    await workbench().page.keyboard.press('End');
    await panel()
      .locator('.summary')
      .filter({ hasText: /thresholds? 0\.6/ })
      .waitFor();
    await workbench().runCommand('Developer: Reload Window');
    const tab = workbench().page.locator('.tab').filter({ hasText: 'Decay: Release 1.0' });
    await tab.waitFor({ state: 'detached' });
    await workbench().treeRows('Keepits').filter({ hasText: 'Critical' }).waitFor();
    await panel().getByRole('slider', { name: 'Ratio' }).waitFor();
    assert.equal(await panel().getByRole('spinbutton', { name: 'Ratio, as a number' }).inputValue(), '100');
  });
});
