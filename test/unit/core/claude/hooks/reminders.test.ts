import assert from 'node:assert/strict';
import { promptAnswer } from '../../../../../src/core/claude/hooks/sessionAnswers';
import { indexReminders, remindersFor } from '../../../../../src/core/claude/hooks/reminders';
import { REQUEST_MANNER } from '../../../../../src/core/material/keywords';
import { defaultHookSettings } from '../../../../../src/core/model/hookSettings';

const sources = [
  { id: '1', text: 'HTTP 429 from the gauge API: honour Retry-After, one request every 120 s', label: 'decided' },
  {
    id: '2',
    text: 'The chart used local time as a key, so the doubled hour was lost',
    label: 'marked',
    sessionId: 's2',
  },
  { id: '3', text: 'Write tests before the fix', label: 'the user said' },
  { id: '4', text: 'ゲージAPIのレート制限は毎時30回です', label: 'decided' },
];
const index = indexReminders(sources, (stem) => REQUEST_MANNER.has(stem));
const idsFor = (prompt: string): string[] => remindersFor(prompt, index).map(({ id }) => id);

describe('hooks: reminders', () => {
  it('come for a prompt that speaks of the same thing, in any language', () => {
    assert.deepEqual(idsFor('We get HTTP 429 again, is Retry-After handled?'), ['1']);
    assert.deepEqual(idsFor('why is the doubled hour missing in the chart'), ['2']);
    assert.deepEqual(idsFor('レート制限はどうなっていますか'), ['4']);
  });

  it('stay away where a prompt only uses the words by which anything is asked', () => {
    for (const prompt of ['', 'continue', 'please fix the failing tests and commit', 'write a test', 'yes', 'local']) {
      assert.deepEqual(idsFor(prompt), [], prompt);
    }
  });

  it('are found in a prompt of a megabyte as fast, and survive any characters', () => {
    assert.deepEqual(idsFor(`chart doubled hour local ${'x '.repeat(500_000)}`), ['2']);
    assert.deepEqual(idsFor('\n429 \0 \ud800 ++ [.*(] \n\n'), []);
  });

  it('are given once in a session, never to the session that they come from, never for a command, nor for what an agent reports', () => {
    const given = new Set<string>();
    const ask = (sessionId: string, prompt: string): string =>
      promptAnswer({
        sessionId,
        prompt,
        brief: undefined,
        told: { keys: () => new Set(), add: () => undefined },
        reminders: () => index,
        settings: defaultHookSettings,
        claim: (key) => !given.has(key) && given.add(key).size > 0,
        isIdNew: () => false,
      })?.text ?? '';
    assert.ok(ask('s1', 'the doubled hour in the chart').includes('- (marked) The chart used local time'));
    assert.equal(ask('s1', 'the doubled hour in the chart'), '');
    given.clear();
    assert.equal(ask('s2', 'the doubled hour in the chart'), '');
    assert.equal(ask('s1', '/keepit:recall the doubled hour in the chart'), '');
    const report = '<task-notification>\n<result>the doubled hour in the chart</result>\n</task-notification>';
    assert.equal(ask('s1', report), '', 'nobody typed what an agent reports');
    assert.notEqual(ask('s1', `${report}\nIs that the doubled hour in the chart?`), '');
  });
});
