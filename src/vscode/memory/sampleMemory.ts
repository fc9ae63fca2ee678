import { cp, mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** Where a memory is; what is undefined is left to the environment. */
export interface MemoryFolders {
  readonly claudeDir: string | undefined;
  readonly memoryDir: string | undefined;
}

export interface SampleOptions {
  /** What is shipped; never changed. */
  readonly source: string;
  /** The folder that the sample's window opens. All of the sample is below it, and it can be thrown away at will. */
  readonly folder: string;
  /** A newer extension may bring a newer sample. */
  readonly version: string;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** The newest session of the copy is about this old, and the others accordingly: ages look as they do in real life. */
const NEWEST_AGE_MS = 2 * DAY_MS;

/** After this time the copy is made anew, as its sessions have grown too old to show what a live memory looks like. */
const MAX_COPY_AGE_MS = 3 * DAY_MS;

const TIMESTAMP = /("timestamp":")(\d{4}-\d\d-\d\dT[\d:.]+Z)(")/g;

/** A private copy of the sample sessions, dated as if they had been worked in lately. */
export class SampleMemory {
  readonly folder: string;
  readonly folders: { readonly claudeDir: string; readonly memoryDir: string };
  /** Says how old the copy is; it is written last. */
  private readonly stamp: string;

  constructor(private readonly options: SampleOptions) {
    const { folder } = options;
    this.folder = folder;
    this.folders = { claudeDir: path.join(folder, 'claude-home'), memoryDir: path.join(folder, 'memory') };
    this.stamp = path.join(folder, '.keepit-sample');
  }

  /** Makes the copy when there is none, an old one, or one that was given up. */
  async prepare(): Promise<void> {
    const { source, version } = this.options;
    const { claudeDir, memoryDir } = this.folders;
    const stamp = await readFile(this.stamp, 'utf8').catch(() => ''); // absent at the first time
    const [madeBy, madeAt] = stamp.split('\n');
    if (madeBy === version && Date.now() - Number(madeAt) < MAX_COPY_AGE_MS) return;
    await this.giveUp();
    for (const outdated of [claudeDir, memoryDir]) await rm(outdated, { recursive: true, force: true });
    await cp(source, this.folder, { recursive: true });
    await redate(claudeDir);
    await writeFile(this.stamp, `${version}\n${Date.now()}`);
  }

  /** A window that is opened on the sample from now on finds it as it was at first. */
  async giveUp(): Promise<void> {
    await mkdir(this.folder, { recursive: true });
    await rm(this.stamp, { force: true });
  }
}

/** Moves all times by whole days, so that hours of the day stay as they were told. */
async function redate(folder: string) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && entry.name.endsWith('.jsonl'));
  const texts = await Promise.all(
    files.map(async (entry) => {
      const file = path.join(entry.parentPath, entry.name);
      return { file, text: await readFile(file, 'utf8') };
    }),
  );
  const newestMs = Math.max(...texts.map(({ text }) => lastTime(text)));
  const shiftMs = Math.floor((Date.now() - NEWEST_AGE_MS - newestMs) / DAY_MS) * DAY_MS;
  for (const { file, text } of texts) {
    const moved = text.replace(TIMESTAMP, (_all, before: string, time: string, after: string) => {
      return before + new Date(Date.parse(time) + shiftMs).toISOString() + after;
    });
    await writeFile(file, moved);
    const writtenAt = new Date(lastTime(moved));
    await utimes(file, writtenAt, writtenAt); // Claude Code's clean-up goes by the file's date
  }
}

function lastTime(text: string): number {
  const times = [...text.matchAll(TIMESTAMP)].map(([, , time]) => Date.parse(time ?? ''));
  return Math.max(0, ...times.filter((timeMs) => !Number.isNaN(timeMs)));
}
