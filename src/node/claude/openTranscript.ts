import { open } from 'node:fs/promises';
import { READ_NO_FOLLOW } from '../files/links';

/** A transcript that is open for reading. A host answers later, so that it never waits; a thread of its own at once. */
export interface OpenTranscript {
  readonly size: number;
  /** Fills the buffer from this position on and tells how far; 0 at the end of the file. */
  read(buffer: Buffer, position: number): Promise<number> | number;
  close(): Promise<void> | void;
}

/** Opens a transcript where others wait for the same thread. */
export async function openTranscript(path: string): Promise<OpenTranscript> {
  const handle = await open(path, READ_NO_FOLLOW);
  try {
    const { size } = await handle.stat();
    return {
      size,
      read: async (buffer, position) => (await handle.read(buffer, 0, buffer.length, position)).bytesRead,
      close: () => handle.close(),
    };
  } catch (error) {
    await handle.close();
    throw error;
  }
}
