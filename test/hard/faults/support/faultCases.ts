import type { Fault } from './faultHome';

const ERRORS = ['ENOSPC', 'EIO', 'EACCES', 'EMFILE'] as const;

/** Every call, every error, once and from then on; and writes that come out short. */
export function failuresOf(calls: readonly string[]): Fault[] {
  return calls.flatMap((kind, index) => {
    const at = index + 1;
    const errors = ERRORS.flatMap((error): Fault[] => [
      { at, mode: 'once', error },
      { at, mode: 'on', error },
    ]);
    return kind === 'write' ? [...errors, { at, mode: 'short' }] : errors;
  });
}

/** A kill before every call, and in the middle of every write. */
export function killsOf(calls: readonly string[]): Fault[] {
  return calls.flatMap((kind, index): Fault[] => {
    const at = index + 1;
    return kind === 'write'
      ? [
          { at, mode: 'kill' },
          { at, mode: 'tear' },
        ]
      : [{ at, mode: 'kill' }];
  });
}
