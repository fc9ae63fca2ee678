import assert from 'node:assert/strict';
import { EpisodeSteps } from '../../../../../src/core/versions/local/collectUnits';
import { SeenLines, readStep } from '../../../../../src/core/versions/local/toolSteps';
import type { SourceTool } from '../../../../../src/core/material/types';
import { sourceTool } from '../../../support/sourceMessages';

const root = '/home/ada/app/';

function told(...tools: readonly SourceTool[]): string[] {
  const steps = new EpisodeSteps();
  const seen = new SeenLines(root, false);
  const drafts = tools.map((tool, index) => steps.add(readStep(tool, root, seen), index, index));
  return drafts.flatMap((draft) => (draft === undefined ? [] : [draft().unit.text]));
}

function bash(command: string, fields: Partial<SourceTool> = {}): SourceTool {
  return sourceTool('Bash', { input: { command }, ...fields });
}

describe('EpisodeSteps', () => {
  it('tells a failed command with the line that says why, and a later success apart', () => {
    const failed = bash('npm test', { isError: true, result: 'ok 1\nTypeError: x is not a function\n    at a.ts:1' });
    assert.deepEqual(told(failed, failed, bash('npm test', { result: 'x\n4 passed in 2s' })), [
      '`npm test` (2×) failed: TypeError: x is not a function',
      '`npm test` → 4 passed in 2s',
    ]);
  });

  it('tells each file once, however often it was edited', () => {
    const edit = (after: string): SourceTool =>
      sourceTool('Edit', { input: { file_path: `${root}src/a.ts`, old_string: 'a', new_string: after } });
    assert.deepEqual(told(edit('b'), edit('c')), ['src/a.ts']);
  });

  it('leaves out what the harness only taught the model', () => {
    assert.deepEqual(
      told(
        sourceTool('Edit', {
          isError: true,
          target: 'a.ts',
          result: '<tool_use_error>File has not been read yet. Read it first.</tool_use_error>',
        }),
      ),
      [],
    );
  });

  it('says that the user refused a step', () => {
    const refused = sourceTool('Write', {
      target: `${root}b.ts`,
      isError: true,
      result: "The user doesn't want to proceed with this tool use. The tool use was rejected.",
    });
    assert.deepEqual(told(refused), ['Wrote b.ts: refused by the user']);
  });

  it('tells a script by what it was for', () => {
    const script = bash('python -c "\nimport a\nprint(a)"', {
      input: { command: 'python -c "\nimport a\nprint(a)"', description: 'Print the table' },
    });
    assert.deepEqual(told(script), ['`python -c` (Print the table)']);
  });
});

describe('readStep', () => {
  it('shows what an edit took out and put in', () => {
    const tool = sourceTool('Edit', {
      input: {
        file_path: 'a.ts',
        old_string: 'const a = 1;\nconst same = 0;',
        new_string: 'const a = 2;\nconst same = 0;',
      },
    });
    const { details } = readStep(tool, '', new SeenLines('', false));
    assert.deepEqual(
      details.map(({ text }) => text),
      ['- const a = 1;\n+ const a = 2;'],
    );
  });

  it('takes line numbers, reminders and colours away from results', () => {
    const colour = String.fromCharCode(27);
    const result = `     1→export const one = 1;\n     2→${colour}[31mexport const two = 2;${colour}[0m\n<system-reminder>never shown</system-reminder>`;
    const { details } = readStep(sourceTool('Read', { target: 'a.ts', result }), '', new SeenLines('', false));
    assert.deepEqual(
      details.map(({ text }) => text),
      ['export const one = 1;\nexport const two = 2;'],
    );
  });

  it('does not show lines again that a session has shown before', () => {
    const seen = new SeenLines('', false);
    const tool = sourceTool('Read', { target: 'a.ts', result: 'export const one = 1;' });
    assert.equal(readStep(tool, '', seen).details.length, 1);
    assert.equal(readStep(tool, '', seen).details.length, 0);
  });
});
