import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import type { FrameLocator, Locator } from 'playwright-core';
import { FakeAnthropic } from '../unit/support/fakeAnthropic';
import { currentStage } from './support/stage';
import { useWorkbench } from './support/useWorkbench';
import type { Workbench } from './support/workbench';

describe('a compression that is under way', () => {
  const env: Record<string, string> = { ANTHROPIC_API_KEY: 'sk-ant-none' };
  let claude: FakeAnthropic;
  before(async () => {
    claude = await FakeAnthropic.start();
    claude.otherwise = () => ({ fault: 'silent' });
    env['ANTHROPIC_BASE_URL'] = claude.url;
  });
  after(() => claude.stop());

  const workbench = useWorkbench(currentStage(), { env, settings: { 'keepit.compression.provider': 'anthropic' } });
  const panel = (): FrameLocator => workbench().webview();
  const create = (): Locator => panel().getByRole('button', { name: 'Create Compression' });
  const cancelled = (): Locator => panel().getByText('Cancelled. Nothing was written.');

  const message = (): Locator =>
    workbench().page.locator('.notification-toast').filter({ hasText: 'Compressing “The order list' });

  /** Starts one by the keyboard, and waits until the model has been asked. */
  async function begin(): Promise<void> {
    const before = claude.requests.length;
    await create().focus();
    await workbench().page.keyboard.press('Enter');
    await workbench().answer('Compress');
    await panel().getByRole('button', { name: 'Cancel' }).waitFor();
    while (claude.requests.length === before) await workbench().page.waitForTimeout(50);
  }

  it('is cancelled from the keyboard', async () => {
    await workbench().openView('Keepit');
    await workbench().treeRows('Projects').filter({ hasText: 'mailer' }).waitFor();
    await workbench().treeRows('Sessions').filter({ hasText: 'The order list takes' }).click();
    await workbench().page.locator('.tab.active').filter({ hasText: 'The order list takes' }).waitFor();
    await workbench().runCommand('Keepit: Create Compression…');
    await workbench().answer('Add to Memory');
    await panel()
      .getByText(/^Will preserve/)
      .waitFor();
    await begin();
    await workbench().shot('compression under way');
    await panel().getByRole('button', { name: 'Cancel' }).focus();
    await workbench().page.keyboard.press('Enter');
    await cancelled().waitFor();
    await message().waitFor({ state: 'detached' });
    await workbench().shot('compression cancelled');
    assert.deepEqual(await written(workbench()), []);
  });

  it('is cancelled by its message, and can be tried again', async () => {
    await begin();
    await message().getByRole('button', { name: 'Cancel' }).click();
    await cancelled().waitFor();
    assert.deepEqual(await written(workbench()), []);
    await panel().getByRole('combobox', { name: 'Summarizer' }).click();
    await panel()
      .getByRole('option', { name: /^Built-in/ })
      .click();
    await create().click();
    await panel()
      .getByText(/^Made v001/)
      .waitFor();
    assert.equal((await written(workbench())).length, 2);
  });
});

/** What stands in the folders of versions: whole or in part. */
async function written({ home }: Workbench): Promise<string[]> {
  const entries = await readdir(home.memoryDir, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ name, parentPath }) => `${parentPath}/${name}`);
  return files.filter((file) => /\/summaries\/.*\.(md|jsonl|tmp|part)/.test(file));
}
