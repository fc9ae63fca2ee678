import assert from 'node:assert/strict';
import fc from 'fast-check';
import { VirtualRows } from '../../../webview-ui/lib/virtualRows';

function rowsOf(count: number, height = 100): VirtualRows {
  const rows = new VirtualRows(() => height);
  rows.show(Array.from({ length: count }, (_, at) => at));
  return rows;
}

describe('VirtualRows', () => {
  it('draws what is in sight and a little around it', () => {
    const { start, end, heightBefore, heightAfter } = rowsOf(1000).window(50_000, 400);
    assert.ok(start > 480 && start < 500 && end > 504 && end < 520);
    assert.equal(heightBefore, start * 100);
    assert.equal(heightAfter, (1000 - end) * 100);
  });

  it('believes what was measured, until it is told to forget', () => {
    const rows = rowsOf(10);
    assert.equal(rows.measure(0, 300), true);
    assert.equal(rows.measure(0, 300), false);
    assert.equal(rows.topOf(1), 300);
    rows.forgetHeights();
    assert.equal(rows.topOf(1), 100);
  });

  it('knows where a row begins, among those that are shown', () => {
    const rows = rowsOf(10);
    rows.show([2, 5, 7]);
    assert.deepEqual([rows.topOf(7), rows.topOf(3)], [200, undefined]);
  });

  it('leaves room for every row, wherever one has scrolled to', () => {
    const heights = fc.array(fc.integer({ min: 1, max: 3000 }), { maxLength: 200 });
    fc.assert(
      fc.property(
        heights,
        fc.integer({ min: 0, max: 200_000 }),
        fc.integer({ min: 0, max: 2000 }),
        (all, top, view) => {
          const rows = new VirtualRows((key) => all[key] ?? 0);
          rows.show(all.map((_, at) => at));
          const { start, end, heightBefore, heightAfter } = rows.window(top, view);
          const sum = (list: readonly number[]): number => list.reduce((total, height) => total + height, 0);
          assert.equal(heightBefore + sum(all.slice(start, end)) + heightAfter, sum(all));
          // Nothing in sight is missing.
          assert.ok(start === 0 || heightBefore <= top);
          assert.ok(end === all.length || heightBefore + sum(all.slice(start, end)) >= top + view);
        },
      ),
    );
  });
});
