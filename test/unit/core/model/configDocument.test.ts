import { strict as assert } from 'node:assert';
import { byteSize, defaultConfig, readConfigDocument } from '../../../../src/core/model/config';
import { SCHEMA_VERSION } from '../../../../src/core/model/fields';
import { NOW } from '../../support/storedDocuments';

function read(document: unknown) {
  return readConfigDocument(document, NOW);
}

function problemOf(document: unknown) {
  const reading = read(document);
  return reading.state === 'invalid' ? reading.problem : undefined;
}

describe('readConfigDocument', () => {
  it('fills what a partial configuration leaves out, at any depth', () => {
    const document = { version: '1.0.0', keepitDecay: { maxSessionDistance: 20, compressionBase: { light: 0.2 } } };
    const reading = read(document);
    assert.ok(reading.state === 'sound');
    const expected = defaultConfig(NOW);
    expected.keepitDecay.maxSessionDistance = 20;
    expected.keepitDecay.compressionBase.light = 0.2;
    assert.deepEqual(reading.config, expected);
  });

  it('keeps what it does not know', () => {
    const reading = read({ version: '1.0.0', theirs: { x: 1 }, ui: { zoom: 2 } });
    assert.ok(reading.state === 'sound');
    assert.deepEqual([reading.config.theirs, reading.config.ui.zoom], [{ x: 1 }, 2]);
  });

  it('says which value is wrong, and what it may be', () => {
    assert.deepEqual(problemOf({ version: '1.0.0', ui: { defaultView: 'grid' } }), {
      key: 'ui.defaultView',
      allowed: 'one of timeline, list',
    });
    assert.deepEqual(problemOf({ version: '1.0.0', keepitDecay: { maxSessionDistance: 0 } }), {
      key: 'keepitDecay.maxSessionDistance',
      allowed: 'at least 1',
    });
    assert.deepEqual(problemOf({ version: '1.0.0', keepitDecay: { pinnedWeight: 0 } }), {
      key: 'keepitDecay.pinnedWeight',
      allowed: 'more than 0',
    });
    assert.deepEqual(problemOf({ version: '1.0.0', ui: null }), { key: 'ui', allowed: 'an object' });
    assert.deepEqual(problemOf({ version: '1.0.0', storage: { maxCacheSize: 'much' } }), {
      key: 'storage.maxCacheSize',
      allowed: 'a size such as 1GB',
    });
    assert.deepEqual(problemOf({ version: 'new' }), { key: 'version', allowed: 'a version such as 1.0.0' });
    assert.deepEqual(problemOf([]), { key: '', allowed: 'an object' });
  });

  it('refuses a newer one and brings an older one up to date', () => {
    assert.deepEqual(read({ version: '7.1.0' }), { state: 'newer', version: '7.1.0' });
    const reading = read({ defaults: { model: 'haiku' } });
    assert.ok(reading.state === 'sound');
    assert.equal(reading.migratedFrom, '0.0.0');
    assert.deepEqual([reading.config.version, reading.config.defaults.model], [SCHEMA_VERSION, 'haiku']);
  });
});

describe('byteSize', () => {
  it('reads sizes as people write them', () => {
    assert.equal(byteSize('1GB'), 1024 ** 3);
    assert.equal(byteSize('1.5 mb'), 1.5 * 1024 ** 2);
    assert.equal(byteSize('10B'), 10);
    assert.equal(byteSize('much'), 0);
  });
});
