import path from 'node:path';
import type { Fault, Hit } from './faultHome';

const DISK = ['ENOSPC', 'EIO', 'EACCES'] as const;

/** The errors that a call of a kind can end with: nobody runs out of space by looking. */
const ERRORS = new Map<string, readonly NonNullable<Fault['error']>[]>([
  ['open', [...DISK, 'EMFILE']],
  ['readdir', ['EIO', 'EACCES', 'EMFILE']],
  ['stat', ['EIO', 'EACCES', 'EMFILE']],
  ['read', ['EIO']],
  ['write', ['ENOSPC', 'EIO']],
  ['sync', ['ENOSPC', 'EIO']],
  ['mode', ['EIO', 'EACCES']],
  ['unlink', ['EIO', 'EACCES']],
  ['rmdir', ['EIO', 'EACCES']],
]);

/** Every call, every error, once and from then on; and writes that come out short. */
export function failuresOf(calls: readonly Hit[]): Fault[] {
  return calls.flatMap(({ n: at, kind }) => {
    const errors = (ERRORS.get(kind) ?? DISK).flatMap((error): Fault[] => [
      { at, mode: 'once', error },
      { at, mode: 'on', error },
    ]);
    return kind === 'write' ? [...errors, { at, mode: 'short' }] : errors;
  });
}

/** A kill before every call, and in the middle of every write. */
export function killsOf(calls: readonly Hit[]): Fault[] {
  return calls.flatMap(({ n: at, kind }): Fault[] =>
    kind === 'write'
      ? [
          { at, mode: 'kill' },
          { at, mode: 'tear' },
        ]
      : [{ at, mode: 'kill' }],
  );
}

/** At each call one of its faults, chosen at random. */
export function oneOfEach(faults: readonly Fault[], random: () => number): readonly Fault[] {
  const ranked = faults.map((fault) => ({ fault, rank: random() })).sort((a, b) => a.rank - b.rank);
  const chosen = new Map(ranked.map(({ fault }) => [fault.at, fault]));
  return faults.filter((fault) => chosen.get(fault.at) === fault);
}

const FRAMES = 10;

/** A call for each place in the code that is not in `met` yet, which it is from then on. */
export function newSites(calls: readonly Hit[], met: Set<string>): readonly Hit[] {
  const sites = new Map(calls.map((call) => [siteOf(call), call]));
  const found = [...sites].filter(([site]) => !met.has(site)).map(([, call]) => call);
  for (const site of sites.keys()) met.add(site);
  return found;
}

function siteOf({ kind, place, stack }: Hit): string {
  const frames = stack.split('\n').filter((line) => line.includes(' at ') && !line.includes('failingFiles'));
  return [kind, path.extname(place), ...frames.slice(0, FRAMES)].join('\n').replace(/index \d+/g, '');
}
