import assert from 'node:assert/strict';
import fc from 'fast-check';
import { KeepitMarkError } from '../../../../src/core/keepits/keepitMarkError';
import {
  type EffectiveKeepit,
  withAddition,
  withRemoval,
  withRestoration,
  withWeight,
  type Overlay,
} from '../../../../src/core/keepits/effectiveKeepits';
import { findSpans } from '../../../../src/core/keepits/markSpan';
import { keepitChangeSchema } from '../../../../src/core/model/keepit';
import { mixedText } from '../../support/mixedText';
import { keepitsOf, mark, NOW, said, seen } from './support';

function refuses(change: () => unknown, reason: KeepitMarkError['reason']): void {
  assert.throws(change, (error) => error instanceof KeepitMarkError && error.reason === reason, reason);
}

describe('changes to keepits', () => {
  const of = said('First. ##keepit0.50## Cents are integers.', 'Noted, all of it.');
  const [cents] = keepitsOf(of);
  assert.ok(cents);
  const now = (overlay: Overlay) => keepitsOf(of, overlay);
  const keepit = (overlay: Overlay, markerId = cents.markerId): EffectiveKeepit => {
    const found = now(overlay).find((one) => one.markerId === markerId);
    assert.ok(found);
    return found;
  };
  const restored = (overlay: Overlay, markerId?: string) =>
    withRestoration(overlay, keepit(overlay, markerId), now(overlay), NOW);

  it('give a keepit another weight, and leave what its marker says as it is', () => {
    const overlay = withWeight([], cents, 0.9, NOW);
    const { weight, effectiveWeight, overridden } = keepit(overlay);
    assert.deepEqual([weight, effectiveWeight, overridden], [0.5, 0.9, true]);
    assert.deepEqual(restored(overlay), []);
  });

  it('leave no trace when a keepit gets its own weight back', () => {
    assert.deepEqual(withWeight(withWeight([], cents, 0.9, NOW), cents, 0.5, NOW), []);
  });

  it('remove a keepit so that it can come back with the weight that it had', () => {
    const removed = withRemoval(withWeight([], cents, 0.9, NOW), keepit(withWeight([], cents, 0.9, NOW)), NOW);
    assert.deepEqual(now(removed).map(seen), [['Cents are integers.', 0.9, 'removed']]);
    refuses(() => withRemoval(removed, keepit(removed), NOW), 'removed');
    refuses(() => withWeight(removed, keepit(removed), 1, NOW), 'removed');
    const back = restored(removed);
    assert.deepEqual(now(back).map(seen), [['Cents are integers.', 0.9, 'live']]);
    assert.deepEqual(restored(back), []);
    refuses(() => restored([]), 'unchanged');
  });

  it('mark words of a message as a keepit like any other, without the white space around them', () => {
    const { overlay, keepit: added } = mark(of, { messageUuid: 'message-1', start: 6, end: 11 }, 0.75);
    assert.deepEqual([added.content, added.position, added.weight], ['all', { start: 6, end: 11 }, 0.75]);
    assert.deepEqual([added.origin, added.createdAt, added.context], ['overlay', NOW, 'Noted, all']);
    assert.match(added.markerId, /^[0-9a-f]{16}$/);
    const heavier = withWeight(overlay, added, 1, NOW);
    assert.deepEqual([keepit(heavier, added.markerId).effectiveWeight, heavier.length], [1, 1]);
    assert.deepEqual(restored(heavier, added.markerId), overlay);
  });

  it('know a span that was removed and is marked again as the same keepit', () => {
    const { overlay, keepit: added } = mark(of, { messageUuid: 'message-1' }, 0.75);
    const removed = withRemoval(overlay, added, NOW).map((change) => ({
      ...change,
      marker: { ...change.marker, survivedIn: ['v001'] },
    }));
    assert.deepEqual(
      now(removed).map(({ state }) => state),
      ['live', 'removed'],
    );
    const again = mark(of, { messageUuid: 'message-1' }, 0.25, removed);
    assert.deepEqual([again.keepit.markerId, again.overlay.length], [added.markerId, 1]);
    assert.deepEqual([again.keepit.effectiveWeight, again.keepit.survivedIn], [0.25, ['v001']]);
  });

  it('never let two keepits overlap', () => {
    refuses(() => mark(of, { messageUuid: 'message-0' }), 'overlap');
    refuses(() => mark(of, { messageUuid: 'message-0', start: 3, end: 8 }), 'overlap');
    const beside = mark(of, { messageUuid: 'message-0', end: 7 });
    assert.equal(now(beside.overlay).length, 2);
    refuses(() => mark(of, { messageUuid: 'message-0', end: 3 }, 0.8, beside.overlay), 'overlap');
    const removed = withRemoval([], cents, NOW);
    const { overlay } = mark(of, { messageUuid: 'message-0' }, 0.8, removed);
    refuses(() => restored(overlay), 'overlap');
  });

  it('take a weight between 0 and 1 with two decimals, and nothing else', () => {
    const [span] = findSpans(of, { messageUuid: 'message-1' });
    assert.ok(span);
    for (const weight of [9.99, -1, Number.NaN, Infinity, 0.805]) {
      refuses(() => withWeight([], cents, weight, NOW), 'bad-weight');
      refuses(() => withAddition([], span, { weight, all: [], nowIso: NOW }), 'bad-weight');
    }
    for (const weight of [0, 1, 0.07]) assert.equal(keepit(withWeight([], cents, weight, NOW)).effectiveWeight, weight);
  });

  const steps = fc.array(
    fc.record({
      kind: fc.constantFrom('weight', 'remove', 'restore', 'add'),
      which: fc.nat(20),
      weight: fc.integer({ min: 0, max: 100 }).map((hundredths) => hundredths / 100),
      start: fc.nat(60),
      length: fc.integer({ min: 1, max: 30 }),
    }),
    { maxLength: 25 },
  );
  type Step = { kind: string; which: number; weight: number; start: number; length: number };

  it('can all be taken back, in any order, for any text; and are stored and read again as they are', () => {
    const marked = fc.tuple(mixedText, mixedText).map(([a, b]) => `x${a}##keepit0.50## y${b}`);
    fc.assert(
      fc.property(fc.array(marked, { minLength: 1, maxLength: 3 }), steps, (texts, all) => {
        const talk = said(...texts);
        let overlay: Overlay = [];
        const apply = ({ kind, which, weight, start, length }: Step): Overlay => {
          const keepits = keepitsOf(talk, overlay);
          const chosen = keepits[which % keepits.length];
          assert.ok(chosen);
          if (kind === 'weight') return withWeight(overlay, chosen, weight, NOW);
          if (kind === 'remove') return withRemoval(overlay, chosen, NOW);
          if (kind === 'restore') return withRestoration(overlay, chosen, keepits, NOW);
          const messageUuid = `message-${which % texts.length}`;
          return mark(talk, { messageUuid, start, end: start + length }, weight, overlay).overlay;
        };
        for (const step of all) {
          const before = structuredClone(overlay);
          const given = overlay;
          try {
            overlay = apply(step);
          } catch (error) {
            assert.ok(error instanceof KeepitMarkError, String(error));
          }
          assert.deepEqual(given, before, 'what was given is not changed');
          checkSpans(keepitsOf(talk, overlay));
        }
        assert.deepEqual(
          overlay.map((change) => keepitChangeSchema.parse(JSON.parse(JSON.stringify(change)))),
          overlay,
        );
        takeBack(talk, overlay);
      }),
      { numRuns: 150 },
    );
  });

  function checkSpans(keepits: readonly EffectiveKeepit[]): void {
    const live = keepits.filter(({ state }) => state === 'live');
    live.forEach((one, index) => {
      const next = live[index + 1];
      if (next?.messageUuid === one.messageUuid) assert.ok(one.position.end <= next.position.start);
    });
  }

  /** Removes what was added and gives back what was changed: then everything is as it stands in the transcript. */
  function takeBack(talk: ReturnType<typeof said>, changed: Overlay): void {
    let overlay = changed;
    for (const { markerId, origin, state } of keepitsOf(talk, overlay)) {
      const one = keepitsOf(talk, overlay).find((other) => other.markerId === markerId);
      if (origin === 'overlay' && state !== 'removed' && one) overlay = withRemoval(overlay, one, NOW);
    }
    for (let undone = true; undone;) {
      undone = false;
      for (const one of keepitsOf(talk, overlay).filter(({ origin }) => origin === 'transcript')) {
        if (one.state !== 'removed' && !one.overridden) continue;
        overlay = withRestoration(overlay, one, keepitsOf(talk, overlay), NOW);
        undone = true;
      }
    }
    const counted = keepitsOf(talk, overlay).filter(({ state }) => state === 'live');
    assert.deepEqual(counted, keepitsOf(talk));
  }
});
