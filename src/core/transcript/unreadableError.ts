import { KeepitError, type ErrorText } from '../text/keepitError';

export type TranscriptUnreadableReason = 'vanished' | 'not-permitted' | 'link' | 'io';

const transcriptTexts: Record<TranscriptUnreadableReason, (path: string) => ErrorText> = {
  vanished: (path) => ({
    message: `${path} is no longer there.`,
    hint: 'Claude Code deletes transcripts after a while; add sessions to memory to keep them.',
  }),
  'not-permitted': (path) => ({
    message: `${path} may not be read by this user.`,
    hint: 'Give yourself read access to the file.',
  }),
  link: (path) => ({
    message: `${path} is a symbolic link that leads out of its folder, and is not read.`,
    hint: 'Put the file itself there; only Claude Code’s folder and its `projects` may be links.',
  }),
  io: (path) => ({
    message: `${path} could not be read.`,
    hint: 'Check the disk or network drive that holds the file.',
  }),
};

/** A transcript that cannot be opened or read, for reasons outside the file's content: damage inside never throws. */
export class TranscriptUnreadableError extends KeepitError {
  constructor(
    readonly reason: TranscriptUnreadableReason,
    readonly path: string,
    options?: { cause?: unknown },
  ) {
    super(`transcript-${reason}`, transcriptTexts[reason](path), options);
  }
}
