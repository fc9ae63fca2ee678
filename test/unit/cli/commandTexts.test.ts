import assert from 'node:assert/strict';
import { discover, messages, sessions, show, stats } from '../../../src/cli/commands/sessions';
import { doctor } from '../../../src/cli/commands/setup';
import { register, trash as trashCommand, trashEmpty, sync } from '../../../src/cli/commands/registering';
import type { Command } from '../../../src/cli/command';
import { runCli } from '../../../src/cli/runCli';
import type { SessionManifestEntry } from '../../../src/core/model/manifest';
import type { DiscoveredSession } from '../../../src/core/sessions/results';
import { FakeMemory } from '../support/fakeMemory';
import { memoryOf, type SomeMemory } from './support/someMemory';
import { FakeHost } from './support/fakeHost';

const PROJECT = '-home-ada-src-ledger';

const session: DiscoveredSession = {
  projectId: PROJECT,
  sessionId: 'a1b2c3d4-1111-4111-8111-111111111111',
  file: '/home/ada/.claude/projects/-home-ada-src-ledger/a1b2c3d4.jsonl',
  bytes: 9109,
  mtimeMs: Date.parse('2026-11-17T12:00:00Z'),
  firstTimestamp: '2026-11-17T10:00:00Z',
  lastTimestamp: '2026-11-17T11:00:00Z',
  messages: 12,
  tokens: { count: 5230, kind: 'estimate' },
  title: 'Amounts off by a cent',
  cwd: '/home/ada/src/ledger',
  gitBranch: 'main',
  subAgents: 0,
  registered: false,
  newMessages: 0,
  isOriginalGone: false,
  isLive: false,
  expiresInDays: 29,
  brokenLines: 0,
  markers: 0,
};

const entry: SessionManifestEntry = {
  sessionId: session.sessionId,
  originalFile: session.file,
  originalTokens: 5004,
  originalMessages: 12,
  firstTimestamp: session.firstTimestamp,
  lastTimestamp: session.lastTimestamp,
  registeredAt: '2026-11-17T12:00:00Z',
  lastAccessed: '2026-11-17T12:00:00Z',
  metadata: { title: session.title, cwd: session.cwd },
  keepitMarkers: [],
  compressions: [],
  kept: {
    file: `originals/${session.sessionId}.jsonl`,
    method: 'link',
    bytes: 9109,
    syncedBytes: 9109,
    syncedLines: 15,
  },
};

/** Runs one command over a memory that answers only what the test gives it. */
async function textOf(command: Command, memory: SomeMemory, ...args: string[]): Promise<string> {
  const sessions = {
    resolveProject: async () => PROJECT,
    resolve: async () => ({ projectId: PROJECT, sessionId: session.sessionId }),
    ...memory.sessions,
  };
  const known = memoryOf({ ...memory, sessions });
  const host = new FakeHost(() => ({ memory: known, dispose: async () => undefined }));
  const code = await runCli([command.name, ...args], [command], host, new AbortController().signal);
  assert.equal(code, 0, host.stderr.text);
  return host.stdout.text;
}

function discovering(...found: DiscoveredSession[]): SomeMemory {
  const project = { projectId: PROJECT, originalPath: '/home/ada/src/ledger', displayName: 'ledger', sessions: found };
  const cost = { filesListed: found.length, filesRead: 0, bytesRead: 0 };
  return { sessions: { discover: async () => ({ projects: [project], cost }) } };
}

