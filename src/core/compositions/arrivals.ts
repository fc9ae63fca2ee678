import type { ComposedContextRecord } from '../model/composition';
import type { ClaudeFolder, SessionFile } from '../transcript/claudeFolder';
import type { ConversationLoader } from '../sessions/conversationLoader';
import { uncounted } from '../transcript/uncounted';
import type { Conversation } from '../transcript/types';
import { pieceIn } from './armedContext';
import { recordUuids } from './composedDocument';

/** Whether a composition reached a session. `unknown`: no session was written to since it was delivered. */
export interface Arrival {
  readonly arrived: boolean | 'unknown';
  /** The newest session that holds it, or a part of it. */
  readonly sessionId?: string;
  /** For people: how that is known. */
  readonly evidence: string;
}

interface Candidate extends SessionFile {
  readonly projectId: string;
}

/** Transcripts are written late and clocks are coarse. */
const SLACK_MS = 5000;

/**
 * Looks for compositions in transcripts. A composition is known by its id, which stands in a line of its own in every text of it, and by the
 * uuids of its records, which Claude Code keeps when it resumes or forks. Its id in what a tool printed, or in what the assistant said, is
 * nothing: somebody may only have looked at it.
 */
export class Arrivals {
  constructor(private readonly parts: { readonly claude: ClaudeFolder; readonly loader: ConversationLoader }) {}

  /** Opens only transcripts that were written to since the composition was first delivered, or made. */
  async find(projectId: string, record: ComposedContextRecord, signal?: AbortSignal): Promise<Arrival> {
    const since = record.deliveries?.[0]?.deliveredAt ?? record.builtAt ?? record.createdAt;
    const candidates = await this.#candidates(Date.parse(since) - SLACK_MS, signal);
    let partial: Arrival | undefined;
    for (const candidate of candidates) {
      if (!(await this.#holds(candidate.path, record.compositionId, signal))) continue;
      const conversation = await this.parts.loader.load(candidate.path, { estimator: uncounted }, signal);
      const found = evidenceIn(conversation, record);
      if (found?.arrived === true) return { ...found, sessionId: candidate.sessionId };
      if (found !== undefined) partial ??= { ...found, sessionId: candidate.sessionId };
    }
    const before = record.usedInSessions.at(-1);
    if (before !== undefined) return { arrived: true, sessionId: before, evidence: 'it was found there before' };
    if (partial !== undefined) return partial;
    return nowhere(record, candidates.filter((candidate) => candidate.projectId === projectId).length);
  }

  /** Of all projects, since a transcript can be resumed anywhere; the newest first. */
  async #candidates(sinceMs: number, signal?: AbortSignal): Promise<Candidate[]> {
    const folders = await this.parts.claude.list(undefined, signal);
    return folders
      .flatMap(({ projectId, sessions }) => sessions.map((session) => ({ ...session, projectId })))
      .filter(({ mtimeMs }) => !(mtimeMs < sinceMs))
      .sort((a, b) => b.mtimeMs - a.mtimeMs);
  }

  /** Whether the id stands in the file at all: most files need not be taken apart. */
  async #holds(path: string, id: string, signal?: AbortSignal): Promise<boolean> {
    const decoder = new TextDecoder('latin1');
    let tail = '';
    for await (const chunk of this.parts.claude.read(path, undefined, signal)) {
      const text = tail + decoder.decode(chunk);
      if (text.includes(id)) return true;
      tail = text.slice(-id.length);
    }
    return false;
  }
}

/** `own`: the sessions of its project in which it was looked for. */
function nowhere({ deliveries = [] }: ComposedContextRecord, own: number): Arrival {
  if (own === 0) {
    const what = deliveries.length === 0 ? 'made; it was not delivered by Keepit' : 'delivered';
    return { arrived: 'unknown', evidence: `no session of the project was written to since it was ${what}` };
  }
  const sessions = own === 1 ? 'one session' : `${own} sessions`;
  return { arrived: false, evidence: `it is in none of the ${sessions} of the project written to since` };
}

/** How a conversation got a composition, in whatever order its pieces came; undefined when it only speaks of it. */
function evidenceIn(
  { messages, events }: Conversation,
  { compositionId, builtAt, createdAt, totalMessages }: ComposedContextRecord,
): Pick<Arrival, 'arrived' | 'evidence'> | undefined {
  const own = new Set(recordUuids({ compositionId, builtAt: builtAt ?? createdAt }, totalMessages));
  if (messages.some(({ lineUuids }) => lineUuids.some((uuid) => own.has(uuid)))) {
    return { arrived: true, evidence: 'the session goes on from its records' };
  }
  const hooks = events.filter(({ kind, text }) => kind === 'hookContext' && text.includes(compositionId));
  if (messages.some(({ role, text }) => role === 'user' && text.includes(compositionId))) {
    return { arrived: true, evidence: 'it stands in what the user sent' };
  }
  const [hook] = hooks;
  if (hook === undefined) return undefined;
  const by = `(${hook.source ?? 'hook'})`;
  const pieces = hooks.map(({ text }) => pieceIn(text, compositionId)).filter((piece) => piece !== undefined);
  const there = new Set(pieces.map(({ piece }) => piece));
  const count = pieces[0]?.count ?? 0;
  if (there.size >= count) return { arrived: true, evidence: `a hook handed it over ${by}` };
  const numbers = [...there].sort().join(', ');
  return { arrived: false, evidence: `of its ${count} pieces only ${numbers} came through ${by}` };
}
