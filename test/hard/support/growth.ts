/** Below this nothing can be told from noise, and nobody waits for it at the largest size. */
const NOISE_MS = 12;
/** Four times as much takes four times as long; sixteen times when it is quadratic. */
const FACTOR = 4;
const MOST_GROWTH = 9;
/** Over two steps 16 when linear and 256 when quadratic: what the collector of garbage adds to one step does not reach this. */
const MOST_GROWTH_OF_TWO = 80;
const LEAST_MS = 0.2;
const REPEATS = 4;

/** Where something took longer than in proportion. */
export interface Excess {
  readonly size: number;
  readonly growth: number;
}

/** The processor's time for one run, which a busy machine does not lengthen as it does the clock's. */
export function timeOf(run: () => unknown): number {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function leastOf(run: () => unknown, times = REPEATS): number {
  return Math.min(...Array.from({ length: times }, () => timeOf(run)));
}

/**
 * The first size at which `work` takes much more than its share of the size before, measured again before it is believed; undefined when its
 * time grows no faster than the size. Sizes go up by four, so that nothing quadratic runs for long before it is found.
 */
export function excessOf(
  work: (size: number) => () => unknown,
  sizes: readonly number[] = [3125, 12_500, 50_000, 200_000],
): Excess | undefined {
  let before: number | undefined;
  for (const size of sizes) {
    const run = work(size);
    const ms = timeOf(run);
    if (before !== undefined && isExcess(ms, before)) {
      const small = work(Math.round(size / FACTOR));
      const least = leastOf(small);
      const most = Math.min(ms, leastOf(run, ms > 1000 ? 1 : REPEATS));
      const tiny = leastOf(work(Math.round(size / FACTOR / FACTOR)));
      if (isExcess(most, least) && most > MOST_GROWTH_OF_TWO * Math.max(tiny, LEAST_MS))
        return { size, growth: Math.round(most / Math.max(least, NOISE_MS / FACTOR)) };
    }
    before = ms;
  }
  return undefined;
}

function isExcess(ms: number, before: number): boolean {
  return ms > NOISE_MS && ms > MOST_GROWTH * Math.max(before, NOISE_MS / MOST_GROWTH);
}
