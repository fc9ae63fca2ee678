import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { useSampleWindow } from '../support/windows';

describe('sessions that the work at hand may need', () => {
  const workbench = useSampleWindow();
  const rows = (): Locator => workbench().treeRows('Sessions');

  it('stand in a folded group below the others, each with its reason', async () => {
    await workbench().openView('Keepit');
    await workbench().showOnly('Sessions');
    const group = rows().filter({ hasText: 'Suggested' });
    await group.waitFor();
    assert.equal(await group.getAttribute('aria-expanded'), 'false');
    await workbench().clickUntil(group, group.and(workbench().page.locator('[aria-expanded="true"]')));
    const reason = rows().filter({ hasText: /speaks of|changed|read / });
    await reason.first().waitFor();
    await workbench().shotInThemes('sessions suggested');
    const title = (await reason.first().locator('.label-name').innerText()).replace('…', '');
    await reason.first().click();
    await workbench().page.locator('.tab.active').filter({ hasText: title }).waitFor();
  });

  it('are offered in the Composition Builder until they are in it', async () => {
    await workbench().runCommand('Keepit: Compose Context…');
    const panel = workbench().webview();
    const offered = panel.locator('.suggested li');
    await offered.first().waitFor();
    await workbench().shotInThemes('composition suggested', () => offered.first().waitFor());
    const title = (await offered.first().locator('button').innerText()).replace('+', '').trim();
    await offered.first().locator('button').click();
    await panel.locator('.title').filter({ hasText: title }).waitFor();
    await offered.filter({ hasText: title }).waitFor({ state: 'detached' });
  });
});
