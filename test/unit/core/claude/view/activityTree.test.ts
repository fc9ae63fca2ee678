import assert from 'node:assert/strict';
import type { HookActivity } from '../../../../../src/core/model/hookActivity';
import { defaultHookSettings } from '../../../../../src/core/model/hookSettings';
import type { SetupInstall } from '../../../../../src/core/model/setupRecord';
import { Formats } from '../../../../../src/core/text/formats';
import type { InsideSession } from '../../../../../src/core/claude/view/activityRows';
import {
  firingRows,
  INSIDE_PAGE,
  insideSummary,
  insideTree,
  type InsideContent,
  type InsideTreeOptions,
} from '../../../../../src/core/claude/view/activityTree';

const formats = new Formats({ locale: 'en-GB', timeZone: 'UTC' });
const PROJECT = '-home-dac-my-app';
const FOLDER = '/home/dac/my-app';
const NOW = '2026-01-15T18:30:00Z';

const start: HookActivity = {
  at: '2026-01-15T18:00:00Z',
  event: 'SessionStart',
  source: 'startup',
  tookMs: 34,
  injected: {
    tokens: 2310,
    units: 9240,
    pieces: [
      { kind: 'session-id', tokens: 12, units: 48, preview: 'Keepit session ID: 7c7c7c7c' },
      {
        kind: 'memory',
        tokens: 2298,
        units: 9190,
        from: '/home/dac/my-app/_memory/master.md',
        preview: '# my-app, what is *known*',
      },
    ],
  },
};
const prompt: HookActivity = {
  at: '2026-01-15T18:10:00Z',
  event: 'UserPromptSubmit',
  tookMs: 40,
  injected: { tokens: 100, units: 400, pieces: [{ kind: 'rules', tokens: 100, units: 400 }] },
};
const capture: HookActivity = {
  at: '2026-01-14T18:20:00Z',
  event: 'Capture',
  source: 'stop',
  tookMs: 1234,
  captured: { messages: 4, tokens: 12_345 },
};
const broken: HookActivity = { at: NOW, event: 'Stop', tookMs: 7, problem: 'The disk is full.' };

function session(activity: readonly HookActivity[], sessionId = '7c7c7c7c-0000-4000-8000-000000000000'): InsideSession {
  const sum = (of: (one: HookActivity) => number | undefined): number =>
    activity.reduce((total, one) => total + (of(one) ?? 0), 0);
  return {
    projectId: PROJECT,
    sessionId,
    activity,
    firings: activity.length,
    firstAt: activity[0]?.at ?? NOW,
    lastAt: activity.at(-1)?.at ?? NOW,
    injectedTokens: sum(({ injected }) => injected?.tokens),
    injectedUnits: sum(({ injected }) => injected?.units),
    capturedMessages: sum(({ captured }) => captured?.messages),
    problems: activity.filter(({ problem }) => problem !== undefined).length,
  };
}

const user: SetupInstall = { mode: 'plugin', scope: 'user', at: NOW };

function content(changes: Partial<InsideContent> & { installs?: SetupInstall[] } = {}): InsideContent {
  const { installs = [user], ...others } = changes;
  const plugin = { path: '/store/claude-plugin', version: '1.2.0' };
  return {
    setup: { installs, plugin, available: plugin, runtime: { kind: 'path', file: '/usr/bin/node', version: '22.1.0' } },
    switches: { hooks: defaultHookSettings, newSessions: { isOn: false, key: 'defaults.autoRegisterSessions' } },
    sessions: [],
    ...others,
  };
}

const options: InsideTreeOptions = {
  formats,
  nowMs: Date.parse(NOW),
  folder: FOLDER,
  limitOf: () => INSIDE_PAGE,
  titleOf: ({ sessionId }) => (sessionId.startsWith('7c') ? 'Fix the *login* loop' : undefined),
};

const labels = (tree: readonly { label: string }[]): string[] => tree.map(({ label }) => label);

