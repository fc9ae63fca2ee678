import { statfs } from 'node:fs/promises';
import path from 'node:path';
import type { HostProbe } from '../core/model/host';
import { findCommand } from './findCommand';

/** Looks at the machine for `doctor`. Starts no process. */
export class NodeHostProbe implements HostProbe {
  readonly #env: NodeJS.ProcessEnv;

  constructor(env: NodeJS.ProcessEnv = process.env) {
    this.#env = env;
  }

  async facts(dir: string): Promise<{ nodeVersion: string; freeBytes?: number; claudeCommand?: string }> {
    const freeBytes = await freeBytesAt(dir);
    const claudeCommand = await findCommand('claude', this.#env);
    return {
      nodeVersion: process.versions.node,
      ...(freeBytes !== undefined && { freeBytes }),
      ...(claudeCommand !== undefined && { claudeCommand }),
    };
  }
}

/** Of the nearest folder that exists: the store may not have been made yet. */
async function freeBytesAt(dir: string): Promise<number | undefined> {
  for (let folder = path.resolve(dir); ; folder = path.dirname(folder)) {
    const disk = await statfs(folder).catch(() => undefined);
    if (disk !== undefined) return disk.bavail * disk.bsize;
    if (folder === path.dirname(folder)) return undefined;
  }
}
