import assert from 'node:assert/strict';
import { currentChoice, projectSettingRows } from '../../../../../src/core/versions/view/compressionForm';
import { defaultConfig } from '../../../../../src/core/model/config';
import { settingsOf } from '../../../../../src/core/model/manifest';
import { withProjectSetting } from '../../../../../src/core/sessions/configSettings';

const settings = settingsOf(undefined, defaultConfig(''));

describe('the settings of a project, as a list', () => {
  it('say what each is now, and what that means', () => {
    const now = projectSettingRows(settings).map((row) => [
      row.key,
      currentChoice(row)?.label,
      currentChoice(row)?.detail,
    ]);
    assert.deepEqual(now, [
      [
        'project.defaultCompressionPreset',
        'Moderate',
        'Tiered standard: from 25:1 for the oldest messages to 3:1 for the newest',
      ],
      ['project.autoRegisterNewSessions', 'Off', 'Sessions are added to memory by you'],
      [
        'project.keepitDecayEnabled',
        'On',
        'The lighter one is, and the older its session, the sooner it gives way; weight 1.00 never does',
      ],
      ['project.autoDecay.enabled', 'Off', 'Versions are made and deleted by you'],
    ]);
  });

  it('offer only what can be set', () => {
    for (const { key, value, choices } of projectSettingRows(settings)) {
      for (const choice of choices) {
        const own = withProjectSetting({}, settings, { key, value: choice.value });
        const changed = settingsOf({ settings: own }, defaultConfig(''));
        const row = projectSettingRows(changed).find((one) => one.key === key);
        assert.equal(row?.value, choice.value);
        if (choice.value !== value) assert.notDeepEqual(changed, settings);
      }
    }
  });

  it('show what another tool has written as it is', () => {
    const [row] = projectSettingRows({ ...settings, defaultCompressionPreset: 'my own' });
    assert.ok(row);
    assert.deepEqual(currentChoice(row), { value: 'my own', label: 'my own', detail: 'As another tool has set it' });
  });
});
