import assert from 'node:assert/strict';
import { daysBefore } from '../../../../src/core/sessions/upkeep';

describe('daysBefore', () => {
  const now = new Date('2026-01-20T10:00:00.000Z');

  it('counts days back', () => {
    assert.equal(daysBefore(now, 0), '2026-01-20T10:00:00.000Z');
    assert.equal(daysBefore(now, 30), '2025-12-21T10:00:00.000Z');
  });

  it('takes any number of days', () => {
    for (const days of [1e6, 1e9, Number.MAX_SAFE_INTEGER, Infinity]) {
      assert.equal(daysBefore(now, days), '1970-01-01T00:00:00.000Z');
    }
  });
});
