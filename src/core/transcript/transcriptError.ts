/** Why a piece of a transcript could not be read. */
export type TranscriptErrorReason = 'broken-record' | 'bad-state';

/** The one error of this area. A reader catches `broken-record` itself and reports the line; `bad-state` reaches callers. */
export class TranscriptError extends Error {
  override readonly name = 'TranscriptError';

  constructor(
    readonly reason: TranscriptErrorReason,
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, options);
  }
}
