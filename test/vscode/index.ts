// Runs inside the extension host, in either engine: desktop VS Code, or the embedded server. Both call `run`.
import { appendFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import Mocha from 'mocha';

const TEST_TIMEOUT_MS = 30_000;

/** Prints nothing: what there is to say goes to the runner outside, which has a terminal. */
class SilentReporter extends Mocha.reporters.Base {}

type Outcome = 'passed' | 'failed' | 'skipped' | 'again' | 'end';

/** Tells the runner outside, line by line, so that it also knows how far a suite came that never ends. */
class Teller {
  constructor(private readonly file: string) {}

  follow(runner: Mocha.Runner): void {
    runner.on('retry', (test: Mocha.Test, error: Error) => this.tell('again', test.fullTitle(), 0, error.stack));
    runner.on('pass', (test) => this.tell('passed', test.fullTitle(), test.duration));
    runner.on('pending', (test) => this.tell('skipped', test.fullTitle()));
    runner.on('fail', (test, error: Error) => this.tellFailure(test.fullTitle(), error));
    runner.once('end', () => this.tell('end', ''));
  }

  tellFailure(title: string, error: unknown): void {
    this.tell('failed', title, 0, error instanceof Error ? (error.stack ?? error.message) : String(error));
  }

  private tell(outcome: Outcome, title: string, durationMs = 0, error?: string): void {
    appendFileSync(this.file, `${JSON.stringify({ outcome, title, durationMs, error })}\n`);
  }
}

/** What VS Code calls; a rejection is a failure. The bundled tests lie beside this file. */
export async function run(): Promise<void> {
  const { KEEPIT_TEST_RESULTS: resultsFile, KEEPIT_TEST_GREP: grep } = process.env;
  if (resultsFile === undefined) throw new Error('KEEPIT_TEST_RESULTS is not set: use npm run test:vscode.');
  const teller = new Teller(resultsFile);
  const mocha = new Mocha({
    timeout: TEST_TIMEOUT_MS,
    reporter: SilentReporter,
    forbidOnly: true,
    retries: 1, // said when it is needed: on a busy machine VS Code itself answers late now and then
    ...(grep !== undefined && { grep }),
  });
  for (const name of readdirSync(__dirname, { recursive: true, encoding: 'utf8' }).sort()) {
    if (name.endsWith('.test.js')) mocha.addFile(path.join(__dirname, name));
  }
  const failures = await new Promise<number>((resolve) => teller.follow(mocha.run(resolve))).catch((error: unknown) => {
    teller.tellFailure('the suite could not be loaded', error);
    throw error;
  });
  if (failures > 0) throw new Error(`${failures} tests failed`);
}
