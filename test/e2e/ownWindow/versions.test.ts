import assert from 'node:assert/strict';
import { appendFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import type { Locator } from 'playwright-core';
import { keepit } from '../support/commandLine';
import { useOwnWindow } from '../support/windows';
import type { Workbench } from '../support/workbench';

/** Presses a row's inline button, which is drawn while the mouse is over the row: the row may be drawn anew meanwhile. */
async function pressInline(row: Locator, name: string): Promise<void> {
  const button = row.getByRole('button', { name });
  // A row that comes in above moves this one away from the mouse.
  for (let tries = 0; tries < 20 && !(await button.isVisible()); tries += 1) {
    await row.hover();
    await button.waitFor({ timeout: 1000 }).catch(() => undefined); // tried again
  }
  await button.dispatchEvent('click');
}

describe('versions, by hand', () => {
  const workbench = useOwnWindow();
  const rows = (): Locator => workbench().treeRows('Versions');
  const picker = (): Locator => workbench().page.locator('.quick-input-widget');

  it('are made by a level, from the keyboard, each with what it would come to', async () => {
    await workbench().openView('Keepit');
    await workbench().treeRows('Projects').filter({ hasText: 'mailer' }).waitFor();
    await workbench().unfoldRow('October 2025', 'Retry failed orders');
    await workbench().openSession('Retry failed orders');
    await workbench().runCommand('Keepit: Compress Session…');
    await workbench().answer('Add to Memory');
    await picker()
      .getByText(/~\d+ tokens · [\d.]+:1/)
      .nth(2)
      .waitFor();
    await workbench().shot('levels');
    await workbench().page.keyboard.press('Enter');
    await workbench()
      .notifications()
      .filter({ hasText: /^v001: / })
      .waitFor();
    await workbench().showVersions();
    await rows().filter({ hasText: 'v001 Moderate' }).waitFor();
  });

  it('become parts: the first of all messages, the next of what is new', async () => {
    await workbench().runCommand('Keepit: Compress New Messages…');
    await workbench().pick('Light');
    await rows().filter({ hasText: 'Part 1' }).waitFor();
    await rows().filter({ hasText: 'New Messages' }).filter({ hasText: 'none' }).waitFor();
    await sayMore(workbench());
    const fresh = rows().filter({ hasText: /\d · .* · will be part 2/ });
    await fresh.waitFor();
    await workbench().shot('new messages');
    await pressInline(fresh, 'Compress New Messages…');
    await workbench().pick('Light');
    await rows().filter({ hasText: 'Part 2' }).waitFor();
  });

  it('of a part are made again at another level by its +', async () => {
    // Rows that come in just then take the click to another row: the list says of what it is.
    const ofPart = picker().locator('input[placeholder^="Part 1"]');
    while (!(await ofPart.isVisible())) {
      await workbench().page.keyboard.press('Escape');
      await pressInline(rows().filter({ hasText: /^Part 1/ }), 'Re-compress at Another Level…');
      await ofPart.waitFor({ timeout: 4000 }).catch(() => undefined);
    }
    await workbench().pick('Aggressive');
    await rows().filter({ hasText: 'v002 Aggressive' }).waitFor();
    await workbench().shot('versions by part');
  });

  it('lead from a block to its message', async () => {
    await rows().filter({ hasText: 'v001 Moderate' }).click();
    const lens = workbench().page.locator('.codelens-decoration a').filter({ hasText: 'Go to its message' });
    await lens.last().click();
    await workbench().page.locator('.tab.active').filter({ hasText: 'Retry failed orders' }).waitFor();
    await workbench()
      .page.locator('.statusbar-item')
      .filter({ hasText: /^Ln [1-9]\d/ })
      .waitFor();
    await workbench().shot('from a block to its message');
  });

  it('that another window or the command line made are shown without being asked for', async () => {
    await keepit(workbench().home, 'compress', '1f0e4c52', '--mode', 'uniform', '--ratio', '4');
    await rows().filter({ hasText: 'v002 Light 4:1' }).waitFor();
  });

  it('are deleted several at once, and come back', async () => {
    await rows().filter({ hasText: 'v001 Moderate' }).click();
    await rows()
      .filter({ hasText: 'v002 Light 4:1' })
      .click({ modifiers: ['ControlOrMeta'] });
    await workbench().page.keyboard.press('Delete');
    await workbench().page.getByRole('dialog').getByText('Delete 2 versions?').waitFor();
    await workbench().shot('delete versions');
    await workbench().answer('Delete');
    await rows().filter({ hasText: 'Whole Session' }).waitFor({ state: 'detached' });
    await workbench().page.locator('.notification-toast').getByRole('button', { name: 'Undo' }).first().click();
    await rows().filter({ hasText: 'v001 Moderate' }).waitFor();
  });

  it('are cleared up where nothing has used them, and come back', async () => {
    const before = await versionFiles(workbench());
    await workbench().runCommand('Keepit: Clear Up Versions…');
    await workbench().pick('Never Used');
    await workbench()
      .page.getByRole('dialog')
      .getByText(/^5 versions would be moved to the trash in workspace\.$/)
      .waitFor();
    await workbench().shot('clear up versions');
    await workbench().answer('Clear Up');
    await workbench().notifications().filter({ hasText: '5 versions were moved to the trash.' }).waitFor();
    await rows().filter({ hasText: 'Whole Session' }).waitFor({ state: 'detached' });
    await workbench().page.locator('.notification-toast').getByRole('button', { name: 'Undo' }).first().click();
    await rows().filter({ hasText: 'v001 Moderate' }).waitFor();
    assert.deepEqual(await versionFiles(workbench()), before);
  });

  it('are managed in a list, with what decides whether one can do without them', async () => {
    await workbench().runCommand('Keepit: Manage Compressions…');
    await picker().getByText('last used never').first().waitFor();
    await workbench().page.getByRole('button', { name: 'Select all that nothing uses' }).click();
    await workbench().shot('manage compressions');
    await workbench().page.keyboard.press('Enter');
    await workbench().notifications().filter({ hasText: '5 versions deleted' }).waitFor();
    await workbench().view('Versions').getByRole('button', { name: 'Create Compression', exact: true }).waitFor();
    assert.deepEqual(await versionFiles(workbench()), []);
  });
});

/** Two more messages in the session, as Claude Code would append them. */
async function sayMore({ home }: Workbench): Promise<void> {
  const sessionId = '1f0e4c52-7a61-4c1e-9d53-0a7be0c4a101';
  const folder = path.join(home.claudeDir, 'projects', home.workspace.replace(/[^A-Za-z0-9]/g, '-'));
  const common = { isSidechain: false, cwd: home.workspace, sessionId, version: '2.1.114' };
  const ids = ['16', '17', '18'].map((end) => `1f0e4c52-0000-4000-8000-0000000000${end}`);
  const asked = { role: 'user', content: 'Please also write down why three attempts are enough.' };
  const text = 'Three attempts cover 99 % of the outages of last year; more would only delay the alarm.';
  const answered = {
    id: 'msg_more',
    type: 'message',
    role: 'assistant',
    model: 'claude-sonnet-4-5',
    content: [{ type: 'text', text }],
  };
  const records = [
    {
      ...common,
      parentUuid: ids[0],
      uuid: ids[1],
      type: 'user',
      message: asked,
      timestamp: '2025-10-02T09:00:00.000Z',
    },
    {
      ...common,
      parentUuid: ids[1],
      uuid: ids[2],
      type: 'assistant',
      message: answered,
      timestamp: '2025-10-02T09:01:00.000Z',
    },
  ];
  await appendFile(
    path.join(folder, `${sessionId}.jsonl`),
    records.map((record) => `${JSON.stringify(record)}\n`).join(''),
  );
}

/** The versions that are on disk. */
async function versionFiles({ home }: Workbench): Promise<string[]> {
  const entries = await readdir(path.join(home.memoryDir, 'projects'), { recursive: true });
  return entries.filter((entry) => /^[^/]+\/summaries\/.*\.(md|jsonl)$/.test(entry));
}
