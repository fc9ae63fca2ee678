import assert from 'node:assert/strict';
import { SolutionFinder } from '../../../../../src/core/knowledge/facts/solutionFinder';
import { sourceMessages, sourceTool } from '../../../support/sourceMessages';

const run = (result: string, isError: boolean) =>
  sourceTool('Bash', { input: { command: 'npm test' }, result, isError, afterText: 0 });

/** The solutions of a turn in which tests fail twice, something is read and said, and the tests pass. */
function solutions(page: string, said: string): string[] {
  const messages = sourceMessages(
    ['human', 'Make the tests pass.'],
    ['claude', 'I look.', { tools: [run('Error: no such table', true), run('Error: no such table', true)] }],
    ['claude', said, { tools: [sourceTool('WebFetch', { result: page, afterText: 0 })] }],
    ['claude', 'They pass.', { tools: [run('ok', false)] }],
  );
  const turn = { messages, outcome: 'done' as const, request: '', result: '', isSettled: true };
  return new SolutionFinder().read(turn).map(({ solution }) => solution);
}

describe('SolutionFinder', () => {
  const reason = 'The root cause was that the migration had never been run.';

  it('takes for a solution what the assistant found out', () => {
    assert.deepEqual(solutions('Another page.', reason), [reason]);
  });

  it('takes no page for one, because the assistant repeats it', () => {
    assert.deepEqual(solutions(`Forum. **The root cause** was that the migration had never been run.`, reason), []);
  });
});
