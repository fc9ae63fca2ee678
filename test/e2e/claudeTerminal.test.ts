import assert from 'node:assert/strict';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { FakeAnthropic, type FakeRequest } from '../unit/support/fakeAnthropic';
import { composeOrders } from './support/builder';
import { currentStage } from './support/stage';
import { useWorkbench } from './support/useWorkbench';
import type { Workbench } from './support/workbench';

const KEY = 'sk-ant-fake';
const PROMPT = 'What did we decide?';

/** It becomes the name of a folder, whose path stands in the command. */
const NAME = "Ada's orders & $HOME";

const stage = currentStage();

/** What Claude Code is told, so that it talks to nobody but the model of this test. */
const quiet = {
  ANTHROPIC_API_KEY: KEY,
  DISABLE_TELEMETRY: '1',
  DISABLE_AUTOUPDATER: '1',
  DISABLE_ERROR_REPORTING: '1',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
};

/** The real `claude` where its installer puts it, with the questions of its first start answered. */
async function installClaude({ home }: Workbench): Promise<void> {
  const bin = path.join(home.home, '.local/bin');
  await mkdir(bin, { recursive: true });
  await symlink(stage.claude ?? '', path.join(bin, 'claude'));
  const state = {
    hasCompletedOnboarding: true,
    theme: 'dark',
    customApiKeyResponses: { approved: [KEY], rejected: [] },
    projects: { [home.workspace]: { hasTrustDialogAccepted: true } },
  };
  await writeFile(path.join(home.claudeDir, '.claude.json'), JSON.stringify(state));
}

/** Starts `claude` from the panel, and waits until something can be typed in its terminal. */
async function start(workbench: Workbench): Promise<void> {
  const { page } = workbench;
  await workbench.webview().getByRole('button', { name: 'Start Claude Code with This Context' }).click();
  await untilReady(workbench);
  assert.doesNotMatch(await page.locator('.xterm-rows').innerText(), /could not be restored/);
}

async function untilReady({ page }: Workbench): Promise<void> {
  await page.locator('.xterm-rows').filter({ hasText: '? for shortcuts' }).waitFor();
  await page.locator('.xterm-rows.xterm-focus').waitFor();
}

/** Asks it something in its terminal, and gives what reached the model. */
async function ask({ page }: Workbench, model: FakeAnthropic, prompt = PROMPT): Promise<FakeRequest> {
  const screen = page.locator('.xterm-rows');
  const asked = (): FakeRequest | undefined =>
    model.requests.find(({ body }) => JSON.stringify(body.messages).includes(prompt));
  await page.keyboard.type(prompt);
  await screen.filter({ hasText: prompt }).waitFor();
  await page.keyboard.press('Enter');
  while (asked() === undefined) await page.waitForTimeout(50);
  await screen.filter({ hasText: 'At most three times.' }).waitFor();
  return asked() ?? assert.fail();
}

/** Asks until the tools of the editor are there: the connection to it may still be made when the first question is asked. */
async function askWithTools(workbench: Workbench, model: FakeAnthropic, tool: RegExp): Promise<FakeRequest> {
  for (let times = 1; ; times++) {
    const request = await ask(workbench, model, `Question ${times}: ${PROMPT}`);
    if (tool.test(JSON.stringify(request.body.tools))) return request;
  }
}

/** A model of ours for the tests of one `describe`, and a window whose terminals know it. */
function useStage(extensionsDir: string | undefined): { model: () => FakeAnthropic; workbench: () => Workbench } {
  const env: Record<string, string> = { ...quiet };
  let model: FakeAnthropic | undefined;
  before(async function () {
    if (stage.claude === undefined || extensionsDir === undefined) this.skip(); // Claude Code cannot be had
    model = await FakeAnthropic.start();
    model.otherwise = () => ({ text: 'At most three times.' });
    env.ANTHROPIC_BASE_URL = model.url;
  });
  // Drawn as text, and once, so that a test can read it.
  const settings = { 'terminal.integrated.gpuAcceleration': 'off', 'terminal.integrated.stickyScroll.enabled': false };
  const workbench = useWorkbench({ ...stage, extensionsDir: extensionsDir ?? '' }, { env, settings });
  before(() => installClaude(workbench()));
  after(() => model?.stop());
  return {
    workbench,
    model: () => {
      assert.ok(model);
      return model;
    },
  };
}

describe('Claude Code in a terminal', () => {
  const { workbench, model } = useStage(stage.extensionsDir);

  it('goes on from what was composed, where it is started with this context', async () => {
    await composeOrders(workbench(), NAME);
    await start(workbench());
    const { body } = await ask(workbench(), model());
    await workbench().shot('claude terminal');
    const sent = JSON.stringify(body.messages);
    assert.match(sent, /##keepit1\.00## Never retry a card payment more than three times/);
    assert.ok(sent.indexOf('Never retry a card payment') < sent.indexOf(PROMPT));
    assert.equal(
      await workbench().page.locator('.terminal-tab, .single-terminal-tab').filter({ hasText: NAME }).count(),
      1,
    );
  });

  it('is told to have arrived, as soon as that session goes on', async () => {
    await workbench()
      .notifications()
      .filter({ hasText: `“${NAME}” has arrived in` })
      .waitFor();
  });

  it('goes on with a session that is resumed', async () => {
    const title = 'The order list takes four seconds';
    await workbench().runCommand('Terminal: Kill the Active Terminal Instance');
    await workbench().page.locator('.xterm-rows').waitFor({ state: 'detached' });
    await workbench().openView('Keepit');
    await workbench().treeRows('Sessions').filter({ hasText: title }).waitFor();
    await workbench().runCommand('Keepit: Resume in Claude Code');
    await workbench().pick(title);
    await workbench().answer('Resume'); // its file is new here: it could be open elsewhere
    await untilReady(workbench());
    const { body } = await ask(workbench(), model(), `Once more: ${PROMPT}`);
    await workbench().shot('resumed in a terminal');
    assert.match(JSON.stringify(body.messages), /four seconds/);
  });
});

describe('Start Claude Code with This Context, where its own extension is installed', () => {
  const { workbench, model } = useStage(stage.withClaudeExtension);

  it('opens a terminal that is connected with the editor like one of that extension', async () => {
    await composeOrders(workbench(), NAME);
    await start(workbench());
    // Tools that only the extension can offer, over a connection that only its own variables tell of.
    const { body } = await askWithTools(workbench(), model(), /mcp__ide__getDiagnostics/);
    await workbench().shot('claude terminal with its extension');
    assert.match(JSON.stringify(body.messages), /Never retry a card payment more than three times/);
  });
});
