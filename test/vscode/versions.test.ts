import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { commands, env, Uri, window, workspace, type CodeLens } from 'vscode';
import type { CompressionRequest } from '../../src/core/versions/types';
import { elsewhere } from './support/elsewhere';
import {
  contentsOf,
  eventually,
  fixtureSessions,
  folderOf,
  openTranscript,
  workspaceProjectId,
} from './support/window';

describe('versions of a session', () => {
  const session = () => ({ projectId: workspaceProjectId(), sessionId: fixtureSessions.retries });
  let file = '';
  let versionId = '';

  /** Makes a version without any window. */
  async function compress(request: CompressionRequest): Promise<void> {
    const memory = elsewhere();
    try {
      await memory.service.sessions.register([session()]);
      const { version, files } = await memory.service.versions.compress(session(), request);
      versionId = version.versionId;
      file = files.find((one) => one.endsWith('.md')) ?? '';
    } finally {
      await memory.dispose();
    }
  }

  const named = () => ({ version: { ...session(), versionId } });

  before(async () => {
    await openTranscript(fixtureSessions.retries); // by then the window knows the session
    await compress({ mode: 'uniform', compactionRatio: 2 });
  });

  it('open as Markdown that cannot be written, exactly as they are kept', async () => {
    await commands.executeCommand('keepit.openVersion', named());
    const editor = await eventually('the version to be shown', () =>
      window.activeTextEditor?.document.uri.scheme === 'keepit-version' ? window.activeTextEditor : undefined,
    );
    assert.equal(editor.document.languageId, 'markdown');
    assert.equal(editor.document.getText(), await readFile(file, 'utf8'));
    assert.equal(workspace.fs.isWritableFileSystem('keepit-version'), false);
    await assert.rejects(Promise.resolve(workspace.fs.writeFile(editor.document.uri, new Uint8Array())));
  });

  it('lead from each block to the message that it came from, and leave keepits to the transcript', async () => {
    await commands.executeCommand('keepit.openVersion', named());
    const uri = await eventually('the version to be shown', () => {
      const shown = window.activeTextEditor?.document.uri;
      return shown?.scheme === 'keepit-version' ? shown : undefined;
    });
    const lenses = await eventually('lenses', async () => {
      const found = await commands.executeCommand<CodeLens[]>('vscode.executeCodeLensProvider', uri);
      return found.length > 0 ? found : undefined;
    });
    const titles = lenses.map(({ command }) => command?.title ?? '');
    assert.ok(
      titles.every((title) => /Go to its/.test(title)),
      titles.join('\n'),
    );
    const last = lenses.at(-1)?.command;
    assert.ok(last);
    const args: readonly unknown[] = last.arguments ?? [];
    await commands.executeCommand(last.command, ...args);
    const editor = await eventually('the transcript to be shown', () =>
      window.activeTextEditor?.document.uri.scheme === 'keepit-transcript' ? window.activeTextEditor : undefined,
    );
    assert.match(editor.document.lineAt(editor.selection.active.line).text, /^#{2,3} /);
  });

  it('are copied as they are kept', async () => {
    await commands.executeCommand('keepit.copyVersion', named());
    assert.equal(await env.clipboard.readText(), await readFile(file, 'utf8'));
  });

  it('that are not there are told of, and nothing breaks', async () => {
    const gone = { version: { ...session(), versionId: 'v999' } };
    await commands.executeCommand('keepit.copyVersion', gone);
    const uri = Uri.from({ scheme: 'keepit-version', path: '/Versions/x/y.md', query: 'memory=own' });
    await assert.rejects(Promise.resolve(workspace.fs.readFile(uri)));
  });

  it('leave Claude Code’s folder as it is', async () => {
    const before = await contentsOf(folderOf('CLAUDE_CONFIG_DIR'));
    await compress({ mode: 'tiered', tierPreset: 'gentle', scope: { kind: 'delta' } });
    await commands.executeCommand('keepit.openVersion', named());
    assert.deepEqual(await contentsOf(folderOf('CLAUDE_CONFIG_DIR')), before);
  });
});
