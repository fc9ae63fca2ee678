import assert from 'node:assert/strict';
import { appendFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Locator } from 'playwright-core';
import { runHook } from '../../unit/support/hookProcess';
import { keepit } from '../support/commandLine';
import { useKnowledgeWindow } from '../support/windows';
import type { Workbench } from '../support/workbench';

const MAILS = '6a1f7c20-3b5d-4e8a-9c11-8d2e4f6a7b90';
const BOUNCES = 'b7e2d914-5c08-4f63-8a2d-1e9c3f5b7a46';
/** As people write them: nothing of it may be put in order by the way. */
const SETTINGS = '{\n\t"model":   "opus",\n\t"permissions": { "allow": [ "Bash(npm test)" ] }\n}\n\n';

type Home = Workbench['home'];

/** As Claude Code runs it: the copy of the plugin that it loads. */
async function hook({ workspace, claudeDir, memoryDir, env }: Home, event: string, more: object = {}): Promise<string> {
  const input = { session_id: MAILS, cwd: workspace, hook_event_name: event, ...more };
  const folder = path.join(claudeDir, 'projects', workspace.replace(/[^A-Za-z0-9]/g, '-'));
  const transcript = { transcript_path: path.join(folder, `${input.session_id}.jsonl`) };
  return runHook(path.join(memoryDir, 'claude-plugin/bin/keepit.js'), env, { ...transcript, ...input });
}

/** What the project knows is made ready for hooks by the first session that starts. */
async function know(home: Home): Promise<void> {
  await keepit(home, 'register', '--all');
  await keepit(home, 'layers', 'enable');
  await keepit(home, 'layers', 'build');
  for (const session of [MAILS, BOUNCES]) await keepit(home, 'summarize', session);
  await keepit(home, 'synthesize');
}

/** Two sessions as they come to be: the first makes the project's memory ready, the second is given it. */
async function work(home: Home): Promise<void> {
  await hook(home, 'SessionStart', { session_id: BOUNCES, source: 'startup' });
  await eventually('what hooks give', async () => (await hookFiles(home)).some((name) => name.includes('brief')));
  await hook(home, 'SessionStart', { source: 'resume' });
  await hook(home, 'UserPromptSubmit', {
    prompt: 'Which queue do the order mails go through, and may I use axios there?',
  });
  await hook(home, 'PostToolUse', { tool_name: 'Bash', tool_input: {}, tool_response: {} });
  // What is still at work would take in what is said next, before the Stop below asks for it.
  await eventually('hooks to have nothing left to do', async () =>
    (await hookFiles(home)).every((name) => !/hooks.(?:requests.|\.work\.lock)/.test(name)),
  );
  await say(home, ['user', 'Does the queue survive a restart?'], ['assistant', 'It does: the table is in WAL mode.']);
  await hook(home, 'Stop', { last_assistant_message: 'It does: the table is in WAL mode.' });
}

/** As Claude Code writes down what is said. */
async function say({ claudeDir, workspace }: Home, ...said: readonly (readonly [string, string])[]): Promise<void> {
  const folder = path.join(claudeDir, 'projects', workspace.replace(/[^A-Za-z0-9]/g, '-'));
  const file = path.join(folder, `${MAILS}.jsonl`);
  const last = /.*"uuid":"([^"]+)"/s.exec(await readFile(file, 'utf8'))?.[1] ?? null;
  const idOf = (index: number): string => `6a1f7c20-1111-4000-8000-00000000000${index}`;
  const records = said.map(([type, text], index) => ({
    parentUuid: index === 0 ? last : idOf(index - 1),
    isSidechain: false,
    cwd: workspace,
    sessionId: MAILS,
    type,
    message: { role: type, content: [{ type: 'text', text }] },
    uuid: idOf(index),
    timestamp: new Date().toISOString(),
  }));
  await appendFile(file, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
}

async function hookFiles({ memoryDir }: Home): Promise<string[]> {
  return readdir(path.join(memoryDir, 'projects'), { recursive: true });
}

