import assert from 'node:assert/strict';
import type { FrameLocator, Locator } from 'playwright-core';
import { useSampleWindow } from '../support/windows';
import type { Workbench } from '../support/workbench';

/** Makes a version of a session of the sample, by a level. */
async function compress(workbench: Workbench, level: string, versionId: string): Promise<void> {
  await workbench.runCommand('Keepit: Compress Session…');
  if (versionId === 'v001') await workbench.answer('Add to Memory');
  await workbench.pick(level);
  await workbench
    .notifications()
    .filter({ hasText: new RegExp(`^${versionId}: `) })
    .waitFor();
}

describe('comparing versions of a session', () => {
  const workbench = useSampleWindow();
  const panel = (): FrameLocator => workbench().webview();
  const hunks = (): Locator => panel().locator('.hunks');
  const rows = (): Locator => workbench().treeRows('Versions');

  it('shows what was lost, how much is still held, and the changes message by message', async () => {
    await workbench().openSession('Release 1.0');
    await workbench().showVersions();
    await workbench().view('Versions').getByRole('button', { name: 'Create Compression', exact: true }).waitFor();
    await compress(workbench(), 'Light', 'v001');
    await compress(workbench(), 'Aggressive', 'v002');
    await workbench().runCommand('Keepit: Compare Versions…');
    await workbench().pick('Original');
    await workbench().pick('v002');
    await panel().getByRole('heading', { name: 'Original → v002' }).waitFor();
    await panel()
      .getByRole('heading', { name: /^Lost: / })
      .waitFor();
    await panel().getByRole('row', { name: /^v002/ }).waitFor();
    await workbench().runCommand('View: Close Primary Side Bar');
    await workbench().shotInThemes('version diff', () => panel().locator('.hunk del').first().waitFor());
  });

  it('shows both in one column, and the receipt of the version', async () => {
    await panel().getByRole('radio', { name: 'Unified' }).click();
    await panel().locator('.hunks.unified del').first().waitFor();
    await panel()
      .getByText(/^Receipt of v002/)
      .click();
    await panel().getByRole('columnheader', { name: 'Marked words' }).waitFor();
    await workbench().shotInThemes('version diff unified');
    await panel().getByRole('radio', { name: 'Side by Side' }).click();
    await panel().locator('.hunks.unified').waitFor({ state: 'detached' });
  });

  it('opens for two versions that are selected', async () => {
    await workbench().runCommand('View: Toggle Primary Side Bar Visibility');
    await rows().filter({ hasText: 'v001 Light' }).click();
    // It opens on its own, and would come before the comparison later.
    await workbench().page.locator('.tab.active').filter({ hasText: 'v001' }).waitFor();
    await rows()
      .filter({ hasText: 'v002 Aggressive' })
      .click({ modifiers: ['ControlOrMeta'] });
    await workbench().pickFromMenuOf(rows().filter({ hasText: 'v002 Aggressive' }), 'Compare Versions…');
    await panel().getByRole('heading', { name: 'v001 → v002' }).waitFor();
    await workbench().shot('two versions');
  });

  it('compares others, and the other way round', async () => {
    await panel().getByRole('combobox', { name: 'From' }).click();
    await panel().getByRole('option', { name: 'Original' }).click();
    await panel().getByRole('heading', { name: 'Original → v002' }).waitFor();
    await panel().getByRole('button', { name: 'Swap' }).click();
    await panel().getByRole('heading', { name: 'v002 → Original' }).waitFor();
    await panel().getByRole('heading', { name: 'Lost: nothing' }).waitFor();
    await panel().getByRole('button', { name: 'Swap' }).click();
    await panel()
      .getByRole('heading', { name: /^Lost: [^n]/ })
      .waitFor();
  });

  it('leads from a loss to where it stood, and to its message', async () => {
    const loss = panel().locator('.losses li').last();
    await loss.getByRole('button', { name: /./ }).first().click();
    await panel().locator('.hunk.current:focus').waitFor();
    await loss.getByRole('button', { name: /^message \d+/ }).click();
    // The comparison itself is an active tab too, in the group beside it.
    await workbench().page.locator('.tab.active[aria-label^="Release 1.0"]').waitFor();
    await workbench().shot('from a loss to its message');
    await workbench().page.locator('.tab').filter({ hasText: 'Compare: Release 1.0' }).click();
  });

  it('shows only losses of the kinds that are wanted, and only messages with such losses', async () => {
    const all = await panel().locator('.losses li').count();
    // One kind remains: errors, which stood in few messages.
    const others = ['Instructions', 'Commands', 'Identifiers'].map((kind) =>
      panel().locator('.filters vscode-checkbox').filter({ hasText: kind }),
    );
    for (const kind of others) await kind.click();
    await panel().locator(`.losses li:nth-child(${all})`).waitFor({ state: 'detached' });
    const before = await hunks().locator('article').count();
    await panel().getByText('Only messages with losses').click();
    await hunks()
      .locator(`article >> nth=${before - 1}`)
      .waitFor({ state: 'detached' });
    await workbench().shot('only losses');
    for (const kind of others) await kind.click();
  });

  it('is as it was after the window was reloaded', async () => {
    await workbench().runCommand('Developer: Reload Window');
    const tab = workbench().page.locator('.tab').filter({ hasText: 'Compare: Release 1.0' });
    await tab.waitFor({ state: 'detached' });
    await tab.click();
    await panel().getByRole('heading', { name: 'Original → v002' }).waitFor();
    assert.equal(await panel().getByRole('checkbox', { name: 'Only messages with losses' }).isChecked(), true);
    await panel().getByText('Only messages with losses').click();
  });

  it('can be used in half the width', async () => {
    await workbench().page.setViewportSize({ width: 640, height: 800 });
    await workbench().runCommand('View: Close Primary Side Bar');
    await workbench().page.locator('.tab').filter({ hasText: 'Compare: Release 1.0' }).click();
    await panel().locator('.hunks.unified del').first().waitFor();
    await workbench().shot('version diff, narrow');
    await workbench().page.setViewportSize({ width: 1400, height: 900 });
  });
});
