import assert from 'node:assert/strict';
import { armedText, reaches } from '../../../../../src/core/claude/view/armedText';

describe('what becomes of a composition that waits for the next session', () => {
  it('is said for certain only where a hook hands it over', () => {
    assert.match(
      armedText('retries', 'sure', false),
      /^“retries” is handed to the next session of the project, once\.$/,
    );
    assert.match(armedText('retries', 'off', false), /SessionStart hook.* is off/);
    assert.match(armedText('retries', 'notSetUp', false), /not set up/);
  });

  it('says when a part of it is handed over, and how to have all of it', () => {
    for (const handOver of ['sure', 'off', 'notSetUp'] as const) {
      assert.match(armedText('retries', handOver, true), /the file to read\. Start it from here to have all of it\.$/);
    }
  });

  it('counts on what is set up for the user, and for the project itself', () => {
    assert.equal(reaches({ scope: 'user' }, undefined), true);
    assert.equal(reaches({ scope: 'local', folder: '/a' }, '/a'), true);
    assert.equal(reaches({ scope: 'project', folder: '/a' }, '/a/b'), false);
    assert.equal(reaches({ scope: 'project' }, undefined), false);
  });
});
