import assert from 'node:assert/strict';
import { targetAt } from '../../../../webview-ui/composition/dragTarget';

describe('where a dragged row goes', () => {
  const middles = [50, 150, 250, 350];

  it('is where it was, as long as no other middle is passed', () => {
    assert.equal(targetAt(middles, 1, 160), 1);
    assert.equal(targetAt(middles, 1, 240), 1);
  });

  it('is behind every row whose middle is above the pointer', () => {
    assert.equal(targetAt(middles, 0, 260), 2);
    assert.equal(targetAt(middles, 0, 9999), 3);
    assert.equal(targetAt(middles, 3, -20), 0);
    assert.equal(targetAt(middles, 3, 100), 1);
  });
});
