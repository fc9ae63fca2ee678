import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { commands, env, extensions, window, workspace } from 'vscode';
import { eventually, fixtureSessions, sessionsInMemory, workspaceProjectId } from './support/window';

const NAME = 'café – order retries';

/** As another program beside the window would do it. */
async function cli(...args: string[]): Promise<void> {
  const folder = extensions.getExtension('keepit.keepit')?.extensionPath;
  assert.ok(folder);
  const all = [path.join(folder, 'dist/cli.js'), ...args, '--project', workspaceProjectId()];
  await promisify(execFile)(process.execPath, all, { env: { ...process.env, ELECTRON_RUN_AS_NODE: '1' } });
}

function named(name = NAME): object {
  return { composition: { projectId: workspaceProjectId(), name } };
}

describe('a composition that the command line made', () => {
  let wasInMemory = false;

  before(async () => {
    wasInMemory = (await sessionsInMemory()).includes(fixtureSessions.retries);
    await cli('register', fixtureSessions.retries);
    await cli('compose', '--name', NAME, '--budget', '8000', '--session', fixtureSessions.retries);
  });

  after(async () => {
    await commands.executeCommand('workbench.action.closeAllEditors');
    await cli('composition', 'delete', NAME);
    if (!wasInMemory) await cli('unregister', fixtureSessions.retries, '--yes');
  });

  it('opens as Markdown that nobody can write into', async () => {
    await commands.executeCommand('keepit.openComposition', named());
    const editor = await eventually('the text to be shown', () =>
      window.activeTextEditor?.document.uri.scheme === 'keepit-composition' ? window.activeTextEditor : undefined,
    );
    assert.equal(editor.document.languageId, 'markdown');
    assert.match(editor.document.getText(), /Retry failed orders/);
    assert.equal(workspace.fs.isWritableFileSystem('keepit-composition'), false);
  });

  it('is copied as it is', async () => {
    await commands.executeCommand('keepit.copyComposition', named());
    const copied = await env.clipboard.readText();
    assert.match(copied, /^# Context from past sessions: café – order retries/);
  });

  it('leaves everything as it is when it is not there', async () => {
    await env.clipboard.writeText('before');
    await commands.executeCommand('keepit.copyComposition', named('nothing of that name'));
    assert.equal(await env.clipboard.readText(), 'before');
  });
});
