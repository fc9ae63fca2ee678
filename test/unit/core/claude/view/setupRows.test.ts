import assert from 'node:assert/strict';
import { SCHEMA_VERSION } from '../../../../../src/core/model/fields';
import { Formats } from '../../../../../src/core/text/formats';
import {
  isUndone,
  modeChoices,
  scopeChoices,
  setupOutcome,
  setupReview,
} from '../../../../../src/core/claude/view/setupRows';
import { windowHint } from '../../../../../src/core/text/windowHint';
import { type SetupPlan, SetupError } from '../../../../../src/core/claude/setup/setupTypes';

const formats = new Formats({ locale: 'en-GB', timeZone: 'UTC' });

const record = { version: SCHEMA_VERSION, installs: [], files: {}, folders: [] };

function plan(changes: Partial<SetupPlan> = {}): SetupPlan {
  return {
    action: 'install',
    request: { mode: 'plugin', scope: 'user' },
    files: [
      { path: '/claude/settings.json', before: '{}', after: '{"enabledPlugins":{}}' },
      { path: '/claude/plugins/known_marketplaces.json', before: undefined, after: '{}' },
    ],
    plugin: { path: '/store/claude-plugin', version: '1.2.0', change: 'copy' },
    runtime: { kind: 'electron', file: '/opt/code/code', version: '22.1.0' },
    notes: ['The file has comments.'],
    recordBefore: record,
    record,
    leftovers: [],
    ...changes,
  };
}

describe('setting Claude Code up, in words', () => {
  it('names every file, the plugin, what hooks run with, and what to know', () => {
    const { title, question, yes, facts } = setupReview(plan(), formats);
    assert.equal(title, 'Set up Claude Code for you, in all projects');
    assert.match(question, /^2 files/);
    assert.equal(yes, 'Set Up');
    assert.deepEqual(
      facts.map(({ text, detail = '' }) => `${text} ${detail}`.trim()),
      [
        '/claude/settings.json changed',
        '/claude/plugins/known_marketplaces.json made',
        'The plugin, version 1.2.0, is copied to /store/claude-plugin.',
        'Hooks are run with /opt/code/code, which is VS Code’s own Node, version 22.1.0.',
        'The file has comments.',
      ],
    );
  });

  it('names what goes when Keepit is taken out', () => {
    const request = { mode: 'plain', scope: 'local', folder: '/home/dac/my-app' } as const;
    const plugin = { path: '/store/claude-plugin', version: '1.2.0', change: 'remove' } as const;
    const out = plan({
      action: 'uninstall',
      request,
      plugin,
      files: [],
      leftovers: ['/claude/plugins/cache'],
      notes: [],
    });
    const { question, yes, facts } = setupReview(out, formats);
    assert.equal(question, 'No file of yours changes');
    assert.equal(yes, 'Remove');
    assert.match(facts.at(-1)!.text, /plugins\/cache/);
    assert.match(setupOutcome(out), /out of Claude Code .* stays/);
    assert.match(setupOutcome(plan()), /Start a new Claude Code session/);
  });

  it('offers only places that there are, and says what is set up there already', () => {
    const at = '2026-01-15T18:00:00Z';
    const alone = scopeChoices([{ mode: 'plugin', scope: 'user', at }], { user: '/claude/settings.json' }, undefined);
    assert.deepEqual(
      alone.map(({ value, description }) => `${value}: ${description}`),
      ['user: set up already, as a plugin'],
    );
    const files = { user: '/u.json', project: '/p/settings.json', local: '/p/settings.local.json' };
    const all = scopeChoices([{ mode: 'plain', scope: 'local', folder: '/p', at }], files, '/p');
    assert.deepEqual(
      all.map(({ description }) => description),
      ['/u.json', '/p/settings.json', 'set up already, as plain hooks and commands'],
    );
    assert.deepEqual(
      modeChoices().map(({ value }) => value),
      ['plugin', 'plain'],
    );
  });

  it('calls an undo complete only when every file is as it was', () => {
    const done = plan();
    const files = done.files.map(({ path, before, after }) => ({ path, before: after, after: before }));
    assert.equal(isUndone(done, plan({ files })), true);
    assert.equal(isUndone(done, plan({ files: files.slice(1) })), false);
    assert.equal(isUndone(done, plan({ files: files.map((file) => ({ ...file, after: '{ }' })) })), false);
  });

  it('never tells somebody who sits before a window to type a command', () => {
    const reasons: SetupError['reason'][] = [
      'broken-settings',
      'unfit-settings',
      'not-utf8',
      'dangling-link',
      'not-permitted',
      'changed',
      'other-mode',
      'not-installed',
      'no-plugin',
      'no-folder',
      'newer-record',
      'io',
    ];
    for (const reason of reasons) {
      const { hint } = new SetupError(reason, '/claude/settings.json');
      assert.doesNotMatch(windowHint(hint), /`(?:keepit|--)/, reason);
    }
  });
});
