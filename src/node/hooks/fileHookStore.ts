import { open, readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { HookFile, HookStore } from '../../core/hooks/hookStore';
import { isSafeSegment } from '../../core/model/ids';
import { unlessGone } from '../files/errorCode';
import { storing } from '../files/storeFailure';
import { HookLayout, sessionOfActivity } from './hookLayout';

/** More of the log than this is never shown. */
const LOG_TAIL_BYTES = 256 * 1024;

/** What hooks left in the store, read from disk. */
export class FileHookStore implements HookStore {
  readonly #layout: HookLayout;

  constructor(memoryDir: string) {
    this.#layout = new HookLayout(memoryDir);
  }

  get logFile(): string {
    return this.#layout.log;
  }

  async projectIds(): Promise<string[]> {
    const { projects } = this.#layout;
    const names = (await storing(projects, () => unlessGone(readdir(projects)))) ?? [];
    const found: string[] = [];
    for (const projectId of names.filter(isSafeSegment)) {
      const { activityFolder } = this.#layout.project(projectId);
      if ((await unlessGone(stat(activityFolder)))?.isDirectory() === true) found.push(projectId);
    }
    return found.sort();
  }

  activityFolder(projectId: string): string {
    return this.#layout.project(projectId).activityFolder;
  }

  async activityFiles(projectId: string): Promise<Map<string, HookFile>> {
    const { activityFolder } = this.#layout.project(projectId);
    const files = new Map<string, HookFile>();
    for (const name of (await storing(activityFolder, () => unlessGone(readdir(activityFolder)))) ?? []) {
      const sessionId = sessionOfActivity(name);
      const file = path.join(activityFolder, name);
      const stats = sessionId === undefined ? undefined : await unlessGone(stat(file));
      if (sessionId === undefined || stats?.isFile() !== true) continue;
      files.set(sessionId, { path: file, bytes: stats.size, mtimeMs: stats.mtimeMs });
    }
    return files;
  }

  async activity(projectId: string, sessionId: string): Promise<string | undefined> {
    const file = this.#layout.project(projectId).activity(sessionId);
    return storing(file, () => unlessGone(readFile(file, 'utf8')));
  }

  async logLines(count: number): Promise<string[]> {
    const file = this.#layout.log;
    const text = (await storing(file, () => unlessGone(tailOf(file, LOG_TAIL_BYTES)))) ?? '';
    return text
      .split('\n')
      .filter((line) => line !== '')
      .slice(-count);
  }
}

/** The end of a file, from a line's beginning on. */
async function tailOf(file: string, bytes: number): Promise<string> {
  const handle = await open(file);
  try {
    const { size } = await handle.stat();
    const start = Math.max(0, size - bytes);
    const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(size - start), position: start });
    const text = buffer.toString('utf8', 0, bytesRead);
    return start === 0 ? text : text.slice(text.indexOf('\n') + 1);
  } finally {
    await handle.close();
  }
}
