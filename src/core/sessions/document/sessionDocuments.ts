import { findKeepits, type FoundKeepits } from '../../keepits/effectiveKeepits';
import type { DetailLimits, OpenExcerpts } from '../../material/toolDetails';
import type { Conversation } from '../../transcript/types';
import type { DiscoveryService } from '../discovery';
import { SessionLookupError } from '../sessionLookupError';
import type { SessionRef } from '../results';
import { Formats, titleOf } from '../../text/formats';
import type { SessionViews } from '../sessionViews';
import type { TranscriptDocument } from './transcriptDocument';

interface DocumentRequest {
  /** A sub-agent of the session. */
  readonly agentId?: string | undefined;
  /** For dates and numbers. */
  readonly locale: string;
  /** How much of each step is shown; one line each, without details, when absent. */
  readonly details?: DetailLimits | undefined;
}

/** A session, or one of its sub-agents, as people read it. */
export interface SessionDocument {
  /** The transcript file that the records are in. */
  readonly file: string;
  readonly title: string;
  readonly projectName: string;
  readonly document: TranscriptDocument;
  /** The conversation's messages in order: their uuids, and the records that they begin with. */
  readonly messages: readonly { readonly uuid: string; readonly line: number }[];
  /** The keepits in it, as they are written; those of a sub-agent's transcript do not count. */
  readonly found: FoundKeepits;
  /** How far the file was read. */
  readonly readBytes: number;
}

interface SessionDocumentsParts {
  readonly discovery: DiscoveryService;
  readonly views: SessionViews;
  /** Reads pieces of one transcript; whoever opens it closes it. */
  readonly openExcerpts: OpenExcerpts;
}

/** Renders sessions. What of a conversation people do not see stays where it was read: large ones are slow to hand over. */
export class SessionDocuments {
  constructor(private readonly parts: SessionDocumentsParts) {}

  async document(ref: SessionRef, request: DocumentRequest, signal?: AbortSignal): Promise<SessionDocument> {
    const { agentId, locale, details } = request;
    const { conversation, file, title, projectName } = await this.source(ref, agentId, signal);
    const { renderTranscript } = await import('./renderTranscript'); // most programs show no documents
    const excerpts = this.parts.openExcerpts(file);
    try {
      const sessionId = agentId ?? ref.sessionId;
      const formats = new Formats({ locale });
      const options = { title, projectName, sessionId, isAgent: agentId !== undefined, formats, details };
      return {
        file,
        title,
        projectName,
        document: await renderTranscript(conversation, options, excerpts, signal),
        messages: conversation.messages.map(({ uuid, line }) => ({ uuid, line })),
        found: findKeepits(conversation),
        readBytes: conversation.end.offset,
      };
    } finally {
      await excerpts.close();
    }
  }

  private async source(
    { projectId, sessionId }: SessionRef,
    agentId: string | undefined,
    signal?: AbortSignal,
  ): Promise<{ conversation: Conversation; file: string; title: string; projectName: string }> {
    const { discovery, views } = this.parts;
    const { projects } = await discovery.discover({ projectIds: [projectId], sessionId }, signal);
    const session = projects[0]?.sessions.find((candidate) => candidate.sessionId === sessionId);
    if (session === undefined) throw new SessionLookupError('not-found', sessionId);
    const projectName = projects[0]?.displayName ?? projectId;
    if (agentId !== undefined) {
      const agent = (await views.subAgents(session, signal)).find((candidate) => candidate.agentId === agentId);
      if (agent === undefined) throw new SessionLookupError('not-found', agentId);
      return { conversation: agent.conversation, file: agent.file, title: agent.title, projectName };
    }
    const conversation = await views.conversation(session, signal);
    return { conversation, file: session.file, title: titleOf(session), projectName };
  }
}
