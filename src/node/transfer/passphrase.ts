import { createReadStream } from 'node:fs';
import { ReadableStream } from 'node:stream/web';
import { TransferError } from '../../core/memoryPorts';

/*
 * The format of age, which other programs can decrypt: scrypt for the passphrase, ChaCha20-Poly1305 in chunks. No byte is handed on
 * before its chunk is known to be what was encrypted.
 */

const HEAD = 'age-encryption.org/v1';
const CHUNK_BYTES = 1024 * 1024;

/** The same bytes, encrypted. */
export async function encrypted(
  plain: AsyncIterable<Uint8Array>,
  passphrase: string,
): Promise<AsyncIterable<Uint8Array>> {
  const { Encrypter } = await import('age-encryption');
  const encrypter = new Encrypter();
  encrypter.setPassphrase(passphrase);
  return encrypter.encrypt(ReadableStream.from(plain));
}

/** The bytes of an archive, decrypted where it is encrypted. Throws `TransferError`, for a damaged one while it is read. */
export async function openArchive(
  file: string,
  passphrase: string | undefined,
  signal?: AbortSignal,
): Promise<AsyncIterable<Uint8Array>> {
  const read = (end = Infinity): AsyncIterable<Uint8Array> =>
    createReadStream(file, { end, highWaterMark: CHUNK_BYTES, ...(signal !== undefined && { signal }) });
  const head: Uint8Array[] = [];
  for await (const piece of read(HEAD.length - 1)) head.push(piece);
  if (Buffer.concat(head).toString('latin1') !== HEAD) return read();
  if (passphrase === undefined) throw new TransferError('no-passphrase', file);
  const { Decrypter } = await import('age-encryption');
  const decrypter = new Decrypter();
  decrypter.addPassphrase(passphrase);
  try {
    return whole(await decrypter.decrypt(ReadableStream.from(read())));
  } catch (error) {
    signal?.throwIfAborted();
    const isWrong = error instanceof Error && error.message.startsWith('no identity matched');
    throw isWrong
      ? new TransferError('wrong-passphrase', file)
      : new TransferError('damaged-archive', 'its head is another');
  }
}

async function* whole(plain: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* plain;
  } catch (error) {
    if (error instanceof Error && 'code' in error) throw error; // the system's: the file could not be read
    throw new TransferError('damaged-archive', 'it is cut off, or a part of it is not what was encrypted');
  }
}
