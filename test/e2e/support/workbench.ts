import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { chromium, type Browser, type FrameLocator, type Locator, type Page } from 'playwright-core';
import { chromiumFlags, startServer, workbenchUrl, type RunningServer } from '../../../scripts/lib/serverProcess.mjs';
import { makeTestHome, type TestHome } from '../../../scripts/lib/testHome.mjs';
import { axeFindings } from './axe';
import { inRepository, type Stage } from './stage';

type Media = Parameters<Page['emulateMedia']>[0];
type Theme = 'light' | 'highContrast' | 'dark';

/** What a browser says of the system, which VS Code follows, and the classes that a workbench and a webview bear then. */
const themes: Record<Theme, { media: Media; cssClass: string; webviewClass: string }> = {
  light: {
    media: { colorScheme: 'light', forcedColors: 'none' },
    cssClass: 'vs',
    webviewClass: 'vscode-light',
  },
  highContrast: {
    media: { colorScheme: 'dark', forcedColors: 'active' },
    cssClass: 'hc-black',
    webviewClass: 'vscode-high-contrast',
  },
  dark: {
    media: { colorScheme: 'dark', forcedColors: 'none' },
    cssClass: 'vs-dark',
    webviewClass: 'vscode-dark',
  },
};

/** The one in which a window opens comes last: it is left in that one. */
const allThemes: readonly Theme[] = ['light', 'highContrast', 'dark'];

/** Playwright waits this long for what a test names; the first paint of a cold workbench is the slowest of all. */
const OPENS_TIMEOUT_MS = 4_000;
const OPENS_ATTEMPTS = 4;
const ACTION_TIMEOUT_MS = 40_000;
const OPEN_TIMEOUT_MS = 60_000;

const VIEWPORT = { width: 1400, height: 900 };

/** In a window of that size. */
const SIDE_BAR_WIDTH = 300;

/** The views of Keepit that are unfolded at first; the others are not. */
const UNFOLDED = ['Projects', 'Sessions', 'Keepits'];

/** What a window shows. Everything has a default: the project's fixtures. */
export interface WorkbenchOptions {
  /** A Claude Code folder to copy. */
  claudeFixture?: string;
  workspaceFixture?: string;
  /** The window is the sample's: its folder is the workspace's. */
  isSample?: boolean;
  settings?: Record<string, unknown>;
  /** Puts more into the machine before the window opens; what it returns is opened instead of the workspace. */
  prepare?: (home: TestHome) => Promise<string | undefined>;
  /** VS Code asks whether the folder is trusted, which no other test wants. */
  asksForTrust?: boolean;
  env?: Record<string, string>;
}

/** Nothing may pop up, ask or animate while a test looks. */
const quietSettings = {
  'window.autoDetectColorScheme': true,
  'workbench.preferredDarkColorTheme': 'Dark Modern',
  'workbench.preferredLightColorTheme': 'Light Modern',
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'workbench.reduceMotion': 'on',
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.welcomePage.walkthroughs.openOnInstall': false,
  'chat.disableAIFeatures': true,
  'telemetry.telemetryLevel': 'off',
  'extensions.ignoreRecommendations': true,
  'update.showReleaseNotes': false,
  'remote.autoForwardPorts': false,
  // A second extension host, for extensions that run in a browser.
  'extensions.webWorker': false,
};

let launched: Promise<Browser> | undefined;

/** One for all windows of this process, with which it ends; what a window stores is apart from the others' all the same. */
async function sharedBrowser(stage: Stage): Promise<Browser> {
  const browser = await launched?.catch(() => undefined);
  if (browser?.isConnected() === true) return browser;
  launched = chromium.launch({ executablePath: stage.chromium, args: chromiumFlags });
  return launched;
}

/** One window of VS Code with the packaged extension, driven as a person would drive it. */
export class Workbench {
  private constructor(
    readonly page: Page,
    readonly home: TestHome,
    private readonly machinery: { stage: Stage; server: RunningServer },
  ) {}

