import { StoreError, type StoreErrorReason } from '../../core/model/host';
import { ownValue } from '../../core/text/ownValue';

/** The `code` of a system error (`ENOENT`); undefined for anything else, our own errors included. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined;
  return /^E[A-Z0-9]+$/.test(error.code) ? error.code : undefined;
}

/** Whether a file or folder is simply not there, which is an ordinary answer and no failure. */
export function isGone(error: unknown): boolean {
  return errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR';
}

/** The answer of `work`, or undefined when what it looks at is not there. */
export async function unlessGone<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

const reasons: Readonly<Record<string, StoreErrorReason>> = {
  ENOSPC: 'disk-full',
  EDQUOT: 'disk-full',
  EFBIG: 'disk-full', // a limit on the size of files (`ulimit -f`) runs out just as a disk does
  EROFS: 'read-only',
  EACCES: 'not-permitted',
  EPERM: 'not-permitted',
  ENAMETOOLONG: 'unsafe-name',
  ELOOP: 'link',
};

/** The expected failure behind a system error; everything that is no system error stays what it is. */
function asStoreError(error: unknown, path: string): unknown {
  const code = errorCode(error);
  if (code === undefined) return error;
  const reason = ownValue(reasons, code) ?? 'io';
  return new StoreError(reason, reason === 'io' ? { path, detail: code } : { path }, { cause: error });
}

/** Runs work on `path`; a system error leaves it as a `StoreError`. */
export async function storing<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw asStoreError(error, path);
  }
}
