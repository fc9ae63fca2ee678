import { createRequire } from 'node:module';
import { exitCodes } from './exitCodes';

/** These lie beside this file once it is built; variables, so that the bundler leaves them there. */
const PROGRAM = './program.mjs';
const HOOK = './hook.js';
const MCP_SERVER = './mcp.mjs';

// Claude Code waits for its hooks at every turn: what they need is loaded at once, and nothing else.
const [, , command, event = ''] = process.argv;
if (command === 'hook' && /^[A-Za-z]/.test(event)) {
  createRequire(__filename)(HOOK);
} else {
  // A client waits for its server as well.
  const isServer = command === 'mcp' && process.argv.length === 3;
  import(isServer ? MCP_SERVER : PROGRAM).catch((error: unknown) => {
    process.stderr.write(`keepit: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exit(exitCodes.bug);
  });
}
