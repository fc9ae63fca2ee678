import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { FrameLocator, Locator } from 'playwright-core';
import { rowsOf, showCompositions } from '../support/builder';
import { useSampleWindow } from '../support/windows';
import type { Workbench } from '../support/workbench';

const TITLES = ['Store tide gauge readings', 'HTTP 429 from the gauge', 'SMS warnings', 'Signed push feed'];

/** Sessions of the sample, with the views around them folded: lists draw only the rows that there is room for. */
async function selectSessions(workbench: Workbench, titles: readonly string[]): Promise<Locator> {
  await workbench.openView('Keepit');
  await workbench.showOnly('Sessions');
  const rows = workbench.treeRows('Sessions');
  await rows.filter({ hasText: 'Release 1.0' }).waitFor();
  const folded = rows.and(workbench.page.locator('[aria-expanded="false"]')).filter({ hasText: /^\w+ 20\d\d/ });
  // A list that was drawn anew just then has not seen the click.
  for (let tries = 0; tries < 30 && (await folded.count()) > 0; tries += 1) {
    await folded.first().click();
    await workbench.page.waitForTimeout(300);
  }
  const [first = '', ...others] = titles;
  const row = rows.filter({ hasText: first });
  await row.click();
  await workbench.page.locator('.tab.active').filter({ hasText: first }).waitFor();
  for (const title of others) await rows.filter({ hasText: title }).click({ modifiers: ['ControlOrMeta'] });
  return row;
}

/** As a hand drags: VS Code asks the extension what is dragged, and a drop before the answer is nothing. */
async function dragTo({ page }: Workbench, from: Locator, to: Locator): Promise<void> {
  await from.hover();
  await page.mouse.down();
  const box = await to.boundingBox();
  assert.ok(box !== null);
  const [x, y] = [box.x + box.width / 3, box.y + box.height / 2];
  await page.mouse.move(x, y - 60, { steps: 6 });
  for (let step = 0; step < 8; step += 1) {
    await page.mouse.move(x + step, y, { steps: 2 });
    await page.waitForTimeout(100);
  }
  await page.mouse.up();
}

/** A builder with these sessions in it. */
async function openBuilder(workbench: Workbench, titles: readonly string[] = TITLES): Promise<FrameLocator> {
  await workbench.pickFromMenuOf(await selectSessions(workbench, titles), 'Compose Context…');
  await workbench.answer('Add to Memory');
  const panel = workbench.webview();
  await rowsOf(panel)
    .nth(titles.length - 1)
    .waitFor();
  await totals(panel)
    .filter({ hasText: /[\d,]+ of 16,000 tokens/ })
    .waitFor();
  return panel;
}

function totals(panel: FrameLocator): Locator {
  return panel.locator('.budget-text');
}

async function order(panel: FrameLocator): Promise<string[]> {
  return rowsOf(panel).locator('.title').allInnerTexts();
}

/** Waits until the rows stand like that. */
async function expectOrder(panel: FrameLocator, expected: readonly string[]): Promise<void> {
  for (const [at, title] of expected.entries()) {
    await rowsOf(panel).nth(at).locator('.title').getByText(title, { exact: true }).waitFor();
  }
}

