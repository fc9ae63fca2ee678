/** Memory-keeper plugins begin what they add with the day. */
const DAY = /^## (?:.*?\b)?(\d{4}-\d{2}-\d{2})/gm;

/** For each part of a memory the end of the last day that it tells of; undefined where none is named before. */
export function partDates(parts: readonly string[]): (Date | undefined)[] {
  let last = '';
  return parts.map((part) => {
    for (const [, day = ''] of part.matchAll(DAY)) if (day > last && !Number.isNaN(Date.parse(day))) last = day;
    return last === '' ? undefined : new Date(`${last}T23:59:00.000Z`);
  });
}
