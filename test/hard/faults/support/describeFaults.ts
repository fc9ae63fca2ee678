import assert from 'node:assert/strict';
import { carriedPlugin } from '../../../unit/support/carriedPlugin';
import { CliProgram } from '../../../process/support/cliProcess';
import { chosen, effort, isFull, randomFor, sampled } from '../../support/effort';
import { failuresOf, killsOf, newSites, oneOfEach } from './faultCases';
import { FaultHome, type Fault, type Hit } from './faultHome';
import { FaultStates } from './faultStates';
import { Judge, type DryRun } from './judge';
import type { Scenario } from './scenarios';

const MOST_SHOWN = 10;

/**
 * Lets each command meet faults: all that there are, or one at each place in the code, or in a sample `scenarios` of the commands with
 * `faults` each, chosen at random. In a sample processes are killed; in a full run their folders are kept as a kill would leave them.
 */
export function describeFaults(
  title: string,
  scenarios: readonly Scenario[],
  kind: 'failures' | 'kills',
  sample: { readonly scenarios: number; readonly faults: number },
): void {
  const met = new Set<string>();
  const faultsAt = (calls: readonly Hit[], random: () => number): readonly Fault[] => {
    if (kind === 'kills') return killsOf(calls);
    return effort === 'each' ? oneOfEach(failuresOf(newSites(calls, met)), random) : failuresOf(calls);
  };
  const most = isFull ? Number(effort) || Infinity : sample.faults;
  describe(title, () => {
    let program: CliProgram;
    let home: FaultHome;
    let states: FaultStates;
    let wholeMs = 0;

    before(async () => {
      program = await CliProgram.copy();
      await carriedPlugin(program.dir);
      home = await FaultHome.make(program);
      states = new FaultStates(home);
    });
    after(async () => {
      if (isFull)
        console.log(`    all faults there are would take about ${Math.ceil(wholeMs / 60_000)} minutes: ${title}`);
      await home.dispose();
      await program.dispose();
    });

    for (const scenario of sampled(scenarios, sample.scenarios, randomFor(`${title} scenarios`))) {
      it(`${scenario.name} (${scenario.from})`, async () => {
        const judge = new Judge(home, states, scenario);
        const dry: DryRun = await judge.dryRun();
        const random = randomFor(`${title} ${scenario.name}`);
        const all =
          isFull && kind === 'kills'
            ? (await judge.keepAll()).map((hit) => () => judge.meetKept(hit, dry))
            : faultsAt(dry.run.hits, random).map((fault) => () => judge.meet(fault, dry));
        const trials = chosen(all, most, random);
        const started = performance.now();
        let wrong = 0;
        for (const trial of trials) {
          const found = await trial();
          if (found.length === 0) continue;
          wrong += 1;
          // At once: whoever stops a long run keeps what it has found.
          if (wrong <= MOST_SHOWN) console.log(found.join('\n'));
        }
        wholeMs += ((performance.now() - started) / Math.max(1, trials.length)) * all.length;
        const tried = `${trials.length} of ${all.length} faults at ${dry.run.hits.length} calls`;
        if (isFull) console.log(`    ${tried}: ${scenario.name} (${scenario.from})`);
        assert.equal(wrong, 0, `${wrong} of ${tried} were met wrongly; they are shown above`);
      });
    }
  });
}
