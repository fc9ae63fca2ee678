// A client of `keepit serve`: finds a server that runs, and asks it. `node --experimental-strip-types client.mts`
// (Node 22.6 and newer), while `keepit serve` runs.
import { readdir, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

export interface Connection {
  readonly url: string;
  readonly token: string;
}

/** Of the servers that run on this store, any. */
export async function findServer(
  memoryDir = process.env['CLAUDE_MEMORY_DIR'] ?? path.join(homedir(), '.claude-memory'),
): Promise<Connection> {
  const folder = path.join(memoryDir, 'serve');
  const [name] = await readdir(folder).catch(() => []);
  if (name === undefined) throw new Error('No server runs: start one with `keepit serve`.');
  return JSON.parse(await readFile(path.join(folder, name), 'utf8')) as Connection;
}

/** Asks a route below `/api/memory`. Throws what the server says went wrong. */
export async function ask<Answer>(
  { url, token }: Connection,
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  route: string,
  body?: object,
): Promise<Answer> {
  const response = await fetch(`${url}/api/memory${route}`, {
    method,
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const answer = (await response.json()) as Answer & { error?: { message: string; hint: string } };
  if (answer.error !== undefined) throw new Error(`${answer.error.message} ${answer.error.hint}`);
  return answer;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const server = await findServer();
  const { sessions } = await ask<{ sessions: { sessionId: string; metadata: { title?: string } }[] }>(
    server,
    'GET',
    '/sessions',
  );
  for (const { sessionId, metadata } of sessions) console.log(sessionId, metadata.title ?? '');
}
