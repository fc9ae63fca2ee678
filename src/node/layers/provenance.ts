import { lstat, open, readFile } from 'node:fs/promises';
import path from 'node:path';
import { writeFileAtomic, ensurePrivateFolder, FILE_MODE } from '../files/atomicFile';
import { unlessGone, storing } from '../files/errorCode';
import { APPEND_NO_FOLLOW, READ_NO_FOLLOW, refuseLinks } from '../files/links';
import type { ProjectLayout } from '../store/storeLayout';
import type { BlobIds } from './gitContent';

const LINE = /^([-+]) ([0-9a-f]{64}) ([0-9a-f]{40}) (.+)$/;
const NEWLINE = 0x0a;
/** Of one file, so many contents are remembered when the log is made shorter: git may bring back an older one. */
const MOST_WRITTEN = 64;
/** So many lines more than files, and it is made shorter. */
const MOST_LINES_MORE = 5000;

/**
 * Which contents of which files in a project's folder this memory wrote: a log in the store, where no repository reaches. A line is added
 * before the file is written, and never changed, so that a process that is killed in between leaves nothing wrong: what is then in the file
 * was written by this memory as well.
 */
export class Provenance {
  /** Of each file what was written into it, the latest last: by the longer id, the shorter one. */
  private readonly files = new Map<string, Map<string, string>>();
  private lines = 0;
  private bytes = 0;
  private inode = 0;
  private readonly log: string;

  private constructor(private readonly layout: ProjectLayout) {
    this.log = layout.provenance;
  }

  /** Undefined when there is no log: nothing was ever noted. */
  static async open(layout: ProjectLayout): Promise<Provenance | undefined> {
    const provenance = new Provenance(layout);
    return (await provenance.refresh()) ? provenance : undefined;
  }

  /** As if there were a log, and nothing in it. */
  static empty(layout: ProjectLayout): Provenance {
    return new Provenance(layout);
  }

  /** As `begin`, and nothing is written. */
  static of(layout: ProjectLayout, written: readonly { name: string; ids: BlobIds }[]): Provenance {
    const provenance = new Provenance(layout);
    provenance.take(written.map(({ name, ids }) => lineOf('+', name, ids)).join(''));
    return provenance;
  }

  /** A log with these files in it, in one step. */
  static async begin(layout: ProjectLayout, written: readonly { name: string; ids: BlobIds }[]): Promise<void> {
    const { provenance: log, root } = layout;
    const lines = written.map(({ name, ids }) => lineOf('+', name, ids));
    await storing(log, async () => {
      await ensurePrivateFolder(path.dirname(log), root);
      await writeFileAtomic(log, lines.join(''));
    });
  }

  /** Takes in what others have added. False when there is no log. */
  async refresh(): Promise<boolean> {
    const stats = await storing(this.log, () => unlessGone(lstat(this.log)));
    if (stats === undefined) return false;
    if (stats.ino === this.inode && stats.size === this.bytes) return true;
    const bytes = await storing(this.log, () => readFile(this.log, { flag: READ_NO_FOLLOW }));
    if (stats.ino !== this.inode || bytes.length < this.bytes) this.forget();
    const end = bytes.lastIndexOf(NEWLINE) + 1;
    this.take(bytes.subarray(this.bytes, end).toString('utf8'));
    this.bytes = end;
    this.inode = stats.ino;
    return true;
  }

  /** Whether this memory wrote a file of that name, whatever was in it. */
  knows(name: string): boolean {
    return (this.files.get(name)?.size ?? 0) > 0;
  }

  /** Whether this memory wrote this into that file, or it was accepted. */
  has(name: string, { sha256 }: BlobIds): boolean {
    return this.files.get(name)?.has(sha256) === true;
  }

  /** As `has`, by either of the ids. */
  hasBlob(name: string, blob: string): boolean {
    const written = this.files.get(name);
    return written !== undefined && (written.has(blob) || [...written.values()].includes(blob));
  }

  async add(name: string, ids: BlobIds): Promise<void> {
    const latest = [...(this.files.get(name)?.keys() ?? [])].at(-1);
    if (latest !== ids.sha256) await this.append(lineOf('+', name, ids));
  }

  async remove(name: string, ids: BlobIds): Promise<void> {
    await this.append(lineOf('-', name, ids));
  }

  /** Forgets contents of long ago. Only while nobody else adds any. */
  async shorten(): Promise<void> {
    if (this.lines <= this.files.size + MOST_LINES_MORE) return;
    const lines = [...this.files].flatMap(([name, written]) =>
      [...written].slice(-MOST_WRITTEN).map(([sha256, sha1]) => lineOf('+', name, { sha256, sha1 })),
    );
    await storing(this.log, () => writeFileAtomic(this.log, lines.join('')));
    await this.refresh();
  }

  private async append(line: string): Promise<void> {
    // What a loss of power has torn off before it ends here, and counts for nothing.
    const text = `\n${line}`;
    await storing(this.log, async () => {
      await refuseLinks(this.layout.root, this.log);
      const handle = await open(this.log, APPEND_NO_FOLLOW, FILE_MODE);
      try {
        await handle.writeFile(text, 'utf8');
        await handle.datasync();
      } finally {
        await handle.close();
      }
    });
    await this.refresh();
  }

  private take(text: string): void {
    for (const line of text.split('\n')) {
      const [, sign, sha256 = '', sha1 = '', name = ''] = LINE.exec(line) ?? [];
      if (sign === undefined) continue;
      this.lines += 1;
      const written = this.files.get(name) ?? new Map<string, string>();
      this.files.set(name, written);
      written.delete(sha256);
      if (sign === '+') written.set(sha256, sha1);
    }
  }

  private forget(): void {
    this.files.clear();
    this.lines = 0;
    this.bytes = 0;
  }
}

function lineOf(sign: '+' | '-', name: string, { sha256, sha1 }: BlobIds): string {
  return `${sign} ${sha256} ${sha1} ${name}\n`;
}
