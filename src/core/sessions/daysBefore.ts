const DAY_MS = 24 * 60 * 60 * 1000;

/** The ISO time so many days before `now`; the beginning of time as computers have it where that is longer ago. */
export function daysBefore(now: Date, days: number): string {
  return new Date(Math.max(0, now.getTime() - days * DAY_MS)).toISOString();
}
