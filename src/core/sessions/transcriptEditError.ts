import { KeepitError, type ErrorText } from '../text/keepitError';

export type TranscriptEditReason =
  | 'in-use'
  | 'changed'
  | 'not-there'
  | 'not-written'
  | 'only-copy'
  | 'shared'
  | 'link'
  | 'unchanged'
  | 'not-permitted'
  | 'io';

const editTexts: Record<TranscriptEditReason, (subject: string) => ErrorText> = {
  'in-use': (path) => ({
    message: `${path} was written to in the last minutes: its session is probably in use.`,
    hint: 'End the session, wait five minutes, and try again.',
  }),
  changed: (path) => ({
    message: `${path} has changed since it was looked at. Nothing was written.`,
    hint: 'Look again, and repeat what you wanted to do.',
  }),
  'not-there': (path) => ({
    message: `The marker is not in ${path} as plain characters where it should be. Nothing was written.`,
    hint: 'Change the weight in memory instead: that counts just as much, and leaves the transcript as it is.',
  }),
  'not-written': (id) => ({
    message: `Keepit ${id} was added in memory: no marker in the transcript has a weight that could be written.`,
    hint: 'Change its weight in memory.',
  }),
  'only-copy': (id) => ({
    message: `Claude Code has deleted the transcript of ${id}. What is kept in memory is never written to.`,
    hint: 'Change the weight in memory.',
  }),
  shared: (path) => ({
    message: `${path} has another name on this disk, and what lies there would change with it. Nothing was written.`,
    hint: 'Make that hard link a copy first.',
  }),
  link: (path) => ({
    message: `${path} is a symbolic link. Nothing was written.`,
    hint: 'Put the file itself there, or change the weight in memory.',
  }),
  unchanged: (id) => ({
    message: `The marker of keepit ${id} has that weight already.`,
    hint: 'Choose another weight.',
  }),
  'not-permitted': (path) => ({
    message: `${path} may not be written by this user.`,
    hint: 'Give yourself write access to the file, or change the weight in memory.',
  }),
  io: (path) => ({ message: `${path} could not be written.`, hint: 'Check the disk that holds the file.' }),
};

/** A weight that was not written into a transcript. The transcript is as it was, unless the reason is `io`. */
export class TranscriptEditError extends KeepitError {
  readonly reason: TranscriptEditReason;

  constructor(reason: TranscriptEditReason, subject: string, options?: { cause?: unknown }) {
    super(`edit-${reason}`, editTexts[reason](subject), options);
    this.reason = reason;
  }
}
