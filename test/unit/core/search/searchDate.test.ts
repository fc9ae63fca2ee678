import assert from 'node:assert/strict';
import { searchDate } from '../../../../src/core/search/askedDates';

const now = new Date('2026-01-20T12:00:00Z');

describe('searchDate', () => {
  it('takes times, how long ago, and whole days', () => {
    assert.equal(searchDate('2026-01-02T03:04:05Z', 'since', now), '2026-01-02T03:04:05.000Z');
    assert.equal(searchDate('7d', 'since', now), '2026-01-13T12:00:00.000Z');
    assert.equal(searchDate('12 H', 'until', now), '2026-01-20T00:00:00.000Z');
    const day = (bound: 'since' | 'until'): number => Date.parse(searchDate('2026-01-02', bound, now));
    assert.equal(day('until') - day('since'), 24 * 3_600_000 - 1);
  });

  it('refuses what is no date', () => {
    for (const text of ['', 'soon', '2026-13-40', '2026-01-40T10:00:00Z', '99999999d', '3']) {
      assert.throws(() => searchDate(text, 'since', now), { code: 'search-bad-date' }, text);
    }
  });
});
