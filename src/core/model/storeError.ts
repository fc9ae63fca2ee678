import { KeepitError, type ErrorText } from '../text/keepitError';

export type StoreErrorReason =
  | 'newer-version'
  | 'corrupt'
  | 'locked'
  | 'disk-full'
  | 'read-only'
  | 'not-permitted'
  | 'unsafe-name'
  | 'not-found'
  | 'already-there'
  | 'link'
  | 'io';

interface StoreErrorDetails {
  /** The file, folder or name that the failure is about. */
  path: string;
  /** More about it, as part of a sentence: who holds the lock, which version was found, which value is not allowed. */
  detail?: string;
}

const storeTexts: Record<StoreErrorReason, (path: string, detail: string) => ErrorText> = {
  'newer-version': (path, detail) => ({
    message: `${path} was written by a newer Keepit${detail}.`,
    hint: 'Update Keepit; nothing was changed.',
  }),
  corrupt: (path, detail) => ({
    message: `${path} cannot be read${detail}.`,
    hint: 'Correct the file by hand, or run `keepit doctor --repair`.',
  }),
  locked: (path, detail) => ({
    message: `${path} is being written by another process${detail}.`,
    hint: 'Try again in a moment; `keepit doctor` shows locks that were left behind.',
  }),
  'disk-full': (path, detail) => ({
    message: `There is no space left to write ${path}${detail}.`,
    hint: 'Free some disk space and try again; nothing was changed.',
  }),
  'read-only': (path, detail) => ({
    message: `${path} is on a read-only file system${detail}.`,
    hint: 'Point CLAUDE_MEMORY_DIR, or the setting keepit.memoryDirectory, to a folder that can be written.',
  }),
  'not-permitted': (path, detail) => ({
    message: `${path} may not be opened by this user${detail}.`,
    hint: 'Give yourself access to the folder, or run `keepit doctor --repair`.',
  }),
  'unsafe-name': (path, detail) => ({
    message: `${JSON.stringify(path)} cannot be used as a name${detail}.`,
    hint: 'Use a plain name, without a path in it.',
  }),
  'not-found': (path, detail) => ({
    message: `${path} is not in memory${detail}.`,
    hint: '`keepit sessions` lists what is in memory.',
  }),
  'already-there': (path, detail) => ({
    message: `${path} is in memory again${detail}.`,
    hint: 'Remove it from memory first; nothing was changed.',
  }),
  link: (path, detail) => ({
    message: `${path} is a symbolic link, and Keepit follows none there${detail}.`,
    hint: 'Put a file or folder of its own in its place. Only the top folder itself (the store, Claude Code’s, the project’s) may be a link. Nothing was changed.',
  }),
  io: (path, detail) => ({
    message: `${path} could not be read or written${detail}.`,
    hint: 'Run `keepit doctor` to find out what is wrong with the folder.',
  }),
};

/** The store could not be read or written. Whatever was there before is still there. */
export class StoreError extends KeepitError {
  constructor(
    readonly reason: StoreErrorReason,
    readonly details: StoreErrorDetails,
    options?: { cause?: unknown },
  ) {
    const detail = details.detail === undefined ? '' : `: ${details.detail}`;
    super(`store-${reason}`, storeTexts[reason](details.path, detail), options);
  }
}
