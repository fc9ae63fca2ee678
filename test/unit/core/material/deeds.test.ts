import assert from 'node:assert/strict';
import { deedsOf } from '../../../../src/core/material/deeds';
import { sourceMessages, sourceTool } from '../../support/sourceMessages';

function deeds(command: string, result: string, isError = false): string[] {
  const tool = sourceTool('Bash', { input: { command }, result, isError });
  return deedsOf(sourceMessages(['claude', '', { tools: [tool] }])).map(({ text }) => text);
}

describe('What left the working copy', () => {
  it('is told as the record has it', () => {
    for (const [command, result, ...told] of [
      [
        'git add . && git commit -m "x"',
        '[main 1a2b3c4d5] Retry the queue\n 2 files changed',
        'commit 1a2b3c4 “Retry the queue”',
      ],
      ['git commit -m x', '[main (root-commit) 6f035fd] Begin', 'commit 6f035fd “Begin”'],
      ['git push -u origin retry', 'To github.com:ada/app.git\n * [new branch]      retry -> retry\n', 'pushed retry'],
      ['git push', 'To github.com:ada/app.git\n   1a2b3c4..5d6e7f8  main -> main\n', 'pushed main'],
      ['gh pr create --fill', 'https://github.com/ada/app/pull/7', 'opened https://github.com/ada/app/pull/7'],
      ['npm publish', 'npm notice\n+ @ada/app@1.2.0\n', 'published @ada/app@1.2.0'],
    ] as const)
      assert.deepEqual(deeds(command, result), told);
  });

  it('is nothing where the command failed, or only shows what others did', () => {
    assert.deepEqual(deeds('git commit -m x', '[main 1a2b3c4] Retry', true), []);
    assert.deepEqual(deeds('cat build.log', '[main 1a2b3c4] Retry\nhttps://github.com/ada/app/pull/7'), []);
  });
});
