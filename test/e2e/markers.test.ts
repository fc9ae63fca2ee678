import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Locator } from 'playwright-core';
import { currentStage, inRepository } from './support/stage';
import { useWorkbench } from './support/useWorkbench';

/** A session with everything that looks like a marker and is none. */
const claudeFixture = inRepository(currentStage(), 'test/fixtures/marked-home');

describe('what looks like a marker', () => {
  const workbench = useWorkbench(currentStage(), { claudeFixture });
  const rows = (): Locator => workbench().treeRows('Keepits');
  const keepit = (words: string): Locator => rows().filter({ hasText: words });
  const lens = (text: string): Locator =>
    workbench().page.locator('.codelens-decoration').filter({ hasText: text }).first();

  it('is listed only when it counts: no bad weight, no torn one, none in code or from a tool', async () => {
    await workbench().openView('Keepit');
    await workbench().showOnly('Keepits');
    await keepit('Not Counting').click();
    await keepit('left behind').waitFor();
    const labels = await rows().locator('.monaco-highlighted-label').allInnerTexts();
    const words = labels.filter((text) => !/^(Critical|Important|Notable|Not Counting)$/.test(text));
    assert.deepEqual(
      words.map((text) => text.slice(0, 12)),
      ['This one cou', 'After the co', 'The new plan', 'This second ', 'The old plan'],
    );
    await workbench().shot('markers that count');
  });

  it('is reported where it stands in a transcript, with a way to keep what was meant', async () => {
    await keepit('This one counts.').dblclick();
    await lens('0.90 critical').waitFor();
    await workbench().page.locator('.squiggly-info').first().waitFor();
    await workbench().runCommand('View: Toggle Problems');
    const problems = workbench().page.locator('.markers-panel .monaco-list-row');
    await problems.filter({ hasText: 'exactly two decimals' }).waitFor();
    await problems.filter({ hasText: 'A keepit marker ends with ##.' }).waitFor();
    assert.equal(await problems.filter({ hasText: 'lies between 0.00 and 1.00' }).count(), 2);
    assert.equal(await problems.filter({ hasText: 'is a number from 0.00 to 1.00' }).count(), 1);
    await workbench().shot('markers that do not count in a transcript');
    await workbench().clickUntil(lens('Does not count · Keep as 0.80'), workbench().page.getByRole('dialog'));
    await workbench().answer('Add to Memory');
    await keepit('one decimal only.').filter({ hasText: 'added' }).waitFor();
    await problems.filter({ hasText: 'lies between 0.00 and 1.00' }).first().click();
    await workbench().page.locator('.markers-panel-action-quickfix').first().click();
    await workbench().page.getByRole('menuitem', { name: 'Mark what follows as keepit 1.00 pinned' }).hover();
    await workbench().shot('quick fix in a transcript');
    await workbench().page.keyboard.press('Enter');
    await keepit('far too heavy.').filter({ hasText: 'added' }).waitFor();
    await workbench().runCommand('View: Hide Panel');
  });

  it('is put right by a quick fix in a document of one’s own', async () => {
    await workbench().runCommand('File: New Untitled Text File');
    await workbench().runCommand('Change Language Mode');
    await workbench().page.keyboard.type('Markdown');
    await workbench().page.keyboard.press('Enter');
    await workbench().statusItem('Markdown').waitFor();
    await workbench().page.keyboard.type('##keepit0.8## UTC only.');
    await workbench().page.locator('.squiggly-warning').first().waitFor();
    await workbench().page.keyboard.press('Home');
    const fix = workbench().page.locator('.action-widget').getByText('Write ##keepit0.80##');
    await workbench().press('Control+.', fix);
    await workbench().shot('quick fix in Markdown');
    await workbench().page.keyboard.press('Enter');
    await workbench().editorLines().getByText('##keepit0.80##').waitFor();
    await lens('0.80 important').waitFor();
    await workbench().runCommand('View: Revert and Close Editor');
  });

  it('is removed and brought back, several at once', async () => {
    await keepit('This one counts.').click();
    await keepit('The new plan').click({ modifiers: ['ControlOrMeta'] });
    await workbench().page.keyboard.press('Delete');
    await workbench().notifications().filter({ hasText: '2 keepits removed.' }).waitFor();
    await keepit('0.90 · removed').waitFor();
    await keepit('0.75 · removed').waitFor();
    await workbench().shot('two keepits removed');
    await workbench().page.getByRole('button', { name: 'Undo' }).click();
    await keepit('removed').first().waitFor({ state: 'detached' });
    await keepit('This one counts.').filter({ hasText: '0.90 · survives' }).waitFor();
  });
});

describe('keepits where decay is off', () => {
  const workbench = useWorkbench(currentStage(), { claudeFixture, isNew: true });
  const keepit = (words: string): Locator => workbench().treeRows('Keepits').filter({ hasText: words });

  it('never fade, and every view says so', async () => {
    await mkdir(workbench().home.memoryDir, { recursive: true });
    const config = JSON.stringify({ version: '1.0.0', defaults: { keepitDecayEnabled: false } });
    await writeFile(path.join(workbench().home.memoryDir, 'config.json'), config);
    await workbench().openView('Keepit');
    await workbench().showOnly('Keepits');
    await workbench().runCommand('Keepit: Refresh');
    await keepit('This second block is.').filter({ hasText: '0.50 · survives' }).waitFor();
    assert.equal(await keepit('fading').count(), 0);
    await keepit('This second block is.').dblclick();
    const lens = workbench().page.locator('.codelens-decoration').filter({ hasText: 'never fades: decay is off' });
    await lens.first().waitFor();
    await workbench().editorLines().getByText('##keepit0.50##').first().hover();
    const hover = workbench().page.locator('.monaco-hover').filter({ hasText: 'never fades: decay is off' });
    await hover.waitFor();
    assert.doesNotMatch((await hover.textContent()) ?? '', /fades at|summarized|30:1/);
    await workbench().page.keyboard.press('Escape');
    const said = workbench().page.locator('.quick-input-widget').getByText('decay is off').first();
    await workbench().clickUntil(lens.first().getByText('Change weight'), said);
    await workbench().shot('decay is off');
    await workbench().page.keyboard.press('Escape');
    await workbench().runCommand('Keepit: Preview Decay');
    await workbench().webview().getByText('Decay is off in this project: every keepit is kept.').waitFor();
    await workbench().shot('decay preview where decay is off');
  });
});