describe('the Composition Builder', () => {
  const workbench = useSampleWindow();
  const panel = (): FrameLocator => workbench().webview();
  const budget = (): Locator => panel().getByRole('spinbutton', { name: 'Token budget' });
  let sorted: string[] = [];

  it('shows what the sessions that were chosen come to', async () => {
    await openBuilder(workbench());
    await workbench().shotInThemes('composition builder', () => panel().getByText('Keepits in:').waitFor());
  });

  it('says what each strategy would change, and shows the text', async () => {
    await panel().getByRole('tab', { name: 'Strategy' }).click();
    await panel()
      .getByText(/keeps \d+ % of what matters · [\d,]+ tokens/)
      .nth(3)
      .waitFor();
    await workbench().shotInThemes('composition strategies');
    await panel().getByRole('tab', { name: 'Preview' }).click();
    await panel().locator('.text pre').first().getByText('Context from past sessions').waitFor();
    await workbench().shotInThemes('composition text');
    await panel().getByRole('tab', { name: 'In and Out' }).click();
  });

  it('puts sessions in the order of time', async () => {
    sorted = await order(panel());
    assert.equal(sorted.length, 4);
    assert.ok(sorted[0]?.startsWith('Store tide gauge readings'));
  });

  it('orders them by the mouse, and takes that back', async () => {
    const [a = '', b = '', c = '', d = ''] = sorted;
    const grip = await rowsOf(panel()).nth(0).locator('.grip').boundingBox();
    const target = await rowsOf(panel()).nth(2).boundingBox();
    assert.ok(grip !== null && target !== null);
    const { mouse } = workbench().page;
    await mouse.move(grip.x + grip.width / 2, grip.y + grip.height / 2);
    await mouse.down();
    await mouse.move(grip.x + 10, target.y + target.height * 0.8, { steps: 8 });
    await panel().locator('li.component.below').waitFor();
    await workbench().shot('composition drag');
    await mouse.up();
    await expectOrder(panel(), [b, c, a, d]);
    await panel().getByRole('button', { name: 'Undo' }).click();
    await expectOrder(panel(), [a, b, c, d]);
  });

  it('orders them by the keyboard, keeps the focus, and undoes by keys', async () => {
    const [a = '', b = '', c = '', d = ''] = sorted;
    await panel()
      .getByRole('button', { name: new RegExp(`^Move “${a.slice(0, 12)}`) })
      .focus();
    await workbench().page.keyboard.press('ArrowDown');
    await expectOrder(panel(), [b, a, c, d]);
    await workbench().page.keyboard.press('End');
    await expectOrder(panel(), [b, c, d, a]);
    await panel().locator('li.component:nth-child(4) .grip:focus').waitFor();
    await panel().getByText('is now 4 of 4').waitFor({ state: 'attached' });
    await workbench().page.keyboard.press('ControlOrMeta+z');
    await expectOrder(panel(), [b, a, c, d]);
    await workbench().page.keyboard.press('ControlOrMeta+z');
    await expectOrder(panel(), [a, b, c, d]);
    await workbench().page.keyboard.press('ControlOrMeta+Shift+z');
    await expectOrder(panel(), [b, a, c, d]);
    await panel().getByRole('button', { name: 'Oldest First' }).click();
    await expectOrder(panel(), sorted);
  });

  it('says at once what another budget comes to, and which is the smallest one that works', async () => {
    await budget().fill('4000');
    await totals(panel()).filter({ hasText: 'of 4,000 tokens' }).waitFor();
    await budget().fill('50');
    await panel().getByRole('alert').getByText('50 tokens are too few').waitFor();
    assert.ok(await panel().getByRole('button', { name: 'Compose', exact: true }).isDisabled());
    await workbench().shot('composition budget too small');
    await panel()
      .getByRole('button', { name: /^Use [\d,]+ Tokens$/ })
      .click();
    await panel().getByRole('alert').waitFor({ state: 'detached' });
    await budget().fill('12000');
    await totals(panel()).filter({ hasText: 'of 12,000 tokens' }).waitFor();
  });

  it('takes the version that is picked, and one that is made anew', async () => {
    const version = panel().getByRole('combobox', { name: /^Version of “HTTP 429/ });
    await version.selectOption('original');
    const row = rowsOf(panel()).filter({ hasText: 'HTTP 429' });
    await row.getByText('as asked').waitFor();
    const other = rowsOf(panel()).filter({ hasText: 'SMS warnings' });
    await other
      .getByRole('combobox', { name: /^Version of/ })
      .selectOption({ label: 'Recompress from original: moderate' });
    await other.getByText('made anew, as asked').waitFor();
    await workbench().shot('composition recompress');
  });

  it('removes a session, and adds one from a list', async () => {
    await panel().getByRole('button', { name: 'Remove “Signed push feed replaces polling”' }).click();
    await panel().getByRole('heading', { name: 'Sessions: 3' }).waitFor();
    await panel().getByRole('button', { name: 'Add Sessions…' }).click();
    await workbench().page.locator('.quick-input-widget input[type="text"]').first().fill('Signed push');
    await workbench()
      .page.locator('.quick-input-list .monaco-list-row')
      .filter({ hasText: 'Signed push feed' })
      .click();
    await workbench().page.locator('.quick-input-widget').getByRole('button', { name: 'OK' }).click();
    await panel().getByRole('heading', { name: 'Sessions: 4' }).waitFor();
    await panel().getByRole('textbox', { name: 'Name' }).fill('a/b');
    await panel().getByText('it holds a slash').first().waitFor();
    await panel().getByRole('textbox', { name: 'Name' }).fill('high-water');
  });

  it('is as it was after the window was reloaded, with what can be undone', async () => {
    await workbench().runCommand('Developer: Reload Window');
    const tab = workbench().page.locator('.tab').filter({ hasText: 'Compose: tidewatch' });
    await tab.waitFor({ state: 'detached' });
    await tab.click();
    const name = panel().getByRole('textbox', { name: 'Name' });
    await name.waitFor();
    assert.equal(await name.inputValue(), 'high-water');
    assert.equal(await budget().inputValue(), '12000');
    await rowsOf(panel()).filter({ hasText: 'SMS warnings' }).getByText('made anew, as asked').waitFor();
    assert.ok(await panel().getByRole('button', { name: 'Undo' }).isEnabled());
  });

  it('takes in first what says most to a purpose', async () => {
    await budget().fill('6000');
    await panel().getByRole('textbox', { name: 'Purpose' }).fill('the retries after HTTP 429');
    await rowsOf(panel()).getByText('what it says to the purpose').first().waitFor();
    await workbench().shotInThemes('composition purpose');
    // All that is typed from here on is typed at once, as on a fast machine.
    await budget().evaluate(() => Object.assign(performance, { now: () => 0 }));
    await budget().fill('12000');
    await totals(panel()).filter({ hasText: 'of 12,000 tokens' }).waitFor();
  });

  it('composes exactly what it shows, and lists what it made', async () => {
    await panel().getByText('updating…').waitFor({ state: 'detached' });
    const shown = /[\d,]+(?= of)/.exec(await totals(panel()).innerText())?.[0] ?? '';
    await panel().getByRole('button', { name: 'Compose', exact: true }).click();
    await workbench()
      .notifications()
      .filter({ hasText: `Composed “high-water”: ${shown} tokens from` })
      .waitFor();
    await panel().getByText('saved, with these figures').waitFor();
    await totals(panel())
      .filter({ hasText: `${shown} of 12,000 tokens` })
      .waitFor();
    await panel().getByRole('button', { name: 'Start Claude Code with This Context' }).waitFor();
    await showCompositions(workbench());
    await workbench().treeRows('Compositions').filter({ hasText: 'high-water' }).waitFor();
    await workbench().shot('composition made');
  });

  it('says when a setting has changed since, and that it is as saved again', async () => {
    const shown = await totals(panel()).innerText();
    await budget().fill('6000');
    await panel().getByText('changed since saved').waitFor();
    await totals(panel()).filter({ hasText: 'of 6,000 tokens' }).waitFor();
    await panel().getByRole('button', { name: 'Undo' }).click();
    await panel().getByText('saved, with these figures').waitFor();
    await totals(panel()).filter({ hasText: shown }).waitFor();
  });

  it('can be used in half the width', async () => {
    await workbench().page.setViewportSize({ width: 760, height: 700 });
    await workbench().shot('composition narrow');
  });
});

