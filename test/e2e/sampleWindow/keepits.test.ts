import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { useSampleWindow } from '../support/windows';

describe('keepits of the sample memory', () => {
  const workbench = useSampleWindow();
  const rows = (): Locator => workbench().treeRows('Keepits');
  const lens = (text: string | RegExp): Locator =>
    workbench().page.locator('.codelens-decoration').filter({ hasText: text }).first();
  const picker = (): Locator => workbench().page.locator('.quick-input-widget');

  it('are listed by weight, with what becomes of them', async () => {
    await workbench().treeRows('Projects').filter({ hasText: 'tidewatch' }).waitFor();
    await workbench().showOnly('Keepits');
    await rows().filter({ hasText: 'Critical' }).waitFor();
    const row = rows().filter({ hasText: /0\.90 · (survives|barely survives|fades)/ });
    await workbench().shotInThemes('keepits view', () => row.first().waitFor());
  });

  it('are tinted in the transcript that a click leads to', async () => {
    const row = rows().filter({ hasText: 'An alert needs two consecutive' });
    await row.click();
    const tint = workbench().editorLines().locator('[class*="ced-"]').first();
    await workbench().shotInThemes('keepit in transcript', async () => {
      for (const part of [lens('critical'), tint]) await part.waitFor();
    });
  });

  it('are weighed anew, with a preview that follows what is typed', async () => {
    await workbench().showOnly('Keepits');
    await rows().filter({ hasText: 'An alert needs two consecutive' }).click();
    await workbench().statusItem('Ln 44').waitFor();
    await workbench().clickUntil(lens('Change weight').getByText('Change weight'), picker().getByText('Critical'));
    await workbench().shot('weight presets');
    await workbench().page.keyboard.type('0.825');
    await picker().getByText('at most two decimals').waitFor();
    await workbench().shot('weight that is none');
    await workbench().page.keyboard.press('Backspace');
    await picker().getByText('0.82 important').waitFor();
    await workbench().shot('weight typed');
    await workbench().page.keyboard.press('Enter');
    await addToMemoryIfAsked();
    await lens('0.82 important (was 0.90)').waitFor();
    await rows().filter({ hasText: '0.82 · survives · was 0.90' }).waitFor();
    await workbench().shot('weight changed');
  });

  /** The session may not be in memory yet. */
  async function addToMemoryIfAsked(): Promise<void> {
    const dialog = workbench().page.getByRole('dialog');
    const asked = dialog.getByText('Add this session to memory?');
    await Promise.race([asked.waitFor(), lens(/0\.82|Unpin/).waitFor()]);
    if (await asked.isVisible()) await workbench().answer('Add to Memory');
  }

  it('tell in a hover what becomes of them', async () => {
    await workbench().editorLines().getByText('##keepit0.90##').first().hover();
    const hover = workbench().page.locator('.monaco-hover').filter({ hasText: 'distance 10 at 50:1' });
    await hover.waitFor();
    assert.match((await hover.textContent()) ?? '', /Keepit 0\.82 important · the marker itself says 0\.90/);
    await workbench().shot('keepit hover');
    await workbench().page.keyboard.press('Escape');
  });

  it('are made of what is selected, by a shortcut', async () => {
    const line = workbench()
      .editorLines()
      .filter({ hasText: /No.data.never/ })
      .first();
    await line.click();
    await workbench().page.keyboard.press('End');
    for (let times = 0; times < 3; times += 1) await workbench().page.keyboard.press('ArrowDown');
    await workbench().page.keyboard.press('Home');
    await workbench().page.keyboard.press('Shift+End');
    await workbench().page.keyboard.press('Control+Alt+k');
    await picker().getByText('Notable').click();
    await rows().filter({ hasText: 'added' }).waitFor();
    await workbench().shot('marked by hand');
  });

  it('are looked at with a click, and gone to with Enter or a double click', async () => {
    const focused = workbench().page.locator('.editor-group-container.active .monaco-editor.focused');
    const inView = workbench().view('Keepits').locator('.monaco-list:focus');
    await rows().filter({ hasText: 'Secrets come' }).click();
    await lens('1.00 pinned').waitFor();
    await inView.waitFor();
    await workbench().page.keyboard.press('ArrowDown');
    await workbench().page.keyboard.press('Enter');
    await focused.waitFor();
    await rows().filter({ hasText: 'Secrets come' }).dblclick();
    await focused.waitFor();
    await lens('1.00 pinned').waitFor();
    await rows().filter({ hasText: 'Pinned' }).first().click();
    await workbench().page.keyboard.press('Enter'); // folds and unfolds, as everywhere
    await rows().filter({ hasText: 'Secrets come' }).waitFor();
    assert.equal(await workbench().notifications().count(), 0);
  });

  it('are removed with the keyboard, stay visible as removed, and come back', async () => {
    await rows().filter({ hasText: 'added' }).click();
    await workbench().statusItem('Ln ').waitFor();
    await workbench().page.keyboard.press('Delete'); // a click leaves the focus in the view
    await rows().filter({ hasText: 'Not Counting' }).click();
    const removed = rows().filter({ hasText: '0.50 · removed · added' });
    await removed.waitFor();
    await workbench().shot('removed keepit');
    await removed.hover();
    await removed.getByRole('button', { name: /Restore Keepit/ }).click();
    await rows().filter({ hasText: 'added' }).waitFor();
  });

  it('are tinted in the raw transcript and in Markdown too', async () => {
    await workbench()
      .editorLines()
      .filter({ hasText: /An.alert.needs/ })
      .first()
      .click();
    await workbench().page.keyboard.press('Alt+o');
    await workbench().editorLines().filter({ hasText: '{"parentUuid"' }).first().waitFor();
    await lens('0.82 important').waitFor();
    await workbench().shot('keepit in raw transcript');
    await workbench().runCommand('File: New Untitled Text File');
    await workbench().runCommand('Change Language Mode');
    await workbench().page.keyboard.type('Markdown');
    await workbench().page.keyboard.press('Enter');
    await workbench().page.keyboard.type(
      '# Rules\n\n##keepit1.00## UTC only. ##keepit:end##\nAnd ##keepit0.8## this.\n',
    );
    await lens('1.00 pinned').waitFor();
    await workbench().page.locator('.squiggly-warning').first().waitFor();
    await workbench().page.keyboard.type('##kee');
    await workbench().page.locator('.suggest-widget').getByText('Important').waitFor();
    await workbench().shot('keepits in Markdown');
    await workbench().page.keyboard.press('Escape');
    await workbench().runCommand('View: Revert and Close Editor');
  });
});
