// node fuzzWorker.mjs <dist> <kind> <rounds>: goes through everything with random input until something ends as it must not.
import { writeSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import { randomFor } from '../support/effort';
import { Chance } from './chance';
import { FuzzHome } from './fuzzHome';
import { FuzzRound } from './fuzzRounds';

// The background's work, which is done in this process, steps back behind all others: nobody waits for it there.
os.setPriority = () => undefined;
syncBuiltinESMExports();

const [dist = '', kind = '', first = '0', rounds = '1'] = process.argv.slice(2);

/** Says what comes next: what hangs, or ends the process, is the last that was told. */
function tell(line: string): void {
  writeSync(1, `${line.replace(/\s+/g, ' ').slice(0, 1000)}\n`);
}

for (let round = Number(first); round < Number(first) + Number(rounds); round++) {
  const chance = new Chance(randomFor(`${kind} ${round}`));
  const home = await FuzzHome.make(dist, tell);
  tell(`round ${round}`);
  const way = new FuzzRound(home, chance);
  await (kind === 'documents' ? way.documents() : way.transcripts());
  await home.dispose();
}
tell(`done ${Math.round(process.resourceUsage().maxRSS / 1024)} MB`);
process.exit(0);
