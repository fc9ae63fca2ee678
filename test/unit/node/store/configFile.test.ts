import { strict as assert } from 'node:assert';
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { defaultConfig, type Config } from '../../../../src/core/model/config';
import { newProject, NOW } from '../../support/storedDocuments';
import { useStore } from '../../support/storeFixture';

function withModel(model: string) {
  return (config: Config) => ({ ...config, defaults: { ...config.defaults, model } });
}

describe('FileMemoryStore: configuration', () => {
  const fixture = useStore();
  const file = () => path.join(fixture.dir, 'config.json');
  const write = (content: unknown) =>
    fixture.write(file(), typeof content === 'string' ? content : JSON.stringify(content));

  it('is the default one, and no file, before anybody has changed it', async () => {
    assert.deepEqual(await fixture.open().readConfig(), defaultConfig(NOW));
    assert.deepEqual(await readdir(fixture.root), []);
  });

  it('changes what it is told to and keeps the rest, known or not', async () => {
    await write({ version: '1.0.0', createdAt: 'then', theirs: [1], defaults: { model: 'opus', mood: 'good' } });
    const config = await fixture.open().updateConfig(withModel('haiku'));
    assert.deepEqual(await fixture.open().readConfig(), config);
    const written: unknown = JSON.parse(await readFile(file(), 'utf8'));
    assert.deepEqual(written, {
      ...defaultConfig('then'),
      theirs: [1],
      defaults: { ...defaultConfig('then').defaults, model: 'haiku', mood: 'good' },
    });
    assert.deepEqual(await readdir(fixture.dir), ['config.json']);
  });

  it('is written out with the first manifest, so that there is something to edit', async () => {
    const store = fixture.open();
    await store.updateManifest(newProject, (manifest) => ({ ...manifest, displayName: 'first' }));
    assert.deepEqual(JSON.parse(await readFile(file(), 'utf8')), defaultConfig(NOW));
  });

  it('reads a file with a byte order mark', async () => {
    await write(`\uFEFF${JSON.stringify({ version: '1.0.0', ui: { showTokenEstimates: false } })}`);
    assert.equal((await fixture.open().readConfig()).ui.showTokenEstimates, false);
  });

  it('says what is wrong in a file, where, and leaves it as it is', async () => {
    const cases: [unknown, RegExp][] = [
      ['{"version":"1.0.0",}', /config\.json cannot be read: .*JSON/],
      ['', /it is empty/],
      [{ version: '1.0.0', ui: { defaultView: 'grid' } }, /ui\.defaultView must be one of timeline, list/],
      [{ version: '1.0.0', keepitDecay: { compressionBase: { light: 2 } } }, /light must be at most 1/],
      [[], /it must be an object/],
    ];
    for (const [content, message] of cases) {
      await write(content);
      const before = await readFile(file(), 'utf8');
      const failure = { name: 'StoreError', reason: 'corrupt', message };
      await assert.rejects(fixture.open().readConfig(), failure);
      await assert.rejects(fixture.open().updateConfig(withModel('haiku')), failure);
      assert.equal(await readFile(file(), 'utf8'), before);
    }
  });

  it('refuses a newer one, and never writes it', async () => {
    await write({ version: '2.0.0' });
    const failure = { name: 'StoreError', reason: 'newer-version' };
    await assert.rejects(fixture.open().readConfig(), failure);
    await assert.rejects(fixture.open().updateConfig(withModel('haiku')), failure);
    assert.equal(await readFile(file(), 'utf8'), '{"version":"2.0.0"}');
  });

  it('keeps an older one beside the new one', async () => {
    await write({ version: '0.9.0', defaults: { model: 'opus' } });
    await fixture.open().updateConfig(withModel('haiku'));
    const names = ['config.json', 'config.json.backup-0.9.0-2026-01-20T10-00-00-000Z'];
    assert.deepEqual((await readdir(fixture.dir)).sort(), names);
  });

  it('refuses a change that makes it invalid, and writes nothing for one that changes nothing', async () => {
    const store = fixture.open();
    const invalid = (config: Config) => ({ ...config, keepitDecay: { ...config.keepitDecay, maxSessionDistance: 0 } });
    await assert.rejects(store.updateConfig(invalid), {
      reason: 'corrupt',
      message: /maxSessionDistance must be at least 1/,
    });
    await store.updateConfig((same) => same);
    await assert.rejects(stat(file()), { code: 'ENOENT' });
  });

  it('loses no change of many at once', async () => {
    const keys = Array.from({ length: 10 }, (_, n) => `k${n}`);
    const [one, two] = [fixture.open(), fixture.open()];
    await Promise.all(
      keys.map((key, n) => (n % 2 === 0 ? one : two).updateConfig((config) => ({ ...config, [key]: n }))),
    );
    const config = await one.readConfig();
    assert.deepEqual(
      keys.filter((key) => config[key] === undefined),
      [],
    );
  });
});
