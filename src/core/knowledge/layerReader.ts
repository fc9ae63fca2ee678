import { withoutRoot } from '../material/projectRoot';
import { sourceMessages } from '../sessions/sessionMaterial';
import type { SourceMessage } from '../material/types';
import type { Pause } from '../model/host';
import type { ExcerptReader } from '../material/toolDetails';
import type { ClaudeFolder } from '../transcript/claudeFolder';
import { readConversation } from '../sessions/readConversation';
import type { Conversation, Message } from '../transcript/types';
import { ownValue } from '../text/ownValue';
import type { LayerReading, SpokenMessage } from './spokenMessage';

const USUAL = 1;
const MESSAGES_PER_READ = 50;

export interface LayerReaderParts {
  readonly claude: ClaudeFolder;
  /** Reads pieces of one transcript; whoever opens it closes it. */
  readonly openExcerpts: (path: string) => ExcerptReader & { close(): Promise<void> };
  readonly pause: Pause;
}

/** What was read, and where the transcript ended. */
export interface ReadPart extends Omit<LayerReading, 'foreign'> {
  /** Its own, and those of the sessions that it has copied from. */
  readonly sessionIds: readonly string[];
  /** Absolute. */
  readonly start: number;
  readonly firstTimestamp: string;
  /** The first human record that was read. */
  readonly firstHuman?: string | undefined;
}

/**
 * From byte `start` on. Paths of tools that lie in `root` are told from there, as people name them. Throws
 * `TranscriptUnreadableError`.
 */
export async function readSpoken(
  parts: LayerReaderParts,
  file: { path: string; sessionId: string; root?: string },
  start: number,
  signal?: AbortSignal,
): Promise<ReadPart> {
  const conversation = await readConversation(parts.claude, file.path, { start }, signal);
  const excerpts = parts.openExcerpts(file.path);
  try {
    const reader = shifted(excerpts, start);
    const spoken = async (messages: readonly Message[], via?: SpokenMessage['via']): Promise<SpokenMessage[]> =>
      spokenIn(parts, messages, { reader, via, root: file.root ?? '' }, signal);
    const aside = [];
    for (const branch of conversation.abandoned) aside.push(...(await spoken(branch.messages, 'abandoned')));
    for (const agent of conversation.agents) aside.push(...(await spoken(wholeThread(agent), 'agent')));
    const live = await spoken(conversation.messages);
    return { sessionId: file.sessionId, live, aside, start, ...facts(conversation) };
  } finally {
    await excerpts.close();
  }
}

async function spokenIn(
  parts: LayerReaderParts,
  messages: readonly Message[],
  { reader, via, root }: { reader: ExcerptReader; via: SpokenMessage['via']; root: string },
  signal?: AbortSignal,
): Promise<SpokenMessage[]> {
  const all: SpokenMessage[] = [];
  for (let from = 0; from < messages.length; from += MESSAGES_PER_READ) {
    const slice = messages.slice(from, from + MESSAGES_PER_READ);
    const sources = await sourceMessages(slice, { excerpts: reader, generosity: USUAL }, signal);
    for (const [at, source] of sources.entries()) {
      const message = slice[at];
      if (message !== undefined) all.push({ message, source: inProject(source, root), via });
    }
    await parts.pause();
  }
  return all;
}

const PATH_FIELDS = ['file_path', 'notebook_path'];

function inProject(source: SourceMessage, root: string): SourceMessage {
  if (root === '' || source.tools.length === 0) return source;
  const folder = `${root.replace(/[\\/]$/, '')}/`;
  const bare = (path: string): string => withoutRoot(path, folder);
  const tools = source.tools.map((tool) => {
    const paths = PATH_FIELDS.flatMap((field) => {
      const path = ownValue(tool.input, field);
      return typeof path === 'string' ? [[field, bare(path)] as const] : [];
    });
    return { ...tool, target: bare(tool.target), input: { ...tool.input, ...Object.fromEntries(paths) } };
  });
  return { ...source, tools };
}

function wholeThread({ messages, abandoned }: Conversation['agents'][number]): Message[] {
  return [...messages, ...abandoned.flatMap((branch) => branch.messages)];
}

function facts(conversation: Conversation): Pick<ReadPart, 'events' | 'sessionIds' | 'firstTimestamp' | 'firstHuman'> {
  const human = conversation.messages.find(({ role }) => role === 'user')?.uuid;
  return {
    events: conversation.events,
    sessionIds: conversation.meta.sessionIds,
    firstTimestamp: conversation.meta.firstTimestamp ?? '',
    firstHuman: human,
  };
}

/** Ranges of a transcript that was read from `start` on count from there. */
function shifted(excerpts: ExcerptReader, start: number): ExcerptReader {
  if (start === 0) return excerpts;
  return {
    read: (ranges, maxBytes, signal) =>
      excerpts.read(
        ranges.map(({ offset, length }) => ({ offset: offset + start, length })),
        maxBytes,
        signal,
      ),
  };
}
