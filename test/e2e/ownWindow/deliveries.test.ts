import assert from 'node:assert/strict';
import { appendFile, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Locator } from 'playwright-core';
import { composeOrders, showCompositions } from '../support/builder';
import { useOwnWindow } from '../support/windows';
import type { Workbench } from '../support/workbench';

const KEPT = 'Never retry a card payment more than three times';

/** A later turn of the session that is composed. */
async function goOn({ home }: Workbench): Promise<void> {
  const projects = path.join(home.claudeDir, 'projects');
  const folder = (await readdir(projects)).find((name) => name.endsWith('-workspace')) ?? '';
  for (const name of await readdir(path.join(projects, folder))) {
    const file = path.join(projects, folder, name);
    const text = await readFile(file, 'utf8');
    if (!text.includes('Retry failed orders')) continue;
    const { uuid: parentUuid, sessionId } = uuidsOf(text);
    const message = { role: 'user', content: 'From Monday on we wait five seconds between retries.' };
    const record = { parentUuid, isSidechain: false, type: 'user', cwd: home.workspace, sessionId, message };
    const own = { uuid: '5e000000-0000-4000-8000-000000000001', timestamp: '2025-10-02T09:00:00.000Z' };
    await appendFile(file, `${JSON.stringify({ ...record, ...own })}\n`);
  }
}

/** The last record of the conversation, and whose it is. */
function uuidsOf(transcript: string): { uuid: string; sessionId: string } {
  const last = [...transcript.matchAll(/"uuid":\s*"([^"]+)"/g)].at(-1)?.[1] ?? '';
  return { uuid: last, sessionId: /"sessionId":\s*"([^"]+)"/.exec(transcript)?.[1] ?? '' };
}

describe('handing compositions over', () => {
  const workbench = useOwnWindow();
  const row = (): Locator => workbench().treeRows('Compositions').filter({ hasText: 'orders' });

  async function composedText(): Promise<string> {
    const folder = path.join(workbench().home.memoryDir, 'projects');
    const [project = ''] = await readdir(folder);
    return readFile(path.join(folder, project, 'composed/orders/composed.md'), 'utf8').catch(() => ''); // while it is replaced
  }

  async function untilText(wanted: RegExp): Promise<void> {
    while (!wanted.test(await composedText())) await workbench().page.waitForTimeout(100);
  }

  before(() => composeOrders(workbench(), 'orders'));
  // They lie over the panel's buttons.
  beforeEach(async () => {
    if ((await workbench().notifications().count()) > 0)
      await workbench().runCommand('Notifications: Clear All Notifications');
  });

  it('exports Markdown and JSONL from the builder to files of one’s choice', async () => {
    const panel = workbench().webview();
    const markdown = path.join(workbench().home.workspace, 'from builder.md');
    await panel.getByRole('button', { name: 'Export Markdown' }).click();
    await workbench().answerPath(markdown);
    await panel.getByText('from builder.md').waitFor();
    assert.match(await readFile(markdown, 'utf8'), new RegExp(`##keepit1\\.00## ${KEPT}`));
    const jsonl = path.join(workbench().home.workspace, 'from builder.jsonl');
    await panel.getByRole('button', { name: 'Export JSONL' }).click();
    await workbench().answerPath(jsonl);
    await panel.getByText('from builder.jsonl').waitFor();
    const lines = (await readFile(jsonl, 'utf8')).trim().split('\n');
    assert.ok(lines.length > 1 && lines.every((line) => JSON.parse(line) !== null));
    assert.ok(lines.join('\n').includes(KEPT));
  });

  it('writes nothing when the dialog is left', async () => {
    const before = await readdir(workbench().home.workspace);
    await workbench().webview().getByRole('button', { name: 'Export Markdown' }).click();
    await workbench().page.locator('.quick-input-widget input[type="text"]').first().waitFor();
    await workbench().page.keyboard.press('Escape');
    await workbench().webview().getByRole('button', { name: 'Export Markdown' }).isEnabled();
    assert.deepEqual(await readdir(workbench().home.workspace), before);
  });

  it('saves the text of one that is listed', async () => {
    await showCompositions(workbench());
    const file = path.join(workbench().home.workspace, 'saved.md');
    await workbench().pickFromMenuOf(row(), 'Save Composed Text As…');
    await workbench().answerPath(file);
    await workbench().statusItem('is saved as').waitFor();
    assert.equal(await readFile(file, 'utf8'), await composedText());
  });

  it('says that one has not arrived, as long as no session holds it', async () => {
    await workbench().pickFromMenuOf(row(), 'Has the Composition Arrived?');
    const told = workbench()
      .notifications()
      .filter({ hasText: '“orders” ' })
      .filter({ hasText: /arrive/ });
    // VS Code forgets whose menu it was when the list is read anew meanwhile: then it is asked which is meant.
    const asked = workbench().page.locator('.quick-input-list .monaco-list-row').filter({ hasText: 'orders' });
    await told.or(asked).first().waitFor();
    if (await asked.isVisible()) await asked.click();
    await told.waitFor();
  });

  it('rebuilds one from what its sessions have become, and takes that back', async () => {
    await goOn(workbench());
    await workbench().pickFromMenuOf(row(), 'Rebuild Composition');
    const told = workbench().page.locator('.notification-toast').filter({ hasText: '“orders”' });
    await told.first().waitFor();
    await untilText(/five seconds between retries/);
    await workbench().shot('composition rebuilt');
    await told.getByRole('button', { name: 'Undo' }).first().click();
    await untilText(/^(?=[^]*Retry failed orders)(?![^]*five seconds between retries)/);
  });
});