  static async open(stage: Stage, options: WorkbenchOptions = {}): Promise<Workbench> {
    const home = await makeTestHome({
      claudeFixture: options.claudeFixture ?? inRepository(stage, 'test/fixtures/claude-home'),
      workspaceFixture: options.workspaceFixture ?? inRepository(stage, 'test/fixtures/workspace'),
      ...(options.env !== undefined && { env: options.env }),
    });
    const opened = (await options.prepare?.(home)) ?? home.workspace;
    const dataDir = path.join(home.dir, 'server');
    await writeSettings(home, { ...quietSettings, ...options.settings });
    const server = await startServer({
      ...stage,
      env: options.isSample === true ? { ...home.env, KEEPIT_SAMPLE_FOLDER: home.workspace } : home.env,
      dataDir,
      logFile: path.join(stage.artefacts, 'server.log'),
      ...(options.asksForTrust === true && { asksForTrust: true }),
    });
    const browser = await sharedBrowser(stage);
    const page = await browser.newPage({ viewport: VIEWPORT, ...themes.dark.media });
    page.setDefaultTimeout(ACTION_TIMEOUT_MS);
    const workbench = new Workbench(page, home, { stage, server });
    await page.goto(workbenchUrl(server, { folder: opened }));
    await page.locator(`.monaco-workbench.${themes.dark.cssClass} .part.sidebar`).waitFor({ timeout: OPEN_TIMEOUT_MS });
    await page.locator('.statusbar-item').first().waitFor({ timeout: OPEN_TIMEOUT_MS });
    // The sample comes with a transcript, which would take the focus from whatever a test has begun by then.
    if (options.isSample === true) await page.locator('.tab').first().waitFor({ timeout: OPEN_TIMEOUT_MS });
    return workbench;
  }

  async close(): Promise<void> {
    await this.page.context().close();
    await this.machinery.server.stop();
    await this.home.dispose();
  }

  /** As the window was when it had opened, as far as one sees: nothing is open or asked, and the views of Keepit stand as at first. */
  async tidy(): Promise<void> {
    await this.page.setViewportSize(VIEWPORT);
    await this.page.keyboard.press('Escape');
    await this.runCommand('View: Close All Editors');
    await this.runCommand('Notifications: Clear All Notifications');
    await this.openView('Keepit');
    await this.widenSideBar(SIDE_BAR_WIDTH - (await this.sideBarWidth()));
    for (const pane of await this.page.locator('.sidebar .pane-header').all()) {
      const title = (await pane.locator('.title').first().innerText()).trim();
      const isUnfolded = UNFOLDED.some((name) => title.toLowerCase().startsWith(name.toLowerCase()));
      // At its twistie: actions are in the middle of a header.
      while ((await pane.getAttribute('aria-expanded')) !== String(isUnfolded))
        await pane.click({ position: { x: 8, y: 8 } });
    }
    await this.treeRows('Projects').first().click(); // the window's own: another one may have been looked at
    await this.runCommand('Keepit: Refresh');
  }

  /** The window that something opens: in a browser, another page. */
  async windowOpenedBy(opening: () => Promise<void>): Promise<Workbench> {
    const [page] = await Promise.all([this.page.context().waitForEvent('page'), opening()]);
    page.setDefaultTimeout(ACTION_TIMEOUT_MS);
    return new Workbench(page, this.home, this.machinery);
  }

  /** Runs a command by its full title (`Keepit: Refresh`), through the palette. */
  async runCommand(title: string): Promise<void> {
    const input = this.page.locator('.quick-input-widget input');
    const entry = this.page.locator('.quick-input-list .monaco-list-row').filter({
      has: this.page.getByText(title, { exact: true }),
    });
    for (let attempt = 1; ; attempt++) {
      await this.page.keyboard.press('F1');
      try {
        await input.fill(`>${title}`, { timeout: OPENS_TIMEOUT_MS });
        await entry.first().click({ timeout: 2 * OPENS_TIMEOUT_MS });
        return;
      } catch (error) {
        // The palette closes when something takes the focus from it: a window that has just been trusted, an editor that opens.
        if (attempt === OPENS_ATTEMPTS) throw error;
      }
    }
  }

  /** Clicks on a lens or a row until what that opens is there: what VS Code lays out anew just then does not feel the click. */
  async clickUntil(target: Locator, opened: Locator): Promise<void> {
    await repeatUntil(opened, () => target.click());
  }

  /** Clicks on a row of *Sessions* until one that is in it is seen: rows that come in meanwhile take the click to another. */
  async unfoldRow(title: string, inner: string): Promise<void> {
    const rows = this.treeRows('Sessions');
    await this.clickUntil(rows.filter({ hasText: title }), rows.filter({ hasText: inner }));
  }

