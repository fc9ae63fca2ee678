import assert from 'node:assert/strict';
import fc from 'fast-check';
import { NO_TIME, packedTime, timeText } from '../../../../src/core/transcript/isoTime';

function packed(text: string): number {
  const bytes = new TextEncoder().encode(`"${text}"`);
  return packedTime(bytes, 1, bytes.length - 1);
}

const times = fc
  .date({ min: new Date('0000-01-01T00:00:00.000Z'), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true })
  .map((date) => date.toISOString())
  .filter((text) => !text.includes('-02-29'));

describe('packed times', () => {
  it('give back the text that they were made of', () => {
    fc.assert(fc.property(times, (text) => assert.equal(timeText(packed(text)), text)));
  });

  it('are in the order of the times', () => {
    fc.assert(fc.property(times, times, (a, b) => assert.equal(packed(a) < packed(b), Date.parse(a) < Date.parse(b))));
  });

  it('are made of nothing but dates in the form of Claude Code', () => {
    const others = [
      '2026-02-29T00:00:00.000Z',
      '2026-04-31T00:00:00.000Z',
      '2026-13-01T00:00:00.000Z',
      '2026-00-01T00:00:00.000Z',
      '2026-01-00T00:00:00.000Z',
      '2026-01-01T24:00:00.000Z',
      '2026-01-01T00:60:00.000Z',
      '2026-01-01 00:00:00.000Z',
      '2026-01-01T00:00:00.000+',
      '2026-01-01T00:00:00Z',
      '２026-01-01T00:00:00.000Z',
      '',
    ];
    for (const text of others) assert.equal(packed(text), NO_TIME, text);
  });
});