describe('compositions that are saved', () => {
  const workbench = useSampleWindow();
  const panel = (): FrameLocator => workbench().webview();
  const rows = (): Locator => workbench().treeRows('Compositions');
  const row = (): Locator => rows().filter({ hasText: 'tidewatch-context' });

  it('are listed as soon as they are made', async () => {
    await openBuilder(workbench(), ['Signed push feed']);
    await panel().getByRole('button', { name: 'Compose', exact: true }).click();
    await panel().getByText('“tidewatch-context” is saved').waitFor();
    await showCompositions(workbench());
    await row().waitFor();
  });

  it('take in sessions that are dropped on them', async () => {
    await workbench().view('Sessions').locator('.pane-header').click();
    const session = workbench().treeRows('Sessions').filter({ hasText: 'Release 1.0' });
    await dragTo(workbench(), session, row());
    await workbench().answer('Add to Memory');
    await workbench().page.locator('.tab.active').filter({ hasText: 'Compose: tidewatch-context' }).waitFor();
    await rowsOf(panel()).filter({ hasText: 'Release 1.0' }).waitFor();
    await panel().getByRole('heading', { name: 'Sessions: 2' }).waitFor();
    await workbench().view('Sessions').locator('.pane-header').click();
  });

  it('open as text for reading', async () => {
    await row().click();
    await workbench().page.locator('.tab.active').filter({ hasText: 'tidewatch-context.md' }).waitFor();
    await workbench().editorLines().filter({ hasText: 'Signed push feed' }).first().waitFor();
    await workbench().shot('composition opened');
  });

  it('say so where there is no claude to start with them', async () => {
    await workbench().pickFromMenuOf(row(), 'Start Claude Code with This Context');
    await workbench().notifications().filter({ hasText: 'was not found on this machine' }).waitFor();
    const [folder = ''] = await composedFiles(workbench());
    assert.ok(folder.endsWith('.jsonl'));
  });

  it('wait for the next session, until they are told not to', async () => {
    await workbench().pickFromMenuOf(row(), 'Use in the Next Session');
    await row().filter({ hasText: 'waits for the next session' }).waitFor();
    await workbench().notifications().filter({ hasText: 'waits for the next session of the project' }).waitFor();
    await workbench().shot('composition armed');
    await workbench().pickFromMenuOf(row(), 'Do Not Use in the Next Session');
    await row().filter({ hasNotText: 'waits for the next session' }).waitFor();
  });

  it('are renamed, deleted and brought back from the keyboard', async () => {
    await row().click();
    await workbench().page.keyboard.press('F2');
    const input = workbench().page.locator('.quick-input-widget input');
    await input.fill('a.b/c');
    await workbench().page.getByText('it holds a slash').waitFor();
    await input.fill('release');
    await workbench().page.keyboard.press('Enter');
    const renamed = rows().filter({ hasText: /^release/ });
    await renamed.waitFor();
    await renamed.click();
    await workbench().page.keyboard.press('Delete');
    await renamed.waitFor({ state: 'detached' });
    await workbench().page.locator('.notification-toast').getByRole('button', { name: 'Undo' }).first().click();
    await renamed.waitFor();
  });

  it('tell that they have arrived, as soon as a session holds them', async () => {
    await rows()
      .filter({ hasText: /^release/ })
      .waitFor();
    await sayInNewSession(workbench());
    await workbench().notifications().filter({ hasText: '“release” has arrived in' }).waitFor();
    await workbench().shot('composition arrived');
    await rows().filter({ hasText: 'arrived in 1 session' }).waitFor();
  });
});

