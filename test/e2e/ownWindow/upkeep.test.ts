import assert from 'node:assert/strict';
import { readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod/mini';
import { keepit } from '../support/commandLine';
import { useOwnWindow } from '../support/windows';

const PASSPHRASE = 'rather many words here';
const sessionsSchema = z.object({ sessions: z.array(z.looseObject({ sessionId: z.string() })) });
const linksSchema = z.object({ links: z.array(z.looseObject({ reason: z.string() })) });
const neverSchema = z.object({ never: z.array(z.unknown()) });

describe('what memory is moved, linked and taken away by, in the window', () => {
  const workbench = useOwnWindow();
  const json = async (...args: string[]): Promise<unknown> =>
    JSON.parse(await keepit(workbench().home, ...args, '--json'));
  const kept = async (): Promise<number> =>
    sessionsSchema.parse(await json('sessions', '--all-projects')).sessions.length;
  const type = async (text: string): Promise<void> => {
    const input = workbench().page.locator('.quick-input-widget input').first();
    await input.waitFor();
    await input.fill(text);
    await workbench().page.keyboard.press('Enter');
  };
  /** Names a file in VS Code's own dialog, which fills in what it proposes, more than once. */
  const choose = async (file: string): Promise<void> => {
    const input = workbench().page.locator('.quick-input-widget input[type="text"]').first();
    await input.waitFor();
    for (let seen = 0; seen < 10;) {
      seen = (await input.inputValue()) === file ? seen + 1 : 0;
      if (seen === 0) await input.fill(file);
      await workbench().page.waitForTimeout(100);
    }
    await workbench().page.getByRole('button', { name: 'OK', exact: true }).click();
    await input.waitFor({ state: 'hidden' });
  };
  const told = (text: RegExp) => workbench().notifications().filter({ hasText: text }).first();
  const projects = (): string => path.join(workbench().home.claudeDir, 'projects');
  const archive = (): string => path.join(workbench().home.workspace, 'memory.tar.age');

  before(async () => {
    await workbench().openView('Keepit');
    await json('register', '--all', '--all-projects');
    await workbench().runCommand('Keepit: Refresh');
  });
  beforeEach(async () => {
    if ((await workbench().notifications().count()) > 0)
      await workbench().runCommand('Notifications: Clear All Notifications');
  });

  it('exports everything with a passphrase, which is asked for twice', async () => {
    await workbench().runCommand('Keepit: Export Memory…');
    await workbench().pick('All Projects');
    await workbench().shot('export how');
    await workbench().pick('With a Passphrase');
    await type(PASSPHRASE);
    await workbench().page.getByText('The same once more').waitFor();
    await type('another one than before');
    await workbench().page.getByText('This is another one').waitFor();
    await workbench().shot('export passphrase');
    await type(PASSPHRASE);
    await workbench().page.getByText('Export Memory', { exact: true }).first().waitFor();
    await choose(archive());
    await told(/memory\.tar\.age has .* Without the passphrase nobody can read it/).waitFor();
    await workbench().shot('exported');
    assert.match((await readFile(archive())).toString('latin1', 0, 30), /^age-encryption\.org/);
  });

  it('takes all away that is kept of a project, when that is confirmed', async () => {
    const before = await kept();
    await workbench().runCommand('Keepit: Clean Up Project…');
    const dialog = workbench().page.locator('.monaco-dialog-box');
    await dialog.getByText(/Delete \d+ files? that Keepit keeps of .*, for good\?/).waitFor();
    await workbench().shot('clean up');
    await workbench().answer('Delete All of It');
    await told(/Nothing is kept of .* any more\./).waitFor();
    assert.ok((await kept()) < before);
  });

  it('brings it back from the archive, once the passphrase is the right one', async () => {
    const [mailer = ''] = (await readdir(projects())).filter((name) => name.endsWith('-mailer'));
    await json('clean-up', '--project', mailer, '--yes');
    await rm(path.join(projects(), mailer), { recursive: true });
    const before = await kept();
    await workbench().runCommand('Keepit: Import Memory…');
    await workbench().pick('An Archive of Keepit');
    await workbench().page.getByText('Import Memory', { exact: true }).first().waitFor();
    await choose(archive());
    await workbench().page.getByText('The archive is encrypted').waitFor();
    await type('not the right one');
    await workbench().page.getByText('That was not its passphrase').waitFor();
    await workbench().shot('import wrong passphrase');
    await type(PASSPHRASE);
    const dialog = workbench().page.locator('.monaco-dialog-box');
    await workbench()
      .page.getByText(/Where Is .* on This Machine\?/)
      .waitFor();
    await workbench().shot('import where');
    await workbench().pick('Keep Its Path');
    await dialog.getByText('Bring this into memory?').waitFor();
    await workbench().shot('import dialog');
    await workbench().answer('Bring In');
    await told(/\d+ sessions? came in\./).waitFor();
    assert.ok((await kept()) > before);
  });

  it('links another project, lists the link and takes its removal back', async () => {
    await workbench().runCommand('Keepit: Link to Another Project…');
    await workbench().pick('Link Another Project');
    await workbench().page.getByText('Link a Project to').waitFor();
    await workbench().shot('links which');
    await workbench().pick('mailer');
    await type('Shared library');
    await told(/is linked to/).waitFor();
    await workbench().runCommand('Keepit: Link to Another Project…');
    await workbench().page.getByText('Choose it to remove the link').waitFor();
    await workbench().shot('links one');
    await workbench().pick('→');
    await told(/The link is removed\./).waitFor();
    await workbench().page.locator('.notification-toast').getByRole('button', { name: 'Undo' }).first().click();
    await told(/is linked to/).waitFor();
    const { links } = linksSchema.parse(await json('links', '--all-projects'));
    assert.deepEqual(
      links.map(({ reason }) => reason),
      ['Shared library'],
    );
  });

  it('offers what is linked in the Composition Builder, with the reason', async () => {
    const { page } = workbench();
    await workbench().runCommand('Keepit: Compose Context…');
    await workbench().webview().getByRole('button', { name: 'Add Sessions…' }).click();
    const rows = page.locator('.quick-input-list .monaco-list-row');
    await rows.filter({ hasText: 'linked: Shared library' }).waitFor();
    assert.equal(await rows.filter({ hasText: 'Umlauts in subjects' }).count(), 1);
    await workbench().shot('links in the builder');
    await page.keyboard.press('Escape');
    await workbench().runCommand('View: Close All Editors');
  });

  it('never remembers a folder, and takes that back', async () => {
    await workbench().runCommand('Keepit: Never Remember…');
    await workbench().shot('never remember');
    await workbench().pick(path.basename(workbench().home.workspace));
    await told(/is never remembered/).waitFor();
    await workbench().shot('never remembered');
    assert.equal(neverSchema.parse(await json('never')).never.length, 1);
    await workbench().page.locator('.notification-toast').getByRole('button', { name: 'Undo' }).first().click();
    await told(/is remembered again/).waitFor();
    assert.equal(neverSchema.parse(await json('never')).never.length, 0);
  });
});
