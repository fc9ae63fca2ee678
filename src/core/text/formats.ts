import { oneLine } from './cleanText';

/**
 * How figures and times are written for people, in one place: trees, documents, dialogs and the status bar agree.
 * Dates follow the reader's locale and time zone (a session of January 31st, 23:30 belongs to that person's January,
 * whatever UTC says); the words around them are English, as the rest of the product.
 */

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Units of an age, largest first, with the age from which each is used. */
const AGE_UNITS: readonly { fromMs: number; unitMs: number; name: string }[] = [
  { fromMs: 365 * DAY_MS, unitMs: 365 * DAY_MS, name: 'y' },
  { fromMs: 60 * DAY_MS, unitMs: 30 * DAY_MS, name: 'mo' },
  { fromMs: DAY_MS, unitMs: DAY_MS, name: 'd' },
  { fromMs: HOUR_MS, unitMs: HOUR_MS, name: 'h' },
  { fromMs: MINUTE_MS, unitMs: MINUTE_MS, name: 'min' },
];

const COUNT_UNITS: readonly { size: number; name: string }[] = [
  { size: 1e9, name: 'G' },
  { size: 1e6, name: 'M' },
  { size: 1e3, name: 'k' },
];

const BYTE_UNITS = ['B', 'KB', 'MB', 'GB', 'TB'] as const;

/** One decimal below ten, none above; `9.96` is 10, not `10.0`. */
function shortNumber(value: number): string {
  const rounded = value < 9.95 ? Math.round(value * 10) / 10 : Math.round(value);
  return String(rounded);
}

/** A short figure: `999`, `1.2k`, `100k`, `3.4M`. Never more than five characters below a trillion. */
export function formatCount(count: number): string {
  if (count < 1000) return String(Math.round(count));
  for (const { size, name } of COUNT_UNITS) {
    // 999,950 would round to "1000k": it is 1M.
    if (count >= size * 0.9995) return `${shortNumber(count / size)}${name}`;
  }
  return String(Math.round(count));
}

/** A size in powers of 1024: `512 B`, `3.4 KB`, `150 MB`. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < BYTE_UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${shortNumber(value)} ${BYTE_UNITS[unit] ?? 'B'}`;
}

/** A length of time in at most two units: `45 s`, `12 min`, `8 h 30 min`, `3 d 4 h`. */
export function formatDuration(durationMs: number): string {
  const seconds = Math.max(0, Math.round(durationMs / SECOND_MS));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return joinUnits([hours, 'h'], [minutes % 60, 'min']);
  const wholeHours = Math.round(minutes / 60);
  return joinUnits([Math.floor(wholeHours / 24), 'd'], [wholeHours % 24, 'h']);
}

function joinUnits(large: [number, string], small: [number, string]): string {
  const head = `${large[0]} ${large[1]}`;
  return small[0] === 0 ? head : `${head} ${small[0]} ${small[1]}`;
}

/** The last part of a path of any system. */
export function baseName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
}

/** How long ago: `now`, `5 min ago`, `3 h ago`, `2 d ago`, `4 mo ago`. A time to come (clocks differ) is `now`. */
export function formatAge(then: Moment, nowMs: number): string {
  const thenMs = msOf(then);
  if (thenMs === undefined) return '';
  const ageMs = nowMs - thenMs;
  for (const { fromMs, unitMs, name } of AGE_UNITS) {
    if (ageMs >= fromMs) return `${Math.floor(ageMs / unitMs)} ${name} ago`;
  }
  return 'now';
}

/** `1 message`, `12 messages`, for models and logs: without separators, which readers have of their own. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** The part of a session's id that people use: the first group of a UUID. */
export function shortId(id: string): string {
  return id.slice(0, 8);
}

/** Parts of a line, without those that are empty or not known: `main · 2 d ago`. */
export function joinParts(parts: readonly (string | false | undefined)[], separator = ' · '): string {
  return parts.filter(Boolean).join(separator);
}

/** Where a reader is: decides how dates and large numbers are written, and in which month a session lies. */
interface Place {
  /** A BCP 47 tag; an unknown one means English. */
  locale: string;
  /** An IANA name; the host's own when absent. */
  timeZone?: string;
}

const ENGLISH = /^en(?:-(?:US|GB))?$/;
const THOUSANDS = /\B(?=(?:\d{3}){1,7}$)/g;

/** Milliseconds, or an ISO timestamp; nothing is written for one that is absent or broken. */
export type Moment = number | string | undefined;

type DateStyle = 'month' | 'monthKey' | 'day' | 'dayTime' | 'timeOfDay';

