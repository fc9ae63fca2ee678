import { withoutRoot } from '../material/projectRoot';
import { sourceMessages } from '../sessions/sessionMaterial';
import type { SourceMessage } from '../material/types';
import type { ExcerptReader, OpenExcerpts } from '../material/toolDetails';
import { readConversation } from '../sessions/readConversation';
import type { ClaudeFolder } from '../transcript/claudeFolder';
import type { L1Entry } from '../model/layers';
import type { Conversation, ConversationEvent, Message } from '../transcript/types';
import { ownValue } from '../text/ownValue';
import type { SourceTurn } from './closing';

/** A message as the layers are built from it: what the transcript says about it, and what its tools were given and answered. */
export interface SpokenMessage {
  readonly message: Message;
  readonly source: SourceMessage;
  /** Where it was said, when that is not the live conversation. */
  readonly via?: Extract<L1Entry['via'], 'abandoned' | 'agent'> | undefined;
}

export type Turn = SourceTurn<SpokenMessage>;

/** What a session is layered from. */
export interface LayerReading {
  readonly sessionId: string;
  readonly live: readonly SpokenMessage[];
  /** What rewinds have left behind, and what sub-agents said. */
  readonly aside: readonly SpokenMessage[];
  readonly events: readonly ConversationEvent[];
}

const USUAL = 1;
const MESSAGES_PER_READ = 50;

export interface LayerReaderParts {
  readonly claude: ClaudeFolder;
  /** Reads pieces of one transcript; whoever opens it closes it. */
  readonly openExcerpts: OpenExcerpts;
}

/** What was read. */
export interface ReadSession extends LayerReading {
  readonly firstTimestamp: string;
}

/** Paths of tools that lie in `root` are told from there, as people name them. Throws `TranscriptUnreadableError`. */
export async function readSpoken(
  parts: LayerReaderParts,
  file: { path: string; sessionId: string; root?: string },
  signal?: AbortSignal,
): Promise<ReadSession> {
  const conversation = await readConversation(parts.claude, file.path, {}, signal);
  const reader = parts.openExcerpts(file.path);
  try {
    const spoken = async (messages: readonly Message[], via?: SpokenMessage['via']): Promise<SpokenMessage[]> =>
      spokenIn(messages, { reader, via, root: file.root ?? '' }, signal);
    const aside = [];
    for (const branch of conversation.abandoned) aside.push(...(await spoken(branch.messages, 'abandoned')));
    for (const agent of conversation.agents) aside.push(...(await spoken(wholeThread(agent), 'agent')));
    const live = await spoken(conversation.messages);
    const { events, meta } = conversation;
    return { sessionId: file.sessionId, live, aside, events, firstTimestamp: meta.firstTimestamp ?? '' };
  } finally {
    await reader.close();
  }
}

async function spokenIn(
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
