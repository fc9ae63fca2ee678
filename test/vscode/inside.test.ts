import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { commands, env, extensions, window, workspace } from 'vscode';
import * as z from 'zod';
import { runHook } from '../unit/support/hookProcess';
import { elsewhere } from './support/elsewhere';
import { eventually, fixtureSessions, folderOf, transcriptFile, workspaceProjectId } from './support/window';

const SESSION = fixtureSessions.slowList;
const configSchema = z.object({ hooks: z.object({ reminders: z.boolean() }) });

async function hook(event: string, more: object = {}): Promise<string> {
  const folder = extensions.getExtension('keepit.keepit')?.extensionPath;
  assert.ok(folder);
  return runHook(path.join(folder, 'dist/cli.js'), process.env, {
    hook_event_name: event,
    session_id: SESSION,
    transcript_path: transcriptFile(SESSION),
    cwd: workspace.workspaceFolders?.[0]?.uri.fsPath ?? '',
    ...more,
  });
}

function firing(index: number): object {
  return { firing: { projectId: workspaceProjectId(), sessionId: SESSION, index } };
}

describe('what Keepit does inside Claude Code', () => {
  before(async () => {
    assert.match(await hook('SessionStart', { source: 'resume' }), new RegExp(SESSION));
  });

  after(async () => {
    await commands.executeCommand('workbench.action.closeAllEditors');
  });

  it('is opened as a document of each hook that ran, which nobody can write into', async () => {
    await commands.executeCommand('keepit.openActivity', firing(0));
    const document = await eventually('the document', () =>
      window.activeTextEditor?.document.uri.scheme === 'keepit-activity' ? window.activeTextEditor.document : undefined,
    );
    assert.equal(document.languageId, 'markdown');
    assert.match(document.getText(), /^# SessionStart · resume\n\n.*It took \d+ ms\./);
    assert.match(document.getText(), new RegExp(`## Session ID: .*\\n\\n> Keepit session ID: ${SESSION}`));
    assert.equal(workspace.fs.isWritableFileSystem('keepit-activity'), undefined);
  });

  it('is copied: of a session what it was given, of a hook all that it did', async () => {
    await commands.executeCommand('keepit.copyActivity', {
      session: { projectId: workspaceProjectId(), sessionId: SESSION },
    });
    assert.match(await env.clipboard.readText(), /: Keepit gave this session [\d,]+ tokens: .*Session ID \d+.*\.$/);
    await commands.executeCommand('keepit.copyActivity', firing(0));
    assert.match(await env.clipboard.readText(), /^# SessionStart/);
    await env.clipboard.writeText('before');
    await commands.executeCommand('keepit.copyActivity', firing(999));
    assert.equal(await env.clipboard.readText(), 'before');
  });

  it('is switched on and off in the settings that the command line has too', async () => {
    const file = path.join(folderOf('CLAUDE_MEMORY_DIR'), 'config.json');
    const isOn = async (): Promise<boolean> =>
      configSchema.parse(JSON.parse(await readFile(file, 'utf8'))).hooks.reminders;
    const row = (on: boolean): object => ({ label: 'Reminders', toggle: { isOn: on, key: 'hooks.reminders' } });
    await commands.executeCommand('keepit.switchHook', row(true));
    assert.equal(await isOn(), false);
    const memory = elsewhere();
    assert.equal((await memory.service.config.read()).hooks.reminders, false);
    await memory.dispose();
    await commands.executeCommand('keepit.switchHook', row(false));
    assert.equal(await isOn(), true);
  });

  it('opens the log of hooks once there is one', async () => {
    await commands.executeCommand('workbench.action.closeAllEditors');
    await hook('NoSuchEvent');
    await commands.executeCommand('keepit.openHookLog');
    const document = await eventually('the log', () =>
      window.activeTextEditor?.document.fileName.endsWith('hooks.log') ? window.activeTextEditor.document : undefined,
    );
    assert.match(document.getText(), /does not answer this event/);
  });
});
