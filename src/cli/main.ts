import { exitCodes } from './exitCodes';

/** Lies beside this file once it is built; a variable, so that the bundler leaves it there. */
const PROGRAM = './program.mjs';

import(PROGRAM).catch((error: unknown) => {
  process.stderr.write(`keepit: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exit(exitCodes.bug);
});
