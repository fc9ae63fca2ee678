import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { commands, env, window, workspace } from 'vscode';
import type { FactView } from '../../src/core/knowledge/facts/factViews';
import type { MemoryService } from '../../src/core/memory';
import { elsewhere } from './support/elsewhere';
import {
  contentsOf,
  eventually,
  fixtureSessions,
  folderOf,
  openTranscript,
  workspaceProjectId,
} from './support/window';

/** As another program beside the window would do it. */
async function outside<T>(work: (service: MemoryService) => Promise<T>): Promise<T> {
  const memory = elsewhere();
  try {
    return await work(memory.service);
  } finally {
    await memory.dispose();
  }
}

async function rule(): Promise<FactView> {
  const [first] = await outside(({ layers }) => layers.facts(workspaceProjectId(), { all: true, kind: 'rules' }));
  assert.ok(first, 'no rule was found');
  return first;
}

function rowOf({ id }: FactView): object {
  return { fact: { projectId: workspaceProjectId(), factId: id } };
}

describe('what is known of a project that was enabled elsewhere', () => {
  let claudeFolder = new Map<string, string>();

  before(async () => {
    await openTranscript(fixtureSessions.retries); // by then the window knows the project
    claudeFolder = await contentsOf(folderOf('CLAUDE_CONFIG_DIR'));
    await outside(async ({ layers }) => {
      await layers.enable(workspaceProjectId(), { location: 'home' });
      await layers.build(workspaceProjectId());
    });
  });

  after(async () => {
    await commands.executeCommand('notifications.clearAll');
    await commands.executeCommand('workbench.action.closeAllEditors');
    await outside(({ layers }) => layers.disable(workspaceProjectId()));
  });

  /** A command waits for an answer to what it tells, which nobody gives here; the window may not have looked yet. */
  async function until(command: string, row: object, isDone: () => Promise<boolean>): Promise<void> {
    await eventually(`${command} to have worked`, async () => {
      void commands.executeCommand(command, row);
      return (await isDone()) ? true : undefined;
    });
  }

  it('is seen without asking for it', async () => {
    const fact = await rule();
    await until('keepit.copyFact', rowOf(fact), async () => (await env.clipboard.readText()) === fact.content);
  });

  it('leads to the message that it comes from', async () => {
    const { source } = await rule();
    assert.ok(source);
    const { sessionId, messageUuid } = source;
    await commands.executeCommand('workbench.action.closeAllEditors');
    const message = { projectId: workspaceProjectId(), sessionId, messageUuid };
    await commands.executeCommand('keepit.openKnowledge', { message });
    const editor = await eventually('the transcript to be shown', () => window.activeTextEditor);
    assert.ok(editor.document.uri.query.includes(sessionId));
    assert.match(editor.document.lineAt(editor.selection.active.line).text, /^#{2,3} /);
  });

  it('is confirmed and rejected', async () => {
    const fact = await rule();
    await until('keepit.confirmFact', rowOf(fact), async () => (await rule()).isConfirmed);
    await until('keepit.rejectFact', rowOf(fact), async () => (await rule()).state === 'rejected');
    await until('keepit.confirmFact', rowOf(fact), async () => (await rule()).state === 'valid');
  });

  it('is a Markdown file of the user’s own when it is recalled', async () => {
    await outside(async ({ notebook }) => {
      await notebook.summarize({ projectId: workspaceProjectId(), sessionId: fixtureSessions.retries });
      await notebook.synthesize(workspaceProjectId());
    });
    await commands.executeCommand('keepit.recallMemory');
    const { document } = await eventually('the project memory to be shown', () => window.activeTextEditor);
    assert.deepEqual([document.uri.scheme, path.basename(document.uri.fsPath)], ['file', 'master.md']);
    assert.match(document.getText(), /# Project Memory/);
  });

  it('is written just as its diff has shown it', async () => {
    await commands.executeCommand('workbench.action.closeAllEditors');
    const sessionId = fixtureSessions.slowList;
    await outside(async ({ notebook }) => notebook.summarize({ projectId: workspaceProjectId(), sessionId }));
    const { file, text: before } = await outside(async ({ notebook }) => notebook.recall(workspaceProjectId()));
    void commands.executeCommand('keepit.synthesizeMemory', workspaceProjectId());
    const shown = await eventually('the diff to be shown', () => {
      const open = workspace.textDocuments.find(({ uri }) => uri.path === '/proposed/master.md');
      return open?.getText() === before ? undefined : open?.getText();
    });
    const written = await eventually('the memory to be written', async () => {
      await commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
      const text = await readFile(file, 'utf8');
      return text === before ? undefined : text;
    });
    assert.equal(written, shown);
  });

  it('leaves Claude Code’s folder as it is', async () => {
    assert.deepEqual(await contentsOf(folderOf('CLAUDE_CONFIG_DIR')), claudeFolder);
  });
});
