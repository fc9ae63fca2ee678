import { rm, writeFile } from 'node:fs/promises';
import { errorCode } from '../node/files/errorCode';
import { CliFailure } from './cliErrors';

/** Writes a file that is not there yet. Returns what takes it back. */
export async function writeNew(file: string, text: string): Promise<() => Promise<void>> {
  const remove = async (): Promise<void> => rm(file, { force: true }).catch(() => undefined); // the failure before it is the one to tell
  try {
    await writeFile(file, text, { flag: 'wx', mode: 0o600 });
    return remove;
  } catch (error) {
    const isThere = errorCode(error) === 'EEXIST';
    if (!isThere) await remove();
    throw new CliFailure(isThere ? 'file-exists' : 'file-not-written', file, { cause: error });
  }
}
