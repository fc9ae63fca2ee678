import assert from 'node:assert/strict';
import { problemWith } from '../../../../src/core/compositions/compositionName';
import { CompositionWorld, PROJECT, words } from './compositionWorld';

function someWorld(): CompositionWorld {
  const versions = [
    { id: 'v001', blocks: [{ text: words('large', 400) }], fidelity: 0.9, range: [0, 99] as [number, number] },
    { id: 'v002', blocks: [{ text: words('small', 80) }], fidelity: 0.6, range: [0, 99] as [number, number] },
  ];
  return new CompositionWorld().add(
    { id: 'aaaa', day: 15, versions },
    { id: 'bbbb', day: 18, versions: [{ id: 'v001', blocks: [{ text: 'What bbbb did.' }], fidelity: 0.5 }] },
    { id: 'cccc', day: 20, versions },
  );
}

function manifestOf(world: CompositionWorld) {
  const manifest = world.store.manifests.get(PROJECT);
  assert.ok(manifest);
  return manifest;
}

describe('problemWith', () => {
  it('takes names that every file system takes, and no others', () => {
    for (const name of ['feature-x', 'Fix v1.2', 'größe', 'a']) assert.equal(problemWith(name), undefined);
    for (const name of [
      '',
      ' ',
      'a/b',
      String.raw`a\b`,
      '..',
      '.hidden',
      'con',
      'a.',
      ' a',
      'x'.repeat(101),
      '__proto__',
    ]) {
      assert.ok(problemWith(name), JSON.stringify(name));
    }
  });
});

describe('a name that some file system does not take', () => {
  it('is told what stands against it', () => {
    assert.equal(problemWith('release "1"'), 'it holds ", which not every file system takes');
    assert.equal(problemWith('a:b'), 'it holds :, which not every file system takes');
  });
});

