import { parsedJson } from '../text/ownValue';
import * as z from 'zod/mini';
import { withoutSecrets } from '../text/secrets/cleanText';
import type { ClaudeFolder } from '../transcript/claudeFolder';
import type { Log } from '../model/host';
import { readConversation } from '../sessions/readConversation';
import type { SessionRef, SessionSource } from '../sessions/results';
import type { SessionIndex } from '../sessions/sessionIndex';
import type { Message, ToolStep } from '../transcript/types';
import { type Bytes, ByteWriter, DamagedBytes, atHand, numbersIn } from './bytes';
import type { Meaning } from './meaning';
import type { SearchDocument } from './searchDocument';
import type { IndexedFile } from './storedTables';

/** Raise it when the same transcript gives other words than before. */
const FORMAT = 7;

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
  /** It asks for something: an exchange begins with it. */
  opens: z.boolean(),
});
export type SaidMessage = z.infer<typeof saidMessageSchema>;

/** The file that words were read from, as it was then. */
const headSchema = z.object({ format: z.literal(FORMAT), path: text, bytes: z.number(), mtimeMs: z.number() });

/** What was said in a session: a line for the file that it is of, and one for each message, of which those are read that are asked for. */
export class SaidWords {
  private constructor(
    private readonly bytes: Bytes,
    readonly file: IndexedFile,
    /** Where each message begins, and where the last one ends. */
    private readonly starts: Uint32Array,
    private readonly messages?: readonly SaidMessage[],
  ) {}

  static of(
    file: IndexedFile,
    messages: readonly SaidMessage[],
  ): { readonly said: SaidWords; readonly bytes: Uint8Array } {
    const { path, bytes: size, mtimeMs } = file;
    const writer = new ByteWriter();
    const starts = [{ format: FORMAT, path, bytes: size, mtimeMs }, ...messages].map((line) => {
      writer.addAll(encoder.encode(`${JSON.stringify(line)}\n`));
      return writer.length;
    });
    writer.addAll(new Uint8Array(Uint32Array.from([...starts, starts.length]).buffer));
    const bytes = writer.bytes();
    return { bytes, said: new SaidWords(atHand(bytes), file, Uint32Array.from(starts), messages) };
  }

  /** Undefined for what is no such file, or of another format. Throws `DamagedBytes`. */
  static read(bytes: Bytes): SaidWords | undefined {
    if (bytes.length < PLACE) return undefined;
    const count = numbersIn(bytes.read(bytes.length - PLACE, bytes.length))[0] ?? 0;
    const from = bytes.length - PLACE * (count + 1);
    if (count === 0 || from < 0) return undefined;
    const starts = numbersIn(bytes.read(from, bytes.length - PLACE));
    const head = headSchema.safeParse(parsedJson(decoder.decode(bytes.read(0, starts[0] ?? 0)))).data;
    return head && new SaidWords(bytes, head, starts);
  }

  get length(): number {
    return this.starts.length - 1;
  }

  at(message: number): SaidMessage | undefined {
    const [start, end] = [this.starts[message], this.starts[message + 1]];
    if (start === undefined || end === undefined) return undefined;
    return saidMessageSchema.safeParse(parsedJson(decoder.decode(this.bytes.read(start, end)))).data;
  }

  all(): readonly SaidMessage[] {
    const all = this.messages ?? Array.from({ length: this.length }, (_, at) => this.at(at));
    return all.filter((message) => message !== undefined);
  }

