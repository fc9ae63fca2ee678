import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import type { Locator } from 'playwright-core';
import { goOn } from './support/goOn';
import { currentStage, inRepository } from './support/stage';
import { useWorkbench } from './support/useWorkbench';

const SESSION = 'b7e2d914-5c08-4f63-8a2d-1e9c3f5b7a46';

describe('Keepit in a project whose layers are built by hand', () => {
  const stage = currentStage();
  const workbench = useWorkbench(stage, {
    claudeFixture: inRepository(stage, 'test/fixtures/knowledge-home'),
    settings: {
      'keepit.layers.location': 'home',
      'keepit.layers.autoBuild': false,
      'files.simpleDialog.enable': true,
    },
  });
  const row = (text: string | RegExp): Locator => workbench().treeRows('Knowledge').filter({ hasText: text }).first();
  const told = (text: string | RegExp): Locator => workbench().notifications().filter({ hasText: text }).first();

  it('writes nothing in the project where it is not to', async () => {
    await workbench().openView('Keepit');
    await workbench().treeRows('Sessions').filter({ hasText: 'Bounces and the dashboard' }).waitFor();
    await workbench().runCommand('Keepit: Enable Keepit in This Project…');
    await workbench().answer('Enable');
    await told('Keepit is enabled in workspace').waitFor();
    assert.deepEqual(await readdir(workbench().home.workspace), ['README.md']);
    await workbench().showOnly('Knowledge');
    await row('Rules').waitFor();
    await workbench().runCommand('Notifications: Clear All Notifications');
  });

  it('says that a session has something new, and takes it in with a click', async () => {
    await goOn(workbench(), SESSION, 'Always name branches after the ticket.');
    await row('Take in 1 session').waitFor();
    await workbench().shot('something new');
    await row('Take in 1 session').click();
    await row('Always name branches after the ticket').waitFor();
    await row('Take in 1 session').waitFor({ state: 'detached' });
    await workbench().runCommand('Notifications: Clear All Notifications');
  });

  it('rejects several facts at once, and takes that back', async () => {
    await row('Always name branches').click();
    await row('tests before the code').click({ modifiers: ['ControlOrMeta'] });
    await workbench().pickFromMenuOf(row('tests before the code'), 'Reject Fact');
    await told('2 facts rejected').waitFor();
    await row('Not Counting').waitFor();
    await workbench().page.locator('.notification-toast').getByRole('button', { name: 'Undo' }).click();
    await row('Not Counting').waitFor({ state: 'detached' });
    await workbench().runCommand('Notifications: Clear All Notifications');
  });
});

describe('Keepit in a folder that is not trusted', () => {
  const stage = currentStage();
  const workbench = useWorkbench(stage, {
    claudeFixture: inRepository(stage, 'test/fixtures/knowledge-home'),
    asksForTrust: true,
  });
  const untrusted = (): Locator => workbench().notifications().filter({ hasText: 'is not trusted' }).first();

  it('shows sessions, and writes nothing into the project', async () => {
    await workbench().statusItem('Restricted Mode').waitFor();
    await workbench().openView('Keepit');
    await workbench().treeRows('Sessions').filter({ hasText: 'Bounces and the dashboard' }).waitFor();
    await workbench().runCommand('Keepit: Enable Keepit in This Project…');
    await untrusted().waitFor();
    await workbench().shot('folder not trusted');
    assert.deepEqual(await readdir(workbench().home.workspace), ['README.md']);
  });

  it('can be enabled as soon as it is', async () => {
    const { page } = workbench();
    await page.locator('.notification-toast').getByRole('button', { name: 'Manage Trust' }).click();
    await page.getByRole('button', { name: 'Trust', exact: true }).click();
    await workbench().statusItem('Restricted Mode').waitFor({ state: 'detached' });
    await workbench().runCommand('Keepit: Enable Keepit in This Project…');
    await workbench().answer('Enable');
    await workbench().treeRows('Knowledge').filter({ hasText: 'Rules' }).waitFor();
  });
});