describe('Compositions', () => {
  it('keeps texts and record, marks what was used, and lists it', async () => {
    const world = someWorld();
    const { saved } = world.services;
    const { record, files } = await saved.compose(PROJECT, world.request({ sessions: ['aaaa', 'bbbb'] }));
    assert.deepEqual(
      [...(world.store.compositions.folders.get(`${PROJECT}/feature-x`)?.keys() ?? [])],
      ['composed.md', 'composed.jsonl', 'composition.json', 'figures.json'],
    );
    assert.equal(files[0], `/store/${PROJECT}/composed/feature-x/composed.md`);
    assert.equal(record.outputFile, 'composed/feature-x/composed.md');
    assert.equal(world.counter.count(await saved.text(PROJECT, 'feature-x', 'markdown')), record.tokens?.markdown);
    const { sessions } = manifestOf(world);
    assert.equal(sessions.bbbb?.lastAccessed, '2026-02-01T12:00:00.000Z');
    assert.equal(sessions.bbbb.compressions[0]?.lastUsed, '2026-02-01T12:00:00.000Z');
    assert.equal(sessions.cccc?.lastAccessed, '2026-01-20T19:00:00.000Z');
    assert.deepEqual(
      (await saved.list()).map((one) => one.record.name),
      ['feature-x'],
    );
  });

  it('moves used sessions forward without changing their order among themselves', async () => {
    const world = someWorld();
    await world.services.saved.compose(PROJECT, world.request({ sessions: ['bbbb', 'aaaa'] }));
    const { aaaa, bbbb } = manifestOf(world).sessions;
    assert.ok((aaaa?.lastAccessed ?? '') < (bbbb?.lastAccessed ?? ''));
    const preview = await world.services.saved.preview(PROJECT, world.request());
    assert.deepEqual(
      preview.components.map(({ sessionId, distance }) => [sessionId, distance]),
      [
        ['aaaa', 2],
        ['bbbb', 1],
        ['cccc', 3],
      ],
    );
  });

  it('never overwrites a composition, unless it is told to, and then it can be brought back', async () => {
    const world = someWorld();
    const { saved } = world.services;
    const first = await saved.compose(PROJECT, world.request({ sessions: ['aaaa'] }));
    for (const name of ['feature-x', 'Feature-X']) {
      await assert.rejects(saved.compose(PROJECT, world.request({ name })), { code: 'composition-name-taken' });
    }
    const second = await saved.compose(PROJECT, world.request({ sessions: ['bbbb'] }), { replaces: true });
    assert.ok(second.trash);
    await assert.rejects(saved.restore(PROJECT, second.trash), { code: 'composition-name-taken' });
    await saved.delete(PROJECT, 'feature-x');
    const restored = await saved.restore(PROJECT, second.trash);
    assert.deepEqual(restored.record, first.record);
    assert.match(await saved.text(PROJECT, 'feature-x', 'markdown'), /large word1/);
  });

  it('are not made of nothing, and do not become nothing when they are rebuilt', async () => {
    const world = someWorld().add({ id: 'empty', day: 21, versions: [], originalTokens: 0, originalMessages: 0 });
    const { saved } = world.services;
    await assert.rejects(saved.compose(PROJECT, world.request({ sessions: ['empty'] })), {
      code: 'composition-nothing-in',
      message: 'Nothing would be in "feature-x": there is no version of it. Nothing was written.',
    });
    assert.deepEqual(await saved.list(PROJECT), []);
    const { record } = await saved.compose(PROJECT, world.request({ sessions: ['bbbb'] }));
    delete manifestOf(world).sessions.bbbb;
    await assert.rejects(saved.rebuild(PROJECT, 'feature-x'), { code: 'composition-no-components' });
    assert.deepEqual((await saved.get(PROJECT, 'feature-x')).record, record);
  });

  it('refuse ratios that make no sense before anything is made', async () => {
    const world = someWorld();
    for (const compactionRatio of [0, -1, 1001, NaN]) {
      const components = [{ sessionId: 'aaaa', recompressSettings: { mode: 'uniform' as const, compactionRatio } }];
      const wanted = world.request({ components, makesMissing: true });
      for (const trying of [
        world.services.saved.preview(PROJECT, wanted),
        world.services.saved.compose(PROJECT, wanted),
      ]) {
        await assert.rejects(trying, { code: 'compression-bad-ratio' });
      }
    }
    assert.deepEqual(world.made, []);
  });

  it('are read when their files are in their place again, if that is in the middle of being changed', async () => {
    const world = someWorld();
    const { saved } = world.services;
    await saved.compose(PROJECT, world.request());
    const { compositions } = world.store;
    const read = compositions.read.bind(compositions);
    let isAway = true;
    compositions.read = async (...place) => {
      if (!isAway) return read(...place);
      isAway = false;
      return undefined;
    };
    assert.match(await saved.text(PROJECT, 'feature-x', 'markdown'), /Context from past sessions: feature-x/);
  });

  it('refuses names that would leave the folder', async () => {
    const world = someWorld();
    for (const name of ['../x', 'a/b', '.', '']) {
      await assert.rejects(world.services.saved.compose(PROJECT, world.request({ name })), {
        code: 'composition-bad-name',
      });
    }
    assert.equal(world.store.compositions.folders.size, 0);
  });

  it('renames with all files, and finds the composition under its new name only', async () => {
    const world = someWorld();
    const { saved } = world.services;
    await saved.compose(PROJECT, world.request());
    const { record } = await saved.rename(PROJECT, 'feature-x', 'feature-y');
    assert.equal(record.outputFile, 'composed/feature-y/composed.md');
    assert.deepEqual(Object.keys(manifestOf(world).compositions), ['feature-y']);
    assert.match(await saved.text(PROJECT, 'feature-y', 'jsonl'), /What bbbb did/);
    await assert.rejects(saved.get(PROJECT, 'feature-x'), { code: 'composition-unknown' });
  });

  it('removes, and brings back', async () => {
    const world = someWorld();
    const { saved } = world.services;
    const { record } = await saved.compose(PROJECT, world.request());
    const { trash } = await saved.delete(PROJECT, 'feature-x');
    assert.deepEqual(await saved.list(), []);
    assert.deepEqual((await saved.restore(PROJECT, trash)).record, record);
  });

  it('tells when its sources have changed', async () => {
    const world = someWorld();
    const { saved } = world.services;
    await saved.compose(PROJECT, world.request());
    assert.ok((await saved.get(PROJECT, 'feature-x')).freshness.isFresh);
    const manifest = manifestOf(world);
    const { bbbb: _gone, ...sessions } = manifest.sessions;
    const { aaaa } = sessions;
    assert.ok(aaaa);
    const grown = { ...aaaa, originalMessages: 112 };
    world.store.manifests.set(PROJECT, { ...manifest, sessions: { ...sessions, aaaa: grown } });
    const { freshness } = await saved.get(PROJECT, 'feature-x');
    assert.equal(freshness.newMessages, 12);
    assert.deepEqual(freshness.reasons, ['session bbbb is no longer in memory', 'session aaaa has 12 more messages']);
  });

  it('is made again of what there is, and tells what changed', async () => {
    const world = someWorld();
    const { saved } = world.services;
    const components = [
      { sessionId: 'aaaa', versionId: 'v001' },
      { sessionId: 'bbbb' },
      { sessionId: 'cccc', versionId: 'v002' },
    ];
    const first = await saved.compose(PROJECT, world.request({ components }));
    const manifest = manifestOf(world);
    const { bbbb: _gone, ...sessions } = manifest.sessions;
    const { aaaa } = sessions;
    assert.ok(aaaa);
    const without = { ...aaaa, compressions: aaaa.compressions.filter(({ versionId }) => versionId !== 'v001') };
    world.store.manifests.set(PROJECT, { ...manifest, sessions: { ...sessions, aaaa: without } });
    const rebuilt = await saved.rebuild(PROJECT, 'feature-x');
    assert.equal(rebuilt.record.compositionId, first.record.compositionId);
    assert.deepEqual(
      rebuilt.changes.map(({ sessionId, change, before, after }) => [sessionId, change, before.join(), after.join()]),
      [
        ['aaaa', 'changed', 'v001', 'v002'],
        ['cccc', 'same', 'v002', 'v002'],
        ['bbbb', 'removed', 'v001', ''],
      ],
    );
    assert.deepEqual(rebuilt.record.omitted, [
      { sessionId: 'aaaa', reason: 'version v001 was deleted: another one was chosen' },
      { sessionId: 'bbbb', reason: 'it is no longer in memory' },
    ]);
    assert.deepEqual(rebuilt.record.request?.components, components);
    assert.ok(rebuilt.trash);
  });

  it('leaves everything as it was when the work is ended', async () => {
    const world = someWorld();
    const ending = new AbortController();
    ending.abort();
    const before = manifestOf(world);
    await assert.rejects(world.services.saved.compose(PROJECT, world.request(), { signal: ending.signal }), {
      name: 'AbortError',
    });
    assert.equal(manifestOf(world), before);
    assert.equal(world.store.compositions.folders.size, 0);
  });

  it('shows all figures before anything is made', async () => {
    const world = someWorld();
    const wanted = world.request({
      components: [{ sessionId: 'aaaa', versionId: 'v002' }, { sessionId: 'bbbb' }],
      strategy: 'equal',
    });
    const preview = await world.services.saved.preview(PROJECT, wanted, { windowTokens: 100_000 });
    const [first, second] = preview.components;
    assert.deepEqual(
      first?.options.map(({ kind, versionIds, isPicked }) => [kind, versionIds.join(), isPicked]),
      [
        ['version', 'v001', false],
        ['version', 'v002', true],
      ],
    );
    assert.ok(first.isFixed);
    assert.equal(second?.isFixed, false);
    assert.equal(preview.totalTokens, preview.frameTokens + first.pick.tokens + second.pick.tokens);
    assert.equal(preview.shareOfWindow, preview.totalTokens / 100_000);
    assert.equal(preview.leftTokens, 4000 - preview.totalTokens);
  });
});
