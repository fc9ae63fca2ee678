import assert from 'node:assert/strict';
import fc from 'fast-check';
import { CompressionError } from '../../../../src/core/versions/compressionJob';
import { alignParts, partsOf } from '../../../../src/core/sessions/sessionParts';
import { messagesIn } from '../../../../src/core/versions/compressionPlan';
import {
  compareVersionIds,
  nextVersionId,
  versionFileName,
  withNumberOf,
} from '../../../../src/core/versions/versionEntries';
import type { SessionPartRecord } from '../../../../src/core/model/compression';
import { someVersion } from '../../support/storedDocuments';

/** A conversation of named messages that grows and is rewound; what was left behind is known by where the ways part. */
class Story {
  messages: string[] = [];
  readonly #forks = new Map<string, string | undefined>();
  #next = 0;

  grow(count: number): void {
    for (let n = 0; n < count; n++) this.messages.push(`m${this.#next++}`);
  }

  rewind(to: number): void {
    const left = this.messages.splice(Math.min(to, this.messages.length));
    for (const message of left) this.#forks.set(message, this.messages.at(-1));
  }

  get live() {
    return {
      count: this.messages.length,
      seenUpTo: (uuid: string): number | undefined => {
        let at: string | undefined = uuid;
        while (at !== undefined && !this.messages.includes(at)) {
          if (!this.#forks.has(at)) return undefined;
          at = this.#forks.get(at);
        }
        return at === undefined ? -1 : this.messages.indexOf(at);
      },
    };
  }
}

describe('the parts of a session', () => {
  it('lie side by side from the first message on, however the session grows and is rewound', () => {
    const step = fc.record({ grow: fc.nat(6), rewindTo: fc.option(fc.nat(12)) });
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 8 }), (steps) => {
        const story = new Story();
        const parts: SessionPartRecord[] = [];
        for (const { grow, rewindTo } of steps) {
          if (rewindTo !== null) story.rewind(rewindTo);
          story.grow(grow);
          const { live } = story;
          let made = undefined;
          try {
            made = messagesIn({ kind: 'delta' }, { parts, live, sessionId: 's' });
          } catch (error) {
            assert.ok(error instanceof CompressionError && /nothing-new|empty-session/.test(error.reason));
          }
          if (made !== undefined) {
            const { from, to, partNumber = 0 } = made;
            const lastMessageUuid = story.messages[to]!;
            parts.push({ partNumber, messageRange: [from, to], lastMessageUuid, tokens: 1 });
          }
          let next = 0;
          for (const part of alignParts(parts, live)) {
            assert.equal(part.from, next);
            next = part.to + 1;
          }
          assert.equal(next, live.count, 'nothing is left out, and nothing counts twice');
        }
      }),
    );
  });

  it('are known by their versions where nothing else is known', () => {
    const compressions = [1, 3].map((partNumber) => ({
      ...someVersion(`part${partNumber}_v001`),
      partNumber,
      messageRange: [partNumber * 10, partNumber * 10 + 9] satisfies [number, number],
    }));
    assert.deepEqual(
      partsOf({ compressions }).map(({ partNumber, messageRange }) => [partNumber, messageRange]),
      [
        [1, [10, 19]],
        [3, [30, 39]],
      ],
    );
  });
});

describe('the names of versions', () => {
  it('count on in each series, and give no number twice', () => {
    const compressions = ['v001', 'v007', 'part1_v002', 'odd'].map(someVersion);
    assert.equal(nextVersionId({ compressions }), 'v008');
    assert.equal(nextVersionId({ compressions }, 1), 'part1_v003');
    assert.equal(nextVersionId({ compressions }, 2), 'part2_v001');
    assert.equal(nextVersionId({ compressions, versionNumbers: { v: 11, part2_v: 4 } }, 2), 'part2_v005');
    assert.equal(nextVersionId({ compressions: [someVersion('v999')] }), 'v1000');
    assert.deepEqual(withNumberOf('part2_v003', { v: 1 }), { v: 1, part2_v: 3 });
    assert.deepEqual(withNumberOf('odd', { v: 1 }), { v: 1 });
  });

  it('are sorted by part and number', () => {
    const ids = ['part10_v001', 'part2_v001', 'v010', 'part2_v010', 'v9', 'part2_v002'];
    assert.deepEqual(ids.sort(compareVersionIds), [
      'v9',
      'v010',
      'part2_v001',
      'part2_v002',
      'part2_v010',
      'part10_v001',
    ]);
  });

  it('tell mode, preset and size', () => {
    const { settings } = someVersion();
    assert.equal(versionFileName('v001', settings, 10_234), 'v001_tiered-standard_10k');
    const uniform = { ...settings, mode: 'uniform', aggressiveness: 'aggressive' } as const;
    assert.equal(versionFileName('part1_v002', uniform, 3012), 'part1_v002_uniform-aggressive_3k');
    const names = [949, 95, 94, 4].map((tokens) =>
      versionFileName('v1', settings, tokens).slice('v1_tiered-standard_'.length),
    );
    assert.deepEqual(names, ['0.9k', '0.1k', '0.09k', '0.00k']);
  });
});
