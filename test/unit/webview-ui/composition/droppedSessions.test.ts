import assert from 'node:assert/strict';
import { droppedSessions, holdsSessions } from '../../../../webview-ui/composition/droppedSessions';

const MIME = 'application/vnd.code.tree.keepit.sessions';

function transfer(text: string): { getData: (type: string) => string } {
  return { getData: (type) => (type === MIME ? text : '') };
}

describe('sessions that are dropped on the builder', () => {
  it('are recognized while they are dragged', () => {
    assert.ok(holdsSessions({ types: ['text/plain', MIME] }));
    assert.ok(!holdsSessions({ types: ['text/plain'] }));
    assert.ok(!holdsSessions(null));
  });

  it('are read from the handles of the rows; other rows are left alone', () => {
    const text = JSON.stringify({
      id: 'keepit.sessions',
      itemHandles: ['1/session:-home-me:abc', '1/month:-home-me:2025-01'],
    });
    assert.deepEqual(droppedSessions(transfer(text)), [{ projectId: '-home-me', sessionId: 'abc' }]);
  });

  it('are none where something else was dropped', () => {
    for (const text of ['', 'no json', '[]', '{"itemHandles":[1]}'])
      assert.deepEqual(droppedSessions(transfer(text)), []);
    assert.deepEqual(droppedSessions(null), []);
  });
});