describe('what commands tell people', () => {
  it('discover: a table per project, with what matters about each session in words', async () => {
    const found = [
      session,
      { ...session, sessionId: 'b0000000', title: 'Kept', registered: true, newMessages: 3, isLive: true },
      { ...session, sessionId: 'c0000000', title: 'Going', expiresInDays: 2.2, brokenLines: 1 },
      { ...session, sessionId: 'd0000000', title: 'Gone', registered: true, isOriginalGone: true },
      { ...session, sessionId: 'e0000000', title: 'Unread', problem: 'may not be read', messages: 0 },
    ];
    assert.equal(
      await textOf(discover, discovering(...found)),
      [
        'ledger  /home/ada/src/ledger',
        '  Session   Last used  Messages  Tokens  Title                  Memory',
        '  a1b2c3d4    1 d ago        12   ~5.2k  Amounts off by a cent',
        '  b0000000    1 d ago        12   ~5.2k  Kept                   in memory · 3 new · live',
        '  c0000000    1 d ago        12   ~5.2k  Going                  will be deleted in 3 days · 1 damaged line',
        '  d0000000    1 d ago        12   ~5.2k  Gone                   in memory · the only copy',
        '  e0000000    1 d ago         0   ~5.2k  Unread                 may not be read',
        '  5 sessions, 2 in memory',
        '',
      ].join('\n'),
    );
  });

  it('discover: what memory has of a project that cannot be read, below what is wrong', async () => {
    const { sessions: found } = discovering({ ...session, registered: true });
    const text = await textOf(discover, {
      sessions: {
        discover: async (...args) => {
          const discovery = await found!.discover!(...args);
          return { ...discovery, projects: discovery.projects.map((one) => ({ ...one, problem: 'may not be read' })) };
        },
      },
    });
    assert.match(text, /^ledger .*\n {2}may not be read\n {2}Session .*\n {2}a1b2c3d4 /);
  });

  it('discover: a word instead of a table where there is nothing', async () => {
    const cost = { filesListed: 0, filesRead: 0, bytesRead: 0 };
    const nothing = { sessions: { discover: async () => ({ projects: [], cost }) } };
    assert.match(await textOf(discover, nothing), /^Claude Code has no sessions here/);
    assert.match(await textOf(discover, discovering({ ...session, messages: 0 })), /No messages in any session/);
  });

  it('discover: a title from a transcript cannot steer the terminal', async () => {
    const text = await textOf(
      discover,
      discovering({ ...session, title: '\u001b[2J\u001b]0;owned\u0007evil\r\ntitle' }),
    );
    assert.equal(text.includes('\u001b'), false);
    assert.match(text, /evil title/);
  });

  it('messages: who said what, with the tools that were used', async () => {
    const row = { index: 3, uuid: 'u', timestamp: '', tokens: 40 };
    const rows = [
      { ...row, role: 'user' as const, text: 'Why?', tools: [] },
      {
        ...row,
        index: 4,
        role: 'assistant' as const,
        text: 'See\u001b[31m here.',
        tools: [{ name: 'Read', target: 'src/a.ts' }],
      },
    ];
    const expected = [
      '▌Human  #3 · 40 tokens',
      'Why?',
      '',
      '▌Assistant  #4 · 40 tokens',
      'See here.',
      '  → Read src/a.ts',
      '',
    ];
    assert.equal(await textOf(messages, { sessions: { messages: async () => rows } }, 'a1b2'), expected.join('\n'));
  });

  it('register: what was kept, what was there already', async () => {
    const result = { registered: [entry], unchanged: ['x', 'y'], failed: [] };
    assert.equal(
      await textOf(register, { sessions: { register: async () => result } }, 'a1b2'),
      '✓ kept  a1b2c3d4  Amounts off by a cent  12 messages · 5k tokens\n2 sessions in memory already, nothing new\n',
    );
  });

  it('register --all: leaves out sessions that were never spoken in, and those that only memory has', async () => {
    const asked: string[] = [];
    const memory: SomeMemory = {
      sessions: {
        ...discovering(
          session,
          { ...session, sessionId: 'empty', messages: 0 },
          { ...session, sessionId: 'gone', isOriginalGone: true },
        ).sessions,
        register: async (refs) => {
          asked.push(...refs.map(({ sessionId }) => sessionId));
          return { registered: [], unchanged: [], failed: [] };
        },
      },
    };
    assert.equal(
      await textOf(register, memory, '--all'),
      '1 session in which nothing was said yet is left out: empty\n',
    );
    assert.deepEqual(asked, [session.sessionId]);
  });

  it('register --all: tells what cannot be read', async () => {
    const problem = 'This file may not be read by this user.';
    const memory: SomeMemory = {
      sessions: {
        ...discovering(session, { ...session, sessionId: 'closed', messages: 0, problem }).sessions,
        register: async () => ({ registered: [], unchanged: [session.sessionId], failed: [] }),
      },
    };
    const answer = textOf(register, memory, '--all');
    await assert.rejects(answer, /1 session could not be done\./);
  });

  it('sync: only what was new', async () => {
    const synced = [
      { sessionId: 'a1b2c3d4', newMessages: 2, newTokens: 310 },
      { sessionId: 'b0000000', newMessages: 0, newTokens: 0 },
    ];
    const text = await textOf(sync, { sessions: { sync: async () => ({ synced, failed: [] }) } }, 'a1b2');
    assert.equal(text, '✓ synced  a1b2c3d4  2 new messages, 310 tokens\n2 new messages from 1 session.\n');
  });

  it('sessions: a table, without columns in which nothing stands', async () => {
    const text = await textOf(sessions, { sessions: { list: async () => [entry] } });
    assert.match(text, /^Session +Last message +Messages +Tokens +Title\n/);
    assert.match(text, /a1b2c3d4 +1 d ago +12 +5k +Amounts off by a cent\n$/);
  });

  it('sessions: names the project where there are several', async () => {
    const named = { ...entry, metadata: { ...entry.metadata, projectName: 'ledger' } };
    const memory: SomeMemory = { sessions: { list: async () => [named] } };
    assert.match(await textOf(sessions, memory, '--all-projects'), /Project +Title\n.* ledger +Amounts/);
    assert.doesNotMatch(await textOf(sessions, memory), /Project/);
  });

  it('show: every line of the transcript accounted for, and the first broken ones', async () => {
    const broken = [1, 2, 3, 4, 5, 6, 7].map((line) => ({ line, error: 'not JSON' }));
    const unfinished = { line: 1023, bytes: 2048 };
    const figures = { lines: 1022, used: 12, skipped: { blank: 1, progress: 2 }, brokenCount: 1007 };
    const reader = { ...figures, broken, salvaged: [{ line: 9, error: 'torn' }], unfinished };
    const delta = { newMessages: 0, uncompressed: 0, nextPart: 2 };
    const redacted = [{ kind: 'GitHub token', count: 2 }];
    const text = await textOf(
      show,
      { sessions: { show: async () => ({ session: entry, registered: true, delta, reader, redacted }) } },
      'a1b2',
    );
    assert.match(text, /^Amounts off by a cent\n {2}Session +a1b2c3d4-1111/);
    assert.match(text, /Since then +nothing new\n/);
    assert.match(
      text,
      /Lines +1,022 lines · 12 used · 3 skipped \(2 progress, 1 blank\) · 1,007 broken · 1 used in part · /,
    );
    assert.match(text, / · a last line without an end \(2 KB\)\n/);
    assert.match(text, /Left out +2 × GitHub token\n/);
    assert.match(text, /line 5: not JSON\n {4}… and 1,003 more/);
    assert.doesNotMatch(text, /Keepits/);
  });

  it('doctor: what was found, and what to do about it', async () => {
    const checks = [
      { name: 'Store', ok: true, detail: 'can be written' },
      { name: 'Locks', ok: false, detail: '1 lock was left behind', hint: 'Repair removes it.', isRepairable: true },
    ];
    assert.equal(
      await textOf(doctor, { upkeep: { doctor: async () => checks } }),
      [
        '✓ ok    Store  can be written',
        '✗ look  Locks  1 lock was left behind',
        '         Repair removes it.',
        '',
        '1 check found something. `keepit doctor --repair` can mend some of it.',
        '',
      ].join('\n'),
    );
  });

  it('trash: what waits in it, and what was deleted for good', async () => {
    const items = [{ name: '2026-01-20T10-00-00-000Z-a1b2', discardedAt: '2026-01-20T10:00:00.000Z', bytes: 2048 }];
    const list = async () => [{ projectId: PROJECT, items, bytes: 2048 }];
    const asked: unknown[] = [];
    const empty = async (...args: unknown[]) => {
      asked.push(args);
      return list();
    };
    const { trash } = new FakeMemory().service;
    const known = Object.assign(trash, { list, empty });
    assert.match(
      await textOf(trashCommand, { trash: known }),
      /2026-01-20T10-00-00-000Z-a1b2 .*2 KB\n\n1 thing, 2 KB\./,
    );
    assert.equal(await textOf(trashEmpty, { trash: known }, '--older-than', '7'), '✓ deleted  1 thing, 2 KB\n');
    assert.deepEqual(asked, [[PROJECT, 7]]);
    Object.assign(trash, { list: async () => [] });
    assert.equal(await textOf(trashCommand, { trash: known }), 'The trash is empty.\n');
  });

  it('stats: figures, and a line per project', async () => {
    const figures = {
      projects: 1,
      sessions: 2,
      versions: 0,
      compositions: 0,
      keepits: 3,
      originalTokens: 10_008,
      originalBytes: 18_218,
      versionTokens: 0,
      ratio: 0,
      savedTokens: 0,
      storeBytes: 4096,
      linkedBytes: 18_218,
      trash: { items: 2, bytes: 2048 },
      savedSessions: 1,
      calibration: [{ model: 'claude-opus-4-7', ratio: 1.6789, medianErrorPct: 7.31, pairs: 212 }],
      byProject: [{ projectId: PROJECT, displayName: 'ledger', sessions: 2, tokens: 10_008, bytes: 4096 }],
    };
    const text = await textOf(stats, { upkeep: { stats: async () => figures } });
    assert.match(text, /Sessions +2 in 1 project\nSaved +1 that Claude Code has deleted\n/);
    assert.match(text, /claude-opus-4-7 +1\.68 tokens for each of ours, ± 7\.3 %, from 212 requests\n/);
    assert.match(text, /On disk +4 KB, and 18 KB shared with Claude Code\n/);
    assert.match(text, /In the trash +2 things, 2 KB of that\n/);
    assert.match(text, /\nledger +2 +10k +4 KB\n$/);
  });
});
