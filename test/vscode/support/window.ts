import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { commands, window, workspace, type DocumentSymbol, type TextEditor } from 'vscode';
import * as z from 'zod';

const WAIT_MS = 10_000;
const LOOK_EVERY_MS = 50;

/** Sessions of test/fixtures/claude-home that belong to the workspace of the test. */
export const fixtureSessions = {
  retries: '1f0e4c52-7a61-4c1e-9d53-0a7be0c4a101',
  slowList: '2b9d7e10-3c44-4f5a-8e21-5d1f6a90b202',
} as const;

/** Asks again until there is an answer; a test that never gets one fails with what it waited for. */
export async function eventually<T>(what: string, ask: () => T | undefined | Promise<T | undefined>): Promise<T> {
  const end = Date.now() + WAIT_MS;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    assert.ok(Date.now() < end, `waited in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

/** The id of the project that the open workspace is for Claude Code. */
export function workspaceProjectId(): string {
  const folder = workspace.workspaceFolders?.[0];
  assert.ok(folder, 'no folder is open');
  return folder.uri.fsPath.replace(/[^A-Za-z0-9]/g, '-');
}

/** The folder that a variable of the test's environment names. */
export function folderOf(variable: 'CLAUDE_CONFIG_DIR' | 'CLAUDE_MEMORY_DIR'): string {
  const folder = process.env[variable];
  assert.ok(folder, `${variable} is not set`);
  return folder;
}

export function transcriptFile(sessionId: string): string {
  return path.join(folderOf('CLAUDE_CONFIG_DIR'), 'projects', workspaceProjectId(), `${sessionId}.jsonl`);
}

/** Opens a session's transcript as a click on its row does. */
export async function openTranscript(sessionId: string): Promise<TextEditor> {
  const ref = { projectId: workspaceProjectId(), sessionId };
  await eventually('the session to be known', async () => {
    await commands.executeCommand('keepit.openTranscript', ref);
    const uri = window.activeTextEditor?.document.uri;
    return uri?.scheme === 'keepit-transcript' && uri.query.includes(sessionId) ? true : undefined;
  });
  const editor = window.activeTextEditor;
  assert.ok(editor);
  return editor;
}

export async function outlineOf({ document }: TextEditor): Promise<DocumentSymbol[]> {
  return commands.executeCommand<DocumentSymbol[]>('vscode.executeDocumentSymbolProvider', document.uri);
}

/** Every file below a folder with its content: what must be the same afterwards. */
export async function contentsOf(folder: string): Promise<Map<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const all = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
  const files = all.filter((file) => !file.startsWith(path.join(folder, 'cache'))); // written at any moment
  return new Map(await Promise.all(files.sort().map(async (file) => [file, await readFile(file, 'utf8')] as const)));
}

const manifestSchema = z.object({ sessions: z.record(z.string(), z.unknown()) });

/** The ids of the workspace's sessions that are in memory. */
export async function sessionsInMemory(): Promise<string[]> {
  const file = path.join(folderOf('CLAUDE_MEMORY_DIR'), 'projects', workspaceProjectId(), 'manifest.json');
  const text = await readFile(file, 'utf8').catch(() => '{"sessions":{}}');
  return Object.keys(manifestSchema.parse(JSON.parse(text)).sessions).sort();
}

/** Brings all sessions of the workspace into memory, as the setting does that says so. */
export async function registerByItself(): Promise<void> {
  const configuration = workspace.getConfiguration('keepit');
  await configuration.update('autoRegister', true, true);
  try {
    await eventually('both sessions to be in memory', async () => {
      await commands.executeCommand('keepit.refresh');
      return (await sessionsInMemory()).length === 2 ? true : undefined;
    });
  } finally {
    await configuration.update('autoRegister', undefined, true);
  }
}
