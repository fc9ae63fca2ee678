import { fileURLToPath } from 'node:url';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { ErrorCode, type JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { errorText } from '../core/text/keepitError';
import type { Log } from '../core/model/host';
import type { MemoryService } from '../core/memory';
import type { Memory } from '../node/createMemory';
import { createMemoryServer, requestLines } from './memoryServer';

/** Of the build. */
declare const KEEPIT_VERSION: string;

const BUG = 70;

/** More than this nobody has to say to a tool; it is also how much of a client's line is held in memory. */
const MAX_LINE_BYTES = 10 * 1024 * 1024;

/** stdout belongs to the protocol. Clients show stderr to people who look for a mistake. */
function logTo(stream: NodeJS.WriteStream): Log {
  stream.on('error', () => undefined); // nobody reads it any more: the one place to complain at is gone
  const write = (message: string) => {
    stream.write(`keepit mcp: ${message}\n`);
  };
  return {
    debug: () => undefined,
    info: () => undefined,
    warn: write,
    error: (message, cause) => write(cause === undefined ? message : `${message}: ${errorText(cause)}`),
  };
}

/** Opens memory when it is first asked for; the next one who asks after a failure tries again. */
class LateMemory {
  private opening: Promise<Memory> | undefined;

  constructor(private readonly log: Log) {}

  async open(): Promise<MemoryService> {
    this.opening ??= import('../node/createMemory').then(({ createMemory }) => createMemory({ log: this.log }));
    try {
      return (await this.opening).service;
    } catch (error) {
      this.opening = undefined;
      throw error;
    }
  }

  async dispose(): Promise<void> {
    await (await this.opening)?.dispose();
  }
}

/** Claude Code says where it works; other clients tell their roots; else it is the folder that they started us in. */
async function foldersOf(roots: () => Promise<readonly string[]>): Promise<readonly string[]> {
  const { CLAUDE_PROJECT_DIR: folder } = process.env;
  if (folder !== undefined && folder !== '') return [folder];
  const told = await roots();
  return told.length > 0 ? told : [process.cwd()];
}

function pathOf(uri: string): string | undefined {
  try {
    return fileURLToPath(uri);
  } catch {
    return undefined; // of another machine, or no file at all
  }
}

async function main() {
  const log = logTo(process.stderr);
  const memory = new LateMemory(log);
  const server = createMemoryServer({
    version: KEEPIT_VERSION,
    openMemory: () => memory.open(),
    folders: foldersOf,
    pathOf,
  });
  let isEnding = false;
  const end = () => {
    if (isEnding) return;
    isEnding = true;
    server
      .close()
      .then(() => memory.dispose())
      .catch((error: unknown) => log.error('could not end as it should', error))
      .finally(() => process.exit());
  };
  const lines = requestLines(MAX_LINE_BYTES, (id) => {
    log.warn(`a request of more than ${MAX_LINE_BYTES} bytes was not read`);
    if (id !== undefined) void transport.send(tooLong(id));
  });
  const options = { maxBufferSize: MAX_LINE_BYTES };
  const transport = new StdioServerTransport(process.stdin.pipe(lines), process.stdout, options);
  // A client that is gone has closed the pipe; some also send a signal.
  lines.once('end', end);
  process.stdin.once('close', end);
  process.stdout.on('error', end);
  process.once('SIGINT', end);
  process.once('SIGTERM', end);
  server.server.onerror = (error) => log.warn(errorText(error));
  server.server.onclose = end;
  await server.connect(transport);
}

function tooLong(id: string | number): JSONRPCMessage {
  const message = `The request is longer than ${MAX_LINE_BYTES} bytes, and was not read.`;
  return { jsonrpc: '2.0', id, error: { code: ErrorCode.InvalidRequest, message } };
}

main().catch((error: unknown) => {
  process.stderr.write(`keepit mcp: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exit(BUG);
});
