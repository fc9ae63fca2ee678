import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Locator } from 'playwright-core';
import { currentStage } from './support/stage';
import { useWorkbench, type Workbench } from './support/workbench';

const WORDS = 'An alert needs two consecutive';
const COMMAND = 'Keepit: Write Weight into Transcript…';

/** The sample's own copy of the transcript with these words. */
async function transcriptWith({ home }: Workbench, words: string): Promise<string> {
  const entries = await readdir(home.workspace, { recursive: true, withFileTypes: true });
  for (const entry of entries.filter(({ name }) => name.endsWith('.jsonl'))) {
    const file = path.join(entry.parentPath, entry.name);
    if (file.includes('claude-home') && (await readFile(file, 'utf8')).includes(words)) return file;
  }
  throw new Error(`No transcript with “${words}”`);
}

describe('writing a weight into a transcript', () => {
  const workbench = useWorkbench(currentStage(), { isSample: true });

  it('is off: the command says why, and where it is turned on', async () => {
    await workbench().showOnly('Keepits');
    await workbench().treeRows('Keepits').filter({ hasText: WORDS }).click();
    await workbench().runCommand(COMMAND);
    await workbench().page.getByRole('dialog').getByText('Writing into transcripts is turned off.').waitFor();
    await workbench().shot('writing is off');
    await workbench().answer('Open Setting');
    await workbench().page.locator('.settings-editor').getByText('Allow Transcript Edits').first().waitFor();
  });
});

describe('writing a weight into a transcript, once it is allowed', () => {
  const settings = { 'keepit.allowTranscriptEdits': true };
  const workbench = useWorkbench(currentStage(), { isSample: true, settings });
  const row = (): Locator => workbench().treeRows('Keepits').filter({ hasText: WORDS });
  const dialog = (): Locator => workbench().page.getByRole('dialog');
  const lens = (text: string): Locator =>
    workbench().page.locator('.codelens-decoration').filter({ hasText: text }).first();

  it('shows what it will do, changes four characters, and tells every view', async () => {
    await workbench().showOnly('Keepits');
    await row().click();
    await lens('0.90 critical').waitFor();
    const file = await transcriptWith(workbench(), WORDS);
    const before = await readFile(file, 'utf8');
    await workbench().pickFromMenuOf(row(), 'Write Weight into Transcript…');
    await workbench().page.locator('.quick-input-widget').getByText('Important').waitFor();
    await workbench().page.keyboard.type('0.8');
    await workbench().page.keyboard.press('Enter');
    await dialog().getByText('Write ##keepit0.80## into').waitFor();
    await workbench().shot('writing a weight');
    assert.equal(await readFile(file, 'utf8'), before);
    await workbench().answer('Write into Transcript');
    await lens('0.80 important').waitFor();
    await workbench().editorLines().getByText('##keepit0.80##').first().waitFor();
    await row().filter({ hasText: '0.80' }).waitFor();
    const at = before.lastIndexOf('##keepit0.90##', before.indexOf(WORDS));
    const expected = `${before.slice(0, at)}##keepit0.80##${before.slice(at + 14)}`;
    assert.equal(await readFile(file, 'utf8'), expected);
    await workbench().shot('a weight was written');
    await workbench().page.getByRole('button', { name: 'Undo' }).click();
    await lens('0.90 critical').waitFor();
    await row().filter({ hasText: '0.90' }).waitFor();
    assert.equal(await readFile(file, 'utf8'), before);
  });

  it('is offered where a weight was changed in memory, and comes after the keepit editor', async () => {
    const picker = workbench().page.locator('.quick-input-widget');
    await workbench().clickLens(lens('Change weight').getByText('Change weight'), picker.getByText('Notable'));
    await workbench().page.keyboard.type('0.82');
    await picker.getByText('0.82 important').waitFor();
    await workbench().shot('keepit editor with its way into the transcript');
    await workbench().page.keyboard.press('Enter');
    const asked = dialog().getByText('Add this session to memory?');
    await Promise.race([asked.waitFor(), lens('Write into transcript').waitFor()]);
    if (await asked.isVisible()) await workbench().answer('Add to Memory');
    await workbench().clickLens(
      lens('Write into transcript').getByText('Write into transcript'),
      picker.getByText('0.82 important'),
    );
    await workbench().page.keyboard.press('Enter');
    await dialog().getByText('Write ##keepit0.82## into').waitFor();
    await workbench().answer('Write into Transcript');
    await workbench().editorLines().getByText('##keepit0.82##').first().waitFor();
    await lens('Write into transcript').waitFor({ state: 'detached' });
    await row()
      .filter({ hasText: /0\.82 · survives(?! · was)/ })
      .waitFor();
  });
});
