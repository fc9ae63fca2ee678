import assert from 'node:assert/strict';
import { commands, TabInputWebview, window, type Tab } from 'vscode';
import { elsewhere } from './support/elsewhere';
import { eventually, fixtureSessions, openTranscript, workspaceProjectId } from './support/window';

function tabs(): Tab[] {
  return window.tabGroups.all.flatMap((group) => group.tabs);
}

function comparisons(): Tab[] {
  return tabs().filter(
    ({ input }) => input instanceof TabInputWebview && input.viewType.includes('keepit.versionDiff'),
  );
}

describe('comparing versions', () => {
  const session = () => ({ projectId: workspaceProjectId(), sessionId: fixtureSessions.retries });
  let versionId = '';
  const named = () => ({ version: { ...session(), versionId }, against: 'original' });

  before(async () => {
    await openTranscript(fixtureSessions.retries); // by then the window knows the session
    const memory = elsewhere();
    try {
      await memory.service.sessions.register([session()]);
      const request = { mode: 'uniform', compactionRatio: 3, aggressiveness: 'moderate' } as const;
      versionId = (await memory.service.versions.compress(session(), request)).version.versionId;
    } finally {
      await memory.dispose();
    }
  });

  after(async () => {
    await commands.executeCommand('workbench.action.closeAllEditors');
  });

  it('opens one panel for a session, however often it is asked for', async () => {
    await commands.executeCommand('keepit.compareVersions', named());
    const [tab] = await eventually('the panel to open', () => (comparisons().length > 0 ? comparisons() : undefined));
    await eventually('the panel to know its session', () => (tab?.label.startsWith('Compare: ') ? true : undefined));
    await commands.executeCommand('keepit.compareVersions', named());
    assert.equal(comparisons().length, 1);
  });
});
