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

/** What a kill leaves behind is cheap to try: `each` means all of it. */
function someKept(all: readonly Hit[], random: () => number): readonly Hit[] {
  return chosen(all, Number(effort) || all.length, random);
}

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
    if (kind === 'kills') return chosen(killsOf(calls), sample.faults, random);
    if (effort === 'each') return oneOfEach(failuresOf(newSites(calls, met)), random);
    const all = failuresOf(calls);
    return effort === 'full' ? all : chosen(all, Number(effort) || sample.faults, random);
  };
  describe(title, () => {
    let program: CliProgram;
    let home: FaultHome;
    let states: FaultStates;

    before(async () => {
      program = await CliProgram.copy();
      await carriedPlugin(program.dir);
      home = await FaultHome.make(program);
      states = new FaultStates(home);
    });
    after(async () => {
      await home.dispose();
      await program.dispose();
    });

    for (const scenario of sampled(scenarios, sample.scenarios, randomFor(`${title} scenarios`))) {
      it(`${scenario.name} (${scenario.from})`, async () => {
        const judge = new Judge(home, states, scenario);
        const dry: DryRun = await judge.dryRun();
        const random = randomFor(`${title} ${scenario.name}`);
        const trials =
          isFull && kind === 'kills'
            ? someKept(await judge.keepAll(), random).map((hit) => () => judge.meetKept(hit, dry))
            : faultsAt(dry.run.hits, random).map((fault) => () => judge.meet(fault, dry));
        let wrong = 0;
        for (const trial of trials) {
          const found = await trial();
          if (found.length === 0) continue;
          wrong += 1;
          // At once: whoever stops a long run keeps what it has found.
          if (wrong <= MOST_SHOWN) console.log(found.join('\n'));
        }
        const tried = `${trials.length} faults at ${dry.run.hits.length} calls`;
        if (isFull) console.log(`    ${tried}: ${scenario.name} (${scenario.from})`);
        assert.equal(wrong, 0, `${wrong} of ${tried} were met wrongly; they are shown above`);
      });
    }
  });
}
