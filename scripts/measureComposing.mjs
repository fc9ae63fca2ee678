// node scripts/measureComposing.mjs [sessions]: opens the Composition Builder with so many sessions (50), each with two versions,
// in the embedded VS Code, and prints {"timeMs", "maxTimeMs"}: from a key in the budget's field to the new figures on the screen, those of
// the text that would be composed. Each session goes on from the one before it, and repeats half of it.
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { chromium } from 'playwright-core';
import { ensureChromium } from './lib/chromium.mjs';
import { outputDirFor } from './lib/outputDir.mjs';
import { inRoot } from './lib/root.mjs';
import { run } from './lib/run.mjs';
import { chromiumFlags, startServer, workbenchUrl } from './lib/serverProcess.mjs';
import { makeTestHome } from './lib/testHome.mjs';
import { ensureVscodeServer } from './lib/vscodeServer.mjs';

const TURNS = 40;
const CHANGES = 20;
/** A light version and a hard one of each session, so that another budget takes others. */
const RATIOS = ['5', '30'];
const WORDS =
  'deploy worker retry queue invoice gauge schema token cache branch review decision because never always'.split(' ');

const sessionId = (at) => `c0${String(at).padStart(6, '0')}-0000-4000-8000-000000000001`;

/** A session of prompts and answers, with one keepit in ten messages: the second half of the session before it, and as much again. */
function transcript(at, cwd) {
  let parentUuid = null;
  const lines = [];
  for (let turn = at * TURNS; turn < (at + 2) * TURNS; turn += 1) {
    const role = turn % 2 === 0 ? 'user' : 'assistant';
    const words = Array.from({ length: 120 }, (_, n) => WORDS[(n * (turn + 3)) % WORDS.length]).join(' ');
    const text = turn % 10 === 0 ? `##keepit0.${10 + (turn % 90)}## ${words} ##keepit:end##` : words;
    const content = role === 'user' ? text : [{ type: 'text', text }];
    const uuid = `turn-${turn}`;
    const timestamp = new Date(Date.UTC(2026, 0, 1 + at, 10, turn % (TURNS * 2))).toISOString();
    const message = { role, content, ...(role === 'assistant' && { id: `msg_${uuid}`, model: 'claude-opus-4-8' }) };
    lines.push(JSON.stringify({ parentUuid, uuid, sessionId: sessionId(at), type: role, cwd, timestamp, message }));
    parentUuid = uuid;
  }
  return `${lines.join('\n')}\n`;
}

async function fill(home, sessions) {
  const folder = path.join(home.claudeDir, 'projects', home.workspace.replace(/[^A-Za-z0-9]/g, '-'));
  await mkdir(folder, { recursive: true });
  for (let at = 0; at < sessions; at += 1) {
    await writeFile(path.join(folder, `${sessionId(at)}.jsonl`), transcript(at, home.workspace));
  }
  const keepit = (...args) => run(process.execPath, [inRoot('dist/cli.js'), ...args], { env: home.env, isQuiet: true });
  await keepit('register', '--all');
  for (let at = 0; at < sessions; at += 1) {
    for (const ratio of RATIOS) await keepit('compress', sessionId(at), '--mode', 'uniform', '--ratio', ratio);
  }
}

/** From the change of the field to the sum that it brings about, which is not known in the page; runs there. */
function changeAndWait([field, figures, value]) {
  let before;
  // *about* stands before what is not measured yet.
  const sum = () => /^\s*([\d,]+) of/.exec(figures.textContent)?.[1] ?? before;
  before = sum();
  return new Promise((resolve) => {
    const start = performance.now();
    const look = () => {
      if (sum() !== before) resolve(performance.now() - start);
      else globalThis.requestAnimationFrame(look);
    };
    field.value = String(value);
    field.dispatchEvent(new globalThis.Event('input', { bubbles: true, composed: true }));
    look();
  });
}

async function measureIn(page, sessions) {
  await page.locator('.statusbar-item').filter({ hasText: 'Claude' }).waitFor();
  await page.keyboard.press('F1');
  await page.locator('.quick-input-widget input').fill('>Keepit: Compose Context…');
  const command = page.locator('.quick-input-list .monaco-list-row').filter({ hasText: 'Keepit: Compose Context' });
  await command.first().click();
  const panel = page.frameLocator('iframe.webview').frameLocator('iframe');
  await panel.getByRole('button', { name: 'Add Sessions…' }).click();
  await page.locator('.quick-input-list .monaco-list-row').first().waitFor();
  await page.locator('.quick-input-widget').getByRole('checkbox').first().click(); // all of them
  await page.locator('.quick-input-widget').getByRole('button', { name: 'OK' }).click();
  await panel.getByRole('heading', { name: `Sessions: ${sessions}` }).waitFor();
  // What is still to be made can only be expected.
  await panel.getByRole('tab', { name: 'Strategy' }).click();
  await panel.getByRole('checkbox', { name: 'Make versions that are missing' }).uncheck();
  await panel.getByRole('tab', { name: 'In and Out' }).click();
  const figures = panel.locator('.budget-text');
  await figures.filter({ hasText: /^\s*[\d,]+ of/ }).waitFor();
  const field = await panel.getByRole('spinbutton', { name: 'Token budget' }).elementHandle();
  const text = await figures.elementHandle();
  const times = [];
  for (let change = 0; change < CHANGES; change += 1) {
    const frame = await text.ownerFrame();
    times.push(await frame.evaluate(changeAndWait, [field, text, 20_000 + change * 5000]));
    await page.waitForTimeout(300);
  }
  const sorted = times.sort((a, b) => a - b);
  return { timeMs: sorted[Math.floor(sorted.length / 2)], maxTimeMs: sorted.at(-1) };
}

async function measure(sessions) {
  const home = await makeTestHome({ workspaceFixture: inRoot('test/fixtures/workspace') });
  const artefacts = await outputDirFor('composing');
  let server;
  let browser;
  try {
    await fill(home, sessions);
    server = await startServer({
      isDriven: true,
      ...(await ensureVscodeServer()),
      env: home.env,
      dataDir: path.join(home.dir, 'server'),
      extensionsDir: path.join(home.dir, 'extensions'),
      logFile: path.join(artefacts, 'server.log'),
    });
    browser = await chromium.launch({ executablePath: await ensureChromium(), args: chromiumFlags });
    const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
    page.setDefaultTimeout(60_000);
    await page.goto(workbenchUrl(server, { folder: home.workspace, extension: inRoot() }));
    return await measureIn(page, sessions);
  } finally {
    await browser?.close();
    await server?.stop();
    await rm(artefacts, { recursive: true, force: true });
    await home.dispose();
  }
}

console.log(JSON.stringify(await measure(Number(process.argv[2] ?? '50'))));