describe('the tree of what Keepit does inside Claude Code', () => {
  it('is empty where nothing is set up and no hook has run, so that the view can say what to do', () => {
    assert.deepEqual(insideTree(content({ installs: [] }), options), []);
  });

  it('says where it is set up, what is switched on, and that a session is awaited', () => {
    const tree = insideTree(content(), options);
    assert.deepEqual(labels(tree), ['Set up for you, in all projects', 'Hooks', 'Waiting for a session']);
    assert.equal(tree[0]!.description, 'plugin · 1.2.0');
    assert.match(tree[0]!.tooltip, /Hooks are run with node, version 22/);
    assert.equal(tree[1]!.description, 'all on');
  });

  it('tells hooks that ran without being set up here, and set-ups that do not reach this project', () => {
    const ran = insideTree(content({ installs: [], sessions: [session([start])] }), options);
    assert.deepEqual(labels(ran), ['Not set up for this project', 'Hooks', 'Fix the *login* loop']);
    const elsewhere: SetupInstall = { mode: 'plain', scope: 'local', folder: '/home/dac/other', at: NOW };
    const other = insideTree(content({ installs: [elsewhere] }), options);
    assert.deepEqual(labels(other).slice(0, 2), ['Not set up for this project', 'Set up in /home/dac/other']);
    const here = insideTree(content({ installs: [{ ...elsewhere, folder: FOLDER }] }), options);
    assert.equal(here[0]!.label, 'Set up in this project, for you alone');
    assert.equal(here[0]!.contextValue, 'install local');
  });

  it('says of each session what it was given, by kind and size, the largest first', () => {
    const [, , row] = insideTree(content({ sessions: [session([start, prompt, prompt, capture])] }), options);
    assert.equal(row!.description, '2,510 tokens given · 4 messages taken in · 1 d ago');
    assert.match(
      row!.tooltip.replaceAll('\\', ''),
      /Keepit gave this session 2,510 tokens: Project memory 2,298, Rules 200 \(2 times\), Session ID 12\./,
    );
    assert.match(row!.tooltip, /Fix the \\\*login\\\* loop/);
    assert.equal(row!.contextValue, 'insideSession session');
    assert.equal(row!.spoken, `${row!.label}, ${row!.description}`);
  });

  it('lets a session whose transcript is gone be looked at, but not opened', () => {
    const [, , row] = insideTree(content({ sessions: [session([start], 'abcdef12-0000')] }), options);
    assert.equal(row!.label, 'Session abcdef12');
    assert.match(row!.contextValue, /\bgone\b/);
  });

  it('puts what went wrong where it is seen', () => {
    const [, , row] = insideTree(content({ sessions: [session([start, broken])] }), options);
    assert.match(row!.description, /^1 problem · /);
    assert.match(row!.tooltip, /The disk is full/);
    assert.equal(row!.icon?.id, 'warning');
    const [firing] = firingRows(session([start, broken]), options);
    assert.equal(firing!.icon?.id, 'error');
    assert.match(firing!.description, /The disk is full/);
    assert.deepEqual(labels(firing!.children), ['The disk is full.']);
  });

  it('lists what hooks did, the latest first, with time, cost and pieces', () => {
    const rows = firingRows(session([capture, start, prompt]), options);
    assert.deepEqual(
      rows.map(({ label, description }) => `${label}: ${description}`),
      [
        'UserPromptSubmit: 100 tokens given · 40 ms · 18:10',
        'SessionStart: startup · 2,310 tokens given · 34 ms · 18:00',
        'Capture: stop · 4 messages taken in, 12k tokens · 1.2 s · 14 Jan 2026, 18:20',
      ],
    );
    const [, begun] = rows;
    assert.deepEqual(labels(begun!.children), ['Session ID', 'Project memory']);
    assert.equal(begun!.children[1]!.description, '2,298 tokens · from master.md · # my-app, what is *known*');
    assert.match(begun!.children[1]!.tooltip.replaceAll('\\', ''), /from \/home\/dac\/my-app\/_memory\/master\.md/);
    assert.deepEqual(begun!.children[1]!.firing, {
      projectId: PROJECT,
      sessionId: '7c7c7c7c-0000-4000-8000-000000000000',
      index: 1,
    });
  });

  it('shows a page at a time, of sessions and of what hooks did, and never the same row twice', () => {
    const many = Array.from({ length: INSIDE_PAGE + 20 }, (_one, index) => session([start], `session-${index}`));
    const tree = insideTree(content({ sessions: many }), options);
    assert.equal(tree.length, INSIDE_PAGE + 3);
    assert.equal(tree.at(-1)!.label, 'Show 20 more');
    const rows = firingRows(session(Array.from({ length: INSIDE_PAGE + 1 }, () => prompt)), options);
    assert.equal(rows.length, INSIDE_PAGE + 1);
    assert.equal(rows[0]!.firing?.index, INSIDE_PAGE);
    assert.equal(rows.at(-1)!.description, '1 earlier');
    assert.equal(new Set([...tree, ...rows].map(({ id }) => id)).size, tree.length + rows.length);
  });

  it('shows a kind of a later version by its own name', () => {
    const later = { ...prompt, injected: { tokens: 5, units: 20, pieces: [{ kind: 'moods', tokens: 5, units: 20 }] } };
    const [row] = firingRows(session([later]), options);
    assert.deepEqual(labels(row!.children), ['moods']);
  });

  it('sums up in the head of the view', () => {
    assert.equal(insideSummary({ sessions: [] }, formats), '');
    assert.equal(insideSummary({ sessions: [session([start])] }, formats), '2,310 tokens given · 1 session');
  });
});

describe('the switches of hooks', () => {
  it('say what each hook does, whether it is on, and which setting it is', () => {
    const hooks = { ...defaultHookSettings, reminders: false };
    const switches = { hooks, newSessions: { isOn: true, key: 'project.autoRegisterNewSessions' } };
    const group = insideTree(content({ switches, sessions: [session([start])] }), options)[1]!;
    assert.equal(group.description, '1 off');
    assert.equal(group.fold, 'collapsed');
    const reminders = group.children.find(({ label }) => label === 'Reminders')!;
    assert.deepEqual(reminders.toggle, { isOn: false, key: 'hooks.reminders' });
    assert.match(reminders.spoken, /^Reminders, off, /);
    assert.deepEqual(group.children.at(-1)!.toggle, { isOn: true, key: 'project.autoRegisterNewSessions' });
    assert.equal(group.children.length, 10);
  });
});
