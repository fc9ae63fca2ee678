import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';

const USAGE_ERROR = 2;

function versionOfPackage(): string {
  const file = fileURLToPath(new URL('../package.json', import.meta.url));
  return z.looseObject({ version: z.string() }).parse(JSON.parse(readFileSync(file, 'utf8'))).version;
}

/** Runs one command line and returns its exit code. */
function main(args: readonly string[]): number {
  if (args[0] === '--version') {
    process.stdout.write(`${versionOfPackage()}\n`);
    return 0;
  }
  process.stderr.write('usage: keepit --version\n');
  return USAGE_ERROR;
}

process.exitCode = main(process.argv.slice(2));
