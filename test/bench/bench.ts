/**
 * What a bench case is, and how it is run: the subject against a named baseline, in turns (A B A B …), so that what the
 * machine does meanwhile meets both alike. The median is what counts; the spread says how far to trust it.
 */

/** Anything that a run found out about itself. `timeMs` replaces the time taken from outside, start-up and all. */
export type Metrics = Record<string, number>;

export interface BenchSide {
  readonly name: string;
  /** One run. What is to be measured is all that it does: prepare in `setup`. */
  run(): Promise<Metrics | undefined> | Metrics | undefined;
}

export interface BenchCase {
  readonly name: string;
  /** Runs where `--only` says this word, and not otherwise: it takes many minutes. */
  readonly askedAs?: string;
  /** What the subject is compared with. Without one, only `limits` can be aimed at. */
  readonly baseline?: BenchSide;
  readonly subject: BenchSide;
  /** The metrics that `aim` speaks of, each of them; the time, when left out. */
  readonly compare?: readonly string[];
  /** median(subject) / median(baseline) is to be at most, or at least, `ratio`. */
  readonly aim?: { readonly ratio: number; readonly direction: 'atMost' | 'atLeast' };
  /** The subject's median of each metric named here is to be at most the number given. */
  readonly limits?: Metrics;
  readonly repeats?: number;
  /** Runs of each side that nobody counts: caches and compilers warm up. */
  readonly warmups?: number;
  /** Made once, before the first run. Throws `CaseSkipped` where the case cannot be run. */
  setup?(): Promise<void>;
  teardown?(): Promise<void>;
}

/** A case that cannot be run here, with the reason that the report gives. */
export class CaseSkipped extends Error {
  override readonly name = 'CaseSkipped';
}

/** A metric over the runs of one side. */
export interface Spread {
  readonly median: number;
  readonly p10: number;
  readonly p90: number;
}

export interface SideResult {
  readonly name: string;
  readonly runs: number;
  readonly metrics: Readonly<Record<string, Spread>>;
}

export interface Verdict {
  readonly text: string;
  readonly isMet: boolean;
}

export interface CaseResult {
  readonly name: string;
  readonly baseline?: SideResult;
  readonly subject: SideResult;
  /** Of the medians, the worst where several metrics are compared; absent without a baseline. */
  readonly ratio?: number;
  readonly verdicts: readonly Verdict[];
}

const DEFAULT_REPEATS = 5;
const DEFAULT_WARMUPS = 1;

/** The value below which `share` of the sorted values lie, interpolated. */
export function quantile(sorted: readonly number[], share: number): number {
  const position = (sorted.length - 1) * share;
  const below = sorted[Math.floor(position)] ?? Number.NaN;
  const above = sorted[Math.ceil(position)] ?? Number.NaN;
  return below + (above - below) * (position - Math.floor(position));
}

export function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  return { median: quantile(sorted, 0.5), p10: quantile(sorted, 0.1), p90: quantile(sorted, 0.9) };
}

async function measure(side: BenchSide): Promise<Metrics> {
  globalThis.gc?.(); // one run does not pay for another's garbage
  const started = performance.now();
  const own = await side.run();
  return { timeMs: performance.now() - started, ...own };
}

function resultOf(side: BenchSide, runs: readonly Metrics[]): SideResult {
  const names = [...new Set(runs.flatMap((run) => Object.keys(run)))];
  const metrics = Object.fromEntries(
    names.map((name) => [name, spreadOf(runs.map((run) => run[name]).filter((value) => value !== undefined))]),
  );
  return { name: side.name, runs: runs.length, metrics };
}

function verdictsOf(benchCase: BenchCase, subject: SideResult, ratio: number | undefined): Verdict[] {
  const verdicts: Verdict[] = [];
  const { aim, limits = {} } = benchCase;
  if (aim !== undefined && ratio !== undefined) {
    const isMet = aim.direction === 'atMost' ? ratio <= aim.ratio : ratio >= aim.ratio;
    verdicts.push({ text: `ratio ${aim.direction === 'atMost' ? '≤' : '≥'} ${aim.ratio}`, isMet });
  }
  for (const [name, limit] of Object.entries(limits)) {
    const median = subject.metrics[name]?.median;
    verdicts.push({ text: `${name} ≤ ${limit}`, isMet: median !== undefined && median <= limit });
  }
  return verdicts;
}

/** The sides take turns, warm-ups included, so that neither has the quieter half of the time. */
async function takeTurns(benchCase: BenchCase, sides: readonly BenchSide[], repeats: number): Promise<SideResult[]> {
  const runs = sides.map((): Metrics[] => []);
  for (let turn = -(benchCase.warmups ?? DEFAULT_WARMUPS); turn < repeats; turn++) {
    for (const [index, side] of sides.entries()) {
      const metrics = await measure(side);
      if (turn >= 0) runs[index]?.push(metrics);
    }
  }
  return sides.map((side, index) => resultOf(side, runs[index] ?? []));
}

function ratioOf(metric: string, subject: SideResult, baseline: SideResult | undefined): number | undefined {
  const divisor = baseline?.metrics[metric]?.median;
  const dividend = subject.metrics[metric]?.median;
  return divisor === undefined || dividend === undefined ? undefined : dividend / divisor;
}

/** Runs one case to its end; `teardown` runs whatever happens. */
export async function runCase(benchCase: BenchCase, repeatsAsked?: number): Promise<CaseResult> {
  const repeats = repeatsAsked ?? benchCase.repeats ?? DEFAULT_REPEATS;
  const sides = benchCase.baseline === undefined ? [benchCase.subject] : [benchCase.subject, benchCase.baseline];
  try {
    await benchCase.setup?.();
    const [subject, baseline] = await takeTurns(benchCase, sides, repeats);
    if (subject === undefined) throw new Error(`${benchCase.name} has no subject.`);
    const compared = benchCase.compare ?? ['timeMs'];
    const ratios = compared.map((metric) => ratioOf(metric, subject, baseline)).filter((one) => one !== undefined);
    const worst = benchCase.aim?.direction === 'atLeast' ? Math.min : Math.max;
    const ratio = ratios.length === 0 ? undefined : worst(...ratios);
    return {
      name: benchCase.name,
      subject,
      ...(baseline !== undefined && { baseline }),
      ...(ratio !== undefined && { ratio }),
      verdicts: verdictsOf(benchCase, subject, ratio),
    };
  } finally {
    await benchCase.teardown?.();
  }
}
