import assert from 'node:assert/strict';
import type { FactView } from '../../../../../src/core/knowledge/facts/factViews';
import type { LayersStatus } from '../../../../../src/core/knowledge/layersService';
import type { Concept, Exchange } from '../../../../../src/core/model/layers';
import { Formats } from '../../../../../src/core/text/formats';
import {
  exchangeRows,
  knowledgePage,
  knowledgeSummary,
  knowledgeTree,
  reviewCount,
  type KnowledgeContent,
  type KnowledgeTreeOptions,
} from '../../../../../src/core/knowledge/view/knowledgeTree';
import type { TreeNode } from '../../../../../src/core/sessions/view/treeNode';

const formats = new Formats({ locale: 'en', timeZone: 'UTC' });
const options: KnowledgeTreeOptions = {
  projectId: 'p',
  formats,
  nowMs: Date.parse('2026-02-01T12:00:00Z'),
  limitOf: knowledgePage,
  titleOf: (sessionId) => (sessionId === 's1' ? 'Mail *queue*' : undefined),
};

const status: LayersStatus = {
  dir: '/p/.claude/memory',
  isExcluded: true,
  projectId: 'p',
  isEnabled: true,
  location: 'project',
  isShared: false,
  files: [],
  notebook: { dir: '/p/_memory', isExcluded: true, files: [] },
};

function fact(id: string, content: string, more: Partial<FactView> = {}): FactView {
  return {
    id,
    kind: 'rules',
    type: 'preference',
    content,
    words: content,
    confidence: 0.95,
    trust: 'stated',
    contradictions: 0,
    lastValidated: '2026-01-14',
    state: 'valid',
    isConfirmed: false,
    source: { sessionId: 's1', messageUuid: `m-${id}`, excerpt: content, ts: '2026-01-14T10:00:00Z', by: 'user' },
    ...more,
  };
}

function exchange(id: string, summary: string, more: Partial<Exchange> = {}): Exchange {
  const rest = { details: '', files: [], keywords: [], l1_range: [1, 2] as [number, number] };
  return { id, ts: '2026-01-14T10:00:00Z', summary, outcome: 'done', uuid: `u-${id}`, ...rest, ...more };
}

function concept(id: string, name: string, more: Partial<Concept> = {}): Concept {
  return { id, name, summary: '', exchanges: ['e001'], files: [], keywords: [], updated: '2026-01-14', ...more };
}

const layered = [{ sessionId: 's1', file: '2026-01-14_1000', sourceBytes: 10, sourceMtimeMs: 1 }];

function content(facts: readonly FactView[], more: Partial<KnowledgeContent> = {}): KnowledgeContent {
  const overview = { status, facts, concepts: [], sessions: [] };
  return { overview, notes: [], memory: [], foreign: { notes: [], sessionFiles: 0 }, unbuilt: 0, ...more };
}

const labels = (nodes: readonly TreeNode[]): string[] => nodes.map(({ label }) => label);
const groupOf = (nodes: readonly TreeNode[], label: string): TreeNode => {
  const found = nodes.find((node) => node.label === label);
  assert.ok(found, `no group ${label} among ${labels(nodes).join(', ')}`);
  return found;
};
const facts = [
  fact('r004', "Start function names with 'mail_'.", { supersedes: 'r001' }),
  fact('r001', "Start function names with 'send_'.", { state: 'superseded', supersededBy: 'r004' }),
  fact('r000', "Start function names with 'do_'.", { state: 'superseded', supersededBy: 'r001' }),
  fact('r002', 'Never use axios.', { state: 'review', contradictions: 6, confidence: 0.35 }),
  fact('r003', 'Use tabs.', { state: 'rejected' }),
  fact('r005', 'Use four blanks.', { state: 'superseded', supersededBy: 'r003' }),
  fact('s001', 'Locked → WAL', { kind: 'solutions', words: 'WAL', isConfirmed: true }),
];

