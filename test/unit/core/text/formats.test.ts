import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  formatAge,
  formatBytes,
  formatCount,
  formatDuration,
  Formats,
  joinParts,
  timeOf,
} from '../../../../src/core/text/formats';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const english = new Formats({ locale: 'en-US', timeZone: 'UTC' });

describe('formats', () => {
  it('writes counts short, with one decimal only where it tells something', () => {
    const figures = [0, 7, 999, 1000, 1234, 9949, 9960, 12_345, 100_234, 999_499, 999_950, 1_250_000, 3e9];
    const words = ['0', '7', '999', '1k', '1.2k', '9.9k', '10k', '12k', '100k', '999k', '1M', '1.3M', '3G'];
    assert.deepEqual(figures.map(formatCount), words);
  });

  it('never writes a count of less than a trillion in more than five characters', () => {
    fc.assert(fc.property(fc.integer({ min: 0, max: 999_000_000_000 }), (count) => formatCount(count).length <= 5));
  });

  it('writes sizes in powers of 1024', () => {
    assert.deepEqual([0, 512, 1024, 3482, 1_048_576, 157_286_400].map(formatBytes), [
      '0 B',
      '512 B',
      '1 KB',
      '3.4 KB',
      '1 MB',
      '150 MB',
    ]);
  });

  it('writes durations in at most two units and leaves out a zero one', () => {
    const durations = [0, 400, 45_000, 59_700, 12 * MINUTE_MS, 8.5 * HOUR_MS, 2 * HOUR_MS, 76 * HOUR_MS, 48 * HOUR_MS];
    const words = ['0 s', '0 s', '45 s', '1 min', '12 min', '8 h 30 min', '2 h', '3 d 4 h', '2 d'];
    assert.deepEqual(durations.map(formatDuration), words);
  });

  it('writes ages in the largest unit that fits, and a time to come as now', () => {
    const ages = [-5000, 0, 59_000, MINUTE_MS, 3 * HOUR_MS, 47 * HOUR_MS, 59 * DAY_MS, 60 * DAY_MS, 800 * DAY_MS];
    const words = ['now', 'now', 'now', '1 min ago', '3 h ago', '1 d ago', '59 d ago', '2 mo ago', '2 y ago'];
    assert.deepEqual(
      ages.map((age) => formatAge(0, age)),
      words,
    );
  });

  it('puts a session into the month of its reader, not of UTC', () => {
    const lateEvening = Date.parse('2026-01-31T23:30:00Z');
    assert.equal(english.monthKey(lateEvening), '2026-01');
    assert.equal(new Formats({ locale: 'en', timeZone: 'Asia/Tokyo' }).monthKey(lateEvening), '2026-02');
    assert.equal(english.monthOf(lateEvening), 'January 2026');
    assert.equal(new Formats({ locale: 'de', timeZone: 'UTC' }).monthOf(lateEvening), 'Januar 2026');
  });

  it('writes the day of a range once when both ends share it', () => {
    const start = Date.parse('2026-01-15T10:00:00Z');
    const plain = (text: string): string => text.replace(/\s/g, ' ');
    assert.equal(plain(english.range(start, start + 8.5 * HOUR_MS)), 'Jan 15, 2026, 10:00 AM – 6:30 PM');
    assert.equal(plain(english.range(start, start)), 'Jan 15, 2026, 10:00 AM');
    assert.equal(plain(english.range(start, start + DAY_MS)), 'Jan 15, 2026, 10:00 AM – Jan 16, 2026, 10:00 AM');
  });

  it('chooses between one and many, and takes irregular plurals', () => {
    assert.equal(english.plural(1, 'message'), '1 message');
    assert.equal(english.plural(0, 'message'), '0 messages');
    assert.equal(english.plural(1204, 'branch', 'branches'), '1,204 branches');
  });

  it('falls back to English for something that is no language tag', () => {
    assert.equal(new Formats({ locale: 'C', timeZone: 'UTC' }).monthOf(0), 'January 1970');
    assert.equal(new Formats({ locale: 'not a tag', timeZone: 'UTC' }).monthOf(0), 'January 1970');
  });

  it('knows a time only where there is a valid one', () => {
    assert.equal(timeOf('1970-01-01T00:00:01Z'), 1000);
    assert.equal(timeOf(''), undefined);
    assert.equal(timeOf('yesterday'), undefined);
    assert.equal(timeOf(undefined), undefined);
  });

  it('leaves unknown parts out of a line', () => {
    assert.equal(joinParts(['a', undefined, '', 'b']), 'a · b');
  });
});
