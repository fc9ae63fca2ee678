import { StoreError, type StoreErrorReason } from '../../core/model/storeError';
import { errorCode } from './errorCode';
import { ownValue } from '../../core/text/ownValue';

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
