import type { PlainFiles } from '../../core/knowledge/layerStore';
import { blobIdsOf, type BlobIds } from './blobIds';
import { isCopied } from './ownFiles';

const MOST_DEPTH = 4;

/** All files of a folder as this memory's own, with copies of those that are copied, where they are wanted. Writes into `copies` alone. */
export async function adoptFiles(
  plain: PlainFiles,
  copies: PlainFiles | undefined,
  folder = '',
): Promise<{ name: string; ids: BlobIds }[]> {
  const own: { name: string; ids: BlobIds }[] = [];
  for (const base of await plain.names(folder)) {
    const name = folder === '' ? base : `${folder}/${base}`;
    if (base.startsWith('.')) continue;
    if ((await plain.stat(name)) === undefined) {
      if (name.split('/').length < MOST_DEPTH) own.push(...(await adoptFiles(plain, copies, name)));
      continue;
    }
    const text = await plain.read(name);
    if (text === undefined) continue;
    if (isCopied(name)) await copies?.write(name, text);
    own.push({ name, ids: blobIdsOf(text) });
  }
  return own;
}
