import { withoutRoot } from '../material/projectRoot';
import { sourcesOf, type MaterialReaderParts } from '../sessions/sessionMaterial';
import { textOf } from '../material/toolKinds';
import type { SourceMessage, SourceTool } from '../material/types';
import type { ExcerptReader } from '../material/toolDetails';
import { readConversation } from '../sessions/readConversation';
import type { L1Entry } from '../model/layers';
import type { Conversation, ConversationEvent, Message } from '../transcript/types';
import type { SourceTurn } from './closing';

/** A tool call with its record, and when it was made and answered. */
export interface SpokenTool extends SourceTool {
  readonly uuid: string;
  readonly timestamp?: string | undefined;
  readonly answeredAt?: string | undefined;
}

/** A message as the layers are built from it: what the transcript says about it, and what its tools were given and answered. */
export interface SpokenMessage extends SourceMessage {
  /** Of the transcript. */
  readonly line: number;
  readonly tools: readonly SpokenTool[];
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

/** What was read. */
export interface ReadSession extends LayerReading {
  readonly firstTimestamp: string;
}

/**
 * Paths of tools that lie in `root` are told from there, as people name them; sessions in other worktrees have a root of their own. Throws `TranscriptUnreadableError`.
 */
export async function readSpoken(
  parts: MaterialReaderParts,
  {
    path,
    sessionId,
    projectId,
    root: own = '',
  }: { path: string; sessionId: string; projectId?: string; root?: string },
  signal?: AbortSignal,
): Promise<ReadSession> {
  const conversation = await readConversation(parts.claude, path, {}, signal);
  const isElsewhere = projectId !== undefined && path.split(/[\\/]/).at(-2) !== projectId;
  const root = (isElsewhere ? conversation.meta.firstCwd : undefined) ?? own;
  const reader = parts.openExcerpts(path);
  try {
    const spoken = async (messages: readonly Message[], via?: SpokenMessage['via']): Promise<SpokenMessage[]> =>
      spokenIn(messages, { reader, via, root }, signal);
    const aside = [];
    for (const branch of conversation.abandoned) aside.push(...(await spoken(branch.messages, 'abandoned')));
    for (const agent of conversation.agents) aside.push(...(await spoken(wholeThread(agent), 'agent')));
    const live = await spoken(conversation.messages);
    const { events, meta } = conversation;
    return { sessionId, live, aside, events, firstTimestamp: meta.firstTimestamp ?? '' };
  } finally {
    await reader.close();
  }
}

async function spokenIn(
  messages: readonly Message[],
  { reader, via, root }: { reader: ExcerptReader; via: SpokenMessage['via']; root: string },
  signal?: AbortSignal,
): Promise<SpokenMessage[]> {
  const sources = await sourcesOf(messages, { excerpts: reader, generosity: USUAL }, signal);
  return sources.map((source, at): SpokenMessage => {
    const { line, tools: steps } = messages[at] ?? { line: 0, tools: [] };
    const tools = source.tools.map((tool, place): SpokenTool => {
      const { uuid = '', timestamp, result } = steps[place] ?? {};
      return { ...inProject(tool, root), uuid, timestamp, answeredAt: result?.timestamp };
    });
    return { ...source, line, tools, via };
  });
}

const PATH_FIELDS = ['file_path', 'notebook_path'];

function inProject(tool: SourceTool, root: string): SourceTool {
  if (root === '') return tool;
  const folder = `${root.replace(/[\\/]$/, '')}/`;
  const bare = (path: string): string => withoutRoot(path, folder);
  const paths = PATH_FIELDS.flatMap((field) => {
    const path = textOf(tool, field);
    return path === '' ? [] : [[field, bare(path)] as const];
  });
  return { ...tool, target: bare(tool.target), input: { ...tool.input, ...Object.fromEntries(paths) } };
}

function wholeThread({ messages, abandoned }: Conversation['agents'][number]): Message[] {
  return [...messages, ...abandoned.flatMap((branch) => branch.messages)];
}
