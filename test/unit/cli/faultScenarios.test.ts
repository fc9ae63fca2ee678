import assert from 'node:assert/strict';
import { commandsFor } from '../../../src/cli/commandTable';
import { HOOK_EVENTS } from '../../../src/core/model/hookInput';
import { allScenarios } from '../../hard/faults/support/scenarios';

/** What only looks: at most it caches what it has read. */
const READING: ReadonlySet<string> = new Set([
  ...['discover', 'show', 'messages', 'sessions', 'resume', 'stats', 'suggest', 'links', 'never', 'trash', 'ledger'],
  ...['keepits', 'decay', 'versions', 'version show', 'diff'],
  ...['compositions', 'composition show', 'composition diff'],
  ...['layers', 'layers show', 'facts', 'fact why', 'brief', 'recall', 'memory list', 'memory get'],
  ...['plugin path', 'config list', 'config get'],
]);

/** Asks a model before it writes: `test/unit/core/knowledge/reading` kills it half-way. */
const ASKING = 'read';

describe('the commands that meet failing files and kills in test/hard', () => {
  const none = { keepit: 'k', fact: 'f', link: 'l', trash: { session: 's', version: 'v', composition: 'c' } };
  const lines = allScenarios.map(({ args }) => args(none, { projectId: 'p' }));

  it('are all those that write', async () => {
    const names = (await commandsFor(['help'])).map(({ name }) => name);
    const commandOf = ([first = '', second = '']: readonly string[]) =>
      names.find((name) => name === `${first} ${second}`) ?? first;
    const met = new Set(lines.map(commandOf));
    assert.deepEqual(
      names.filter((name) => !met.has(name) && !READING.has(name) && name !== ASKING),
      [],
    );
    assert.deepEqual(
      [...READING].filter((name) => !names.includes(name)),
      [],
    );
  });

  it('are the hooks of all events', () => {
    const met = new Set(lines.flatMap(([first, event = '']) => (first === 'hook' ? [event] : [])));
    assert.deepEqual([...met].sort(), [...HOOK_EVENTS].sort());
  });
});
