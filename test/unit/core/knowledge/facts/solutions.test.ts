import assert from 'node:assert/strict';
import { SolutionFinder, type FoundSolution } from '../../../../../src/core/knowledge/facts/solutions';
import { sourceMessages, sourceTool } from '../../../support/sourceMessages';

const run = (result: string, isError: boolean, command = 'npm test') =>
  sourceTool('Bash', { input: { command }, result, isError, afterText: 0 });
const edit = sourceTool('Edit', { input: { file_path: 'src/db.ts' }, afterText: 0 });

function solutions(...steps: readonly (readonly [said: string, tools: readonly ReturnType<typeof run>[]])[]) {
  const messages = steps.flatMap(([said, tools]) => sourceMessages(['claude', said, { tools: [...tools] }]));
  return new SolutionFinder().read(messages, '');
}

const told = ({ problem, solution, attempts, trigger }: FoundSolution) => [problem, solution, attempts, trigger];

describe('What failed again and again, and then passed', () => {
  const failed = run('Error: no such table', true);

  it('is told by the command, its first error, the files that were changed, and what Claude said then', () => {
    const found = solutions(
      ['I look.', [failed, run('Error: other', true)]],
      ['', [edit]],
      ['', [run('ok', false)]],
      ['Perfect! The tests pass. The migration creates the table before the first query now.', []],
    );
    assert.deepEqual(found.map(told), [
      [
        '`npm test`: Error: no such table',
        'src/db.ts — “The migration creates the table before the first query now.”',
        3,
        'breakthrough',
      ],
    ]);
  });

  it('is nothing where nothing was changed, where it failed once, and where another command passed', () => {
    const passed = run('ok', false);
    assert.deepEqual(solutions(['', [failed, failed]], ['', [passed]]), []);
    assert.deepEqual(solutions(['', [failed]], ['', [edit]], ['', [passed]]), []);
    assert.deepEqual(solutions(['', [failed, failed, edit]], ['', [run('ok', false, 'npm run build')]]), []);
  });

  it('is nothing of programs that were written for one try', () => {
    const tries = ['python -c "print(1)"', 'python -c "print(1)"', 'python -c "print(1)"'];
    const [one, two, three] = tries.map((command, at) => run('Error', at < 2, command));
    assert.ok(one && two && three);
    assert.deepEqual(solutions(['', [one, two, edit]], ['', [three]]), []);
  });
});
