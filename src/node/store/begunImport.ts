import { readFile } from 'node:fs/promises';
import * as z from 'zod/mini';
import type { Log } from '../../core/model/host';
import { errorText } from '../../core/text/keepitError';
import { parsedJson } from '../../core/text/ownValue';
import { unlessGone } from '../files/errorCode';
import type { StoreLayout } from './storeLayout';

/** An import that has been verified, and changes things now: all that is needed to bring it to its end. */
const begunSchema = z.object({
  /** The archive. */
  file: z.string(),
  replaces: z.boolean(),
  /** What each of its projects is here. */
  places: z.array(
    z.object({
      /** In the archive. */
      from: z.string(),
      knownBy: z.enum(['answer', 'folder', 'remote', 'name', 'nothing']),
      projectId: z.string(),
      originalPath: z.string(),
      displayName: z.string(),
    }),
  ),
});
export type BegunImport = z.infer<typeof begunSchema>;

/** Undefined for an import that has changed nothing yet. */
export async function readBegun(file: string): Promise<BegunImport | undefined> {
  const text = await unlessGone(readFile(file, 'utf8'));
  return text === undefined ? undefined : begunSchema.safeParse(parsedJson(text)).data;
}

/** Whoever changes something finishes first what a killed import has begun; one that cannot be is told by a check, and stops nobody. */
export async function finishedImports(
  layout: StoreLayout,
  finish: (() => Promise<void>) | undefined,
  log: Log,
): Promise<void> {
  try {
    if ((await layout.deadImports()).length > 0) await finish?.();
  } catch (error) {
    log.warn(`An import that was killed cannot be finished: ${errorText(error)}`);
  }
}
