import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Formats } from '../../../../../src/core/text/formats';
import {
  sessionMatcher,
  projectTree,
  sessionNode,
  sessionTree,
  subAgentNode,
} from '../../../../../src/core/sessions/view/sessionTree';
import type { DiscoveredSession } from '../../../../../src/core/sessions/results';
import { conversation, message } from '../../../support/conversations';
import { discoveredProject, discoveredSession } from '../../../support/discovered';

const context = {
  formats: new Formats({ locale: 'en-US', timeZone: 'UTC' }),
  nowMs: Date.parse('2026-01-17T18:30:00Z'),
  warningDays: 7,
  showsEstimates: true,
  view: 'timeline',
} as const;

function rows(sessions: DiscoveredSession[]): unknown {
  const months = sessionTree(discoveredProject(sessions), context);
  return months.map(({ label, children }) => [label, children.map((child) => child.label)]);
}

describe('sessionTree', () => {
  it('lists sessions one after the other where that is wanted', () => {
    const sessions = [
      discoveredSession({ sessionId: 'old', title: 'old', lastTimestamp: '2025-12-31T23:00:00Z' }),
      discoveredSession({ sessionId: 'new', title: 'new', lastTimestamp: '2026-01-10T23:00:00Z' }),
    ];
    const nodes = sessionTree(discoveredProject(sessions), { ...context, view: 'list' });
    assert.deepEqual(
      nodes.map(({ kind, label }) => [kind, label]),
      [
        ['session', 'new'],
        ['session', 'old'],
      ],
    );
  });

  it('tells estimates only where they are wanted, and exact counts always', () => {
    const tell = (kind: 'estimate' | 'exact', showsEstimates: boolean): string => {
      const { description, tooltip, spoken } = sessionNode(discoveredSession({ tokens: { count: 123_456, kind } }), {
        ...context,
        showsEstimates,
      });
      return [description, tooltip, spoken].join('\n');
    };
    const isTold = (text: string): boolean => /123[k,]|tokens/.test(text);
    assert.deepEqual(
      [tell('estimate', true), tell('exact', false), tell('exact', true), tell('estimate', false)].map(isTold),
      [true, true, true, false],
    );
  });

  it('groups sessions by the month of their last message, newest first', () => {
    const sessions = [
      discoveredSession({ sessionId: 'old', title: 'old', lastTimestamp: '2025-12-31T23:00:00Z' }),
      discoveredSession({ sessionId: 'new', title: 'new', lastTimestamp: '2026-01-15T12:00:00Z' }),
      discoveredSession({ sessionId: 'mid', title: 'mid', lastTimestamp: '2026-01-02T12:00:00Z' }),
    ];
    assert.deepEqual(rows(sessions), [
      ['January 2026', ['new', 'mid']],
      ['December 2025', ['old']],
    ]);
  });

  it('opens the newest month', () => {
    const sessions = [
      discoveredSession({ sessionId: 'a', lastTimestamp: '2026-01-15T12:00:00Z' }),
      discoveredSession({ sessionId: 'b', lastTimestamp: '2025-11-15T12:00:00Z' }),
    ];
    const folds = sessionTree(discoveredProject(sessions), context).map(({ fold }) => fold);
    assert.deepEqual(folds, ['expanded', 'collapsed']);
  });

  it('sorts a session without a valid time by the date of its file', () => {
    const session = discoveredSession({ lastTimestamp: '', mtimeMs: Date.parse('2025-10-01T00:00:00Z') });
    assert.deepEqual(rows([session]), [['October 2025', ['Fix the login loop']]]);
  });

  it('leaves out empty sessions, unless they are kept or cannot be read', () => {
    const sessions = [
      discoveredSession({ sessionId: 'empty', title: 'empty', messages: 0 }),
      discoveredSession({ sessionId: 'kept', title: 'kept', messages: 0, registered: true }),
      discoveredSession({ sessionId: 'bad', title: 'bad', messages: 0, problem: 'EACCES' }),
    ];
    assert.deepEqual(rows(sessions), [['January 2026', ['kept', 'bad']]]);
  });

  it('shows a project that cannot be read completely as a row that says so', () => {
    const project = discoveredProject([discoveredSession()], { problem: 'The folder may not be opened.' });
    const [problem, month] = sessionTree(project, context);
    assert.equal(problem?.kind, 'problem');
    assert.equal(problem.description, 'The folder may not be opened.');
    assert.equal(month?.kind, 'month');
  });

  it('gives every row an id of its own', () => {
    const anySession = fc.record({
      sessionId: fc.uuid(),
      lastTimestamp: fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
    });
    fc.assert(
      fc.property(fc.uniqueArray(anySession, { selector: ({ sessionId }) => sessionId }), (sessions) => {
        const months = sessionTree(discoveredProject(sessions.map(discoveredSession)), context);
        const ids = months.flatMap(({ id, children }) => [id, ...children.map((child) => child.id)]);
        assert.equal(new Set(ids).size, ids.length);
        assert.equal(months.flatMap(({ children }) => children).length, sessions.length);
      }),
    );
  });
});

