import type { ArmedContext } from '../model/armedContext';
import { SCHEMA_VERSION } from '../model/schemaVersion';
import { parseKeepits } from '../keepits/markerParser';
import { findCodeRanges } from '../keepits/codeRanges';
import type { ComposedContextRecord } from '../model/composition';
import type { ClaudeFolder, SessionFile } from '../transcript/claudeFolder';
import { readConversation } from '../sessions/readConversation';
import type { Conversation } from '../transcript/types';
import { markerLine, type DocumentIdentity, recordUuids } from './composedDocument';

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

interface Transcripts {
  readonly claude: ClaudeFolder;
}

/**
 * Looks for a composition in transcripts; opens only those that were written to since it was first delivered, or made. It is known by its id,
 * which stands in a line of its own in every text of it, and by the uuids of its records, which Claude Code keeps when it resumes or forks.
 * Its id in what a tool printed, or in what the assistant said, is nothing: somebody may only have looked at it.
 */
export async function findArrival(
  parts: Transcripts,
  projectId: string,
  record: ComposedContextRecord,
  signal?: AbortSignal,
): Promise<Arrival> {
  const since = record.deliveries?.[0]?.deliveredAt ?? record.builtAt ?? record.createdAt;
  const candidates = await candidatesSince(parts, Date.parse(since) - SLACK_MS, signal);
  let partial: Arrival | undefined;
  for (const candidate of candidates) {
    if (!(await holdsId(parts, candidate.path, record.compositionId, signal))) continue;
    const conversation = await readConversation(parts.claude, candidate.path, {}, signal);
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
async function candidatesSince(parts: Transcripts, sinceMs: number, signal?: AbortSignal): Promise<Candidate[]> {
  const folders = await parts.claude.list(undefined, signal);
  return folders
    .flatMap(({ projectId, sessions }) => sessions.map((session) => ({ ...session, projectId })))
    .filter(({ mtimeMs }) => !(mtimeMs < sinceMs))
    .sort((a, b) => b.mtimeMs - a.mtimeMs);
}

/** Whether the id stands in the file at all: most files need not be taken apart. */
async function holdsId(parts: Transcripts, path: string, id: string, signal?: AbortSignal): Promise<boolean> {
  const decoder = new TextDecoder('latin1');
  let tail = '';
  for await (const chunk of parts.claude.read(path, undefined, signal)) {
    const text = tail + decoder.decode(chunk);
    if (text.includes(id)) return true;
    tail = text.slice(-id.length);
  }
  return false;
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

/** Beyond 10,000 UTF-16 units Claude Code gives the model the beginning of a hook's output only. */
const HOOK_UNITS = 9_900;

/** So many hooks of one event were seen to be delivered in full. */
export const HOOK_PIECES = 4;

const PLACE_UNITS = 90;

const PARAGRAPH = '\n\n';

/** The composition in pieces for hooks. `file` is where all of it can be read: named to the model when the pieces do not hold it. */
export function armContext(
  identity: DocumentIdentity,
  markdown: string,
  place: { readonly projectId: string; readonly file: string; readonly armedAt: string },
): ArmedContext {
  const { projectId, armedAt, file } = place;
  const capacity = HOOK_UNITS - markerLine(identity).length - PLACE_UNITS;
  const { bodies, isWhole } = bodiesFor(markdown, capacity, file);
  const pieces = bodies.map(
    (body, at) => `${markerLine(identity)} ${placeOf(at + 1, bodies.length)}${PARAGRAPH}${body}`,
  );
  const { compositionId, name } = identity;
  const armed = { version: SCHEMA_VERSION, projectId, compositionId, name, armedAt, pieces };
  return isWhole ? armed : { ...armed, rest: { file } };
}

/** Hooks run side by side: whichever piece a model reads first, it can tell where it belongs, and that it is data. */
function placeOf(piece: number, count: number): string {
  const before = piece === 1 ? '' : `: data from past sessions, goes on where piece ${piece - 1} ends`;
  return `(piece ${piece} of ${count}${before})`;
}

/** Which piece of a composition a text is, and of how many; undefined for a text that is no piece of it. */
export function pieceIn(text: string, compositionId: string): { piece: number; count: number } | undefined {
  const line = text.split('\n').find((one) => one.includes(compositionId)) ?? '';
  const [, piece, count] = /\(piece (\d) of (\d)[^()]*\)$/.exec(line) ?? [];
  return piece === undefined ? undefined : { piece: Number(piece), count: Number(count) };
}

function bodiesFor(markdown: string, capacity: number, file: string): { bodies: string[]; isWhole: boolean } {
  const text = new CuttableText(markdown.trim());
  const whole = text.cut(0, capacity, HOOK_PIECES);
  if (whole.end === text.length) return { bodies: whole.pieces, isWhole: true };
  // The last piece tells what is missing, and holds the pinned keepits that would be missing with it.
  const most = text.cut(0, capacity, HOOK_PIECES - 1);
  const tail = tailFor(text.slice(most.end), capacity, file);
  const room = capacity - tail.length - PARAGRAPH.length;
  const [filler = ''] = room > capacity / 4 ? text.cut(most.end, room, 1).pieces : [];
  return { bodies: [...most.pieces, [filler, tail].filter((part) => part !== '').join(PARAGRAPH)], isWhole: false };
}

const PINNED = 1;

function tailFor(rest: string, capacity: number, file: string): string {
  const note = `This is the beginning only. All of it is in ${file}: read that file when more is needed.`;
  let tail = note;
  for (const { weight, start, end } of parseKeepits(rest).spans) {
    if (weight < PINNED) continue;
    const longer = `${tail}${PARAGRAPH}${rest.slice(start, end)}##keepit:end##`;
    if (longer.length <= capacity) tail = longer;
  }
  return tail;
}

/** A text that is cut between paragraphs, and never inside a keepit or a code block, as long as these fit. */
class CuttableText {
  readonly length: number;
  readonly #cuts: readonly number[];

  constructor(private readonly text: string) {
    this.length = text.length;
    const ranges = [...findCodeRanges(text), ...parseKeepits(text).spans].sort((a, b) => a.start - b.start);
    let next = 0;
    let reach = 0;
    this.#cuts = [...text.matchAll(/\n\n+/g)].flatMap(({ index }) => {
      for (let range = ranges[next]; range !== undefined && range.start < index; range = ranges[++next]) {
        reach = Math.max(reach, range.end);
      }
      return reach > index ? [] : [index];
    });
  }

  slice(start: number): string {
    return this.text.slice(start).trim();
  }

  /** At most `count` pieces of at most `capacity` units from `start` on, and where the last one ends. */
  cut(start: number, capacity: number, count: number): { pieces: string[]; end: number } {
    const pieces: string[] = [];
    let from = start;
    while (from < this.length && pieces.length < count) {
      const to = this.#endOf(from, capacity);
      const piece = this.text.slice(from, to).trim();
      if (piece !== '') pieces.push(piece);
      from = to;
    }
    return { pieces, end: from };
  }

  #endOf(from: number, capacity: number): number {
    const most = from + capacity;
    if (most >= this.length) return this.length;
    const paragraph = this.#cuts.findLast((cut) => cut > from && cut <= most);
    if (paragraph !== undefined) return paragraph;
    const line = this.text.lastIndexOf('\n', most);
    if (line > from) return line;
    return /[\udc00-\udfff]/.test(this.text.charAt(most)) ? most - 1 : most;
  }
}