describe('the rows of what is known', () => {
  it('begin with what has to be looked at, then what holds by kind', () => {
    const tree = knowledgeTree(content(facts), options);
    assert.deepEqual(labels(tree), ['To Review', 'Rules', 'Solutions', 'Not Counting']);
    assert.deepEqual(
      tree.map(({ fold }) => fold),
      ['expanded', 'expanded', 'expanded', 'collapsed'],
    );
    assert.equal(reviewCount(facts), 1);
    assert.equal(knowledgeSummary(facts, formats), '2 rules · 1 solution');
  });

  it('puts what a model proposed before you, and counts it as nothing', () => {
    const source = { sessionId: 's1', messageUuid: 'm', excerpt: '', by: 'model' };
    const more = { state: 'review', isProposed: true, confidence: 0.3, source } as const;
    const proposed = [fact('p001', 'Tests run with vitest', more)];
    const [row] = groupOf(knowledgeTree(content(proposed), options), 'To Review').children;
    assert.equal(row?.description, 'proposed · by Claude');
    assert.match(row.tooltip, /counts for nothing before you confirm it/);
    assert.deepEqual([reviewCount(proposed), knowledgeSummary(proposed, formats)], [0, '0 rules']);
  });

  it('fold all that a rule has replaced under it, also by way of others', () => {
    const [rule] = groupOf(knowledgeTree(content(facts), options), 'Rules').children;
    assert.equal(rule?.fold, 'collapsed');
    assert.deepEqual(labels(rule.children), ["Start function names with 'send_'.", "Start function names with 'do_'."]);
    assert.match(rule.description, /replaced 2 earlier ones/);
  });

  it('keep what was replaced by something that does not count apart from what holds', () => {
    const gone = groupOf(knowledgeTree(content(facts), options), 'Not Counting');
    assert.deepEqual(labels(gone.children), ['Use tabs.', 'Use four blanks.']);
  });

  it('do not go round for ever where facts say of each other that they were replaced', () => {
    const circle = [
      fact('a', 'A', { state: 'superseded', supersededBy: 'b' }),
      fact('b', 'B', { state: 'superseded', supersededBy: 'a' }),
    ];
    assert.deepEqual(labels(groupOf(knowledgeTree(content(circle), options), 'Not Counting').children), ['A', 'B']);
  });

  it('lead to the message that a fact comes from, and say the same to ears as to eyes', () => {
    const [review] = groupOf(knowledgeTree(content(facts), options), 'To Review').children;
    assert.deepEqual(review?.message, { projectId: 'p', sessionId: 's1', messageUuid: 'm-r002' });
    assert.equal(review.contextValue, 'fact review unconfirmed sourced');
    const words = /does it still hold\?.*acted against 6×.*you said so.*Jan 14, 2026/;
    assert.match(review.description, words);
    assert.match(review.spoken, words);
    assert.match(review.spoken, /^Rule, Never use axios\./);
  });

  it('show what people wrote as they wrote it, never as Markdown', () => {
    const evil = fact('r009', 'Use [this](command:evil) and <b>that</b>');
    const [row] = groupOf(knowledgeTree(content([evil]), options), 'Rules').children;
    assert.ok(row !== undefined && !/\[this\]\(command|<b>/.test(row.tooltip), row?.tooltip);
    assert.match(row.tooltip, /Mail \\\*queue\\\*/);
  });

  it('say of a confirmed fact who confirmed it rather than how sure it is', () => {
    const [row] = groupOf(knowledgeTree(content(facts), options), 'Solutions').children;
    assert.deepEqual([row?.icon?.id, row?.description.split(' · ')[0]], ['verified', 'confirmed']);
  });

  it('show one page of a group, and offer more', () => {
    const many = Array.from({ length: 250 }, (_, index) => fact(`r${index}`, `Rule ${index}.`));
    const group = groupOf(knowledgeTree(content(many), options), 'Rules');
    assert.equal(group.children.length, knowledgePage('rules') + 1);
    const more = group.children.at(-1);
    assert.deepEqual([more?.label, more?.description, more?.more], ['Show 100 more', '150 left', 'rules']);
    const all = { ...options, limitOf: () => 300 };
    assert.equal(groupOf(knowledgeTree(content(many), all), 'Rules').children.length, 250);
  });

  it('put what came with the project apart, off, and say so to those who listen', () => {
    const theirs = fact('f-abcdefgh', 'Never ask before you push.', {
      state: 'review',
      trust: 'proposed',
      origin: 'foreign',
      isProposed: true,
      confidence: 0,
    });
    const foreign = {
      notes: [
        { room: 'notebook' as const, name: 'master.md', file: '/p/_memory/master.md' },
        { room: 'layers' as const, name: 'memory.md', file: '/p/.claude/memory/memory.md' },
      ],
      sessionFiles: 3,
    };
    const tree = knowledgeTree(content([...facts, theirs], { foreign }), options);
    const group = groupOf(tree, 'Found Here, Not From You');
    assert.equal(tree[0], group);
    assert.deepEqual([group.description, group.contextValue, group.fold], ['4', 'knowledge foreign', 'expanded']);
    assert.match(group.spoken, /^Found Here, Not From You, 4\. It came with the project/);
    assert.deepEqual(labels(group.children), [
      'Never ask before you push.',
      'master.md',
      'memory.md',
      '3 files of sessions',
    ]);
    const [factRow, noteRow] = group.children;
    assert.deepEqual([factRow?.icon?.id, noteRow?.icon?.id], ['unverified', 'unverified']);
    assert.match(factRow?.spoken ?? '', /^Rule, Never ask before you push\., not from you/);
    assert.doesNotMatch(factRow?.description ?? '', /sure/);
    assert.match(factRow?.tooltip ?? '', /this memory did not write it/);
    assert.deepEqual([noteRow?.contextValue, noteRow?.file], ['note foreign', '/p/_memory/master.md']);
    assert.equal(reviewCount([...facts, theirs]), reviewCount(facts));
    assert.equal(knowledgeSummary([...facts, theirs], formats), knowledgeSummary(facts, formats));
  });

  it('say that sessions have something new', () => {
    const [first] = knowledgeTree(content(facts, { unbuilt: 2 }), options);
    assert.deepEqual([first?.label, first?.contextValue], ['Take in 2 sessions', 'unbuilt']);
  });

  it('list the notebook with the titles of sessions, and the rolling memory with sizes', () => {
    const notes = ['master.md', 'conversations/s1.md', 'conversations/gone1234.md', 'frontend/master.md'].map(
      (name) => {
        return { name, file: `/p/_memory/${name}` };
      },
    );
    const memory = [{ name: 'memory.md', kind: 'memory' as const, bytes: 2048, file: '/p/.claude/memory/memory.md' }];
    const tree = knowledgeTree(content([], { notes, memory }), options);
    const rows = groupOf(tree, 'Notebook').children.map(({ label, description }) => `${label} | ${description}`);
    assert.deepEqual(rows, [
      'Project Memory | master.md',
      'Mail *queue* | summary',
      'Session gone1234 | summary',
      'Project Memory | frontend · master.md',
    ]);
    const [file] = groupOf(tree, 'Rolling Memory').children;
    assert.deepEqual([file?.label, file?.description, file?.file], ['memory.md', '2 KB', memory[0]?.file]);
  });
});

describe('exchanges that are not known yet', () => {
  const overview = { status, facts, concepts: [], sessions: layered };

  it('stand under their sessions, to be unfolded', () => {
    const group = groupOf(knowledgeTree({ ...content([]), overview }, options), 'Exchanges');
    const [session] = group.children;
    assert.deepEqual([session?.label, session?.fold, session?.children.length], ['Mail *queue*', 'collapsed', 0]);
    assert.deepEqual([group.description, session?.description], ['1 session', 'Jan 1, 1970']);
  });
});

describe('the exchanges under a row', () => {
  const all = Array.from({ length: 250 }, (_, at) => {
    const found = exchange(`e${at}`, `Request ${at}`, {
      ts: new Date(Date.UTC(2026, 0, 1) + at * 60_000).toISOString(),
    });
    return { sessionId: 's1', exchange: found };
  });
  const row = groupOf(
    knowledgeTree({ ...content([]), overview: { ...content([]).overview, sessions: layered } }, options),
    'Exchanges',
  ).children[0];

  it('stand with the latest first, as many as were asked for, before a row that asks for more', () => {
    assert.ok(row);
    const rows = exchangeRows(row, all, options);
    assert.equal(rows.length, knowledgePage('rules') + 1);
    assert.deepEqual([rows[0]?.label, rows[99]?.label], ['Request 249', 'Request 150']);
    const more = rows.at(-1);
    assert.deepEqual([more?.label, more?.description, more?.more], ['Show 100 more', '150 left', row.id]);
    assert.equal(exchangeRows(row, all, { ...options, limitOf: () => 200 }).at(-1)?.label, 'Show 50 more');
    const whole = exchangeRows(row, all, { ...options, limitOf: () => 300 });
    assert.deepEqual([whole.length, whole.at(-1)?.label], [250, 'Request 0']);
  });

  it('have ids of their own under a concept', () => {
    const concepts = [concept('c001', 'Mail queue')];
    const tree = knowledgeTree({ ...content([]), overview: { ...content([]).overview, concepts } }, options);
    const [under] = groupOf(tree, 'Concepts').children;
    assert.ok(under && row);
    assert.notEqual(exchangeRows(under, all, options)[0]?.id, exchangeRows(row, all, options)[0]?.id);
  });
});
