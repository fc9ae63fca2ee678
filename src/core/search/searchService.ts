import type { MemoryStore } from '../model/memoryStore';
import type { OnProgress, SessionRef } from '../sessions/results';
import { readSaid, type SaidMessage, type SaidMessagesParts, type SaidReading } from './saidMessages';
import { type DocumentSource, type SearchDocument, type SearchKind, SearchError } from './searchDocument';
import { DocumentFilter, type SearchFilter } from './searchFilter';
import { parseQuery, type SearchQuery } from './searchQuery';
import { TermMatcher, type MatchPlace } from './termMatcher';

interface SearchServiceParts extends SaidMessagesParts {
  readonly store: Pick<MemoryStore, 'listProjects' | 'readManifest'>;
}

export interface SearchRequest extends SearchFilter {
  /** Words in any language; what stands in quotation marks has to be there as it is. */
  readonly query: string;
  /** All projects in memory when absent. */
  readonly projectIds?: readonly string[] | undefined;
  /** 20 when absent. */
  readonly limit?: number | undefined;
  /** So many of the best are passed over. */
  readonly offset?: number | undefined;
  /** Characters of a snippet; 240 when absent. */
  readonly snippetLength?: number | undefined;
}

/** Something that was found. */
export interface SearchHit {
  /** Higher is better; comparable inside one answer alone. */
  readonly score: number;
  readonly kind: SearchKind;
  readonly projectId: string;
  /** As it is called where it is kept: a fact's id, `master.md#3`, a message's uuid. */
  readonly id: string;
  readonly sessionId?: string;
  readonly messageUuid?: string | undefined;
  readonly timestamp?: string | undefined;
  readonly title?: string | undefined;
  readonly role?: 'user' | 'assistant';
  readonly weight?: number;
  readonly snippet: string;
  /** Offsets of what was looked for in the snippet. */
  readonly matches: Snippet['matches'];
  readonly files: readonly string[];
}

export interface SearchResult {
  readonly results: readonly SearchHit[];
  /** Also those that the limit left out. */
  readonly total: number;
  /** Sessions that were not read yet, because there was too much at once: searching again goes on with them. */
  readonly unread: number;
  /** What could not be read, and why. */
  readonly failed: readonly { readonly what: string; readonly error: string }[];
}

const USUAL_LIMIT = 20;
const DOCUMENTS_PER_SLICE = 200;

/**
 * Looks for words in all that is kept of projects: facts, keepits, notes, rolling memory, concepts, exchanges, compositions, and what was
 * said in sessions in memory. Writes nothing but what it remembers of transcripts. The same memory gives the same answer.
 */
export class SearchService {
  constructor(
    private readonly parts: SearchServiceParts,
    private readonly known: DocumentSource,
  ) {}

  /** Throws `SearchError` for a query without anything to look for. */
  async search(request: SearchRequest, onProgress?: OnProgress, signal?: AbortSignal): Promise<SearchResult> {
    const query = parseQuery(request.query);
    if (query.literal === '') throw new SearchError('empty-query');
    const filter = new DocumentFilter(request);
    const ranking = new Ranking(query, filter);
    const reading: SaidReading = { unread: 0, failed: [] };
    const failed: { what: string; error: string }[] = [];
    const projectIds = request.projectIds ?? (await this.parts.store.listProjects());
    let added = 0;
    const add = async (document: SearchDocument): Promise<void> => {
      ranking.add(document);
      added += 1;
      if (added % DOCUMENTS_PER_SLICE !== 0) return;
      signal?.throwIfAborted();
    };
    const refs: SessionRef[] = [];
    for (const projectId of projectIds) {
      signal?.throwIfAborted();
      const manifest = await this.parts.store.readManifest(projectId);
      const known = this.known.read(projectId, manifest, {
        takes: (kind) => filter.takes(kind),
        failed: (what, error) => failed.push({ what, error: `${error.message} ${error.hint}` }),
      });
      for await (const document of known) await add(document);
      const sessions = Object.values(manifest?.sessions ?? {}).filter(({ sessionId }) =>
        filter.takesSession(sessionId),
      );
      sessions.sort((a, b) => (a.lastTimestamp < b.lastTimestamp ? 1 : -1));
      refs.push(...sessions.map(({ sessionId }) => ({ projectId, sessionId })));
    }
    if (filter.takes('message')) {
      let done = 0;
      for await (const { ref, messages } of readSaid(this.parts, refs, reading, signal)) {
        onProgress?.({ step: 'search', done: done++, total: refs.length, label: ref.sessionId });
        for (const message of messages) await add(messageDocument(ref, message));
      }
    }
    const ranked = ranking.ranked();
    const matcher = new TermMatcher(query);
    const { offset = 0, limit = USUAL_LIMIT, snippetLength } = request;
    return {
      results: ranked.slice(offset, offset + limit).map((one) => hitOf(one, matcher, snippetLength)),
      total: ranked.length,
      unread: reading.unread,
      failed: [...failed, ...reading.failed.map(({ session, error }) => ({ what: session, error }))],
    };
  }
}

