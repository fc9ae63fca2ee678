import assert from 'node:assert/strict';
import * as z from 'zod/mini';
import { keepit } from '../support/commandLine';
import { useOwnWindow } from '../support/windows';

const said = z.object({ messages: z.array(z.object({ role: z.string(), text: z.string() })) });
const told = z.object({ places: z.array(z.object({ kind: z.string() })), stillIn: z.array(z.string()) });
const state = z.object({ paused: z.boolean() });

describe('forgetting on purpose, in the window', () => {
  const workbench = useOwnWindow();
  const json = async (...args: string[]): Promise<unknown> =>
    JSON.parse(await keepit(workbench().home, ...args, '--json'));

  it('erases what is typed, after it has said where it stands', async () => {
    await workbench().openView('Keepit');
    await json('register', '1f0e4c52');
    const { messages } = said.parse(await json('messages', '1f0e4c52'));
    const words = messages
      .find(({ role }) => role === 'assistant')!
      .text.split('\n')[0]!
      .slice(0, 30)
      .trim();
    await workbench().runCommand('Keepit: Erase from Memory…');
    await workbench().page.locator('.quick-input-box input').fill(words);
    await workbench().page.keyboard.press('Enter');
    const dialog = workbench().page.locator('.monaco-dialog-box');
    await dialog.getByText(/Erase these words from \d+ files? of Keepit, for good\?/).waitFor();
    assert.match((await dialog.textContent()) ?? '', /Kept transcripts: 1.*Files of Claude Code stay as they are/s);
    await workbench().shot('erase from memory');
    await workbench().answer('Erase');
    await workbench()
      .page.getByText(/Erased from \d+ files?\. 1 file of Claude Code still has it\./)
      .first()
      .waitFor();
    await workbench().shot('erased');
    const { places, stillIn } = told.parse(await json('erase', '--text', words, '--dry-run'));
    assert.deepEqual([places, stillIn.length], [[], 1]);
  });

  it('pauses, and goes on', async () => {
    await workbench().runCommand('Keepit: Pause Remembering…');
    await workbench().pick('Until I Say So');
    await workbench().page.getByText('Nothing is remembered now.').first().waitFor();
    assert.equal(state.parse(await json('never')).paused, true);
    await workbench().runCommand('Keepit: Pause Remembering…');
    await workbench().shot('paused');
    await workbench().pick('Remember Again');
    await workbench().page.getByText('What is said is remembered again.').first().waitFor();
    assert.equal(state.parse(await json('never')).paused, false);
  });
});
