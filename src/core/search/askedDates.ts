import { ownValue } from '../text/ownValue';
import { SearchError } from './searchDocument';

/** Whether something happened when a query says; undefined for a query that names no time. Understands English. */
export type AskedTime = (seconds: number) => boolean;

const MONTHS = 'january february march april may june july august september october november december'.split(' ');
const MONTH = MONTHS.map((name) => (name === 'may' ? name : `${name.slice(0, 3)}(?:${name.slice(3)})?`)).join('|');
/** `may` and `march` are words besides: they count as months next to a figure or after a preposition. */
const DAY_AND_MONTH = new RegExp(
  `\\b(?:(\\d{1,2})(?:st|nd|rd|th)?(?: of)? )?(${MONTH})\\b(?: (\\d{1,2})(?:st|nd|rd|th)?\\b(?!\\d))?(?:,? (\\d{4}))?`,
  'gi',
);
const LEADS = /\b(?:in|on|of|since|until|during|last|this|early|late|mid|by|from|around|and)\s$/i;
const ISO = /\b(\d{4})-(\d\d)(?:-(\d\d))?\b/g;
const AGO = /\b(\d{1,3}|an?|one|two|three|four|five|six) (day|week|month|year)s? ago\b/i;
const RECENT = /\b(today|yesterday|(?:last|this) (?:week|month|year))\b/i;
const NUMBERS = ['', 'one', 'two', 'three', 'four', 'five', 'six'];
const DAY_MS = 86_400_000;
const DAYS: ReadonlyMap<string, number> = new Map([
  ['day', 1],
  ['week', 7],
  ['month', 30],
  ['year', 365],
]);

interface Moment {
  readonly year?: number | undefined;
  readonly month?: number | undefined;
  readonly day?: number | undefined;
}

/** What a query says about when. */
export function askedTime(query: string, now: Date): AskedTime | undefined {
  const moments = [...isoMoments(query), ...writtenMoments(query)];
  const spans = recentSpans(query, now);
  if (moments.length === 0 && spans.length === 0) return undefined;
  return (seconds) => {
    const ms = seconds * 1000;
    const date = new Date(ms);
    return (
      spans.some(([from, to]) => ms >= from && ms < to) ||
      moments.some(
        ({ year, month, day }) =>
          (year === undefined || date.getFullYear() === year) &&
          (month === undefined || date.getMonth() === month) &&
          (day === undefined || date.getDate() === day),
      )
    );
  };
}

function isoMoments(query: string): Moment[] {
  return [...query.matchAll(ISO)].map(([, year, month, day]) => ({
    year: Number(year),
    month: Number(month) - 1,
    day: day === undefined ? undefined : Number(day),
  }));
}

function writtenMoments(query: string): Moment[] {
  return [...query.matchAll(DAY_AND_MONTH)].flatMap((match) => {
    const [, before, name = '', after, year] = match;
    const day = before ?? after;
    const isMeant = day !== undefined || year !== undefined || LEADS.test(query.slice(0, match.index));
    if (!isMeant) return [];
    const month = MONTHS.findIndex((full) => full.startsWith(name.slice(0, 3).toLowerCase()));
    return [
      { month, day: day === undefined ? undefined : Number(day), year: year === undefined ? undefined : Number(year) },
    ];
  });
}

function recentSpans(query: string, now: Date): [number, number][] {
  const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate()).getTime();
  return [...agoSpans(query, midnight), ...namedSpans(query, midnight)];
}

function agoSpans(query: string, midnight: number): [number, number][] {
  const [, count = '', unit = ''] = AGO.exec(query) ?? [];
  const days = DAYS.get(unit.toLowerCase());
  if (days === undefined) return [];
  const times = /^\d/.test(count) ? Number(count) : Math.max(1, NUMBERS.indexOf(count.toLowerCase()));
  const middle = midnight - times * days * DAY_MS;
  return [[middle - (days / 2) * DAY_MS, middle + (days / 2 + 1) * DAY_MS]];
}

function namedSpans(query: string, midnight: number): [number, number][] {
  const [, recent = ''] = RECENT.exec(query) ?? [];
  const [which = '', span = ''] = recent.toLowerCase().split(' ');
  const length = (DAYS.get(span) ?? 0) * DAY_MS;
  if (which === 'today') return [[midnight, midnight + DAY_MS]];
  if (which === 'yesterday') return [[midnight - DAY_MS, midnight]];
  if (which === 'this') return [[midnight + DAY_MS - length, midnight + DAY_MS]];
  return which === 'last' ? [[midnight - 2 * length, midnight]] : [];
}

const BACK = /^(\d{1,5})\s?([hdwmy])$/i;
const DAY = /^\d{4}-\d\d-\d\d$/;
const HOURS: Readonly<Record<string, number>> = { h: 1, d: 24, w: 168, m: 720, y: 8760 };
const HOUR_MS = 3_600_000;

/**
 * The moment that somebody means, as ISO: a time, how long ago (`7d`), or a day of their own clock, which begins at midnight and, as an
 * end, ends there. Throws `SearchError`.
 */
export function searchDate(text: string, bound: 'since' | 'until', now: Date): string {
  const word = text.trim();
  const [, count, unit = ''] = BACK.exec(word) ?? [];
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
