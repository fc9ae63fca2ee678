import assert from 'node:assert/strict';
import { draggedText, sessionsIn } from '../../../../../src/core/sessions/view/treeNode';

describe('sessions that are dragged', () => {
  it('are read from what we write, and nothing else of them is passed on', () => {
    const session = { projectId: '-home-me', sessionId: 'abc', title: 'Secret plans' };
    assert.deepEqual(sessionsIn(draggedText([session])), [{ projectId: '-home-me', sessionId: 'abc' }]);
  });

  it('are read from the handles of rows; rows of other kinds are left alone', () => {
    const itemHandles = ['1/session:-home-me:abc', '1/month:-home-me:2025-01'];
    assert.deepEqual(sessionsIn(JSON.stringify({ id: 'keepit.sessions', itemHandles })), [
      { projectId: '-home-me', sessionId: 'abc' },
    ]);
  });

  it('are none where something else was dragged', () => {
    for (const text of ['', 'no json', '{}', '[1]', '{"itemHandles":[1]}']) assert.deepEqual(sessionsIn(text), []);
  });
});
