import { createRequire } from 'node:module';
import { hookArguments } from '../hooks/hookArguments';
import { exitCodes } from './cliErrors';

/** These lie beside this file once it is built; variables, so that the bundler leaves them there. */
const PROGRAM = './program.mjs';
const HOOK = './hook.js';
const MCP_SERVER = './mcp.mjs';

// Claude Code waits for its hooks at every turn: what they need is loaded at once, and nothing else.
if (hookArguments(process.argv.slice(2)) !== undefined) {
  try {
    createRequire(__filename)(HOOK);
  } catch {
    // Whatever is wrong with it, also that it is missing: Claude Code must go on as if there were no hook. The Doctor says so.
  }
  process.exitCode = exitCodes.done;
} else {
  // A client waits for its server as well.
  const isServer = process.argv[2] === 'mcp' && process.argv.length === 3;
  import(isServer ? MCP_SERVER : PROGRAM).catch((error: unknown) => {
    process.stderr.write(`keepit: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exit(exitCodes.bug);
  });
}
