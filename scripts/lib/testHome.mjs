// A machine of its own for a test: home, Claude Code's folder, the store and a workspace, all below one temporary folder.
import { cp, mkdir, mkdtemp, readdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** In fixtures this stands for the workspace that a test opens, in text and (as Claude Code writes it) in folder names. */
const WORKSPACE_IN_TEXT = '/keepit/workspace';
const WORKSPACE_IN_NAMES = '-keepit-workspace';

/** Keys, and what a VS Code, a Claude Code or an npm that happens to run this process would pass on. */
const NOT_INHERITED = /^(ANTHROPIC_|CLAUDE_|CLAUDECODE$|KEEPIT_|VSCODE_|ELECTRON_|NODE_OPTIONS$|npm_)/;

function claudeFolderName(workspace) {
  return workspace.replace(/[^A-Za-z0-9]/g, '-');
}

/** Puts the real workspace into a copied Claude folder, so that its sessions belong to what the test opens. */
async function adoptWorkspace(claudeDir, workspace) {
  const projects = path.join(claudeDir, 'projects');
  for (const name of await readdir(projects).catch(() => [])) {
    if (!name.startsWith(WORKSPACE_IN_NAMES)) continue;
    const folder = path.join(projects, claudeFolderName(workspace) + name.slice(WORKSPACE_IN_NAMES.length));
    await rename(path.join(projects, name), folder);
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const file = path.join(entry.parentPath, entry.name);
      const text = await readFile(file, 'utf8');
      const asJson = JSON.stringify(workspace).slice(1, -1);
      await writeFile(file, text.replaceAll(WORKSPACE_IN_TEXT, asJson));
    }
  }
}

/**
 * @param {import('./testHome.d.mts').TestHomeOptions} options
 * @returns {Promise<import('./testHome.d.mts').TestHome>}
 */
export async function makeTestHome({ claudeFixture, workspaceFixture, env = {} }) {
  const dir = await realpath(await mkdtemp(path.join(tmpdir(), 'keepit-test-')));
  const places = {
    dir,
    home: path.join(dir, 'home'),
    claudeDir: path.join(dir, 'claude'),
    memoryDir: path.join(dir, 'memory'),
    workspace: path.join(dir, 'workspace'),
  };
  for (const folder of [places.home, places.claudeDir, places.workspace]) await mkdir(folder);
  if (workspaceFixture !== undefined) await cp(workspaceFixture, places.workspace, { recursive: true });
  if (claudeFixture !== undefined) await cp(claudeFixture, places.claudeDir, { recursive: true });
  await adoptWorkspace(places.claudeDir, places.workspace);
  const withheld = Object.keys(process.env).filter((name) => NOT_INHERITED.test(name));
  return {
    ...places,
    env: {
      ...process.env,
      ...Object.fromEntries(withheld.map((name) => [name, undefined])), // named, so that merging cannot bring them back
      HOME: places.home,
      USERPROFILE: places.home,
      CLAUDE_CONFIG_DIR: places.claudeDir,
      CLAUDE_MEMORY_DIR: places.memoryDir,
      ...env,
    },
    dispose: () => rm(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }),
  };
}
