import { SearchError } from './searchError';
import { ownValue } from '../text/ownValue';

const AGO = /^(\d{1,5})\s?([hdwmy])$/i;
const DAY = /^\d{4}-\d\d-\d\d$/;
const HOURS: Readonly<Record<string, number>> = { h: 1, d: 24, w: 168, m: 720, y: 8760 };
const HOUR_MS = 3_600_000;

/**
 * The moment that somebody means, as ISO: a time, how long ago (`7d`), or a day of their own clock, which begins at midnight and, as an
 * end, ends there. Throws `SearchError`.
 */
export function searchDate(text: string, bound: 'since' | 'until', now: Date): string {
  const word = text.trim();
  const [, count, unit = ''] = AGO.exec(word) ?? [];
  if (count !== undefined) {
    const ms = now.getTime() - Number(count) * (ownValue(HOURS, unit.toLowerCase()) ?? 0) * HOUR_MS;
    return isoOf(ms, text);
  }
  if (DAY.test(word)) return isoOf(Date.parse(`${word}T${bound === 'since' ? '00:00:00.000' : '23:59:59.999'}`), text);
  return isoOf(/^\d{4}-\d\d-\d\dT/.test(word) ? Date.parse(word) : Number.NaN, text);
}

function isoOf(ms: number, text: string): string {
  const date = new Date(ms);
  if (Number.isNaN(date.getTime())) throw new SearchError('bad-date', text);
  return date.toISOString();
}
