import assert from 'node:assert/strict';
import fc from 'fast-check';
import { EditHistory } from '../../../webview-ui/lib/editHistory';

describe('EditHistory', () => {
  it('goes back step by step, and forth again', () => {
    const history = new EditHistory<number>();
    history.record(1, 'a', 0);
    history.record(2, 'b', 10);
    assert.equal(history.undo(3), 2);
    assert.equal(history.undo(2), 1);
    assert.equal(history.undo(1), undefined);
    assert.equal(history.redo(1), 2);
    assert.equal(history.redo(2), 3);
    assert.ok(!history.canRedo);
  });

  it('takes fast edits of one field for one step, and edits without a field never', () => {
    const history = new EditHistory<string>();
    history.record('', 'name', 0);
    history.record('a', 'name', 200);
    assert.equal(history.undo('ab'), '');
    const moves = new EditHistory<number>();
    moves.record(1, undefined, 0);
    moves.record(2, undefined, 1);
    assert.equal(moves.undo(3), 2);
  });

  it('takes slow edits of one field for several steps', () => {
    const history = new EditHistory<string>();
    history.record('', 'name', 0);
    history.record('a', 'name', 5000);
    assert.equal(history.undo('ab'), 'a');
  });

  it('comes back to what was saved between two fast edits of one field', () => {
    const history = new EditHistory<string>();
    history.record('', 'budget', 0);
    history.endStep();
    history.record('saved', 'budget', 200);
    assert.equal(history.undo('changed'), 'saved');
  });

  it('forgets what was undone once something else is edited', () => {
    const history = new EditHistory<number>();
    history.record(1, undefined, 0);
    history.undo(2);
    history.record(1, undefined, 1);
    assert.ok(!history.canRedo);
  });

  it('goes on from what was remembered', () => {
    const first = new EditHistory<number>();
    for (let value = 0; value < 30; value++) first.record(value, undefined, value);
    const again = new EditHistory(first.steps(3));
    assert.deepEqual([again.undo(30), again.undo(29), again.undo(28), again.undo(27)], [29, 28, 27, undefined]);
  });

  it('comes back to the start and to the end, whatever was edited', () => {
    fc.assert(
      fc.property(fc.array(fc.integer(), { minLength: 1, maxLength: 40 }), (values) => {
        const history = new EditHistory<number>();
        let current = -1;
        for (const value of values) {
          history.record(current, undefined, 0);
          current = value;
        }
        const end = current;
        for (let before = history.undo(current); before !== undefined; before = history.undo(current)) current = before;
        assert.equal(current, -1);
        for (let after = history.redo(current); after !== undefined; after = history.redo(current)) current = after;
        assert.equal(current, end);
      }),
    );
  });
});
