import assert from 'node:assert/strict';
import { utimes } from 'node:fs/promises';
import { commands, env, extensions } from 'vscode';
import * as z from 'zod';
import {
  contentsOf,
  eventually,
  fixtureSessions,
  folderOf,
  openTranscript,
  registerByItself,
  sessionsInMemory,
  transcriptFile,
  workspaceProjectId,
} from './support/window';

const contributedSchema = z.object({ contributes: z.object({ commands: z.array(z.object({ command: z.string() })) }) });

function refOf(sessionId: string): { projectId: string; sessionId: string } {
  return { projectId: workspaceProjectId(), sessionId };
}

describe('the commands of Keepit', () => {
  it('are all there once the extension is active', async () => {
    const extension = extensions.getExtension('keepit.keepit');
    assert.ok(extension);
    await extension.activate();
    const { contributes } = contributedSchema.parse(extension.packageJSON);
    const there = new Set(await commands.getCommands(true));
    for (const { command } of contributes.commands) assert.ok(there.has(command), command);
  });

  it('copy the id and the path of a session', async () => {
    await openTranscript(fixtureSessions.retries); // by then the session is known
    await commands.executeCommand('keepit.copySessionId', refOf(fixtureSessions.retries));
    assert.equal(await env.clipboard.readText(), fixtureSessions.retries);
    await commands.executeCommand('keepit.copyPath', refOf(fixtureSessions.retries));
    assert.equal(await env.clipboard.readText(), transcriptFile(fixtureSessions.retries));
  });

  it('keep a session that Claude Code is about to delete, and leave its file alone', async () => {
    const file = transcriptFile(fixtureSessions.slowList);
    const almostDue = new Date(Date.now() - 29 * 24 * 60 * 60 * 1000);
    await utimes(file, almostDue, almostDue);
    const fresh = transcriptFile(fixtureSessions.retries);
    await utimes(fresh, new Date(), new Date());
    const before = await contentsOf(folderOf('CLAUDE_CONFIG_DIR'));
    await commands.executeCommand('keepit.refresh');
    await commands.executeCommand('keepit.keepExpiring');
    assert.deepEqual(
      await eventually('the session to be kept', async () => {
        const sessions = await sessionsInMemory();
        return sessions.length > 0 ? sessions : undefined;
      }),
      [fixtureSessions.slowList],
    );
    assert.deepEqual(await contentsOf(folderOf('CLAUDE_CONFIG_DIR')), before);
  });

  it('register new sessions by themselves when the setting says so', async () => {
    await registerByItself();
    assert.equal((await sessionsInMemory()).length, 2);
  });
});
