import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { FakeMemory } from '../../../support/fakeMemory';
import { TranscriptBuilder } from '../../../support/transcriptBuilder';

const PROJECT = '-home-ada-src-game';
const SESSION = 'aaaa1111-0000-4000-8000-000000000001';
const at = (minute: number): string => `2026-01-05T10:${String(minute).padStart(2, '0')}:00.000Z`;

async function enabled(): Promise<FakeMemory> {
  const memory = new FakeMemory();
  memory.claude.write(
    `${PROJECT}/s1.jsonl`,
    new TranscriptBuilder('s1', '/home/ada/src/game')
      .human('Now update the docs of the save format.')
      .assistant('Done.'),
  );
  await memory.service.layers.enable(PROJECT);
  await memory.service.layers.build(PROJECT);
  return memory;
}

const tables = (all: Record<string, readonly unknown[]>) => ({
  files: new Map(),
  tables: new Map(Object.entries(all)),
});

const claudeMem = tables({
  sdk_sessions: [
    { content_session_id: SESSION, memory_session_id: 'm1', project: 'game' },
    { content_session_id: 'other', memory_session_id: 'm2', project: 'shop' },
  ],
  observations: [
    {
      id: 1n,
      memory_session_id: 'm1',
      project: 'game',
      type: 'feature',
      title: 'Undo in the editor',
      narrative: 'The editor can take back moves.',
      created_at: at(1),
    },
    {
      id: 2,
      memory_session_id: 'm1',
      project: 'game',
      type: 'bugfix',
      title: 'Saves lost at midnight',
      narrative: 'The day was taken in local time; it is UTC now. The key is ghp_012345678901234567890123456789abcdef.',
      created_at: at(2),
    },
    {
      id: 3,
      memory_session_id: 'm1',
      project: 'game',
      type: 'decision',
      title: 'Storage',
      facts: '["IndexedDB holds saves"]',
    },
    {
      id: 4,
      memory_session_id: 'm2',
      project: 'shop',
      type: 'decision',
      title: 'Cart',
      narrative: 'Carts live in Redis.',
    },
    { id: 5, type: 12 },
  ],
  session_summaries: [
    {
      id: 1,
      memory_session_id: 'm1',
      project: 'game',
      request: 'Fix saving',
      learned: 'Workers cannot see localStorage.',
    },
  ],
  user_prompts: [
    {
      content_session_id: SESSION,
      prompt_text: 'From now on always run the tests before a commit.',
      created_at: at(1),
    },
    { content_session_id: 'other', prompt_text: 'Always write Python.', created_at: at(1) },
  ],
});

const episodic = tables({
  exchanges: [
    {
      id: 'x1',
      project: PROJECT,
      timestamp: at(1),
      user_message: 'From now on never use floats for money.',
      assistant_message: 'Understood: integers of cents.',
      archive_path: `/archive/${PROJECT}/${SESSION}.jsonl`,
      session_id: null,
      is_sidechain: 0,
    },
    {
      id: 'x2',
      project: 'elsewhere',
      timestamp: at(2),
      user_message: 'Always write Python.',
      cwd: '/home/ada/src/gamepad',
    },
    {
      id: 'x3',
      project: PROJECT,
      timestamp: at(3),
      user_message: 'Always shout.',
      session_id: 'agent',
      is_sidechain: 1,
    },
  ],
  tool_calls: [{ exchange_id: 'x1', tool_name: 'Edit', tool_input: '{"file_path":"src/money.ts"}' }],
  session_summaries: [
    {
      session_id: SESSION,
      project: PROJECT,
      one_liner: 'Money',
      decisions: '[{"description":"Amounts are integers","rationale":"floats round"}]',
    },
  ],
});