function messageDocument({ projectId, sessionId }: SessionRef, message: SaidMessage): SearchDocument {
  const { uuid, role, timestamp, text, steps, files } = message;
  return {
    kind: 'message',
    projectId,
    id: uuid,
    text,
    aside: steps.join('\n'),
    sessionId,
    messageUuid: uuid,
    timestamp,
    files,
    topics: [],
    role,
  };
}

function hitOf({ document, score }: Ranked, matcher: TermMatcher, snippetLength?: number): SearchHit {
  const { text, aside = '', topics: _topics, ...rest } = document;
  const places = matcher.places(text);
  const isAside = places.length === 0 && aside !== '';
  const { text: snippet, matches } = isAside
    ? snippetOf(aside, matcher.places(aside), snippetLength)
    : snippetOf(text, places, snippetLength);
  return { score, ...rest, snippet, matches };
}

/** A piece of a text in one line, with the words that were found. */
interface Snippet {
  readonly text: string;
  /** UTF-16 offsets in `text`, in order, without overlaps. */
  readonly matches: readonly (readonly [number, number])[];
}

const LENGTH = 240;
const BEFORE = 60;
const ELLIPSIS = '…';
/** What moves a cursor or ends a line is nothing to show. */
const SPACE = /[\s\p{Cc}]+/gu;

/** The piece of a text that holds the most of what was looked for; its beginning where nothing was. */
export function snippetOf(text: string, places: readonly MatchPlace[], length = LENGTH): Snippet {
  const inOrder = [...places].sort((a, b) => a.start - b.start || a.end - b.end);
  const first = bestPlace(inOrder, length);
  const start = first === undefined || text.length <= length ? 0 : startNear(text, Math.max(0, first.start - BEFORE));
  const end = start + length >= text.length ? text.length : endNear(text, start + length);
  const cut: MatchPlace[] = [];
  for (const place of inOrder) {
    if (place.start < start || place.end > end || place.start < (cut.at(-1)?.end ?? start)) continue;
    cut.push(place);
  }
  return inOneLine(text, { start, end }, cut);
}

/** The place from which on the most different words are near; of several, the first one. */
function bestPlace(places: readonly MatchPlace[], length: number): MatchPlace | undefined {
  let best: MatchPlace | undefined;
  let most = 0;
  for (const [index, place] of places.entries()) {
    const near = new Set<number>();
    for (let at = index; at < places.length; at++) {
      const other = places[at];
      if (other === undefined || other.end > place.start + length - BEFORE) break;
      near.add(other.term);
    }
    if (near.size > most) [best, most] = [place, near.size];
  }
  return best ?? places[0];
}

/** A little further on, where a word begins; never inside a character. */
function startNear(text: string, at: number): number {
  const space = text.slice(at, at + BEFORE / 2).search(/\s/);
  const start = at === 0 || space === -1 ? at : at + space + 1;
  return isInsidePair(text, start) ? start + 1 : start;
}

function endNear(text: string, at: number): number {
  const tail = text.slice(at - BEFORE / 2, at);
  const space = tail.search(/\s\S*$/);
  const end = space === -1 ? at : at - tail.length + space;
  return isInsidePair(text, end) ? end - 1 : end;
}

