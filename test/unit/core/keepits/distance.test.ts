import assert from 'node:assert/strict';
import fc from 'fast-check';
import { sessionDistance, type DistanceFacts } from '../../../../src/core/keepits/decay';

const NOW = '2026-01-20T10:00:00Z';
const session = (sessionId: string, day: number, usedOnDay?: number): DistanceFacts => ({
  sessionId,
  lastTimestamp: `2026-01-${String(day).padStart(2, '0')}T10:00:00Z`,
  registeredAt: NOW,
  lastAccessed: usedOnDay === undefined ? NOW : `2026-02-${String(usedOnDay).padStart(2, '0')}T10:00:00Z`,
});
const ranks = (sessions: DistanceFacts[], rehearsal: boolean) =>
  sessions.map((one) => sessionDistance(one, sessions, { rehearsal }));

describe('the distance of a session', () => {
  it('is its rank by the last message, 1 for the newest, whenever it was registered', () => {
    assert.deepEqual(ranks([session('a', 3), session('b', 15), session('c', 9)], true), [3, 1, 2]);
  });

  it('counts the last use in a composition for a message, unless rehearsal is switched off', () => {
    const sessions = [session('a', 3, 1), session('b', 15), session('c', 9)];
    assert.deepEqual(ranks(sessions, true), [1, 2, 3]);
    assert.deepEqual(ranks(sessions, false), [3, 1, 2]);
  });

  it('is, for a session that is not in memory, the rank that it would have there', () => {
    const known = [session('a', 3), session('b', 15)];
    const fresh = { sessionId: 'x', lastTimestamp: '2026-01-10T00:00:00Z' };
    assert.equal(sessionDistance(fresh, known, { rehearsal: true }), 2);
    assert.equal(sessionDistance(fresh, [], { rehearsal: true }), 1);
  });

  it('puts sessions without a time last', () => {
    const sessions = [
      { sessionId: 'a', lastTimestamp: '' },
      { sessionId: 'b', lastTimestamp: 'soon' },
      session('c', 1),
    ];
    assert.deepEqual(ranks(sessions, true), [2, 3, 1]);
  });

  it('gives every session of a project a rank of its own, in any order of the manifest', () => {
    const days = fc.array(fc.tuple(fc.integer({ min: 1, max: 5 }), fc.option(fc.integer({ min: 1, max: 3 }))));
    fc.assert(
      fc.property(days, fc.boolean(), (all, rehearsal) => {
        const sessions = all.map(([day, used], index) => session(`s${index}`, day, used ?? undefined));
        const found = ranks(sessions, rehearsal);
        assert.deepEqual(
          [...found].sort((a, b) => a - b),
          sessions.map((_, index) => index + 1),
        );
        const backwards = [...sessions].reverse();
        assert.deepEqual(ranks(backwards, rehearsal).reverse(), found);
      }),
    );
  });
});
