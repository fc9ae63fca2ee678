import assert from 'node:assert/strict';
import { HOOK_EVENTS, isHookEvent, readHookInput } from '../../../../src/core/model/hookInput';

describe('hook input', () => {
  it('is read whatever fields a later version adds, leaves out or gives another type', () => {
    const input = readHookInput('{"session_id":"s","cwd":7,"source":{"of":"tomorrow"},"prompt":null,"new":[1]}');
    assert.equal(input?.session_id, 's');
    assert.equal(input.cwd, undefined);
    assert.equal(input.source, undefined);
    assert.equal(input.prompt, null);
  });

  it('is nothing when it is empty, torn, or without a session', () => {
    for (const json of ['', '{"session_id":"s"', '[]', 'null', '{}', '{"session_id":7}']) {
      assert.equal(readHookInput(json), undefined, json);
    }
  });

  it('is told by the six events that Keepit answers', () => {
    assert.deepEqual(HOOK_EVENTS.filter(isHookEvent), [...HOOK_EVENTS]);
    assert.equal(isHookEvent('Notification'), false);
  });
});
