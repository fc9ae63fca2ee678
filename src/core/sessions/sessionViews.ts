import { EstimatingTokenCounter } from '../text/tokens/estimatingTokenCounter';
import type { Clock, Log } from '../model/host';
import { TranscriptUnreadableError, type ClaudeFolder } from '../transcript/claudeFolder';
import { redactionsOf } from '../model/manifestDocument';
import type { Conversation, Message } from '../transcript/types';
import { nextPartNumber, partsOf } from './sessionParts';
import type { StatsCache } from './statsCache';
import { discoveredSession, calibrateFromCache } from './discoveredSession';
import type { Calibration } from '../text/tokens/calibration';
import type {
  MessageRow,
  ReaderFigures,
  SessionDetails,
  SessionRef,
  SubAgentConversation,
  TokenFigure,
  SessionSource,
} from './results';
import { readConversation } from './readConversation';
import type { SessionIndex } from './sessionIndex';
import type { SessionStats } from '../transcript/sessionStats';

interface SessionViewsParts {
  claude: ClaudeFolder;
  cache: StatsCache;
  clock: Clock;
  log: Log;
  sources: SessionIndex;
}

/** The first and the last message, both included. */
interface MessageRange {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** Shows single sessions: their figures, their conversation, their sub-agents. */
export class SessionViews {
  private readonly estimator = new EstimatingTokenCounter();

  constructor(private readonly parts: SessionViewsParts) {}

  async show(ref: SessionRef, signal?: AbortSignal): Promise<SessionDetails> {
    const { sources, claude, clock, cache } = this.parts;
    const source = await sources.locate(ref, signal);
    const reading = await sources.stats(source, 'estimate', signal);
    const { entry, file } = source;
    const calibrations = await calibrateFromCache({ claude, cache }, ref.projectId);
    const known = discoveredSession(
      { source, ...reading },
      {
        now: clock.now(),
        cleanupPeriodDays: await claude.cleanupPeriodDays(),
        calibrations: new Map(calibrations.map((calibration) => [calibration.model, calibration])),
      },
    );
    const parts = entry === undefined ? [] : partsOf(entry);
    const uncompressed = Math.max(0, known.messages - ((parts.at(-1)?.messageRange[1] ?? -1) + 1));
    return {
      session: entry ?? known,
      registered: entry !== undefined,
      claudeTokens: known.claudeTokens,
      delta: { newMessages: known.newMessages, uncompressed, nextPart: nextPartNumber(parts) },
      reader: readerFigures(reading.stats, file.bytes),
      redacted: entry === undefined ? [] : redactionsOf(entry),
    };
  }

  /** From Claude Code's file, else from the kept original. Token figures are estimates. */
  async conversation(ref: SessionRef, signal?: AbortSignal): Promise<Conversation> {
    return this.parts.sources.open(ref, { estimator: this.estimator }, signal);
  }

  /** The dialogues of sub-agents, from files of their own and from the session's own file. */
  async subAgents(ref: SessionRef, signal?: AbortSignal): Promise<SubAgentConversation[]> {
    const { estimator } = this;
    const { sources, claude } = this.parts;
    const { file, agents } = await sources.locate(ref, signal);
    const found: SubAgentConversation[] = [];
    for (const { path } of agents) {
      const conversation = await readConversation(claude, path, { estimator }, signal);
      const agentId = conversation.meta.agentId ?? path.replace(/^.*[/\\](?:agent-)?|\.jsonl$/g, '');
      found.push({ agentId, file: path, title: agentTitle(agentId, conversation.messages), conversation });
    }
    const session = await readConversation(claude, file.path, { estimator }, signal);
    for (const { id, toolUseId, description, ...thread } of session.agents) {
      // What the session's own file says about itself is not about its agents.
      const conversation = { ...session, ...thread, events: [], agents: [], titles: { foreign: [] } };
      const title = description ?? agentTitle(id, thread.messages);
      found.push({ agentId: id, file: file.path, title, conversation, toolUseId });
    }
    return found;
  }

  /** Messages of the live conversation from index `from` to `to`, both included. */
  async messages(
    ref: SessionRef,
    { from = 0, to = Infinity }: MessageRange = {},
    signal?: AbortSignal,
  ): Promise<MessageRow[]> {
    const { messages } = await this.conversation(ref, signal);
    return messages.filter(({ index }) => index >= from && index <= to).map(messageRow);
  }

  /**
   * Counts sessions exactly, newest first, one after the other: background work that leaves the machine to others. What
   * was counted before, for the same size and date, is told at once.
   */
  async countExact(
    refs: readonly SessionRef[],
    onCounted: (ref: SessionRef, figure: TokenFigure) => void,
    signal?: AbortSignal,
  ): Promise<void> {
    const { sources, log } = this.parts;
    const located = (await sources.locateAll(refs, signal)).filter((source) => source !== undefined);
    for (const source of located.sort(newestFirst)) {
      signal?.throwIfAborted();
      try {
        const { stats } = await sources.stats(source, 'exact', signal);
        onCounted(source.ref, { count: stats.tokens, kind: stats.counting });
      } catch (error) {
        if (!(error instanceof TranscriptUnreadableError)) throw error;
        log.debug(`${source.file.path} stays estimated: ${error.message}`);
      }
    }
  }

  /** How our token figures relate to those of each model, from the transcripts that were read so far. */
  async calibration(projectId?: string): Promise<Calibration[]> {
    return calibrateFromCache(this.parts, projectId);
  }
}

function readerFigures({ account, end }: SessionStats, fileBytes: number): ReaderFigures {
  const unreadBytes = fileBytes - end.offset;
  return { ...account, ...(unreadBytes > 0 && { unfinished: { line: end.line + 1, bytes: unreadBytes } }) };
}

function messageRow(message: Message): MessageRow {
  const { index, uuid, role, timestamp, text, tokens, resultTokens, tools } = message;
  return {
    index,
    uuid,
    role,
    timestamp: timestamp ?? '',
    text,
    tokens: tokens + resultTokens,
    tools: tools.map(({ name, target }) => ({ name, target })),
  };
}

const AGENT_TITLE_CHARS = 80;

/** An agent is called by what it was asked. */
function agentTitle(agentId: string, messages: readonly Message[]): string {
  const asked = (messages[0]?.text ?? '')
    .slice(0, AGENT_TITLE_CHARS * 4)
    .replace(/\s+/g, ' ')
    .trim();
  if (asked === '') return `Agent ${agentId}`;
  return asked.length > AGENT_TITLE_CHARS ? `${asked.slice(0, AGENT_TITLE_CHARS - 1)}…` : asked;
}

function newestFirst(a: SessionSource, b: SessionSource): number {
  return b.file.mtimeMs - a.file.mtimeMs;
}
