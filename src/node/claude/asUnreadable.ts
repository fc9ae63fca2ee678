import { TranscriptUnreadableError, type TranscriptUnreadableReason } from '../../core/transcript/claudeFolder';
import { errorCode, isGone } from '../files/errorCode';

const reasons: ReadonlyMap<string, TranscriptUnreadableReason> = new Map([
  ['EACCES', 'not-permitted'],
  ['EPERM', 'not-permitted'],
  ['ELOOP', 'link'], // opened without following one
]);

/** The expected failure behind a system error on a transcript; everything that is no system error stays what it is. */
export function asUnreadable(path: string, error: unknown): unknown {
  const code = errorCode(error);
  if (code === undefined || error instanceof TranscriptUnreadableError) return error;
  if (isGone(error)) return new TranscriptUnreadableError('vanished', path, { cause: error });
  const reason = reasons.get(code) ?? 'io';
  return new TranscriptUnreadableError(reason, path, { cause: error });
}
