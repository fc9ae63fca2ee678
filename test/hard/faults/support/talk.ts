import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import * as z from 'zod';

/** Speaks with a program that runs until it is told to end, and then ends it. */
export type Talk = (child: ChildProcessWithoutNullStreams) => void;

const servingSchema = z.object({ url: z.string(), token: z.string() });

/** Calls `then` with each whole line of stdout. */
function onLine(child: ChildProcessWithoutNullStreams, then: (line: string) => void): void {
  let rest = '';
  child.stdout.on('data', (chunk: Buffer | string) => {
    const lines = (rest + chunk.toString()).split('\n');
    rest = lines.pop() ?? '';
    lines.forEach(then);
  });
}

/** Sends requests to `keepit serve`, one after the other, whatever becomes of them. */
export function requests(...wanted: readonly (readonly [method: string, path: string, body: object])[]): Talk {
  return (child) => {
    onLine(child, (line) => {
      const serving = servingSchema.safeParse(JSON.parse(line));
      if (!serving.success) return; // it says why it does not serve, and ends
      const { url, token } = serving.data;
      void (async () => {
        const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', Connection: 'close' };
        for (const [method, path, body] of wanted) {
          // A program that is killed answers nobody.
          await fetch(url + path, { method, headers, body: JSON.stringify(body) }).catch(() => undefined);
        }
        child.kill('SIGINT');
      })();
    });
  };
}

/** Has `keepit mcp` run one of its tools. */
export function callsTool(name: string, input: object): Talk {
  return (child) => {
    const clientInfo = { name: 'test', version: '1' };
    const asked = [
      { id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo } },
      { method: 'notifications/initialized' },
      { id: 2, method: 'tools/call', params: { name, arguments: input } },
    ];
    onLine(child, (line) => {
      if (/"id":2\b/.test(line)) child.stdin.end();
    });
    for (const one of asked) child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...one })}\n`);
  };
}
