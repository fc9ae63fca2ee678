import assert from 'node:assert/strict';
import {
  ConfigError,
  projectSettingKeys,
  settingKeys,
  withProjectSetting,
  withSetting,
} from '../../../../src/core/sessions/configSettings';
import { defaultConfig } from '../../../../src/core/model/config';
import { settingsOf } from '../../../../src/core/model/manifest';

const config = defaultConfig('2026-01-20T10:00:00.000Z');

function failure(key: string, value: string): ConfigError {
  try {
    withSetting(config, key, value);
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error;
  }
  throw new assert.AssertionError({ message: `${key} took ${value}` });
}

describe('withSetting', () => {
  it('reads the text as the type that the setting has', () => {
    assert.equal(withSetting(config, 'defaults.autoRegisterSessions', 'true').defaults.autoRegisterSessions, true);
    assert.equal(
      withSetting(config, 'keepitDecay.compressionBase.light', '0.2').keepitDecay.compressionBase.light,
      0.2,
    );
    assert.equal(withSetting(config, 'defaults.model', '7').defaults.model, '7');
    assert.equal(withSetting(config, 'storage.maxCacheSize', '500MB').storage.maxCacheSize, '500MB');
  });

  it('changes nothing else, and not what it was given', () => {
    const before = structuredClone(config);
    const after = withSetting(config, 'ui.defaultView', 'list');
    assert.deepEqual(after, { ...before, ui: { ...before.ui, defaultView: 'list' } });
    assert.deepEqual(config, before);
  });

  it('refuses a key that does not exist, and lists those that do', () => {
    for (const key of ['nope', 'keepitDecay', 'ui.', '', '__proto__.polluted', 'version']) {
      const error = failure(key, 'x');
      assert.equal(error.reason, 'unknown-key');
      assert.deepEqual(error.allowed, settingKeys(config));
    }
    assert.ok(settingKeys(config).includes('keepitDecay.compressionBase.aggressive'));
  });

  it('refuses a value that the setting does not take, and says which it takes', () => {
    assert.match(failure('ui.defaultView', 'grid').hint, /timeline, list/);
    assert.match(failure('defaults.autoRegisterSessions', 'yes').hint, /boolean/);
    assert.match(failure('keepitDecay.compressionBase.light', 'much').hint, /number/);
    assert.match(failure('keepitDecay.compressionBase.light', '2').hint, /at most 1/);
    assert.match(failure('storage.maxCacheSize', 'big').hint, /1GB/);
    assert.match(failure('keepitDecay.maxSessionDistance', '').hint, /number/);
    assert.match(failure('defaults.model', ' ').hint, /some text/);
    assert.match(failure('storage.compressionRetention', 'some').hint, /all, used, a number of days/);
    for (const value of ['all', 'used', '90'])
      assert.equal(withSetting(config, 'storage.compressionRetention', value).storage.compressionRetention, value);
  });
});

describe('withProjectSetting', () => {
  const settings = settingsOf(undefined, config);

  it('changes one setting of a project, by its key behind `project.`', () => {
    const change = { key: 'project.keepitDecayEnabled', value: 'false' };
    assert.deepEqual(withProjectSetting({ layersEnabled: true }, settings, change), {
      layersEnabled: true,
      keepitDecayEnabled: false,
    });
  });

  it('takes only presets that there are, though files may hold others', () => {
    assert.throws(() => withProjectSetting({}, settings, { key: 'project.defaultCompressionPreset', value: 'hard' }), {
      reason: 'invalid-value',
      allowed: ['gentle', 'standard', 'aggressive'],
    });
    assert.throws(() => withSetting(config, 'defaults.compressionPreset', 'hard'), { reason: 'invalid-value' });
    const foreign = { ...settings, defaultCompressionPreset: 'of-another-tool' };
    assert.equal(
      withProjectSetting({}, foreign, { key: 'project.autoRegisterNewSessions', value: 'true' })
        .autoRegisterNewSessions,
      true,
    );
  });

  it('knows no keys but those of a project', () => {
    for (const key of ['keepitDecayEnabled', 'project.', 'project.ui', 'defaults.model']) {
      assert.throws(() => withProjectSetting({}, settings, { key, value: 'x' }), {
        reason: 'unknown-key',
        allowed: projectSettingKeys(settings),
      });
    }
  });
});
