// The real Claude Code, from the npm registry alone, for tests against a model that is not real. It is installed once, kept in
// .vscode-test/, and is no dependency of the extension.
import { existsSync } from 'node:fs';
import { copyFile, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { withLock } from './lock.mjs';
import { cacheDir } from './root.mjs';
import { run, runNpm } from './run.mjs';

/**
 * The older version is the one whose ways were written down first: people who do not update have it or one like it. The newer one is what
 * people have who do. Between them tools, agents and transcripts changed (docs/insideClaudeCode.md); what holds with both holds in between.
 */
const VERSIONS = { older: '2.1.197', newer: '2.1.327' };

/** The last one of which we know that its package carries the extension for VS Code as well; it is in the marketplace only since. */
const WITH_EXTENSION = '1.0.60';

const platform = `${process.platform}-${process.arch}`;
const PACKAGED = new Set(['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64', 'win32-x64', 'win32-arm64']);
const program = process.platform === 'win32' ? 'claude.exe' : 'claude';

/**
 * @typedef {{ version: string, file: string } | { version: string, problem: string, file?: undefined }} ClaudeCode the program `claude` of a
 *   version, or why there is none
 */

/**
 * The pinned versions, the older first. `KEEPIT_CLAUDE_BIN` names another program in the place of them all.
 * @returns {Promise<ClaudeCode[]>}
 */
export async function ensureClaudeCodes(versions = [VERSIONS.older, VERSIONS.newer]) {
  const named = process.env.KEEPIT_CLAUDE_BIN ?? '';
  if (named !== '') return [await namedClaudeCode(named)];
  const found = [];
  for (const version of versions) found.push(await pinnedClaudeCode(version));
  return found;
}

/**
 * For tests that start it in a terminal of VS Code, and know how the older one looks there.
 * @returns {Promise<ClaudeCode>}
 */
export async function ensureOlderClaudeCode() {
  const [older] = await ensureClaudeCodes([VERSIONS.older]);
  return older;
}

async function namedClaudeCode(file) {
  const { code, output } = await run(file, ['--version'], { isQuiet: true });
  const version = /\d+\.\d+\.\d+\S*/.exec(output)?.[0] ?? '';
  if (code !== 0 || version === '')
    return { version: file, problem: 'KEEPIT_CLAUDE_BIN does not name a program that runs' };
  return { version, file };
}

async function pinnedClaudeCode(version) {
  if (!PACKAGED.has(platform)) return { version, problem: `there is no package of it for ${platform}` };
  const folder = path.join(cacheDir, `claude-code-${version}-${platform}`);
  const file = path.join(folder, 'node_modules/@anthropic-ai', `claude-code-${platform}`, program);
  if (existsSync(file)) return { version, file };
  return withLock(path.join(cacheDir, 'claude-code.lock'), async () => {
    if (existsSync(file)) return { version, file };
    console.log(`Setting up Claude Code ${version} in .vscode-test (once; 250 to 400 MB) …`);
    const draft = `${folder}.${process.pid}.draft`;
    const problem = await installInto(draft, `@anthropic-ai/claude-code-${platform}`, version);
    if (problem !== undefined) return { version, problem };
    await rm(folder, { recursive: true, force: true }); // what another version of this script may have left
    await rename(draft, folder);
    return { version, file };
  });
}

/**
 * Claude Code's own extension, packaged, or why there is none.
 * @returns {Promise<{ file: string } | { problem: string }>}
 */
export async function ensureClaudeExtension() {
  const file = path.join(cacheDir, `claude-code-${WITH_EXTENSION}.vsix`);
  if (existsSync(file)) return { file };
  return withLock(path.join(cacheDir, 'claude-extension.lock'), async () => {
    if (existsSync(file)) return { file };
    const draft = `${file}.${process.pid}.draft`;
    const problem = await installInto(draft, '@anthropic-ai/claude-code', WITH_EXTENSION);
    if (problem !== undefined) return { problem };
    const packaged = path.join(draft, 'node_modules/@anthropic-ai/claude-code/vendor/claude-code.vsix');
    await copyFile(packaged, `${file}.${process.pid}`);
    await rename(`${file}.${process.pid}`, file);
    await rm(draft, { recursive: true, force: true });
    return { file };
  });
}

/** Why it could not be; nothing is left then. */
async function installInto(folder, name, version) {
  await mkdir(folder, { recursive: true });
  await writeFile(
    path.join(folder, 'package.json'),
    JSON.stringify({ private: true, dependencies: { [name]: version } }),
  );
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel', 'error'];
  const { code } = await runNpm(['install', ...quiet], { cwd: folder });
  if (code === 0) return undefined;
  await rm(folder, { recursive: true, force: true });
  return 'it could not be installed: the lines above say why';
}