  /** Clicks on a session's row until its transcript is what one sees: rows that come in above take the click to another. */
  async openSession(title: string): Promise<void> {
    const row = this.treeRows('Sessions').filter({ hasText: title });
    await this.clickUntil(row, row.and(this.page.locator('[aria-selected="true"]')));
    await this.page.locator('.tab.active').filter({ hasText: title }).waitFor();
  }

  /** Presses a key until what it opens is there: VS Code has nothing to show while it still asks for what belongs in it. */
  async press(key: string, opened: Locator): Promise<void> {
    await repeatUntil(opened, () => this.page.keyboard.press(key));
  }

  /** Picks an entry of the quick pick that is open, by the beginning of its label. */
  async pick(label: string): Promise<void> {
    await this.page.locator('.quick-input-list .monaco-list-row').filter({ hasText: label }).first().click();
  }

  /** Opens the context menu of something, and picks an entry of it. */
  async pickFromMenuOf(target: Locator, entry: string): Promise<void> {
    await target.click({ button: 'right' });
    const item = this.page.getByRole('menuitem', { name: entry });
    await item.hover();
    // Not a click: VS Code's menus ignore the mouse's button for their first 100 ms, and a test is faster than that.
    await this.page.keyboard.press('Enter');
    await item.waitFor({ state: 'detached' });
  }

