import { appendFile } from 'node:fs/promises';
import path from 'node:path';
import type { Workbench } from './workbench';

/** Goes on with a session as Claude Code would. */
export async function goOn({ home }: Workbench, sessionId: string, content: string): Promise<void> {
  const folder = path.join(home.claudeDir, 'projects', home.workspace.replace(/[^A-Za-z0-9]/g, '-'));
  const record = { parentUuid: null, isSidechain: false, cwd: home.workspace, sessionId, type: 'user' };
  const place = { uuid: 'b7e2d914-0000-4000-8000-0000000000ff', timestamp: '2026-01-14T15:00:00.000Z' };
  const line = JSON.stringify({ ...record, message: { role: 'user', content }, ...place });
  await appendFile(path.join(folder, `${sessionId}.jsonl`), `${line}\n`);
}