/** Transcripts in composed folders, those for resuming first. */
async function composedFiles({ home }: Workbench): Promise<string[]> {
  const entries = await readdir(home.dir, { recursive: true });
  return entries.filter((entry) => /\/composed\/[^/]+\/[0-9a-f-]{36}\.jsonl$/.test(entry));
}

/** A session that Claude Code begins with what was handed over. */
async function sayInNewSession({ home }: Workbench): Promise<void> {
  const entries = await readdir(home.dir, { recursive: true });
  const composed = entries.find((entry) => entry.endsWith('/composed/release/composed.md')) ?? '';
  const folder = entries.find(
    (entry) => entry.endsWith('/projects/-home-mira-code-tidewatch') && entry.includes('claude'),
  );
  const text = await readFile(path.join(home.dir, composed), 'utf8');
  const sessionId = '0d5f6a1e-3c1b-4a55-9a3e-5f0c1c2d3e4f';
  const common = { isSidechain: false, cwd: '/home/mira/code/tidewatch', sessionId, version: '2.1.114' };
  const records = [
    {
      ...common,
      parentUuid: null,
      uuid: `${sessionId.slice(0, -1)}0`,
      type: 'user',
      message: { role: 'user', content: text },
    },
  ].map((record) => JSON.stringify({ ...record, timestamp: new Date().toISOString() }));
  await writeFile(path.join(home.dir, folder ?? '', `${sessionId}.jsonl`), `${records.join('\n')}\n`);
}
