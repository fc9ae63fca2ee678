import assert from 'node:assert/strict';
import { askedTime } from '../../../../src/core/search/askedDates';

const NOW = new Date(2026, 6, 30, 15);

function isThen(query: string, day: string): boolean | undefined {
  return askedTime(query, NOW)?.(new Date(`${day}T12:00:00`).getTime() / 1000);
}

describe('askedTime', () => {
  it('understands months and days in words and figures', () => {
    for (const [query, day, other] of [
      ['what broke in March', '2026-03-15', '2026-04-15'],
      ['the outage of March 2025', '2025-03-15', '2026-03-15'],
      ['on May 5th', '2026-05-05', '2026-05-06'],
      ['5 December 2025', '2025-12-05', '2025-12-06'],
      ['release 2026-02', '2026-02-28', '2026-03-01'],
      ['on 2026-02-03', '2026-02-03', '2026-02-04'],
    ] as const) {
      assert.deepEqual([isThen(query, day), isThen(query, other)], [true, false], query);
    }
  });

  it('understands how long ago', () => {
    for (const [query, day, other] of [
      ['what did we do yesterday', '2026-07-29', '2026-07-28'],
      ['fixed last week', '2026-07-20', '2026-06-20'],
      ['two weeks ago', '2026-07-16', '2026-06-16'],
      ['3 days ago', '2026-07-27', '2026-07-20'],
      ['today', '2026-07-30', '2026-07-29'],
    ] as const) {
      assert.deepEqual([isThen(query, day), isThen(query, other)], [true, false], query);
    }
  });

  it('takes no verb for a month, and nothing for a date that is none', () => {
    for (const query of ['may we march on', 'version 2.1.3', 'the second one', 'sept', 'port 8443']) {
      assert.equal(askedTime(query, NOW), undefined, query);
    }
  });
});
