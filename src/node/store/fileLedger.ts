import { open } from 'node:fs/promises';
import path from 'node:path';
import { parsedJson } from '../../core/text/ownValue';
import { ledgerEntrySchema, type LedgerEntry } from '../../core/model/models';
import type { Ledger, Log } from '../../core/model/host';
import { withLock, TaskQueue } from '../files/fileLock';
import { APPEND_NO_FOLLOW, asOwnLine, textWithin } from '../files/links';
import { ensurePrivateFolder, FILE_MODE } from '../files/atomicFile';
import { storing } from '../files/errorCode';

/** `ledger.jsonl` in the store: appended to under a lock, closed to other users, and never rewritten. */
export class FileLedger implements Ledger {
  readonly #dir: string;
  readonly #file: string;
  readonly #lock: string;
  readonly #queue = new TaskQueue();

  constructor(
    storeDir: string,
    private readonly log: Log,
  ) {
    this.#dir = storeDir;
    this.#file = path.join(storeDir, 'ledger.jsonl');
    this.#lock = path.join(storeDir, '.ledger.lock');
  }

  async append(entry: LedgerEntry): Promise<void> {
    const line = `${JSON.stringify(ledgerEntrySchema.parse(entry))}\n`;
    await this.#queue.run(this.#file, () => storing(this.#file, () => this.#appendLine(line)));
  }

  async #appendLine(line: string): Promise<void> {
    await ensurePrivateFolder(this.#dir, this.#dir);
    await withLock(this.#lock, async () => {
      const handle = await open(this.#file, APPEND_NO_FOLLOW, FILE_MODE);
      try {
        await handle.chmod(FILE_MODE);
        const { size } = await handle.stat();
        const own = await asOwnLine(handle, line);
        try {
          await handle.appendFile(own);
          await handle.sync();
        } catch (error) {
          await handle.truncate(size);
          throw error;
        }
      } finally {
        await handle.close();
      }
    });
  }

  async entries(): Promise<LedgerEntry[]> {
    const text = await textWithin(this.#dir, this.#file);
    const entries: LedgerEntry[] = [];
    let unreadable = 0;
    for (const line of (text ?? '').split('\n')) {
      if (line.trim() === '') continue;
      const entry = ledgerEntrySchema.safeParse(parsedJson(line)).data;
      if (entry === undefined)
        unreadable += 1; // torn by a process that was killed while it wrote
      else entries.push(entry);
    }
    if (unreadable > 0) this.log.warn(`${unreadable} lines of ${this.#file} cannot be read; they are not counted.`);
    return entries;
  }

  async spentSince(start: Date): Promise<number> {
    const since = start.getTime();
    return (await this.entries()).reduce((sum, { at, usd }) => (Date.parse(at) >= since ? sum + usd : sum), 0);
  }
}
