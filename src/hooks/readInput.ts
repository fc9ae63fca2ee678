import { fstatSync, readSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { readHookInput, type HookInput } from '../core/model/hookInput';
import { errorCode } from '../node/files/errorCode';

/** A tool may answer with anything; what hooks need of that stands at the beginning. */
const MAX_BYTES = 4 * 1024 * 1024;
const CHUNK_BYTES = 64 * 1024;
/** Where the fields that name the session are, whatever comes after them. */
const HEAD_UNITS = 16 * 1024;
/** Who has begun to write goes on writing. */
const PATIENCE_MS = 5000;
const NAP_MS = 2;

/** What Claude Code hands over; undefined for what is none of it. Never holds more of it than is looked at, and reads it to its end. */
export function readInput(descriptor: number): HookInput | undefined {
  if (isDevice(descriptor)) return undefined;
  const { text, isWhole } = readText(descriptor);
  return isWhole ? readHookInput(text) : readHead(text);
}

/** A terminal, where a person would be waited for, or nothing at all. */
function isDevice(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isCharacterDevice();
  } catch {
    return true; // closed
  }
}

function readText(descriptor: number): { text: string; isWhole: boolean } {
  const decoder = new StringDecoder('utf8');
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  let text = '';
  let bytes = 0;
  for (;;) {
    const read = readChunk(descriptor, chunk);
    if (read === 0) break;
    bytes += read;
    if (bytes > MAX_BYTES) continue; // the writer is let finish, and nothing is kept
    text += decoder.write(chunk.subarray(0, read));
  }
  return { text: text + decoder.end(), isWhole: bytes <= MAX_BYTES };
}

/** 0 at the end; also when nothing comes any more. */
function readChunk(descriptor: number, chunk: Buffer): number {
  const giveUpAt = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      return readSync(descriptor, chunk);
    } catch (error) {
      if (errorCode(error) !== 'EAGAIN') return 0; // EOF is an error on Windows, and a closed descriptor has nothing to say
      if (performance.now() > giveUpAt) return 0;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, NAP_MS);
    }
  }
}

const NAMES =
  /"(session_id|transcript_path|cwd|source|tool_name|trigger|reason|hook_event_name)"\s*:\s*("(?:[^"\\]|\\.)*")/g;

/** The fields of a text too long to be parsed. Each counts where it stands first: before what a tool or a person has put in. */
function readHead(text: string): HookInput | undefined {
  const fields = new Map<string, string>();
  for (const [, name = '', value = ''] of text.slice(0, HEAD_UNITS).matchAll(NAMES)) {
    if (!fields.has(name)) fields.set(name, `${JSON.stringify(name)}:${value}`);
  }
  return readHookInput(`{${[...fields.values()].join(',')}}`);
}
