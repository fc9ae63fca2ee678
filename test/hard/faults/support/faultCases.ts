import type { Fault } from './faultHome';

const DISK = ['ENOSPC', 'EIO', 'EACCES'] as const;

/** The errors that a call of a kind can end with: nobody runs out of space by looking. */
const ERRORS = new Map<string, readonly NonNullable<Fault['error']>[]>([
  ['open', [...DISK, 'EMFILE']],
  ['readdir', ['EIO', 'EACCES', 'EMFILE']],
  ['stat', ['EIO', 'EACCES']],
  ['read', ['EIO']],
  ['write', ['ENOSPC', 'EIO']],
  ['sync', ['ENOSPC', 'EIO']],
  ['mode', ['EIO', 'EACCES']],
  ['unlink', ['EIO', 'EACCES']],
  ['rmdir', ['EIO', 'EACCES']],
]);

/** Every call, every error, once and from then on; and writes that come out short. */
export function failuresOf(calls: readonly string[]): Fault[] {
  return calls.flatMap((kind, index) => {
    const at = index + 1;
    const errors = (ERRORS.get(kind) ?? DISK).flatMap((error): Fault[] => [
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

/** At each call one of its faults, chosen at random. */
export function oneOfEach(faults: readonly Fault[], random: () => number): readonly Fault[] {
  const ranked = faults.map((fault) => ({ fault, rank: random() })).sort((a, b) => a.rank - b.rank);
  const chosen = new Map(ranked.map(({ fault }) => [fault.at, fault]));
  return faults.filter((fault) => chosen.get(fault.at) === fault);
}
