import { readFile, rm, writeFile } from 'node:fs/promises';
import { errorCode } from '../node/files/errorCode';
import { CliFailure } from './cliErrors';

/**
 * Writes a file that is not there yet. One that holds this text already, or a beginning of it, was left by a try that was cut short.
 * Returns what takes it back.
 */
export async function writeNew(file: string, text: string): Promise<() => Promise<void>> {
  const remove = async (): Promise<void> => rm(file, { force: true }).catch(() => undefined); // the failure before it is the one to tell
  try {
    const isOurs = await readFile(file, 'utf8').then(
      (there) => text.startsWith(there),
      () => false,
    );
    await writeFile(file, text, { flag: isOurs ? 'w' : 'wx', mode: 0o600 });
    return remove;
  } catch (error) {
    const isThere = errorCode(error) === 'EEXIST';
    if (!isThere) await remove();
    throw new CliFailure(isThere ? 'file-exists' : 'file-not-written', file, { cause: error });
  }
}