function isInsidePair(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/** White space becomes single spaces; the places move along. */
function inOneLine(
  text: string,
  { start, end }: { start: number; end: number },
  places: readonly MatchPlace[],
): Snippet {
  let line = start > 0 ? ELLIPSIS : '';
  const add = (from: number, to: number): void => {
    const piece = text.slice(from, to).replace(SPACE, ' ');
    line += /(?:^|\s)$/.test(line) ? piece.trimStart() : piece;
  };
  let at = start;
  const matches: [number, number][] = [];
  for (const place of places) {
    add(at, place.start);
    const from = line.length;
    add(place.start, place.end);
    matches.push([from, line.length]);
    at = place.end;
  }
  add(at, end);
  line = line.trimEnd();
  return { text: end < text.length ? `${line}${ELLIPSIS}` : line, matches };
}

/** A document that was found. */
interface Ranked {
  readonly document: SearchDocument;
  readonly score: number;
}

/** BM25's usual figures; texts of all lengths stand beside each other, so length counts less than usual. */
const SATURATION = 1.2;
const LENGTH_SHARE = 0.4;
const TITLE_FACTOR = 2;
const ASIDE_FACTOR = 0.5;
const LITERAL_FACTOR = 1.5;
/** What it adds that all words of a query stand beside each other in its order. */
const NEAR_SHARE = 0.1;

/** What somebody has judged, or put together, says more than one message among many. */
const kindFactors: Readonly<Record<SearchKind, number>> = {
  fact: 1.5,
  keepit: 1.4,
  note: 1.2,
  memory: 1,
  concept: 0.9, // its name repeats the words of what it is about
  exchange: 1.1,
  composition: 0.7,
  message: 1,
};

interface Candidate {
  readonly document: SearchDocument;
  readonly isLiteral: boolean;
  readonly neighbours: number;
  readonly counts: readonly number[];
  readonly length: number;
}

/** Takes documents one by one, and ranks those that match a query by BM25. The same documents in any order give the same ranking. */
export class Ranking {
  private readonly candidates: Candidate[] = [];
  private readonly matcher: TermMatcher;
  private readonly frequencies: number[];
  private documents = 0;
  private characters = 0;

  constructor(
    private readonly query: SearchQuery,
    private readonly filter: DocumentFilter,
  ) {
    this.matcher = new TermMatcher(query);
    this.frequencies = query.terms.map(() => 0);
  }

  add(document: SearchDocument): void {
    const length = document.text.length;
    this.documents += 1;
    this.characters += length;
    const { text, title = '', aside = '' } = document;
    const found = [
      { factor: 1, match: this.matcher.match(text) },
      { factor: TITLE_FACTOR, match: title === '' ? undefined : this.matcher.match(title) },
      { factor: ASIDE_FACTOR, match: aside === '' ? undefined : this.matcher.match(aside) },
    ];
    if (found.every(({ match }) => match === undefined)) return;
    const isLiteral = found.some(({ match }) => match?.isLiteral === true);
    const neighbours = Math.max(...found.map(({ match }) => match?.neighbours ?? 0));
    const counts = this.query.terms.map((_, index) =>
      found.reduce((sum, { factor, match }) => sum + factor * (match?.counts[index] ?? 0), 0),
    );
    for (const [index, count] of counts.entries()) {
      if (count > 0) this.frequencies[index] = (this.frequencies[index] ?? 0) + 1;
    }
    if (this.filter.passes(document)) this.candidates.push({ document, isLiteral, neighbours, counts, length });
  }

  /** The best first. What speaks of the same message is there once, at its best. */
  ranked(): Ranked[] {
    const rarities = this.frequencies.map((frequency) =>
      Math.log(1 + (this.documents - frequency + 0.5) / (frequency + 0.5)),
    );
    const usual = this.documents === 0 ? 1 : Math.max(1, this.characters / this.documents);
    const pairs = Math.max(1, this.query.terms.length - 1);
    const all = this.candidates.map(({ document, isLiteral, neighbours, counts, length }): Ranked => {
      const part = LENGTH_SHARE * (length / usual) + 1 - LENGTH_SHARE;
      const nearness = 1 + (NEAR_SHARE * neighbours) / pairs;
      const score = scoreOf(counts, rarities, SATURATION * part) * nearness * factorOf(document, isLiteral);
      return { document, score: Math.round(score * 1e4) / 1e4 };
    });
    return eachOnce(all.sort(byRank));
  }
}

/** BM25, times the share of the query that is there at all. Phrases alone are worth one. */
function scoreOf(counts: readonly number[], rarities: readonly number[], damping: number): number {
  if (counts.length === 0) return 1;
  let score = 0;
  let found = 0;
  let total = 0;
  for (const [index, count] of counts.entries()) {
    const rarity = rarities[index] ?? 0;
    total += rarity;
    if (count === 0) continue;
    found += rarity;
    score += (rarity * count * (SATURATION + 1)) / (count + damping);
  }
  return total === 0 ? score : score * (found / total);
}

function factorOf({ kind, weight = 0 }: SearchDocument, isLiteral: boolean): number {
  return kindFactors[kind] * (1 + weight / 2) * (isLiteral ? LITERAL_FACTOR : 1);
}

function byRank(a: Ranked, b: Ranked): number {
  return (
    b.score - a.score ||
    compare(b.document.timestamp ?? '', a.document.timestamp ?? '') ||
    compare(documentKey(a.document), documentKey(b.document))
  );
}

/** A resumed session holds the messages of the one before, and a request is a message as well. */
function eachOnce(ranked: readonly Ranked[]): Ranked[] {
  const seen = new Set<string>();
  return ranked.filter(({ document: { kind, messageUuid } }) => {
    if (messageUuid === undefined || kind === 'fact') return true;
    const isNew = !seen.has(messageUuid);
    seen.add(messageUuid);
    return isNew;
  });
}

function documentKey({ projectId, kind, sessionId = '', id }: SearchDocument): string {
  return [projectId, kind, sessionId, id].join('\n');
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
