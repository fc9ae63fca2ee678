import assert from 'node:assert/strict';
import { stateOf } from '../../../../../src/core/claude/hooks/stateOf';
import { sourceMessages, sourceTool } from '../../../support/sourceMessages';

const edit = { tools: [sourceTool('Edit', { input: { file_path: 'src/cache.ts' }, afterText: 0 })] };

describe('Where a session stands', () => {
  it('is told by the last request that says something, and what came of it', () => {
    const { request, outcome } = stateOf(
      sourceMessages(
        ['human', 'Move the cache to Postgres'],
        ['claude', 'The cache is in Postgres now, behind the old interface.', edit],
        ['human', 'Excellent work, thank you!'],
        ['claude', "You're welcome!"],
        ['human', '/publish-session'],
        ['claude', "I'll publish the session transcript."],
      ),
    );
    assert.equal(request?.text, 'Move the cache to Postgres');
    assert.equal(outcome?.text, 'The cache is in Postgres now, behind the old interface.');
  });

  it('has the words that a person typed, and not the log that they pasted', () => {
    const log = [
      '6 npm error Exit handler never called!',
      '6 npm error Please report this.',
      '6 npm error See the log.',
    ];
    const { request } = stateOf(
      sourceMessages(
        ['human', `The install of the container fails:\n${log.join('\n')}`],
        ['claude', 'The lock file was stale.', edit],
      ),
    );
    assert.equal(request?.text, 'The install of the container fails:');
  });

  it('is not told by a log that was pasted without a word: that belongs to the request before it', () => {
    const log = [
      '6 npm error Exit handler never called!',
      '6 npm error Please report this.',
      '6 npm error See the log.',
    ];
    const { request, outcome } = stateOf(
      sourceMessages(
        ['human', 'Make the container build on arm64'],
        ['claude', 'I changed the base image.', edit],
        ['human', log.join('\n')],
        ['claude', 'The lock file of npm was stale; the container builds on arm64 now.', edit],
      ),
    );
    assert.equal(request?.text, 'Make the container build on arm64');
    assert.match(outcome?.text ?? '', /builds on arm64 now/);
  });

  it('is work where something was changed, run or decided, and nothing where one only asked', () => {
    const look = { tools: [sourceTool('Bash', { input: { command: 'ls ~/.claude/projects' }, afterText: 0 })] };
    const run = { tools: [sourceTool('Bash', { input: { command: 'npm test' }, afterText: 0 })] };
    assert.equal(
      stateOf(sourceMessages(['human', "what's the session iD?"], ['claude', 'It is a1b2c3d4.', look])).isWork,
      false,
    );
    assert.equal(
      stateOf(sourceMessages(['human', 'Summarize this conversation.'], ['claude', 'It is about caches.'])).isWork,
      false,
    );
    assert.equal(stateOf(sourceMessages(['human', 'Move the cache'], ['claude', 'Moved.', edit])).isWork, true);
    assert.equal(stateOf(sourceMessages(['human', 'Are the tests green?'], ['claude', 'Yes.', run])).isWork, true);
    assert.equal(
      stateOf(sourceMessages(['human', 'From now on we use Postgres for the cache.'], ['claude', 'Noted.'])).isWork,
      true,
    );
  });

  it('tells no praise that is ticked off, and what is named beside it', () => {
    const said =
      'Done.\n\nLogin bulletproof ✅\n\n- ✅ Everything is robust\n- ✅ `requireUser()` is called in src/plan.ts\n- ✅ The tests of login run again without the browser';
    const { outcome } = stateOf(sourceMessages(['human', 'Mend the login'], ['claude', said, edit]));
    assert.equal(
      outcome?.text,
      'requireUser() is called in src/plan.ts; The tests of login run again without the browser',
    );
  });
});