  close(): void {
    this.bytes.close();
  }
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();
/** A place in the file takes so many bytes. */
const PLACE = 4;

/**
 * Files that a search goes by, those of a project together. Losing them costs time only: nothing here throws. What is damaged is
 * not there.
 */
export interface SearchFiles {
  /** Names of all that end so. */
  list(projectId: string, ending: string): Promise<string[]>;
  open(projectId: string, name: string): Promise<Bytes | undefined>;
  save(projectId: string, name: string, bytes: Uint8Array): Promise<void>;
  remove(projectId: string, name: string): Promise<void>;
}

export interface SaidMessagesParts {
  readonly sources: SessionIndex;
  readonly claude: ClaudeFolder;
  readonly searchFiles: SearchFiles;
  /** What words mean, loaded when first needed; undefined where the host has nothing of that. */
  readonly meaning: () => Promise<Meaning | undefined>;
  readonly log: Log;
}

const MOST_TEXT = 200_000;
const MOST_STEPS = 100;
const FILE_TOOLS = /^(?:Read|Edit|MultiEdit|Write|NotebookEdit|NotebookRead)$/;

/** What was said in a session, remembered or read from its transcript, and remembered then. */
export async function readSaid(
  parts: SaidMessagesParts,
  { ref, file }: Pick<SessionSource, 'ref' | 'file'>,
  signal?: AbortSignal,
): Promise<SaidWords> {
  const name = `${ref.sessionId}.said`;
  const known = await openSaid(parts.searchFiles, ref.projectId, name);
  if (known !== undefined && isSameFile(known.file, file)) return known;
  known?.close();
  const { said, bytes } = SaidWords.of(file, await messagesIn(parts, file.path, signal));
  await parts.searchFiles.save(ref.projectId, name, bytes);
  return said;
}

async function openSaid(files: SearchFiles, projectId: string, name: string): Promise<SaidWords | undefined> {
  const bytes = await files.open(projectId, name);
  try {
    return bytes && SaidWords.read(bytes);
  } catch (error) {
    bytes?.close();
    if (error instanceof DamagedBytes) return undefined;
    throw error;
  }
}

export function isSameFile(known: IndexedFile, file: IndexedFile): boolean {
  return known.path === file.path && known.bytes === file.bytes && known.mtimeMs === file.mtimeMs;
}

async function messagesIn(parts: SaidMessagesParts, path: string, signal?: AbortSignal): Promise<SaidMessage[]> {
  const { messages } = await readConversation(parts.claude, path, {}, signal);
  const said: SaidMessage[] = [];
  for (const [index, message] of messages.entries()) {
    if (index % 100 === 99) signal?.throwIfAborted();
    said.push(saidOf(message));
  }
  return said;
}

/** What one message says, as a search remembers it. */
export function saidOf({ uuid, role, origin, timestamp, text: words, tools }: Message): SaidMessage {
  const targets = tools.filter(({ target }) => target !== '').slice(0, MOST_STEPS);
  const isFailed = ({ result }: ToolStep): boolean => result?.isError === true;
  const touching = targets.filter((step) => FILE_TOOLS.test(step.name) && !isFailed(step));
  const files = touching.map(({ target }) => withoutSecrets(target));
  return {
    uuid,
    role,
    ...(timestamp !== undefined && { timestamp }),
    text: withoutSecrets(words).slice(0, MOST_TEXT), // half a secret would not be known as one
    steps: targets.map((step) => withoutSecrets(`${step.name}${isFailed(step) ? ' ✗' : ''}: ${step.target}`)),
    files: [...new Set(files)],
    opens: origin === 'prompt' || origin === 'command',
  };
}

/** What was said in a session as documents, each with its place in its exchange. */
export function messageDocuments(ref: SessionRef, said: readonly SaidMessage[]): SearchDocument[] {
  let exchange = 0;
  const closings = closingsIn(said);
  return said.map((message, at) => {
    const { opens, role } = message;
    if (opens) exchange += 1;
    const place = opens ? 'request' : role === 'user' ? 'answer' : closings.has(at) ? 'closing' : 'within';
    return messageDocument(ref, message, { exchange, place });
  });
}

/** One message, of which it is known where it stands. */
export function messageDocument(
  { projectId, sessionId }: SessionRef,
  { uuid, role, timestamp, text: words, steps, files }: SaidMessage,
  { exchange, place }: Pick<SearchDocument, 'exchange' | 'place'>,
): SearchDocument {
  return {
    ...{ kind: 'message', projectId, id: uuid, text: words, aside: steps.join('\n'), sessionId, messageUuid: uuid },
    ...{ timestamp, files, topics: [], role, exchange, place },
  };
}

/** The last words of the assistant in each exchange. */
function closingsIn(said: readonly SaidMessage[]): Set<number> {
  const closings = new Set<number>();
  let last = -1;
  for (const [at, { opens, role, text: words }] of said.entries()) {
    if (opens) {
      closings.add(last);
      last = -1;
    } else if (role === 'assistant' && words !== '') last = at;
  }
  return closings.add(last);
}
