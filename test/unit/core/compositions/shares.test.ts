import assert from 'node:assert/strict';
import type { CompositionRequest } from '../../../../src/core/model/composition';
import { CompositionWorld, conversation, PROJECT, type WorldSession } from './compositionWorld';

function session(id: string, day: number, more: Partial<WorldSession> & { turns?: number } = {}): WorldSession {
  const { turns = 40, ...rest } = more;
  return {
    id,
    day,
    transcript: conversation(id, turns),
    originalTokens: turns * 80,
    originalMessages: turns * 2,
    ...rest,
  };
}

async function compose(world: CompositionWorld, fields: Parameters<CompositionWorld['request']>[0]) {
  return world.services.saved.previewTexts(PROJECT, world.request({ makesMissing: true, ...fields }));
}

const strategies: readonly CompositionRequest['strategy'][] = ['best', 'equal', 'age', 'custom'];

describe('the shares of a composition', () => {
  it('fill the budget, whatever small version there is of a session', async () => {
    const small = [
      { id: 'v001', blocks: [{ text: 'It was about services.' }], fidelity: 0.99, range: [0, 79] as [number, number] },
    ];
    const world = new CompositionWorld().add(session('aaaa', 15, { versions: small }));
    for (const strategy of strategies) {
      const { record } = await compose(world, { strategy, totalTokenBudget: 2000 });
      assert.ok(record.totalTokens > 1800, `${strategy}: ${record.totalTokens}`);
    }
  });

  it('tell no session in full for what was left over, as long as others are cut', async () => {
    const ids = Array.from({ length: 12 }, (_, at) => `long${at}`);
    const world = new CompositionWorld().add(
      ...ids.map((id, at) => session(id, at + 1)),
      session('last', 20, { turns: 2 }),
    );
    const { record } = await compose(world, { strategy: 'best', totalTokenBudget: 3000, outputFormat: 'markdown' });
    assert.deepEqual([...new Set(record.components.map(({ versionId }) => versionId))], ['fresh']);
    assert.ok(record.totalTokens > 2900, String(record.totalTokens));
  });

  it('leave a composition fresh whose sessions were cut to them', async () => {
    const world = new CompositionWorld().add(session('aaaa', 15));
    const { record } = await world.services.saved.compose(
      PROJECT,
      world.request({ makesMissing: true, totalTokenBudget: 2000 }),
    );
    assert.deepEqual(
      record.components.map(({ versionId }) => versionId),
      ['fresh'],
    );
    assert.deepEqual((await world.services.saved.get(PROJECT, record.name)).freshness.reasons, []);
  });

  it('are no larger than what was given by hand, under every strategy', async () => {
    const world = new CompositionWorld().add(session('aaaa', 15), session('bbbb', 16), session('cccc', 17));
    for (const strategy of strategies) {
      const components = [
        { sessionId: 'aaaa', allocation: 500 },
        { sessionId: 'bbbb' },
        { sessionId: 'cccc', allocation: 900 },
      ];
      const { record } = await compose(world, { strategy, components, totalTokenBudget: 4000 });
      const [first = 0, second = 0, third = 0] = record.components.map(({ tokenContribution }) => tokenContribution);
      assert.ok(
        first <= 500 && first > 400 && third <= 900 && third > 800 && second > 1800,
        `${first} ${second} ${third}`,
      );
      const given = record.components.map(({ allocation }) => allocation);
      assert.deepEqual([given[0], given[2]], [500, 900]);
    }
  });

  it('say that others left room only where they did', async () => {
    const world = new CompositionWorld().add(session('aaaa', 15), session('bbbb', 16, { turns: 2 }));
    const { record } = await compose(world, { strategy: 'equal', totalTokenBudget: 1500 });
    assert.deepEqual(
      record.components.map(({ versionId, why }) => [versionId, why]),
      [
        ['fresh', 'cut to its share of the budget'],
        ['original', 'the original fits'],
      ],
    );
    const alone = await compose(world, { sessions: ['aaaa'], strategy: 'equal', totalTokenBudget: 1500 });
    assert.notEqual(alone.record.components[0]?.why, 'others left room for it');
  });

  it('leave no session out for which there is room for a word', async () => {
    const ids = Array.from({ length: 12 }, (_, at) => `s${String(at).padStart(3, '0')}`);
    const world = new CompositionWorld().add(...ids.map((id, at) => session(id, at + 1)));
    for (const strategy of strategies) {
      const { record, markdown = '' } = await compose(world, {
        strategy,
        totalTokenBudget: 1500,
        outputFormat: 'markdown',
      });
      assert.deepEqual(record.omitted, []);
      for (const id of ids) assert.ok(new RegExp(`User: .*${id}Service`).test(markdown), `${strategy} ${id}`);
    }
  });

  it('put surviving keepits before anything else, and say them once', async () => {
    const keepits = [
      { weight: 0.9, content: 'Never cache sessions' },
      { weight: 0.1, content: 'A hint' },
    ];
    const world = new CompositionWorld().add(session('aaaa', 15, { keepits }));
    const { record, markdown = '' } = await compose(world, { totalTokenBudget: 1200 });
    assert.equal(markdown.split('Never cache sessions').length, 2);
    assert.deepEqual(record.keepits, { included: 1, left: 1 });
  });

  it('are given to what a model wrote first, then to the words themselves', async () => {
    const world = new CompositionWorld().add(
      session('aaaa', 15, { versions: [{ id: 'v001', blocks: [{ text: 'A model wrote this.' }], fidelity: 0.2 }] }),
    );
    const version = world.store.manifests.get(PROJECT)?.sessions.aaaa?.compressions[0];
    if (version) version.provider = 'anthropic';
    const { record, markdown = '' } = await compose(world, { totalTokenBudget: 1500 });
    assert.deepEqual(
      record.components.map(({ versionId }) => versionId),
      ['v001', 'fresh'],
    );
    assert.ok(markdown.indexOf('A model wrote this.') < markdown.indexOf('User: Why does'));
  });

  it('go to what says most to a purpose, in the order of time, with a sign where something was left out', async () => {
    const world = new CompositionWorld().add(session('aaaa', 15), session('bbbb', 16));
    const { markdown = '', record } = await compose(world, {
      purpose: 'the failure of bbbbService7',
      totalTokenBudget: 500,
    });
    assert.match(markdown, /\n\n…\n\nUser: Why does bbbbService/);
    assert.ok(!markdown.includes('bbbbService30'));
    assert.ok(markdown.includes('The cause was the cache of bbbbService7.'));
    assert.equal(record.request?.purpose, 'the failure of bbbbService7');
  });
});