const dateStyles: Record<DateStyle, Intl.DateTimeFormatOptions> = {
  month: { year: 'numeric', month: 'long' },
  monthKey: { year: 'numeric', month: '2-digit' },
  day: { dateStyle: 'medium' },
  dayTime: { dateStyle: 'medium', timeStyle: 'short' },
  timeOfDay: { timeStyle: 'short' },
};

/**
 * Dates and whole numbers as the reader's locale writes them. Each formatter is made once, when it is first used: they
 * are slow to make, and an activation needs none.
 */
export class Formats {
  private readonly dates = new Map<DateStyle, Intl.DateTimeFormat>();
  private numbers: Intl.NumberFormat | undefined;
  private locale: string | undefined;

  constructor(private readonly place: Place) {}

  /** Every digit, with separators: `100,234`. */
  exact(count: number): string {
    this.locale ??= this.place.locale;
    // A formatter takes longer to make than a whole search takes: nobody needs one to write whole numbers in English.
    if (ENGLISH.test(this.locale) && Number.isSafeInteger(count)) return String(count).replace(THOUSANDS, ',');
    this.numbers ??= new Intl.NumberFormat(knownLocale(this.locale));
    return this.numbers.format(count);
  }

  /** `1 message`, `1,204 messages`; an irregular plural is given. */
  plural(count: number, singular: string, plural = `${singular}s`): string {
    return `${this.exact(count)} ${count === 1 ? singular : plural}`;
  }

  /** `January 2026`. */
  monthOf(timeMs: Moment): string {
    return this.format('month', timeMs);
  }

  /** Sorts as time does, and is the same for every locale: `2026-01`. */
  monthKey(timeMs: Moment): string {
    return this.format('monthKey', timeMs).slice(0, 7);
  }

  date(timeMs: Moment): string {
    return this.format('day', timeMs);
  }

  dateTime(timeMs: Moment): string {
    return this.format('dayTime', timeMs);
  }

  time(timeMs: Moment): string {
    return this.format('timeOfDay', timeMs);
  }

  /** From one time to another, the day written once where it is the same: `Jan 15, 2026, 10:00 – 18:30`. */
  range(startMs: Moment, endMs: Moment): string {
    if (this.date(startMs) === '' || this.date(endMs) === '') return '';
    if (this.date(startMs) !== this.date(endMs)) return `${this.dateTime(startMs)} – ${this.dateTime(endMs)}`;
    if (this.time(startMs) === this.time(endMs)) return this.dateTime(startMs);
    return `${this.dateTime(startMs)} – ${this.time(endMs)}`;
  }

  private format(style: DateStyle, moment: Moment): string {
    const timeMs = msOf(moment);
    if (timeMs === undefined) return '';
    let formatter = this.dates.get(style);
    if (formatter === undefined) {
      const { locale, timeZone } = this.place;
      const language = style === 'monthKey' ? 'en-CA' : knownLocale(locale);
      const options: Intl.DateTimeFormatOptions = { ...dateStyles[style], timeZone };
      formatter = new Intl.DateTimeFormat(language, options);
      this.dates.set(style, formatter);
    }
    return formatter.format(timeMs);
  }
}

function knownLocale(locale: string): string {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(locale)[0] ?? 'en';
  } catch {
    return 'en'; // not a language tag at all, such as the "C" of a bare Linux: English it is
  }
}

function msOf(moment: Moment): number | undefined {
  return typeof moment === 'number' ? moment : timeOf(moment);
}

/** The time between two ISO timestamps; 0 where one is not known. */
export function elapsedMs(start: string | undefined, end: string | undefined): number {
  return (timeOf(end) ?? NaN) - (timeOf(start) ?? NaN) || 0;
}

/** The milliseconds of an ISO timestamp; undefined for an empty or a broken one. */
export function timeOf(iso: string | undefined): number | undefined {
  if (iso === undefined || iso === '') return undefined;
  const timeMs = Date.parse(iso);
  return Number.isNaN(timeMs) ? undefined : timeMs;
}

export const TITLE_LENGTH = 120;

/** What a session is called: its title, or the beginning of its id. */
export function titleOf(session: { title: string; sessionId: string }): string {
  const title = oneLine(session.title, TITLE_LENGTH);
  return title === '' ? `Session ${shortId(session.sessionId)}` : title;
}

/**
 * How dates are written: as the system says, where it speaks the language of the window. VS Code knows a language but
 * no region, and `en` alone would write American dates for everybody.
 */
export function readerLocale(displayLanguage: string, systemLocale = systemDefault()): string {
  const language = (tag: string): string => tag.split('-')[0]?.toLowerCase() ?? '';
  return language(systemLocale) === language(displayLanguage) ? systemLocale : displayLanguage;
}

function systemDefault(): string {
  return new Intl.DateTimeFormat().resolvedOptions().locale;
}
