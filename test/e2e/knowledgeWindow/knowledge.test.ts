import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { appendFile, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Locator } from 'playwright-core';
import { goOn } from '../support/goOn';
import { useKnowledgeWindow } from '../support/windows';

const SESSION = 'b7e2d914-5c08-4f63-8a2d-1e9c3f5b7a46';

describe('Keepit in a project of one’s own', () => {
  const workbench = useKnowledgeWindow();
  const rows = (): Locator => workbench().treeRows('Knowledge');
  const row = (text: string | RegExp): Locator => rows().filter({ hasText: text }).first();
  const told = (text: string | RegExp): Locator => workbench().notifications().filter({ hasText: text }).first();
  const press = async (label: string): Promise<void> =>
    workbench().page.locator('.notification-toast').getByRole('button', { name: label }).first().click();
  const layersDir = (): string => path.join(workbench().home.workspace, '.claude/memory');
  const notebookDir = (): string => path.join(workbench().home.workspace, '_memory');
  const master = (): string => path.join(notebookDir(), 'master.md');
  const notes = (): Promise<string[]> => readdir(path.join(notebookDir(), 'conversations'));

  before(async () => {
    await promisify(execFile)('git', ['init', '--quiet'], { cwd: workbench().home.workspace });
  });

  it('is offered by an empty view, which says what it is for', async () => {
    await workbench().openView('Keepit');
    await workbench().treeRows('Sessions').filter({ hasText: 'Bounces and the dashboard' }).waitFor();
    await workbench().showOnly('Knowledge');
    await workbench().view('Knowledge').getByRole('button', { name: 'Enable Keepit in This Project' }).waitFor();
    await workbench().shot('knowledge not enabled');
  });

  it('says what will be written, and where, before anything is', async () => {
    await workbench().view('Knowledge').getByRole('button', { name: 'Enable Keepit in This Project' }).click();
    const dialog = workbench().page.getByRole('dialog');
    await dialog.getByText('Enable Keepit in workspace?').waitFor();
    const text = (await dialog.textContent()) ?? '';
    for (const part of [
      layersDir(),
      'facts.json',
      'memory.md',
      '_memory',
      'master.md',
      '/.claude/memory/',
      'exclude',
    ]) {
      assert.ok(text.includes(part), `${part} is not in: ${text}`);
    }
    await workbench().shot('enable dialog');
    assert.deepEqual(await readdir(workbench().home.workspace), ['.git', 'README.md']);
    await workbench().answer('Enable');
  });

  it('lists what has to be looked at first, then what holds', async () => {
    await row('To Review').waitFor();
    await row('mail_').waitFor();
    await told('Keepit is enabled in workspace').waitFor();
    await workbench().shot('knowledge enabled');
    const exclude = await readFile(path.join(workbench().home.workspace, '.git/info/exclude'), 'utf8');
    assert.match(exclude, /^\/\.claude\/memory\/$/m);
    const badge = workbench()
      .page.locator('.activitybar')
      .getByRole('tab', { name: /Keepit/ });
    assert.match((await badge.getAttribute('aria-label')) ?? '', /1 fact of workspace to review/);
    await workbench().runCommand('Notifications: Clear All Notifications');
  });

  it('folds what was replaced under what replaced it', async () => {
    const rule = row('No more');
    await rule.click();
    await workbench().page.keyboard.press('ArrowRight');
    await row('send_').waitFor();
    await workbench().shot('knowledge unfolded');
  });

  it('says everything of a row in a side bar that is wide enough', async () => {
    const widthBefore = await workbench().sideBarWidth();
    await workbench().widenSideBar(420);
    await row('tests before the code').click();
    await workbench().editorLines().getByText('Noted. The next test').first().waitFor();
    await row(/does it still hold\? · acted against 6× · you said so · Jan 12, 2026/).waitFor();
    await workbench().shot('knowledge in a wide side bar');
    await workbench().widenSideBar(-420);
    assert.equal(await workbench().sideBarWidth(), widthBefore);
  });

  it('takes a confirmation from a row, and takes it back', async () => {
    const toReview = (count: number): Locator =>
      workbench().page.getByRole('treeitem', { name: `To Review, ${count}.` });
    const rule = row('Never use axios');
    await rule.hover();
    await rule.getByRole('button', { name: /Confirm Fact/ }).click();
    await toReview(2).waitFor();
    await told('confirmed.').waitFor();
    await workbench().shot('fact confirmed');
    await press('Undo');
    await toReview(3).waitFor();
  });

  it('takes other words with F2', async () => {
    await row('tests before the code').click();
    await workbench().page.keyboard.press('F2');
    const input = workbench().page.locator('.quick-input-widget input');
    await input.waitFor();
    await workbench().shot('fact edited');
    await input.fill('Write the tests first in src/mail.');
    await workbench().page.keyboard.press('Enter');
    await row('Write the tests first in src/mail.').waitFor();
    await press('Undo');
    await row('tests before the code').waitFor();
  });

  it('forgets with Delete, and remembers again', async () => {
    await row('tests before the code').click();
    await workbench().page.keyboard.press('Delete');
    await row('tests before the code').waitFor({ state: 'detached' });
    await told('It will not come back').waitFor();
    await press('Undo');
    await row('tests before the code').waitFor();
    await workbench().runCommand('Notifications: Clear All Notifications');
  });

  it('unfolds a concept to the requests that it is about', async () => {
    await row('Concepts').click();
    await row('Bounce endpoint').click();
    await row('Now the bounce endpoint').waitFor();
    await workbench().shot('knowledge concept');
    await row('Concepts').click();
  });

  it('takes in by itself what is said meanwhile', async () => {
    await goOn(workbench(), SESSION, 'Always name branches after the ticket.');
    await row('Always name branches after the ticket').waitFor();
  });

  it('summarizes a session from its menu, and takes that back', async () => {
    await workbench().showOnly('Sessions');
    const session = workbench().treeRows('Sessions').filter({ hasText: 'Order mails' });
    await workbench().pickFromMenuOf(session, 'Summarize Session');
    await told('Its summary is written.').waitFor();
    assert.equal((await notes()).length, 1);
    await press('Undo');
    await workbench().statusItem('Its summary: as before.').waitFor();
    assert.deepEqual(await notes(), []);
    await workbench().pickFromMenuOf(session, 'Summarize Session');
    await told('Its summary is written.').waitFor();
    await press('Open');
    await workbench().page.locator('.tab.active').filter({ hasText: '6a1f7c20' }).waitFor();
    await workbench().runCommand('Notifications: Clear All Notifications');
  });

  it('takes no summary back that somebody has changed since', async () => {
    const session = workbench().treeRows('Sessions').filter({ hasText: 'Bounces and the dashboard' });
    await workbench().pickFromMenuOf(session, 'Summarize Session');
    await told('Its summary is written.').waitFor();
    const file = path.join(notebookDir(), 'conversations', `${SESSION}.md`);
    await appendFile(file, 'Mine.\n');
    await press('Undo');
    await told('was changed since it was written. Nothing was taken back.').waitFor();
    await workbench().shot('undo refused');
    assert.match(await readFile(file, 'utf8'), /Mine\.\n$/);
    await press('Open');
    await workbench().page.locator('.tab.active').filter({ hasText: 'b7e2d914' }).waitFor();
    await workbench().runCommand('Notifications: Clear All Notifications');
  });

  it('shows what the project memory would become, and anew when the notebook changes meanwhile', async () => {
    await workbench().runCommand('Keepit: Synthesize Project Memory…');
    await workbench().page.locator('.monaco-diff-editor').waitFor();
    await workbench().page.locator('.quick-input-list').getByText('Apply').waitFor();
    await workbench().page.locator('.monaco-diff-editor .view-line').getByText('SQLite').first().waitFor();
    await workbench().shot('synthesis proposed');
    await assert.rejects(readFile(master()));
    const decision = '- **Decision:** We decided to send digests with Postmark from now on.';
    const file = path.join(notebookDir(), 'conversations', `${SESSION}.md`);
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.replace('## Tracking Points\n\n', `## Tracking Points\n\n${decision}\n`));
    await workbench().pick('Apply');
    await workbench().page.locator('.quick-input-title').getByText('The notebook was changed meanwhile.').waitFor();
    await workbench().page.locator('.monaco-diff-editor .view-line').getByText('Postmark').first().waitFor();
    await workbench().shot('synthesis proposed anew');
    await assert.rejects(readFile(master()));
  });

  it('writes what it has shown, to the byte, and takes it back', async () => {
    await workbench().pick('Apply');
    await told('The project memory is written.').waitFor();
    const written = await readFile(master(), 'utf8');
    for (const word of ['SQLite', 'Postmark']) assert.ok(written.includes(word), word);
    await press('Undo');
    await workbench().statusItem('The project memory: as before.').waitFor();
    await assert.rejects(readFile(master()));
    await workbench().runCommand('Keepit: Synthesize Project Memory…');
    await workbench().page.locator('.monaco-diff-editor .view-line').getByText('Postmark').first().waitFor();
    const lines = workbench().page.locator('.monaco-diff-editor .modified .view-line');
    const shown = lines.filter({ hasText: 'Last synthesized' });
    // The question takes the focus when it comes, and covers the first lines.
    for (let tries = 0; tries < 20 && !(await shown.isVisible()); tries += 1) {
      await lines.filter({ hasText: 'Postmark' }).first().click();
      await workbench().page.keyboard.press('ControlOrMeta+End');
      await shown.waitFor({ timeout: 1000 }).catch(() => undefined); // tried again
    }
    const foot = ((await shown.textContent()) ?? '').replaceAll('\u00a0', ' ');
    await workbench().page.locator('.quick-input-widget input').click();
    await workbench().pick('Apply');
    await told('The project memory is written.').waitFor();
    assert.ok((await readFile(master(), 'utf8')).includes(`${foot}\n`), foot);
    await workbench().runCommand('Notifications: Clear All Notifications');
  });

  it('recalls it as Markdown that may be edited', async () => {
    await workbench().runCommand('Keepit: Recall Project Memory');
    await workbench().page.locator('.tab.active').filter({ hasText: 'master.md' }).waitFor();
    await workbench().showOnly('Knowledge');
    await row('Notebook').click();
    await row('Project Memory').waitFor();
    await workbench().shot('project memory');
  });

  it('is disabled again, says what stays, and can go on', async () => {
    await workbench().runCommand('Keepit: Disable Keepit in This Project…');
    const dialog = workbench().page.getByRole('dialog');
    await dialog.getByText('What is there stays').waitFor();
    await workbench().shot('disable dialog');
    await workbench().answer('Disable');
    await workbench().view('Knowledge').getByRole('button', { name: 'Enable Keepit in This Project' }).waitFor();
    assert.ok((await readdir(layersDir())).includes('facts.json'));
    const exclude = await readFile(path.join(workbench().home.workspace, '.git/info/exclude'), 'utf8');
    assert.doesNotMatch(exclude, /claude|_memory/);
    await press('Enable Again');
    await row('Rules').waitFor();
  });
});
