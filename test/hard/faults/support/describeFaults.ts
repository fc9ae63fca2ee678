import assert from 'node:assert/strict';
import { carriedPlugin } from '../../../unit/support/carriedPlugin';
import { CliProgram } from '../../../process/support/cliProcess';
import { chosen, effort, isFull, randomFor, sampled } from '../../support/effort';
import { failuresOf, killsOf, oneOfEach } from './faultCases';
import { FaultHome, type Fault } from './faultHome';
import { FaultStates } from './faultStates';
import { Judge, type DryRun } from './judge';
import type { Scenario } from './scenarios';

const MOST_SHOWN = 10;

function someOf(all: readonly Fault[], count: number, random: () => number): readonly Fault[] {
  if (effort === 'each') return oneOfEach(all, random);
  const most = Number(effort);
  return most > 0 ? chosen(all, most, random) : sampled(all, count, random);
}

/**
 * Lets each command meet faults: all that there are, or one at each call, or in a sample `scenarios` of the commands with `faults` each, chosen at random.
 */
export function describeFaults(
  title: string,
  scenarios: readonly Scenario[],
  kind: 'failures' | 'kills',
  sample: { readonly scenarios: number; readonly faults: number },
): void {
  const casesOf = kind === 'kills' ? killsOf : failuresOf;
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
        const all = casesOf(dry.run.calls);
        const faults = someOf(all, sample.faults, random);
        let wrong = 0;
        for (const fault of faults) {
          const found = await judge.meet(fault, dry);
          if (found.length === 0) continue;
          wrong += 1;
          // At once: whoever stops a long run keeps what it has found.
          if (wrong <= MOST_SHOWN) console.log(found.join('\n'));
        }
        const tried = `${faults.length} faults at ${dry.run.calls.length} calls`;
        if (isFull) console.log(`    ${tried}: ${scenario.name} (${scenario.from})`);
        assert.equal(wrong, 0, `${wrong} of ${tried} were met wrongly; they are shown above`);
      });
    }
  });
}
