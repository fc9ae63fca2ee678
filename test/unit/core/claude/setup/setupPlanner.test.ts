import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { isSame, setMember } from '../../../../../src/core/claude/setup/jsonc';
import { planFile, wantedBy, type Wanted } from '../../../../../src/core/claude/setup/setupPlanner';
import { commentsIn, readJsonc, writtenJson } from '../../../support/jsoncTexts';

const places = { claudeDir: '/c', pluginDir: '/s/claude-plugin', join: (...parts: string[]) => parts.join('/') };
const command = 'node "/s/claude-plugin/bin/keepit.js" hook Stop';
const plain = {
  hooks: [{ into: ['hooks', 'Stop'], item: { hooks: [{ type: 'command', command }] } }],
  commands: new Map<string, string>(),
};
const at = '2026-01-01T00:00:00.000Z';
const settings = '/c/settings.json';

function wanted(mode: 'plugin' | 'plain'): Wanted[] {
  return wantedBy({ mode, scope: 'user', at }, places, plain).filter(({ path }) => path === settings);
}

const modes = fc.constantFrom<('plugin' | 'plain')[]>('plugin', 'plain');
const read = (text: string | undefined) => readJsonc(text ?? '');

describe('the plan for settings', () => {
  it('gives back every byte of settings that nobody changed since', () => {
    fc.assert(
      fc.property(writtenJson(), modes, (text, mode) => {
        const into = planFile(settings, 'settings', wanted(mode), { text, touched: undefined });
        const now = { text: into.change.after, touched: into.touched };
        assert.equal(planFile(settings, 'settings', [], now).change.after, text);
        assert.equal(planFile(settings, 'settings', wanted(mode), now).change.after, into.change.after);
      }),
    );
  });

  it('keeps every comment, and what was changed since, also when nothing is remembered', () => {
    fc.assert(
      fc.property(writtenJson(), modes, fc.boolean(), fc.jsonValue(), (text, mode, isRemembered, value) => {
        const { change, touched } = planFile(settings, 'settings', wanted(mode), { text, touched: undefined });
        const edited = setMember(change.after ?? '', ['keepitTest'], value);
        const now = { text: edited, touched: isRemembered ? touched : undefined };
        const { after } = planFile(settings, 'settings', [], now).change;
        assert.ok(isSame(read(after), read(setMember(text, ['keepitTest'], value))), after);
        assert.deepEqual(commentsIn(after ?? ''), commentsIn(text));
      }),
    );
  });

  it('leaves hooks and plugins of others alone, also where they share a list with ours', () => {
    const text = `{
  // mine
  "hooks": { "Stop": [{ "matcher": "x", "hooks": [{ "command": "mine" }, { "command": "${command.replaceAll('"', '\\"')}" }] }] },
  "enabledPlugins": { "keepit@keepit": true }
}`;
    const { after } = planFile(settings, 'settings', [], { text, touched: undefined }).change;
    assert.equal(
      after,
      `{
  // mine
  "hooks": { "Stop": [{ "matcher": "x", "hooks": [{ "command": "mine" }] }] }
}`,
    );
  });

  it('makes a file that is not there, and takes it away again unless something was added', () => {
    const made = planFile(settings, 'settings', wanted('plugin'), { text: undefined, touched: undefined });
    const now = { text: made.change.after, touched: made.touched };
    assert.equal(planFile(settings, 'settings', [], now).change.after, undefined);
    const edited = { ...now, text: setMember(made.change.after ?? '', ['model'], 'opus') };
    assert.deepEqual(read(planFile(settings, 'settings', [], edited).change.after), { model: 'opus' });
    const reformatted = { ...now, text: JSON.stringify(read(made.change.after)) };
    assert.equal(planFile(settings, 'settings', [], reformatted).change.after, undefined);
  });

  it('keeps empty settings empty', () => {
    for (const text of ['', '\n', '{}', '{ }\n']) {
      const made = planFile(settings, 'settings', wanted('plain'), { text, touched: undefined });
      const now = { text: made.change.after, touched: made.touched };
      assert.equal(planFile(settings, 'settings', [], now).change.after, text);
    }
  });

  it('tells what in settings keeps hooks from running', () => {
    const off = planFile(settings, 'settings', wanted('plain'), {
      text: '{"disableAllHooks":true}',
      touched: undefined,
    });
    assert.match(off.note ?? '', /switches all hooks off/);
    const { note } = planFile(settings, 'settings', wanted('plugin'), { text: '{} // mine', touched: undefined });
    assert.match(note ?? '', /Claude Code reads nothing of such a file/);
  });

  it('leaves notes of Claude Code alone that cannot be read', () => {
    const plan = planFile('/c/plugins/known_marketplaces.json', 'marketplaces', [], { text: '{', touched: undefined });
    assert.equal(plan.change.after, '{');
    assert.match(plan.note ?? '', /is left as it is/);
  });
});
