import { nextPartNumber, partsOf } from './sessionParts';
import { ExactEstimator } from '../text/tokens/exactEstimator';
import { TokenRanksError } from '../text/tokens/tokenRanksError';
import type { Clock, Log } from '../model/host';
import type { ClaudeFolder } from '../transcript/claudeFolder';
import type { SummaryCache } from './summaryCache';
import type { TokenCounters } from '../text/tokens/tokenCounter';
import { redactionsOf } from '../model/cleanManifest';
import type { Conversation, Message } from '../transcript/types';
import type { TokenEstimator } from '../text/tokens/tokenCounter';
import type { ConversationLoader } from './conversationLoader';
import type { DigestReader } from './digestReader';
import { discoveredSession } from './discoveredSession';
import { calibrateFromCache } from './projectCalibration';
import type { MessageRow, ReaderFigures, SessionDetails, SessionRef, SubAgentConversation } from './results';
import type { SessionSources } from './sessionSources';
import type { TranscriptDigest } from './transcriptDigest';

export interface SessionViewsParts {
  claude: ClaudeFolder;
  cache: SummaryCache;
  clock: Clock;
  tokens: TokenCounters;
  log: Log;
  sources: SessionSources;
  digests: DigestReader;
  loader: ConversationLoader;
  estimator: TokenEstimator;
}

/** The first and the last message, both included. */
export interface MessageRange {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** Shows single sessions: their figures, their conversation, their sub-agents. */
export class SessionViews {
  constructor(private readonly parts: SessionViewsParts) {}

  async show(ref: SessionRef, signal?: AbortSignal): Promise<SessionDetails> {
    const { sources, digests, claude, clock, cache } = this.parts;
    const source = await sources.locate(ref, signal);
    const { digest, foreignTitle } = await digests.read(ref.projectId, source.file, 'estimate', signal);
    const { entry, file, agents, isKept, isInFolder } = source;
    const calibrations = await calibrateFromCache({ claude, cache }, ref.projectId);
    const known = discoveredSession(
      ref,
      { file, digest },
      {
        now: clock.now(),
        cleanupPeriodDays: await claude.cleanupPeriodDays(),
        entry,
        isOriginalGone: isKept,
        isInFolder,
        foreignTitle,
        agents,
        calibrations: new Map(calibrations.map((calibration) => [calibration.model, calibration])),
      },
    );
    const parts = entry === undefined ? [] : partsOf(entry);
    const uncompressed = Math.max(0, known.messages - ((parts.at(-1)?.messageRange[1] ?? -1) + 1));
    return {
      session: entry ?? known,
      registered: entry !== undefined,
      ...(known.claudeTokens !== undefined && { claudeTokens: known.claudeTokens }),
      delta: { newMessages: known.newMessages, uncompressed, nextPart: nextPartNumber(parts) },
      reader: readerFigures(digest, file.bytes),
      redacted: entry === undefined ? [] : redactionsOf(entry),
    };
  }

  /** From Claude Code's file, else from the kept original. Token figures are estimates. */
  async conversation(ref: SessionRef, signal?: AbortSignal): Promise<Conversation> {
    const { file } = await this.parts.sources.locate(ref, signal);
    return this.parts.loader.load(file.path, { estimator: this.parts.estimator }, signal);
  }

  /** The dialogues of sub-agents, from files of their own and from the session's own file. */
  async subAgents(ref: SessionRef, signal?: AbortSignal): Promise<SubAgentConversation[]> {
    const { sources, loader, estimator } = this.parts;
    const { file, agents } = await sources.locate(ref, signal);
    const found: SubAgentConversation[] = [];
    for (const { path } of agents) {
      const conversation = await loader.load(path, { estimator }, signal);
      const agentId = conversation.facts.agentId ?? path.replace(/^.*[/\\](?:agent-)?|\.jsonl$/g, '');
      found.push({ agentId, file: path, title: agentTitle(agentId, conversation.messages), conversation });
    }
    const session = await loader.load(file.path, { estimator }, signal);
    for (const { id, toolUseId, description, ...thread } of session.agents) {
      // What the session's own file says about itself is not about its agents.
      const conversation = { ...session, ...thread, events: [], agents: [], titles: { foreign: [] } };
      const title = description ?? agentTitle(id, thread.messages);
      found.push({ agentId: id, file: file.path, title, conversation, ...(toolUseId !== undefined && { toolUseId }) });
    }
    return found;
  }

  /** Messages of the live conversation from index `from` to `to`, both included, with exact tokens. */
  async messages(
    ref: SessionRef,
    { from = 0, to = Infinity }: MessageRange = {},
    signal?: AbortSignal,
  ): Promise<MessageRow[]> {
    const { sources, loader } = this.parts;
    const { file } = await sources.locate(ref, signal);
    const estimator = await this.exactEstimator();
    const { messages } = await loader.load(file.path, { estimator }, signal);
    return messages.filter(({ index }) => index >= from && index <= to).map(messageRow);
  }

  /** What was said is shown even where the data for exact counts is missing. */
  private async exactEstimator(): Promise<TokenEstimator> {
    const { tokens, estimator, log } = this.parts;
    try {
      return new ExactEstimator(await tokens.exact());
    } catch (error) {
      if (!(error instanceof TokenRanksError)) throw error;
      log.warn(`Tokens are estimated: ${error.message}`);
      return estimator;
    }
  }
}

function readerFigures({ account, end }: TranscriptDigest, fileBytes: number): ReaderFigures {
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
