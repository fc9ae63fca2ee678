import { createHash } from 'node:crypto';

/** What git calls a content, in repositories of both kinds. The longer one is also what we know a content by. */
export interface BlobIds {
  readonly sha1: string;
  readonly sha256: string;
}

export function blobIdsOf(text: string): BlobIds {
  const bytes = Buffer.from(text, 'utf8');
  const idBy = (algorithm: string): string =>
    createHash(algorithm).update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
  return { sha1: idBy('sha1'), sha256: idBy('sha256') };
}
