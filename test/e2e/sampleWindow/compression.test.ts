import assert from 'node:assert/strict';
import type { FrameLocator, Locator } from 'playwright-core';
import { useSampleWindow } from '../support/windows';

describe('compressing a session of the sample', () => {
  const workbench = useSampleWindow();
  const panel = (): FrameLocator => workbench().webview();
  const rows = (): Locator => workbench().treeRows('Versions');
  const create = (): Locator => panel().getByRole('button', { name: 'Create Compression' });

  it('says what can be done where there is nothing yet', async () => {
    await workbench().openSession('Release 1.0');
    await workbench().showVersions();
    await workbench().view('Versions').getByRole('button', { name: 'Create Compression', exact: true }).waitFor();
    await workbench().shotInThemes('versions empty');
  });

  it('asks which session in memory is meant, where the open one is not', async () => {
    for (const command of ['Keepit: Manage Compressions…', 'Keepit: Compare Versions…']) {
      await workbench().runCommand(command);
      await workbench().page.locator('.quick-input-widget').getByText('SMS warnings').waitFor();
      await workbench().page.keyboard.press('Escape');
    }
  });

  it('shows what would come of it, while one sets what is to be', async () => {
    await workbench().runCommand('Keepit: Create Compression…');
    await workbench().answer('Add to Memory');
    await panel()
      .getByText(/^Will preserve 2/)
      .waitFor();
    await workbench().shotInThemes('create compression');
    await panel().getByRole('radio', { name: 'Uniform' }).click();
    await panel().getByRole('slider', { name: 'Ratio' }).focus();
    await workbench().page.keyboard.press('End');
    await panel().getByText('At 100:1 that is aggressive.').waitFor();
    await panel()
      .getByText(/\(weight [≥<] 0\.60\)/)
      .first()
      .waitFor();
    await workbench().shotInThemes('create compression uniform');
  });

  it('makes a version, and shows it in the view', async () => {
    await create().click();
    await workbench()
      .notifications()
      .filter({ hasText: /^v001: \d+ tokens, .*fidelity/ })
      .waitFor();
    await rows().filter({ hasText: 'v001 Aggressive 100:1' }).waitFor();
    await panel()
      .getByText(/^Made v001/)
      .waitFor();
    await workbench().shotInThemes('version made');
  });

  it('opens it as Markdown, with what is kept in its tint', async () => {
    await rows().filter({ hasText: 'v001 Aggressive' }).click();
    await workbench().editorLines().filter({ hasText: 'Keepit v001' }).waitFor();
    await workbench().page.locator('.codelens-decoration').filter({ hasText: 'Go to its' }).first().waitFor();
    const tint = workbench().editorLines().locator('[class*="ced-"]').first();
    const receipt = workbench().page.locator('.monaco-hover').filter({ hasText: 'Fidelity' });
    await workbench().shotInThemes('version opened', async () => {
      await tint.waitFor();
      await workbench().hover(rows().filter({ hasText: 'v001 Aggressive' }), receipt);
    });
  });

  it('says beside each field of custom tiers what is wrong with it, and waits', async () => {
    await workbench().pickFromMenuOf(
      workbench().treeRows('Sessions').filter({ hasText: 'Release 1.0' }),
      'Create Compression…',
    );
    await panel().getByRole('radio', { name: 'Tiered' }).click();
    await panel().getByRole('button', { name: 'Edit as Custom' }).click();
    const end = panel().getByRole('spinbutton', { name: 'Tier 2 ends at percent of the messages' });
    await end.fill('20');
    await panel().getByText('The tier has to end behind 25 %.').waitFor();
    await panel().getByRole('spinbutton', { name: 'Tier 1 ratio' }).fill('');
    await panel().getByText('Write a ratio, such as 30 for 30:1.').waitFor();
    assert.equal(await end.getAttribute('aria-invalid'), 'true');
    assert.ok(await create().isDisabled());
    await workbench().shot('custom tiers, wrong');
    await end.fill('60');
    await panel().getByRole('spinbutton', { name: 'Tier 1 ratio' }).fill('40');
    await panel().getByRole('button', { name: 'Remove Tier 3' }).click();
    await panel().getByRole('button', { name: 'Add Tier' }).click();
    await panel().locator('.segments').getByText('40:1 aggressive').waitFor();
    assert.ok(await create().isEnabled());
    await workbench().shot('custom tiers');
  });

  it('is as it was after the window was reloaded', async () => {
    await workbench().runCommand('Developer: Reload Window');
    const tab = workbench().page.locator('.tab').filter({ hasText: 'Compress: Release 1.0' });
    await tab.waitFor({ state: 'detached' });
    await tab.click();
    const ratio = panel().getByRole('spinbutton', { name: 'Tier 1 ratio' });
    await ratio.waitFor();
    assert.equal(await ratio.inputValue(), '40');
    await panel().locator('.segments').getByText('40:1 aggressive').waitFor();
  });

  it('leads to the message of a keepit', async () => {
    await panel()
      .getByRole('button', { name: /^Every alarm path/ })
      .click();
    await workbench().page.locator('.codelens-decoration').filter({ hasText: 'critical' }).first().waitFor();
  });

  it('can be used at twice the size, in half the width', async () => {
    await workbench().page.setViewportSize({ width: 700, height: 640 });
    await workbench().runCommand('View: Close Primary Side Bar');
    await workbench().page.locator('.tab').filter({ hasText: 'Compress: Release 1.0' }).click();
    await create().waitFor();
    await workbench().shot('create compression, narrow');
    await create().click();
    await panel()
      .getByText(/^Made v002/)
      .waitFor();
  });
});
