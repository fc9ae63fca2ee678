import { runStepsWithPauses } from './steps';
import { TranscriptReader, type ReaderOptions } from './transcriptReader';
import type { TailMode } from './transcriptIntake';
import type { Conversation } from './types';

/** How a transcript is read from a host's chunks. */
export interface ReadingOptions extends ReaderOptions {
  /** Lets others run; called between slices of a few milliseconds. */
  pause(): Promise<void>;
  /** What to do with a last line that has no newline: `ifWhole` by default, so that a live session shows no broken line. */
  readonly tail?: TailMode;
}

/** Reads a whole transcript; throws the signal's reason when it is aborted, and what the chunks throw. */
export async function readTranscript(
  chunks: AsyncIterable<Uint8Array>,
  options: ReadingOptions,
  signal?: AbortSignal,
): Promise<Conversation> {
  signal?.throwIfAborted();
  const reader = new TranscriptReader(options);
  for await (const chunk of chunks) {
    signal?.throwIfAborted();
    reader.feed(chunk);
    await options.pause();
  }
  return runStepsWithPauses(reader.assemble(options.tail ?? 'ifWhole'), () => options.pause(), signal);
}
