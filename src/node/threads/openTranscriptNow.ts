import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { OpenTranscript } from '../claude/scanFile';
import { READ_NO_FOLLOW } from '../files/links';

/**
 * Opens a transcript in a thread that has nothing else to do: without the way through Node's pool of threads, which costs
 * more than reading a small file does.
 */
export function openTranscriptNow(path: string): OpenTranscript {
  const descriptor = openSync(path, READ_NO_FOLLOW);
  try {
    return {
      size: fstatSync(descriptor).size,
      read: (buffer, position) => readSync(descriptor, buffer, 0, buffer.length, position),
      close: () => {
        closeSync(descriptor);
      },
    };
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}