describe('what was made for a composition', () => {
  it('is made again to the byte, though its sessions were used since', async () => {
    const world = new CompositionWorld().add(
      ...['aaaa', 'bbbb', 'cccc', 'dddd'].map((id, at) =>
        session(id, at + 1, { keepits: [{ weight: 0.55, content: `Keep ${id}` }] }),
      ),
    );
    const request = world.request({ sessions: ['aaaa'], makesMissing: true, totalTokenBudget: 900 });
    const { saved } = world.services;
    await saved.compose(PROJECT, request);
    const before = await saved.text(PROJECT, 'feature-x', 'markdown');
    const { changes } = await saved.rebuild(PROJECT, 'feature-x');
    assert.equal(await saved.text(PROJECT, 'feature-x', 'markdown'), before);
    assert.deepEqual(
      changes.map(({ change }) => change),
      ['same'],
    );
  });

  it('is made with the same settings only once, where a version is asked for', async () => {
    const world = new CompositionWorld().add(session('aaaa', 15));
    world.onMake = () => ({ id: 'v001', blocks: [{ text: 'Made anew.' }], fidelity: 0.5, range: [0, 79] });
    const components = [{ sessionId: 'aaaa', recompressSettings: { mode: 'uniform' as const, compactionRatio: 30 } }];
    for (const name of ['first', 'second']) {
      await world.services.saved.compose(PROJECT, world.request({ name, components, makesMissing: true }));
      const version = world.store.manifests.get(PROJECT)?.sessions.aaaa?.compressions[0];
      const made = { compactionRatio: 30, aggressiveness: 'aggressive' as const, sessionDistance: 1 };
      if (version) Object.assign(version.settings, made);
    }
    assert.equal(world.made.length, 1);
  });
});
