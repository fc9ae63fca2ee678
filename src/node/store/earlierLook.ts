import { writeFileAtomic } from '../files/atomicFile';
import { readWithin } from '../files/links';

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * What is deleted by its age is deleted only when it was old enough at an earlier look, a day or more ago: a clock that jumps forward and
 * comes back, as after a flat battery, must not cost anything. Given is the time before which things are old now; returned is that
 * time of the earlier look, which is noted in `file`, or undefined when there was none.
 */
export async function earlierLook(root: string, file: string, before: Date): Promise<Date | undefined> {
  const noted = new Date((await readWithin(root, file))?.toString('utf8') ?? '');
  const sinceMs = before.getTime() - noted.getTime();
  if (sinceMs >= 0 && sinceMs < DAY_MS) return undefined;
  await writeFileAtomic(file, before.toISOString(), { isDurable: false });
  return sinceMs >= DAY_MS ? noted : undefined;
}
