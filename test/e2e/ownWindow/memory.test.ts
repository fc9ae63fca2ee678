import assert from 'node:assert/strict';
import { readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Locator } from 'playwright-core';
import * as z from 'zod/mini';
import { keepit } from '../support/commandLine';
import { useOwnWindow } from '../support/windows';

const DAY_MS = 24 * 60 * 60 * 1000;

const listed = z.object({ keepits: z.array(z.object({ markerId: z.string(), weight: z.number() })) });

async function workspaceFolder(claudeDir: string): Promise<string> {
  const projects = path.join(claudeDir, 'projects');
  const name = (await readdir(projects)).find((candidate) => candidate.endsWith('-workspace'));
  assert.ok(name);
  return path.join(projects, name);
}

describe('keeping sessions in memory, by hand', () => {
  const workbench = useOwnWindow();

  const session = (text: string): Locator => workbench().treeRows('Sessions').filter({ hasText: text });
  const project = (text: string): Locator => workbench().treeRows('Projects').filter({ hasText: text });

  it('asks with the figures of the session, and adds it', async () => {
    await workbench().openView('Keepit');
    await workbench().unfoldRow('October 2025', 'Retry failed orders');
    await session('Retry failed orders').hover();
    await session('Retry failed orders')
      .getByRole('button', { name: /Add to Memory/ })
      .click();
    const dialog = workbench().page.locator('.monaco-dialog-box');
    await dialog.getByText('Add this session to memory?').waitFor();
    const detail = (await dialog.textContent()) ?? '';
    for (const expected of [
      /Session: 1f0e4c52/,
      /Messages: \d+ \| Tokens: about \d+/,
      /##keepit1\.00## \(1 pinned\)/,
    ]) {
      assert.match(detail, expected);
    }
    await workbench().shot('add to memory');
    await workbench().answer('Add to Memory');
    await workbench()
      .page.getByRole('treeitem', { name: /Retry failed orders, in memory/ })
      .waitFor();
    await project('1 of 2 in memory').waitFor();
    await workbench().shot('in memory');
  });

  it('shows the live session in the status bar, with what can be done with it', async () => {
    await workbench().statusItem('Claude').click();
    await workbench().page.locator('.quick-input-list').getByText('Open Transcript').waitFor();
    await workbench().shot('session actions');
    await workbench().page.keyboard.press('Escape');
  });

  it('says what removing loses, and brings everything back', async () => {
    const asked = workbench().page.locator('.monaco-dialog-box').getByText("Claude Code's own files are not touched");
    const isAsked = (): Promise<boolean> =>
      asked.waitFor({ timeout: 5000 }).then(
        () => true,
        () => false,
      );
    // A row that moves under the mouse leaves the click to its neighbour.
    do {
      await workbench().page.keyboard.press('Escape');
      await workbench().pickFromMenuOf(session('Retry failed orders'), 'Remove from Memory');
    } while (!(await isAsked()));
    await workbench().shot('remove from memory');
    await workbench().answer('Remove from Memory');
    await project('0 of 2 in memory').waitFor();
    await workbench().runCommand('Notifications: Show Notifications');
    await workbench().page.getByRole('button', { name: 'Undo' }).click();
    await project('1 of 2 in memory').waitFor();
  });

  it('shows what the command line changes, by itself', async () => {
    const { home } = workbench();
    await keepit(home, 'unregister', '1f0e4c52', '--yes');
    await project('0 of 2 in memory').waitFor();
    await keepit(home, 'register', '1f0e4c52');
    await project('1 of 2 in memory').waitFor();
    await workbench().showOnly('Keepits');
    const pinned = workbench().treeRows('Keepits').filter({ hasText: '1.00 · survives' });
    await pinned.first().waitFor();
    const { keepits } = listed.parse(JSON.parse(await keepit(home, 'keepits', '1f0e4c52', '--json')));
    const heaviest = keepits.find(({ weight }) => weight === 1)!;
    await keepit(home, 'keepit', 'weight', heaviest.markerId, '0.60');
    await workbench().treeRows('Keepits').filter({ hasText: '0.60' }).filter({ hasText: 'was 1.00' }).waitFor();
    await workbench().shot('weighed by the command line');
    await workbench().showOnly('Sessions');
    await workbench().view('Projects').locator('.pane-header').click();
  });

  it('lists sessions without months and removes without a question, where the configuration wants it', async () => {
    const { home } = workbench();
    const month = session('October 2025');
    await month.waitFor();
    await keepit(home, 'config', 'set', 'ui.confirmDestructiveActions', 'false');
    await keepit(home, 'config', 'set', 'ui.defaultView', 'list');
    await month.waitFor({ state: 'detached' });
    await workbench().shot('sessions without months');
    await workbench().pickFromMenuOf(session('Retry failed orders'), 'Remove from Memory');
    await project('0 of 2 in memory').waitFor();
    await workbench().runCommand('Notifications: Show Notifications');
    await workbench().page.getByRole('button', { name: 'Undo' }).click();
    await project('1 of 2 in memory').waitFor();
    await keepit(home, 'config', 'set', 'ui.confirmDestructiveActions', 'true');
    await keepit(home, 'config', 'set', 'ui.defaultView', 'timeline');
    await month.waitFor();
  });

  it('opens a session with the keyboard alone', async () => {
    await session('November 2025').click();
    for (const key of ['ArrowRight', 'ArrowDown', 'Enter']) await workbench().page.keyboard.press(key);
    await workbench().editorLines().filter({ hasText: /^#\s/ }).first().waitFor();
  });

  it('shows a session that begins while it looks, by itself', async () => {
    const folder = await workspaceFolder(workbench().home.claudeDir);
    const text = await readFile(path.join(folder, '2b9d7e10-3c44-4f5a-8e21-5d1f6a90b202.jsonl'), 'utf8');
    const [first = ''] = text.replaceAll('2b9d7e10', '7c7c7c7c').replace('four seconds', 'five minutes').split('\n');
    await writeFile(path.join(folder, '7c7c7c7c-3c44-4f5a-8e21-5d1f6a90b202.jsonl'), `${first}\n`);
    await session('The order list takes five minutes').waitFor();
    await rm(path.join(folder, '7c7c7c7c-3c44-4f5a-8e21-5d1f6a90b202.jsonl'));
    await session('The order list takes five minutes').waitFor({ state: 'detached' });
  });

  it('tells of the sessions that Claude Code is about to delete', async () => {
    const { claudeDir } = workbench().home;
    const projects = path.join(claudeDir, 'projects');
    const mailer = (await readdir(projects)).find((name) => name.includes('mailer'))!;
    const old = new Date(Date.now() - 28 * DAY_MS);
    for (const file of await readdir(path.join(projects, mailer)))
      await utimes(path.join(projects, mailer, file), old, old);
    await workbench().runCommand('Keepit: Refresh');
    await project('about to be deleted').waitFor();
    await project('mailer').click();
    await session('will be deleted in').waitFor();
    await workbench().shot('about to be deleted');
  });

  it('warns of the sessions of this workspace, and keeps them at one click', async () => {
    const { claudeDir } = workbench().home;
    const folder = await workspaceFolder(claudeDir);
    const old = new Date(Date.now() - 28 * DAY_MS);
    for (const file of await readdir(folder)) await utimes(path.join(folder, file), old, old);
    await workbench().runCommand('Keepit: Refresh');
    await project('1 about to be deleted').filter({ hasText: 'workspace' }).waitFor();
    await workbench().runCommand('Notifications: Show Notifications');
    await workbench().shot('retention warning');
    await workbench().page.getByRole('button', { name: 'Keep It' }).click();
    await project('2 of 2 in memory').waitFor();
  });

  it('looks whether everything is in order', async () => {
    await workbench().runCommand('Keepit: Doctor');
    await workbench().page.locator('.quick-input-title').filter({ hasText: 'Keepit: Doctor' }).waitFor();
    await workbench().shot('doctor');
    await workbench().page.keyboard.press('Escape');
  });
});