describe('what another tool has stored', () => {
  it('is proposed with its source where it is of this project, from claude-mem', async () => {
    const memory = await enabled();
    memory.elsewhere = claudeMem;
    const { facts, sessions } = await memory.service.rolling.takeOver(PROJECT, { from: 'claude-mem' });
    const waiting = await memory.service.layers.facts(PROJECT, { review: true });
    assert.deepEqual(waiting.map(({ content }) => content).sort(), [
      'Fix saving: Workers cannot see localStorage.',
      'From now on always run the tests before a commit.',
      waiting.find(({ content }) => content.startsWith('Saves lost'))?.content,
      'Storage: IndexedDB holds saves',
      'Undo in the editor: The editor can take back moves.',
    ]);
    assert.equal(facts, 4);
    assert.equal(sessions.length, 1);
    const solution = waiting.find(({ kind }) => kind === 'solutions');
    assert.deepEqual([solution?.source?.by, solution?.source?.sessionId], ['claude-mem', SESSION]);
    assert.ok(!JSON.stringify(waiting).includes('ghp_0123'));
    assert.ok(waiting.every(({ trust, origin }) => trust === 'proposed' && origin === 'foreign'));
    assert.deepEqual(await memory.service.layers.facts(PROJECT), []);
  });

  it('is taken over as sessions and proposals from episodic-memory', async () => {
    const memory = await enabled();
    memory.elsewhere = episodic;
    const { sessions } = await memory.service.rolling.takeOver(PROJECT, { from: 'episodic-memory' });
    assert.deepEqual(sessions, [`sessions/2026-01-05_1001_${SESSION}.l1.jsonl`]);
    const waiting = await memory.service.layers.facts(PROJECT, { review: true });
    assert.deepEqual(waiting.map(({ content }) => content).sort(), [
      'From now on never use floats for money.',
      'Money: Amounts are integers — floats round',
    ]);
    const { results } = await memory.service.search.search({ query: 'floats for money', projectIds: [PROJECT] });
    assert.ok(
      results.some(({ snippet }) => /floats/.test(snippet)),
      JSON.stringify(results),
    );
  });

  it('comes in once, and is only looked at in a dry run', async () => {
    const memory = await enabled();
    for (const [from, elsewhere] of [
      ['claude-mem', claudeMem],
      ['episodic-memory', episodic],
    ] as const) {
      memory.elsewhere = elsewhere;
      const before = new Map(memory.layerStore.texts({ projectId: PROJECT }));
      const dry = await memory.service.rolling.takeOver(PROJECT, { from, isDryRun: true });
      assert.deepEqual(memory.layerStore.texts({ projectId: PROJECT }), before);
      assert.deepEqual({ ...(await memory.service.rolling.takeOver(PROJECT, { from })), isDryRun: true }, dry);
      const after = new Map(memory.layerStore.texts({ projectId: PROJECT }));
      const again = await memory.service.rolling.takeOver(PROJECT, { from });
      assert.deepEqual([again.facts, again.sessions], [0, []]);
      assert.deepEqual(memory.layerStore.texts({ projectId: PROJECT }), after);
    }
  });

  it('comes beside what is there, from the folder of a memory-keeper in another place', async () => {
    const memory = await enabled();
    const { layers, rolling } = memory.service;
    const folder = path.resolve('test/fixtures/memory-keeper');
    const files = new Map<string, string>();
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      const file = path.join(entry.parentPath, entry.name);
      if (entry.isFile())
        files.set(path.relative(folder, file).split(path.sep).join('/'), await readFile(file, 'utf8'));
    }
    memory.elsewhere = {
      files: new Map([...files, ['memory.md', '## 2026-01-03\n\nThe parser was rewritten.\n']]),
      tables: new Map(),
    };
    await rolling.final({ projectId: PROJECT, sessionId: 's1' });
    const own = await rolling.get(PROJECT, 'memory.md');
    const taken = await rolling.takeOver(PROJECT, { from: 'memory-keeper', file: folder });
    assert.equal(taken.sessions.length, 2);
    assert.ok(taken.files.includes('memory.md'), taken.files.join());
    assert.ok((await rolling.get(PROJECT, 'memory.md')).startsWith(own));
    assert.match(await rolling.get(PROJECT, 'memory_20260103_235900.md'), /The parser was rewritten/);
    assert.deepEqual(await layers.facts(PROJECT), []);
    const waiting = await layers.facts(PROJECT, { review: true });
    assert.ok(waiting.some(({ content }) => content === 'Use camelCase for variable names'));
    const after = new Map(memory.layerStore.texts({ projectId: PROJECT }));
    const again = await rolling.takeOver(PROJECT, { from: 'memory-keeper', file: folder });
    assert.deepEqual([again.facts, again.issues, again.sessions, again.archives, again.files], [0, 0, [], [], []]);
    assert.deepEqual(memory.layerStore.texts({ projectId: PROJECT }), after);
  });

  it('comes in from two tools that call a session alike', async () => {
    const memory = await enabled();
    for (const words of ['From now on never use floats for money.', 'From now on always round at the end.']) {
      const exchange = { id: words, project: PROJECT, timestamp: at(1), user_message: words, session_id: SESSION };
      memory.elsewhere = tables({ exchanges: [exchange] });
      assert.equal((await memory.service.rolling.takeOver(PROJECT, { from: 'episodic-memory' })).sessions.length, 1);
      const again = await memory.service.rolling.takeOver(PROJECT, { from: 'episodic-memory' });
      assert.deepEqual([again.sessions, again.left], [[], []]);
    }
    assert.equal((await memory.service.layers.facts(PROJECT, { review: true })).length, 2);
  });

  it('does not come back once it was forgotten or rejected', async () => {
    const memory = await enabled();
    memory.elsewhere = claudeMem;
    const { layers, rolling } = memory.service;
    await rolling.takeOver(PROJECT, { from: 'claude-mem' });
    const [first, second] = await layers.facts(PROJECT, { review: true });
    await layers.changeFact(PROJECT, first?.id ?? '', { to: 'forgotten' });
    await layers.changeFact(PROJECT, second?.id ?? '', { to: 'rejected' });
    assert.equal((await rolling.takeOver(PROJECT, { from: 'claude-mem' })).facts, 0);
    assert.equal((await layers.facts(PROJECT, { review: true })).length, 3);
  });
});
