import { readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { sweepTemporaries, writeFileAtomic, ensurePrivateFolder } from '../files/atomicFile';
import { isRunning } from '../files/isRunning';

const MINUTE_MS = 60_000;

/** Where programs of the same user find a server as long as it runs: `serve/PORT.json` in the store's folder. */
export class ServerFile {
  private readonly folder: string;
  private readonly file: string;

  constructor(
    private readonly memoryDir: string,
    port: number,
  ) {
    this.folder = path.join(memoryDir, 'serve');
    this.file = path.join(this.folder, `${port}.json`);
  }

  /** Clears away what killed servers left, too: their tokens open nothing any more. */
  async write(address: { url: string; token: string }): Promise<void> {
    await ensurePrivateFolder(this.folder, this.memoryDir);
    await this.removeDead();
    await writeFileAtomic(this.file, `${JSON.stringify({ ...address, pid: process.pid })}\n`);
  }

  async remove(): Promise<void> {
    await rm(this.file, { force: true });
  }

  private async removeDead(): Promise<void> {
    await sweepTemporaries(this.folder, MINUTE_MS);
    for (const name of (await readdir(this.folder)).filter((one) => one.endsWith('.json'))) {
      const file = path.join(this.folder, name);
      const text = await readFile(file, 'utf8').catch(() => ''); // its server ends just now
      const pid = /"pid":(\d+)/.exec(text)?.[1];
      if (pid !== undefined && !isRunning(Number(pid))) await rm(file, { force: true });
    }
  }
}
