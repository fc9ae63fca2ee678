import assert from 'node:assert/strict';
import fc from 'fast-check';
import { runCase, spreadOf, type BenchCase, type Metrics } from '../../bench/bench';
import { caseText } from '../../bench/report';

/** A side whose runs find out what they are told, in turn. */
function side(name: string, timesMs: readonly number[], log: string[] = []): BenchCase['subject'] {
  let run = 0;
  return {
    name,
    run: (): Metrics => {
      log.push(name);
      return { timeMs: timesMs[run++ % timesMs.length] ?? 0 };
    },
  };
}

describe('a bench case', () => {
  it('lets its sides take turns, and does not count warm-ups', async () => {
    const log: string[] = [];
    const baseline = side('baseline', [1_000, 10, 30, 20], log);
    const subject = side('subject', [2_000, 5, 5, 6], log);
    const result = await runCase({ name: 'case', baseline, subject, repeats: 3, warmups: 1 });
    assert.deepEqual(log.slice(0, 4), ['subject', 'baseline', 'subject', 'baseline']);
    assert.equal(log.length, 8);
    assert.equal(result.baseline?.metrics.timeMs?.median, 20);
    assert.equal(result.subject.metrics.timeMs?.median, 5);
    assert.equal(result.ratio, 0.25);
  });

  it('says of every aim whether it is met', async () => {
    const sides = { baseline: side('b', [10]), subject: side('s', [5]) };
    const verdictsOf = async (extra: Partial<BenchCase>): Promise<boolean[]> =>
      (await runCase({ name: 'case', ...sides, ...extra })).verdicts.map(({ isMet }) => isMet);
    assert.deepEqual(await verdictsOf({ aim: { ratio: 0.5, direction: 'atMost' } }), [true]);
    assert.deepEqual(await verdictsOf({ aim: { ratio: 0.4, direction: 'atMost' } }), [false]);
    assert.deepEqual(await verdictsOf({ aim: { ratio: 0.6, direction: 'atLeast' } }), [false]);
    assert.deepEqual(await verdictsOf({ limits: { timeMs: 5, peakRssMb: 120 } }), [true, false]);
  });

  it('tears down what it set up, also when a run fails', async () => {
    const calls: string[] = [];
    const failing: BenchCase = {
      name: 'case',
      subject: {
        name: 's',
        run: () => {
          throw new Error('no');
        },
      },
      setup: async () => void calls.push('setup'),
      teardown: async () => void calls.push('teardown'),
    };
    await assert.rejects(runCase(failing), /no/);
    assert.deepEqual(calls, ['setup', 'teardown']);
  });

  it('is reported with median, spread, ratio and aim', async () => {
    const result = await runCase({
      name: 'reading',
      baseline: side('parse every line', [100, 200, 300], []),
      subject: side('the reader', [50], []),
      aim: { ratio: 0.4, direction: 'atMost' },
      repeats: 3,
      warmups: 0,
    });
    assert.equal(
      caseText(result),
      [
        'reading (3 runs)',
        '  baseline  parse every line: time 200 ms (120 ms – 280 ms)',
        '  subject   the reader: time 50 ms',
        '  ratio     0.25',
        '  aim       ratio ≤ 0.4: met',
      ].join('\n'),
    );
  });
});

describe('a metric', () => {
  it('is written with the unit that its name ends with, a rate without', async () => {
    const subject = {
      name: 's',
      run: (): Metrics => ({ timeMs: 12_345, peakRssMb: 99.96, readBytes: 2_048, charsPerMs: 65 }),
    };
    const text = caseText(await runCase({ name: 'case', subject, repeats: 1, warmups: 0 }));
    assert.equal(text.split('\n')[1], '  subject   s: time 12.3 s, peak rss 100 MB, read bytes 2 KB, chars per ms 65');
  });
});

describe('a spread', () => {
  it('lies within its values, in order', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ noNaN: true, min: -1e9, max: 1e9 }), { minLength: 1 }), (values) => {
        const { p10, median, p90 } = spreadOf(values);
        assert.ok(Math.min(...values) <= p10 && p10 <= median && median <= p90 && p90 <= Math.max(...values));
      }),
    );
  });
});