async function eventually(what: string, ask: () => Promise<boolean>): Promise<void> {
  for (let times = 0; times < 200; times += 1) {
    if (await ask()) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  assert.fail(`waited in vain: ${what}`);
}

describe('setting up Claude Code from a window', () => {
  const workbench = useKnowledgeWindow();
  const view = (): Locator => workbench().view('Inside Claude Code');
  const row = (text: string | RegExp): Locator =>
    workbench().treeRows('Inside Claude Code').filter({ hasText: text }).first();
  const told = (text: string | RegExp): Locator => workbench().notifications().filter({ hasText: text }).first();
  const settings = (): string => path.join(workbench().home.claudeDir, 'settings.json');
  const changes = (): Locator => workbench().page.locator('.multiDiffEditor');

  before(async () => {
    await writeFile(settings(), SETTINGS);
  });

  async function chooseToSetUp(): Promise<void> {
    await workbench().pick('For me, in all projects');
    await workbench().pick('As a plugin');
    await changes().getByText('keepit').first().waitFor();
  }

  it('is offered by an empty view, which says what it is for', async () => {
    await workbench().openView('Keepit');
    await workbench().treeRows('Sessions').filter({ hasText: 'Bounces and the dashboard' }).waitFor();
    await workbench().showOnly('Inside Claude Code');
    await view().getByRole('button', { name: 'Set Up Claude Code' }).waitFor();
    await workbench().shot('inside not set up');
  });

  it('shows every file that changes, and writes nothing before it may', async () => {
    await view().getByRole('button', { name: 'Set Up Claude Code' }).click();
    await workbench().page.getByText('For me, in all projects').waitFor();
    await workbench().shot('set up where');
    await workbench().pick('For me, in all projects');
    await workbench().page.getByText('As plain hooks and commands').waitFor();
    await workbench().shot('set up how');
    await workbench().pick('As a plugin');
    await changes().getByText('keepit').first().waitFor();
    await workbench().page.locator('.quick-input-list').getByText('The plugin, version').waitFor();
    await workbench().shot('set up review');
    assert.equal(await readFile(settings(), 'utf8'), SETTINGS);
    await workbench().pick('Cancel');
    await changes().waitFor({ state: 'detached' });
    assert.equal(await readFile(settings(), 'utf8'), SETTINGS);
  });

  it('sets it up, says what is next, and takes it back to the byte', async () => {
    await workbench().runCommand('Keepit: Set Up Claude Code…');
    await chooseToSetUp();
    await workbench().pick('Set Up');
    await row('Set up for you, in all projects').waitFor();
    await told('Start a new Claude Code session').waitFor();
    await workbench().shot('set up done');
    assert.match(await readFile(settings(), 'utf8'), /"model": {3}"opus"[^]*keepit/);
    await workbench().page.locator('.notification-toast').getByRole('button', { name: 'Undo' }).click();
    await told('byte for byte').waitFor();
    await view().getByRole('button', { name: 'Set Up Claude Code' }).waitFor();
    assert.equal(await readFile(settings(), 'utf8'), SETTINGS);
    await workbench().runCommand('Notifications: Clear All Notifications');
  });

  it('says what stands against it, in words for a window', async () => {
    await writeFile(settings(), '{ "model": ');
    await workbench().runCommand('Keepit: Set Up Claude Code…');
    await workbench().pick('For me, in all projects');
    await workbench().pick('As a plugin');
    await told('is no valid JSON').waitFor();
    await workbench().shot('set up refused');
    await writeFile(settings(), SETTINGS);
    await workbench().runCommand('Notifications: Clear All Notifications');
  });

  it('is taken out from its row, after a look at what changes', async () => {
    await workbench().runCommand('Keepit: Set Up Claude Code…');
    await chooseToSetUp();
    await workbench().pick('Set Up');
    await row('Set up for you').hover();
    await row('Set up for you')
      .getByRole('button', { name: /Remove from Claude Code/ })
      .click();
    await workbench().page.locator('.quick-input-list').getByText('is removed').waitFor();
    await workbench().shot('remove review');
    await workbench().pick('Remove');
    await told('Keepit is out of Claude Code').waitFor();
    assert.equal(await readFile(settings(), 'utf8'), SETTINGS);
    await workbench().runCommand('Notifications: Clear All Notifications');
  });

  it('can be for one project alone, as plain hooks, which a plugin does not go together with', async () => {
    const local = path.join(workbench().home.workspace, '.claude/settings.local.json');
    await workbench().runCommand('Keepit: Set Up Claude Code…');
    await workbench().pick('In this project, for me alone');
    await workbench().pick('As plain hooks and commands');
    await changes().getByText('SessionStart').first().waitFor();
    await workbench().shot('set up plain');
    await workbench().pick('Set Up');
    await row('Set up in this project, for you alone').waitFor();
    assert.match(await readFile(local, 'utf8'), /hook SessionStart/);
    await workbench().runCommand('Notifications: Clear All Notifications');
    await workbench().runCommand('Keepit: Set Up Claude Code…');
    await workbench().pick('For me, in all projects');
    await workbench().pick('As a plugin');
    await told('every hook would run twice').waitFor();
    await workbench().page.getByRole('button', { name: 'Remove from Claude Code' }).last().click();
    await workbench().pick('Remove');
    await told('Keepit is out of Claude Code').waitFor();
    assert.ok(!(await readdir(workbench().home.workspace)).includes('.claude'));
    assert.equal(await readFile(settings(), 'utf8'), SETTINGS);
  });
});

describe('what hooks do', () => {
  const workbench = useKnowledgeWindow();
  const rows = (): Locator => workbench().treeRows('Inside Claude Code');
  const row = (text: string | RegExp): Locator => rows().filter({ hasText: text }).first();
  const config = async (): Promise<string> => readFile(path.join(workbench().home.memoryDir, 'config.json'), 'utf8');

  before(async () => {
    const { home } = workbench();
    await mkdir(path.join(home.workspace, '.git'), { recursive: true });
    await know(home);
    await keepit(home, 'install-hooks', '--scope', 'user');
    await workbench().openView('Keepit');
    await workbench().treeRows('Sessions').filter({ hasText: 'Bounces and the dashboard' }).waitFor();
    await workbench().showOnly('Inside Claude Code');
    await workbench().widenSideBar(240); // rows have more to say than fits at first
    await row('Waiting for a session').waitFor();
  });

  it('is seen while it happens', async () => {
    await workbench().shotInThemes('inside waiting');
    await work(workbench().home);
    await row('Order mails')
      .filter({ hasText: /[\d,]+ tokens given/ })
      .waitFor();
    await row('Order mails').click();
    await workbench().page.mouse.move(1000, 700); // the row's tooltip would lie over the others
    await row('UserPromptSubmit').waitFor();
    await row('Stop').waitFor();
    await row(/Capture.*2 messages taken in/).waitFor();
    await row(/SessionStart.*resume/)
      .locator('.monaco-tl-twistie')
      .click();
    await row('Session ID').waitFor();
    await workbench().shotInThemes('inside live');
  });

  it('tells what a session was given, and what each hook did', async () => {
    const tooltip = workbench().page.locator('.monaco-hover').filter({ hasText: 'Keepit gave this session' });
    await workbench().shotInThemes('inside given', () => workbench().hover(row('Order mails'), tooltip));
    await workbench().page.mouse.move(1000, 700);
    await row('UserPromptSubmit').click();
    await workbench().editorLines().filter({ hasText: 'UserPromptSubmit' }).first().waitFor();
    await workbench().shotInThemes('inside document');
  });

  it('is switched off and on, with the mouse and with the keyboard', async () => {
    await row('Hooks').click();
    await row('Reminders').locator('.monaco-custom-toggle, [role="checkbox"]').first().click();
    await eventually('reminders to be off', async () => /"reminders": false/.test(await config()));
    await row('Hooks').filter({ hasText: '1 off' }).waitFor();
    await workbench().shotInThemes('inside switches');
    await row('Reminders').click(); // as Enter on it
    await eventually('reminders to be on', async () => /"reminders": true/.test(await config()));
    await workbench().page.keyboard.press('ArrowDown');
    await workbench().page.keyboard.press('Enter');
    await eventually('the next one to be off', async () => /"fileNotes": false/.test(await config()));
  });
});
