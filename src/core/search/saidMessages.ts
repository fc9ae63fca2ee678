import * as z from 'zod/mini';
import { writable } from '../text/secrets/cleanText';
import type { ClaudeFolder } from '../transcript/claudeFolder';
import type { Log } from '../model/host';
import { readConversation } from '../sessions/readConversation';
import type { SessionRef } from '../sessions/results';
import type { SessionIndex } from '../sessions/sessionIndex';
import { errorText, isAbortError } from '../text/keepitError';
import type { Message } from '../transcript/types';

const text = z.string();

/** What was said in one message, without secrets and private passages. */
export const saidMessageSchema = z.object({
  uuid: text,
  role: z.enum(['user', 'assistant']),
  timestamp: z.optional(text),
  text,
  /** What its tools were used on, one line each: `Bash: npm test`. */
  steps: z.array(text),
  files: z.array(text),
});
export type SaidMessage = z.infer<typeof saidMessageSchema>;

/** What was said in a session, as of a size and date of its transcript. */
export const saidSessionSchema = z.object({
  path: text,
  bytes: z.number(),
  mtimeMs: z.number(),
  messages: z.array(saidMessageSchema),
});
export type SaidSession = z.infer<typeof saidSessionSchema>;

/** Remembers what was said in sessions, so that a search does not read transcripts again. Losing it costs time only: nothing here throws. */
export interface SaidCache {
  /** Undefined when nothing is known. */
  load(ref: SessionRef): Promise<SaidSession | undefined>;
  save(ref: SessionRef, said: SaidSession): Promise<void>;
}

export interface SaidMessagesParts {
  readonly sources: SessionIndex;
  readonly claude: ClaudeFolder;
  readonly saidCache: SaidCache;
  readonly log: Log;
}

/** What could be read of many sessions. */
export interface SaidReading {
  /** Sessions that were left for another time, because enough was read. */
  unread: number;
  failed: { session: string; error: string }[];
}

/** So much of transcripts is read in one search at most; what is known already does not count. */
const MOST_BYTES = 256 * 1024 * 1024;
const MOST_TEXT = 200_000;
const MOST_STEPS = 100;
const FILE_TOOLS = /^(?:Read|Edit|MultiEdit|Write|NotebookEdit|NotebookRead)$/;

/** Reads what was said in sessions, the newest first, and remembers it. Session by session; what became of those that are missing is written into `reading`. */
export async function* readSaid(
  parts: SaidMessagesParts,
  refs: readonly SessionRef[],
  reading: SaidReading,
  signal?: AbortSignal,
): AsyncGenerator<{ ref: SessionRef; messages: readonly SaidMessage[] }> {
  let bytesLeft = MOST_BYTES;
  for (const source of await parts.sources.locateAll(refs, signal)) {
    signal?.throwIfAborted();
    if (source === undefined) continue;
    const { ref, file } = source;
    const known = await parts.saidCache.load(ref);
    if (known?.path === file.path && known.bytes === file.bytes && known.mtimeMs === file.mtimeMs) {
      yield { ref, messages: known.messages };
      continue;
    }
    if (bytesLeft < file.bytes && bytesLeft < MOST_BYTES) {
      reading.unread += 1;
      continue;
    }
    bytesLeft -= file.bytes;
    try {
      const { path, bytes, mtimeMs } = file;
      const messages = await messagesIn(parts, path, signal);
      await parts.saidCache.save(ref, { path, bytes, mtimeMs, messages });
      yield { ref, messages };
    } catch (error) {
      if (isAbortError(error) || signal?.aborted === true) throw error;
      reading.failed.push({ session: ref.sessionId, error: errorText(error) });
    }
  }
}

async function messagesIn(parts: SaidMessagesParts, path: string, signal?: AbortSignal): Promise<SaidMessage[]> {
  const { messages } = await readConversation(parts.claude, path, {}, signal);
  const said: SaidMessage[] = [];
  for (const [index, message] of messages.entries()) {
    if (index % 100 === 99) signal?.throwIfAborted();
    said.push(saidIn(message));
  }
  return said;
}

function saidIn({ uuid, role, timestamp, text: words, tools }: Message): SaidMessage {
  const targets = tools.filter(({ target }) => target !== '').slice(0, MOST_STEPS);
  const files = targets.filter(({ name }) => FILE_TOOLS.test(name)).map(({ target }) => writable(target));
  return {
    uuid,
    role,
    ...(timestamp !== undefined && { timestamp }),
    text: writable(words).slice(0, MOST_TEXT), // half a secret would not be known as one
    steps: targets.map(({ name, target }) => writable(`${name}: ${target}`)),
    files: [...new Set(files)],
  };
}
