import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { useSampleWindow } from '../support/windows';

const SESSION = 'HTTP 429 from the gauge API';

describe('Search…', () => {
  const workbench = useSampleWindow();
  const page = (): Page => workbench().page;
  const list = (): Locator => page().locator('.quick-input-list .monaco-list-row');
  const input = (): Locator => page().locator('.quick-input-widget input[type="text"]').first();
  const tab = (name: string): Locator => page().locator('.tab.active').filter({ hasText: name });

  async function search(line: string): Promise<void> {
    await page().keyboard.press('Control+Alt+h');
    await input().waitFor();
    await input().fill(line);
  }

  it('proposes filters and their values', async () => {
    await workbench().openView('Keepit');
    await workbench().openSession('Release 1.0');
    await search('');
    await list().filter({ hasText: 'what touched a file' }).waitFor();
    await workbench().shotInThemes('search empty');
    await input().fill('polling kind:ke');
    await list().filter({ hasText: 'kind:keepit' }).click();
    await list().filter({ hasText: 'We poll every 6 minutes' }).first().waitFor();
    assert.equal(await input().inputValue(), 'polling kind:keepit ');
  });

  it('finds while one types, below the names of sessions, and says what was not searched', async () => {
    await input().fill('second fetch anywhere');
    await list().filter({ hasText: SESSION }).first().waitFor();
    await workbench().shotInThemes('search');
    await input().fill('zzyzx');
    await list().filter({ hasText: 'Search All Projects' }).waitFor();
    await list().filter({ hasText: 'Nothing was found for “zzyzx” in 3 sessions of tidewatch.' }).waitFor();
    await list().filter({ hasText: '3 sessions are not in memory: only titles were searched.' }).waitFor();
    await workbench().shot('search nothing');
  });

  it('says above all what of the line cannot be meant, and nothing untrue of what it did not search', async () => {
    await input().fill('second fetch anywhere kind:nope');
    await list().filter({ hasText: SESSION }).first().waitFor();
    await list().filter({ hasText: 'kind: is one of fact,' }).waitFor();
    await workbench().shot('search problem');
    await input().fill('second fetch project:nowhere');
    await list().filter({ hasText: 'There is no project "nowhere".' }).waitFor();
    assert.equal(await list().filter({ hasText: 'is in memory yet' }).count(), 0);
  });

  it('shows what has the focus behind the list, and puts back what was there before', async () => {
    await input().fill('second fetch anywhere kind:message');
    await list().filter({ hasText: 'you ·' }).first().waitFor();
    await page().keyboard.press('ArrowDown');
    await page().keyboard.press('ArrowUp');
    await tab(SESSION).waitFor();
    await workbench().shot('search preview');
    assert.ok(await input().isVisible());
    await page().keyboard.press('Escape');
    await tab('Release').waitFor();
    assert.equal(await page().locator('.tab').filter({ hasText: SESSION }).count(), 0);
  });

  it('opens the message with the words in it', async () => {
    await search('second fetch anywhere kind:message');
    // By its words: the list keeps its rows in the page in another order than the eye sees.
    await list().filter({ hasText: 'want a second fetch anywhere' }).first().click();
    await tab(SESSION).waitFor();
    await workbench().statusItem('selected)').waitFor();
    await workbench().editorLines().filter({ hasText: 'want a second fetch anywhere' }).waitFor();
    await workbench().shotInThemes('search hit');
  });

  it('keeps results open as a document whose lines lead to their messages', async () => {
    await search('second fetch anywhere kind:message');
    await list().filter({ hasText: SESSION }).first().waitFor();
    await page().keyboard.press('Alt+Enter');
    await tab('Search: second fetch').waitFor();
    const line = workbench().editorLines().filter({ hasText: 'you ·' }).first();
    await line.waitFor();
    await workbench().shotInThemes('search results');
    await line.click();
    await page().keyboard.press('Enter');
    await tab(SESSION).waitFor();
  });

  it('brings the session of a hit into a composition', async () => {
    await search('second fetch anywhere kind:message');
    await list().filter({ hasText: SESSION }).first().waitFor();
    await page().keyboard.press('Alt+c');
    await workbench().webview().locator('.title').filter({ hasText: SESSION }).waitFor();
  });

  it('lists what happened to a file', async () => {
    await search('file:poller.ts ');
    await list().filter({ hasText: 'poller.ts' }).first().waitFor();
    await workbench().shotInThemes('search file');
    await page().keyboard.press('Escape');
  });
});
