// npm run bench [-- --only <text>] [--repeats <n>] [--json <file>] [--list] [--check]
import { writeFile } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import * as z from 'zod';
import { CaseSkipped, runCase, type BenchCase, type CaseResult } from './bench';
import { caseText } from './report';

/** Every case file exports `cases`: a list, or a function that makes one. */
const caseFileSchema = z.object({
  cases: z.custom<BenchCase[] | (() => Promise<BenchCase[]>)>(
    (value) => Array.isArray(value) || typeof value === 'function',
  ),
});

const { values: options, positionals: caseUrls } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string' },
    repeats: { type: 'string' },
    json: { type: 'string' },
    list: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
  },
});

async function loadCases(): Promise<BenchCase[]> {
  const all: BenchCase[] = [];
  for (const url of caseUrls) {
    const { cases } = caseFileSchema.parse(await import(url));
    all.push(...(typeof cases === 'function' ? await cases() : cases));
  }
  const only = (options.only ?? '').toLowerCase();
  return all.filter(({ name, askedAs = '' }) => name.toLowerCase().includes(only) && only.includes(askedAs));
}

function repeatsAsked(): number | undefined {
  if (options.repeats === undefined) return undefined;
  const repeats = Number(options.repeats);
  if (!Number.isInteger(repeats) || repeats < 1) throw new Error('--repeats takes a whole number from 1.');
  return repeats;
}

interface Outcome {
  readonly results: CaseResult[];
  readonly skipped: { name: string; reason: string }[];
  readonly failed: { name: string; error: string }[];
}

/** A case that fails or cannot be run here says so, and the others are run all the same. */
async function runAll(cases: readonly BenchCase[]): Promise<Outcome> {
  const outcome: Outcome = { results: [], skipped: [], failed: [] };
  for (const benchCase of cases) {
    const { name } = benchCase;
    try {
      const result = await runCase(benchCase, repeatsAsked());
      outcome.results.push(result);
      console.log(`\n${caseText(result)}`);
    } catch (error) {
      if (error instanceof CaseSkipped) {
        outcome.skipped.push({ name, reason: error.message });
        console.log(`\n${name}\n  skipped   ${error.message}`);
      } else {
        const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
        outcome.failed.push({ name, error: text });
        console.log(`\n${name}\n  FAILED    ${text}`);
      }
    }
  }
  return outcome;
}

const cases = await loadCases();
if (options.list) {
  for (const { name } of cases) console.log(name);
} else {
  const machine = { node: process.version, platform: process.platform, cpu: cpus()[0]?.model, cpus: cpus().length };
  console.log(`Node ${machine.node}, ${machine.cpus} × ${machine.cpu}, ${Math.round(totalmem() / 2 ** 30)} GB`);
  const outcome = await runAll(cases);
  if (options.json !== undefined)
    await writeFile(options.json, `${JSON.stringify({ machine, ...outcome }, null, 2)}\n`);
  const { results, skipped, failed } = outcome;
  const missed = results.flatMap(({ verdicts }) => verdicts).filter(({ isMet }) => !isMet).length;
  console.log(
    `\n${results.length} measured, ${missed} aims missed, ${failed.length} failed, ${skipped.length} skipped`,
  );
  if (failed.length > 0 || (options.check && missed > 0)) process.exitCode = 1;
}
