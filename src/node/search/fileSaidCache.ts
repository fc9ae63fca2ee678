import path from 'node:path';
import * as z from 'zod/mini';
import { errorText } from '../../core/text/keepitError';
import type { Log } from '../../core/model/host';
import type { SessionRef } from '../../core/sessions/results';
import { saidSessionSchema, type SaidCache, type SaidSession } from '../../core/search/saidMessages';
import { writeFileAtomic } from '../files/atomicFile';
import { readWithin } from '../files/links';
import { ensurePrivateFolder } from '../files/privateFolder';
import { StoreLayout } from '../store/storeLayout';

/** Raise it when the same transcript gives other words than before. */
const FORMAT = 3;

const fileSchema = z.object({ format: z.literal(FORMAT), said: saidSessionSchema });

/** `cache/said/`, one file for each session; the cache's limit holds for it too. */
export class FileSaidCache implements SaidCache {
  readonly #layout: StoreLayout;

  constructor(
    dir: string,
    private readonly log: Log,
  ) {
    this.#layout = new StoreLayout(dir);
  }

  async load({ projectId, sessionId }: SessionRef): Promise<SaidSession | undefined> {
    try {
      const bytes = await readWithin(this.#layout.dir, this.#layout.said(projectId, sessionId));
      return bytes && fileSchema.safeParse(JSON.parse(bytes.toString('utf8'))).data?.said;
    } catch {
      return undefined; // not there yet, torn, or not to be read: the transcript is read instead
    }
  }

  async save({ projectId, sessionId }: SessionRef, said: SaidSession): Promise<void> {
    try {
      const file = this.#layout.said(projectId, sessionId);
      await ensurePrivateFolder(path.dirname(file), this.#layout.dir);
      await writeFileAtomic(file, JSON.stringify({ format: FORMAT, said }), { isDurable: false });
    } catch (error) {
      this.log.warn(`What was said in ${sessionId} could not be remembered: ${errorText(error)}`);
    }
  }
}
