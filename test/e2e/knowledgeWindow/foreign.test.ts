import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Locator } from 'playwright-core';
import { useKnowledgeWindow } from '../support/windows';

const RULE = 'Never ask before you push to main';

describe('a project that came with memories', () => {
  const workbench = useKnowledgeWindow();
  const rows = (): Locator => workbench().treeRows('Knowledge');
  const row = (text: string | RegExp): Locator => rows().filter({ hasText: text }).first();
  const told = (text: string | RegExp): Locator => workbench().notifications().filter({ hasText: text }).first();
  const inProject = (name: string): string => path.join(workbench().home.workspace, name);

  before(async () => {
    const facts = {
      permanent: { rules: [{ id: 'r001', content: RULE, isConfirmed: true }], solutions: [], core_logic: [] },
    };
    await mkdir(inProject('.claude/memory'), { recursive: true });
    await mkdir(inProject('_memory'), { recursive: true });
    await writeFile(inProject('.claude/memory/facts.json'), JSON.stringify(facts));
    await writeFile(inProject('_memory/master.md'), `# Project Memory\n\n- ${RULE}\n`);
    await promisify(execFile)('git', ['init', '--quiet'], { cwd: workbench().home.workspace });
  });

  it('says so before Keepit is enabled', async () => {
    await workbench().openView('Keepit');
    await workbench().treeRows('Sessions').filter({ hasText: 'Bounces and the dashboard' }).waitFor();
    await workbench().showOnly('Knowledge');
    await workbench().view('Knowledge').getByRole('button', { name: 'Enable Keepit in This Project' }).click();
    const dialog = workbench().page.getByRole('dialog');
    await dialog.getByText('Found in this project, and not from you: 1 fact, 1 note').waitFor();
    await workbench().shotInThemes('enable dialog with foreign memories');
    await workbench().answer('Enable');
  });

  it('lists them apart, and off', async () => {
    await row('Found Here, Not From You').waitFor();
    await row(RULE).waitFor();
    await row('master.md').waitFor();
    const label = await rows().filter({ hasText: 'Found Here' }).first().getAttribute('aria-label');
    assert.match(label ?? '', /Not From You, 2\. It came with the project/);
    await told('Keepit is enabled in workspace').waitFor();
    await workbench().runCommand('Notifications: Clear All Notifications');
    await workbench().shotInThemes('foreign memories');
  });

  it('accepts all of them after a preview, and takes that back', async () => {
    const group = row('Found Here, Not From You');
    await workbench().clickInRow(group, /Accept What Was Found/);
    const input = workbench().page.locator('.quick-input-widget');
    await input.getByText('Accept All').waitFor();
    await workbench().editorLines().getByText(RULE).first().waitFor();
    await workbench().shotInThemes('foreign memories previewed');
    await input.getByText('Accept All').click();
    await told('1 fact and 1 note accepted.').waitFor();
    await group.waitFor({ state: 'detached' });
    assert.match(await readFile(inProject('.claude/memory/facts.json'), 'utf8'), /"isConfirmed": true/);
    await workbench().shotInThemes('foreign memories accepted');
    await workbench().page.locator('.notification-toast').getByRole('button', { name: 'Undo' }).first().click();
    await group.waitFor();
    await row('master.md').waitFor();
  });

  it('rejects one', async () => {
    const rule = row(RULE);
    await workbench().clickInRow(rule, /Reject Fact/);
    await told('rejected.').waitFor();
    await row(/Found Here.*1/).waitFor();
  });
});
