const LENGTH = 24;
const ZERO = 0x30;
const DAY_MS = 86_400_000;

/** Stands for no time, or for one that is not written in Claude Code's own form. */
export const NO_TIME = -1;

/** What stands between the digits. */
const MARKS = Array.from('    -  -  T  :  :  .   Z', (mark) => (mark === ' ' ? 0 : mark.charCodeAt(0)));

/** Days of a month that are days in every year. */
const DAYS = [0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/**
 * A time in Claude Code's own form, `2026-01-15T10:00:00.000Z`, as a number: later times are greater, and
 * {@link timeText} gives the text back. {@link NO_TIME} for anything else; a 29th of February is left to the real parser.
 */
export function packedTime(bytes: Uint8Array, start: number, end: number): number {
  if (end - start !== LENGTH || !isWritten(bytes, start)) return NO_TIME;
  const year = two(bytes, start) * 100 + two(bytes, start + 2);
  const month = two(bytes, start + 5);
  const day = two(bytes, start + 8);
  const hour = two(bytes, start + 11);
  const minute = two(bytes, start + 14);
  const second = two(bytes, start + 17);
  if (day < 1 || day > (DAYS[month] ?? 0) || hour > 23 || minute > 59 || second > 59) return NO_TIME;
  const milliseconds = two(bytes, start + 20) * 10 + (bytes[start + 22] ?? ZERO) - ZERO;
  return (year * 10_000 + month * 100 + day) * DAY_MS + ((hour * 60 + minute) * 60 + second) * 1000 + milliseconds;
}

/** The text of a {@link packedTime}. */
export function timeText(time: number): string {
  const date = String(Math.floor(time / DAY_MS)).padStart(8, '0');
  const clock = new Date(time % DAY_MS).toISOString().slice(11);
  return `${date.slice(0, 4)}-${date.slice(4, 6)}-${date.slice(6)}T${clock}`;
}

function isWritten(bytes: Uint8Array, start: number): boolean {
  for (let at = 0; at < LENGTH; at++) {
    const mark = MARKS[at] ?? 0;
    const byte = bytes[start + at] ?? 0;
    if (mark === 0 ? byte < ZERO || byte > ZERO + 9 : byte !== mark) return false;
  }
  return true;
}

/** The number that two digits make. */
function two(bytes: Uint8Array, at: number): number {
  return ((bytes[at] ?? ZERO) - ZERO) * 10 + (bytes[at + 1] ?? ZERO) - ZERO;
}