  /** Clicks a button that a row shows while the mouse is over it. A row may still move: then the mouse goes there again. */
  async clickInRow(row: Locator, name: RegExp): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      await row.hover();
      try {
        await row.getByRole('button', { name }).click({ timeout: OPENS_TIMEOUT_MS });
        return;
      } catch (error) {
        if (attempt === OPENS_ATTEMPTS) throw error;
      }
    }
  }

  /** Holds the mouse over something until its hover is there: rows that are drawn anew, and a change of theme, take it away. */
  async hover(target: Locator, shown: Locator): Promise<void> {
    while (!(await shown.isVisible())) {
      await this.page.mouse.move(1000, 700);
      await target.hover();
      await shown.waitFor({ timeout: OPENS_TIMEOUT_MS }).catch(() => undefined); // tried again
    }
  }

  /** Presses a button of the modal dialog that is open. */
  async answer(button: string): Promise<void> {
    await this.page.getByRole('dialog').getByRole('button', { name: button }).click();
  }

  /** Names a file in VS Code's own file dialog, which `files.simpleDialog.enable` asks for; it lies in the workspace's folder. */
  async answerPath(file: string): Promise<void> {
    const input = this.page.locator('.quick-input-widget input[type="text"]').first();
    await input.waitFor();
    // The dialog proposes a file or a folder, and what was written before that would be gone.
    while (!(await input.inputValue()).startsWith(this.home.workspace)) await this.page.waitForTimeout(50);
    await input.fill(file);
    await this.page.keyboard.press('Enter');
    await this.page.locator('.quick-input-widget').waitFor({ state: 'hidden' });
  }

  /** Items of the status bar with this text in them. */
  statusItem(text: string): Locator {
    return this.page.locator('.statusbar-item').filter({ hasText: text });
  }

  /** The lines of the active editor that are in sight. */
  editorLines(): Locator {
    return this.page.locator('.editor-group-container.active .view-line');
  }

  async sideBarWidth(): Promise<number> {
    const box = await this.page.locator('.part.sidebar').boundingBox();
    return box?.width ?? assert.fail('there is no side bar');
  }

  /** Makes the side bar wider by so much. */
  async widenSideBar(by: number): Promise<void> {
    const { mouse } = this.page;
    const box = (await this.page.locator('.part.sidebar').boundingBox()) ?? assert.fail('there is no side bar');
    const edge = box.x + box.width;
    if (by === 0) return;
    await mouse.move(edge, 300);
    await mouse.down();
    await mouse.move(edge + by, 300, { steps: 8 });
    await mouse.up();
    assert.equal(await this.sideBarWidth(), box.width + by);
  }

  /** Shows a container of the activity bar by its title. */
  async openView(title: string): Promise<void> {
    const tab = this.page.locator('.activitybar').getByRole('tab', { name: title });
    await tab.waitFor();
    // A window that was just loaded restores what it showed: the click may put that away.
    while ((await tab.getAttribute('aria-selected')) !== 'true') {
      await tab.click();
      await this.page.waitForTimeout(300);
    }
  }

  /** Unfolds a view of the container that is shown. A command may do the same just then, and the click fold it again. */
  async unfold(title: string): Promise<void> {
    await this.view(title).waitFor();
    const folded = this.page.locator('.sidebar .pane-header:not(.expanded)').filter({ hasText: title });
    while ((await folded.count()) > 0)
      await folded
        .first()
        .click({ timeout: 2000 })
        .catch((): void => undefined);
  }

  /** Unfolds a view, and folds the others: lists draw only the rows that there is room for. */
  async showOnly(title: string): Promise<void> {
    const unfolded = this.page.locator('.sidebar .pane-header.expanded');
    await this.unfold(title);
    // At its twistie: actions are in the middle of a header.
    for (const others = unfolded.filter({ hasNotText: title }); (await others.count()) > 0;)
      await others.first().click({ position: { x: 8, y: 8 } });
    if ((await unfolded.filter({ hasText: title }).count()) === 0) await this.showOnly(title);
  }

  /** The view *Versions* below *Sessions*, with the others folded: the window of a test is not high, and rows out of sight are not drawn. */
  async showVersions(): Promise<void> {
    for (const title of ['Projects', 'Keepits', 'Compositions', 'Knowledge']) {
      const header = this.view(title).locator('.pane-header');
      await header.waitFor();
      if ((await header.getAttribute('aria-expanded')) === 'true') await header.click();
    }
    await this.unfold('Versions');
  }

  /** The part of the side bar that holds one view, by the view's title. */
  view(title: string): Locator {
    return this.page.locator('.sidebar .pane').filter({ has: this.page.locator('.pane-header', { hasText: title }) });
  }

  /** The rows of a tree view, in the order in which they stand. */
  treeRows(viewTitle: string): Locator {
    return this.view(viewTitle).getByRole('treeitem');
  }

  /** A webview's content; VS Code nests it in two frames. */
  webview(): FrameLocator {
    return this.page.frameLocator('iframe.webview').frameLocator('iframe');
  }

  /** The text of the notifications that are shown. */
  notifications(): Locator {
    return this.page.locator('.notification-toast .notification-list-item-message');
  }

  /** Takes a picture to look at; the file's path. */
  async shot(name: string): Promise<string> {
    const file = path.join(this.machinery.stage.artefacts, `${name.replace(/[^\p{L}\d-]+/gu, '-')}.png`);
    await this.page.screenshot({ path: file });
    return file;
  }

  /**
   * Takes a picture when what is to be in it is shown; of a panel one in every theme, in each of which axe looks over its colours. The
   * colours of all else are VS Code's: `KEEPIT_PICTURES=all` takes pictures of that in every theme too, for whoever wants to see them.
   */
  async shotInThemes(name: string, shown?: () => Promise<unknown>): Promise<void> {
    const findings: string[] = [];
    await shown?.();
    const hasPanel = (await this.page.locator('iframe.webview:visible').count()) > 0;
    for (const theme of hasPanel || process.env.KEEPIT_PICTURES === 'all' ? allThemes : (['dark'] as const)) {
      await this.use(theme);
      await shown?.();
      await this.shot(`${name} ${theme}`);
      if (hasPanel)
        findings.push(
          ...(await axeFindings(this.webview(), theme === 'dark' ? 'all' : 'colours')).map(
            (text) => `${theme}: ${text}`,
          ),
        );
    }
    assert.deepEqual(findings, [], name);
  }

  /** Changes the theme as the system does: the focus, and what is open, stay. */
  private async use(theme: Theme): Promise<void> {
    const { media, cssClass, webviewClass } = themes[theme];
    await this.page.emulateMedia(media);
    await this.page.locator(`.monaco-workbench.${cssClass}`).waitFor();
    if ((await this.page.locator('iframe.webview:visible').count()) > 0) {
      await this.webview().locator(`body.${webviewClass}`).waitFor();
    }
  }
}

async function repeatUntil(opened: Locator, act: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    await act();
    try {
      await opened.waitFor({ timeout: OPENS_TIMEOUT_MS });
      return;
    } catch (error) {
      if (attempt === OPENS_ATTEMPTS) throw error;
    }
  }
}

async function writeSettings(home: TestHome, settings: Record<string, unknown>): Promise<void> {
  const folder = path.join(home.dir, 'server/data/User');
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 'settings.json'), JSON.stringify(settings, null, 2));
}