describe('sessionNode', () => {
  const node = (fields: Partial<DiscoveredSession>): ReturnType<typeof sessionNode> =>
    sessionNode(discoveredSession(fields), context);

  it('tells tokens, age and what is new', () => {
    assert.equal(node({}).description, '100k · 2 d ago');
    assert.equal(node({ registered: true, newMessages: 12 }).description, '100k · 2 d ago · 12 new');
    assert.equal(node({ isLive: true }).description, '100k · 2 d ago · live');
    assert.equal(node({ registered: true, isOriginalGone: true }).description, '100k · 2 d ago · kept copy');
  });

  it('warns in words before a session that is not in memory is deleted', () => {
    assert.equal(node({ expiresInDays: 2.4 }).description, 'will be deleted in 3 days · 100k · 2 d ago');
    assert.equal(node({ expiresInDays: 0.5 }).description, 'will be deleted in 1 day · 100k · 2 d ago');
    assert.equal(node({ expiresInDays: 0 }).description, 'will be deleted within a day · 100k · 2 d ago');
    assert.equal(node({ expiresInDays: -3 }).description, 'will be deleted any time now · 100k · 2 d ago');
    assert.equal(node({ expiresInDays: 8 }).description, '100k · 2 d ago');
    assert.equal(node({ expiresInDays: 2, registered: true }).description, '100k · 2 d ago');
  });

  it('has a shape for each state, so that colour is never needed', () => {
    const icons = [
      node({}),
      node({ isLive: true }),
      node({ expiresInDays: 1 }),
      node({ registered: true }),
      node({ registered: true, isOriginalGone: true }),
      node({ problem: 'EACCES' }),
    ].map(({ icon }) => icon?.id);
    assert.deepEqual(icons, ['circle-outline', 'pulse', 'warning', 'bookmark', 'archive', 'error']);
  });

  it('offers menus the flags of its state, as whole words', () => {
    assert.equal(node({}).contextValue, 'session notInMemory');
    assert.equal(
      node({ registered: true, newMessages: 2, isLive: true, isOriginalGone: true }).contextValue,
      'session inMemory new live gone',
    );
    assert.equal(node({ problem: 'EACCES' }).contextValue, 'session problem');
    assert.doesNotMatch(node({}).contextValue, /\binMemory\b/);
  });

  it('speaks the same facts as it shows', () => {
    const { spoken } = node({ registered: true, newMessages: 12 });
    assert.equal(spoken, 'Fix the login loop, in memory, 100k tokens, 2 d ago, 12 new');
  });

  it('can be unfolded when it has sub-agents', () => {
    assert.equal(node({}).fold, 'none');
    const session = discoveredSession({ subAgents: 1 });
    assert.equal(sessionNode(session, context).fold, 'collapsed');
    const agent = { agentId: 'a7f', title: 'Explore the code', file: 'x', conversation: conversation([message({})]) };
    const row = subAgentNode(session, agent, context.formats);
    assert.equal(row.label, 'Explore the code');
    assert.equal(row.description, '10 · 1 message');
    assert.deepEqual(row.agent, { id: 'a7f', title: 'Explore the code' });
  });

  it('falls back to the id where there is no title, and never lets a title be Markdown', () => {
    assert.equal(node({ title: ' ' }).label, 'Session abc12345');
    assert.match(node({ title: '**x** $(trash)' }).tooltip, /\\\*\\\*x\\\*\\\* \\\$\\\(trash\\\)/);
  });
});

describe('projectTree', () => {
  const other = discoveredProject([discoveredSession({ projectId: 'b', lastTimestamp: '2026-01-16T00:00:00Z' })], {
    projectId: 'b',
    displayName: 'other',
  });
  const own = discoveredProject([discoveredSession({ registered: true }), discoveredSession({ expiresInDays: 1 })]);

  it("puts the workspace's project first, then those used last", () => {
    const labels = (currentProjectId?: string): string[] =>
      projectTree([own, other], { ...context, ...(currentProjectId !== undefined && { currentProjectId }) }).map(
        ({ label }) => label,
      );
    assert.deepEqual(labels(), ['other', 'my-app']);
    assert.deepEqual(labels(own.projectId), ['my-app', 'other']);
  });

  it('tells how much is in memory, the age and what is about to be deleted', () => {
    const [row] = projectTree([own], context);
    assert.equal(row?.description, '1 about to be deleted · 1 of 2 in memory · 2 d ago');
    assert.equal(row.contextValue, 'project notAllInMemory someInMemory expiring');
    assert.equal(row.icon?.id, 'warning');
  });
});

describe('sessionMatcher', () => {
  const session = discoveredSession({ title: 'Fix the Login loop', gitBranch: 'feature/auth' });
  const matches = (text: string): boolean => sessionMatcher(text)(session);

  it('wants every word, anywhere in title, id, branch or folder, in any letter case', () => {
    assert.ok(matches('login FIX'));
    assert.ok(matches('feature/auth abc12345'));
    assert.ok(matches(' '));
    assert.ok(!matches('login logout'));
  });
});
