import assert from 'node:assert/strict';
import type { KeepitMarker } from '../../../../../src/core/model/keepit';
import { Formats } from '../../../../../src/core/text/formats';
import {
  addDialog,
  expiringSessions,
  keepitLines,
  liveSession,
  liveStatus,
  registerOutcome,
  removeDialog,
  retentionWarning,
  syncOutcome,
} from '../../../../../src/core/sessions/view/memoryDialogs';
import type { RegistrationPreview, UnregisterPreview } from '../../../../../src/core/sessions/results';
import { discoveredProject, discoveredSession } from '../../../support/discovered';

const formats = new Formats({ locale: 'en-US', timeZone: 'UTC' });

function keepit(weight: number): KeepitMarker {
  return {
    markerId: String(weight),
    messageUuid: 'm',
    weight,
    content: 'words',
    position: { start: 0, end: 1 },
    context: '',
    createdAt: '',
    survivedIn: [],
    summarizedIn: [],
  };
}

function preview(fields: Partial<RegistrationPreview> = {}): RegistrationPreview {
  const { projectId, sessionId, title, file, bytes, messages, tokens, firstTimestamp, lastTimestamp } =
    discoveredSession();
  const known = { projectId, sessionId, title, file, bytes, messages, tokens, firstTimestamp, lastTimestamp };
  return { ...known, keepits: [], malformedKeepits: 0, alreadyRegistered: false, ...fields };
}

function unregisterPreview(fields: Partial<UnregisterPreview> = {}): UnregisterPreview {
  const base = { projectId: 'p', sessionId: 's', title: 'Fix the loop', versions: 2, keepits: 1 };
  return { ...base, compositions: [], bytes: 2048, isLastCopy: false, ...fields };
}

describe('the dialogs of memory', () => {
  it('lists keepits by weight, heaviest first', () => {
    const found = [0.5, 1, 0.8, 0.25, 1, 0.5, 0.8].map(keepit);
    assert.deepEqual(keepitLines(found), [
      '##keepit1.00## (2 pinned)',
      '##keepit0.80## (2 important)',
      '##keepit0.50## (2 notable)',
      '##keepit0.25## (1 minor)',
    ]);
  });

  it('shows messages, tokens, time range and keepits before a session is added', () => {
    const { title, detail } = addDialog([preview({ keepits: [keepit(1)], malformedKeepits: 1 })], formats);
    assert.equal(title, 'Add this session to memory?');
    assert.deepEqual(detail.replace(/\u202f/g, ' ').split('\n'), [
      'Fix the login loop',
      'Session: abc12345',
      'Messages: 450 | Tokens: 100,234',
      'Time range: Jan 15, 2026, 10:00 AM – 6:30 PM',
      '',
      'Detected ##keepit## markers: 1',
      '   ##keepit1.00## (1 pinned)',
      '   1 marker with a weight that does not count, such as ##keepit0.8##',
    ]);
  });

  it('sums up several sessions, and names only the first of many', () => {
    const { title, detail } = addDialog(
      Array.from({ length: 20 }, () => preview()),
      formats,
    );
    assert.equal(title, 'Add 20 sessions to memory?');
    assert.match(detail, /… and 8 more/);
    assert.match(detail, /Messages: 9,000 \| Tokens: 2,004,680/);
  });

  it('says what removing a session loses', () => {
    const one = removeDialog([unregisterPreview({ compositions: ['release'] })], formats);
    assert.equal(one.title, 'Remove this session from memory?');
    assert.deepEqual(one.detail.split('\n'), [
      'Fix the loop',
      '',
      'Goes with it: 2 compressed versions, 1 keepit.',
      'Stays, but cannot be rebuilt: release.',
      "Claude Code's own files are not touched.",
      'This frees 2 KB.',
    ]);
  });

  it('says first of all when removing a session loses its last copy', () => {
    const plain = unregisterPreview({ versions: 0, keepits: 0, bytes: 0, isLastCopy: true });
    const last = removeDialog([plain, unregisterPreview({ title: 'b' })], formats);
    assert.match(last.detail, /^• Fix the loop\n• b\n\nGoes with them: .*\n1 of them are the last copy/);
    assert.match(removeDialog([plain], formats).detail, /Goes with it: nothing else\.\nIt is the last copy/);
  });

  it('tells what was done and what failed', () => {
    const failed = [{ session: 'abc12345-6789', error: 'EACCES.' }];
    assert.equal(
      registerOutcome({ registered: [], unchanged: ['a'], failed }, formats),
      '1 had nothing new; abc12345 failed: EACCES.',
    );
    assert.equal(registerOutcome({ registered: [], unchanged: [], failed: [] }, formats), 'There was nothing to add.');
    const synced = [
      { sessionId: 'a', newMessages: 3, newTokens: 9 },
      { sessionId: 'b', newMessages: 0, newTokens: 0 },
    ];
    assert.equal(syncOutcome({ synced, failed: [] }, formats), '3 new messages from 1 session.');
    assert.equal(syncOutcome({ synced: [], failed: [] }, formats), 'Everything in memory is up to date.');
  });

  it('warns of the sessions that Claude Code is about to delete, and of the soonest', () => {
    const losing = discoveredSession({ expiresInDays: 2.5 });
    const project = discoveredProject([
      losing,
      discoveredSession(),
      discoveredSession({ messages: 0, expiresInDays: 1 }),
    ]);
    const sessions = expiringSessions(project, 7);
    assert.deepEqual(sessions, [losing]);
    assert.equal(
      retentionWarning(project, sessions),
      'Claude Code will delete the session “Fix the login loop” of my-app from 3 days on. Memory does not have it yet.',
    );
    const two = [losing, discoveredSession({ expiresInDays: -1 })];
    assert.match(
      retentionWarning(project, two),
      /delete 2 sessions of my-app any time now\. .* does not have them yet/,
    );
  });

  it('shows the newest live session in the status bar', () => {
    const older = discoveredSession({ isLive: true, lastTimestamp: '2026-01-01T00:00:00Z' });
    const newer = discoveredSession({ isLive: true, registered: true, newMessages: 4 });
    assert.equal(liveSession(discoveredProject([older, newer])), newer);
    assert.equal(liveSession(discoveredProject([discoveredSession()])), undefined);
    assert.equal(liveStatus(newer, formats).text, '$(bookmark) Claude 100k · 4 new');
    assert.equal(liveStatus(older, formats).spoken, 'Live Claude Code session, 100k tokens, not in memory');
  });
});
