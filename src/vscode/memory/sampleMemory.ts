import { cp, mkdir, readdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** The folders of the sample: apart from the user's own, and thrown away at will. */
export interface SampleFolders {
  readonly claudeDir: string;
  readonly memoryDir: string;
}

export interface SampleOptions {
  /** The shipped sessions; never changed. */
  readonly source: string;
  /** Where the copy lives: the extension's own storage. */
  readonly target: string;
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
  constructor(private readonly options: SampleOptions) {}

  /** Makes the copy when there is none, or an old one. The folder appears under its name only when it is complete. */
  async prepare(): Promise<SampleFolders> {
    const { target, version } = this.options;
    const folders = { claudeDir: path.join(target, 'claude-home'), memoryDir: path.join(target, 'memory') };
    const stamp = await readFile(path.join(target, 'stamp'), 'utf8').catch(() => ''); // absent at the first time
    const [madeBy, madeAt] = stamp.split('\n');
    if (madeBy === version && Date.now() - Number(madeAt) < MAX_COPY_AGE_MS) return folders;
    const draft = `${target}.${process.pid}.draft`;
    await rm(draft, { recursive: true, force: true });
    await mkdir(path.dirname(target), { recursive: true });
    await cp(this.options.source, path.join(draft, 'claude-home'), { recursive: true });
    await redate(path.join(draft, 'claude-home'));
    await writeFile(path.join(draft, 'stamp'), `${version}\n${Date.now()}`);
    await rm(target, { recursive: true, force: true });
    await rename(draft, target);
    return folders;
  }
}

/** Moves all times by whole days, so that hours of the day stay as they were told. */
async function redate(folder: string): Promise<void> {
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
