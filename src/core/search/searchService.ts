import type { Clock, MemoryStore } from '../model/host';
import { linksOf } from '../sessions/links';
import type { OnProgress } from '../sessions/results';
import { hash64 } from '../text/hash64';
import { mapLimited } from '../text/mapLimited';
import { askedTime } from './askedDates';
import { Answers, type SearchHit } from './answers';
import { besides, inMemory, rank, type Found, type Searched } from './ranking';
import type { SaidMessagesParts } from './saidMessages';
import { type DocumentSource, type SearchDocument, SearchError } from './searchDocument';
import { DocumentFilter, takenBy, type SearchFilter } from './searchFilter';
import { asSpelt } from './spelling';
import { parseQuery } from './searchQuery';
import { type OpeningReport, SessionTables } from './sessionTables';
import { suggest, type ContextSuggestion, type SuggestionRequest } from './suggestions';

interface SearchServiceParts extends Pick<SaidMessagesParts, 'meaning'> {
  readonly tables: SessionTables;
  readonly store: Pick<MemoryStore, 'listProjects' | 'readManifest'>;
  readonly clock: Clock;
}

export interface SearchRequest extends SearchFilter {
  /** Words in any language; "quoted" ones count more as they are, and what stands after a plus has to be there. Without words a filter is needed: then the newest come first. */
  readonly query: string;
  /** The same in other words, as the project may call it: what several find comes first. */
  readonly queries?: readonly string[] | undefined;
  /** All projects in memory when absent. */
  readonly projectIds?: readonly string[] | undefined;
  /** Also what is linked to these projects. */
  readonly linked?: boolean | undefined;
  /** 20 when absent. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the page before. */
  readonly cursor?: string | undefined;
  /** Characters of a snippet; 240 when absent. */
  readonly snippetLength?: number | undefined;
}

export interface SearchResult {
  readonly results: readonly SearchHit[];
  /** Also those that the limit left out. */
  readonly total: number;
  /** Where the next page begins; absent on the last one. */
  readonly nextCursor?: string | undefined;
  /** Sessions that were not read yet, because there was too much at once: searching again goes on with them. */
  readonly unread: number;
  /** What could not be read, and why. */
  readonly failed: readonly { readonly what: string; readonly error: string }[];
}

const USUAL_LIMIT = 20;
/** Looking which of their sessions have changed takes longer than searching them. */
const PARALLEL_PROJECTS = 8;
/** So many passages are looked at closely; for those who turn more pages than that fills so many times more, and then all. */
const MOST_RANKED = 150;
const CLOSER = 8;
/**
 * Looks for words in all that is kept of projects: facts, keepits, notes, rolling memory, concepts, compositions, and what was said
 * in sessions in memory. Writes nothing but what it remembers of transcripts. The same memory gives the same answer.
 */
export class SearchService {
  private readonly tables: SessionTables;

  constructor(
    private readonly parts: SearchServiceParts,
    private readonly known: DocumentSource,
  ) {
    this.tables = parts.tables;
  }

  /** The sessions that are worth knowing for the work at hand. Throws `SearchError` for a project that is not in memory. */
  suggest(request: SuggestionRequest, signal?: AbortSignal): Promise<ContextSuggestion[]> {
    return this.tables.look(() => suggest({ ...this.parts, known: this.known }, request, signal));
  }

  /** Throws `SearchError` for a query without anything to look for and without a filter, and for a cursor of another search. */
  async search(request: SearchRequest, onProgress?: OnProgress, signal?: AbortSignal): Promise<SearchResult> {
    return this.tables.look(() => this.answer(request, onProgress, signal));
  }

  private async answer(request: SearchRequest, onProgress?: OnProgress, signal?: AbortSignal): Promise<SearchResult> {
    const typed = [request.query, ...(request.queries ?? [])].map(parseQuery);
    const worded = typed.filter(({ literal }) => literal !== '');
    const filter = new DocumentFilter(request);
    if (worded.length === 0 && !filter.isNarrowing) throw new SearchError('empty-query');
    const asked = worded.length === 0 ? typed.slice(0, 1) : worded;
    const from = placeOf(request);
    const report: OpeningReport = { unread: 0, failed: [] };
    const scopes = await this.scopes(request);
    const all = await this.open(scopes, { filter, report, onProgress }, signal);
    signal?.throwIfAborted();
    const queries = asSpelt(
      all.map(({ tables }) => tables),
      asked,
    );
    const isThen = askedTime(queries.map(({ literal }) => literal).join(' '), this.parts.clock.now());
    const isSingle = filter.takes('message') && !filter.takes('exchange');
    const answers = new Answers(queries, isSingle, request.snippetLength);
    const limit = request.limit ?? USUAL_LIMIT;
    const end = from + limit;
    const options = { isThen, isSingle, meaning: await this.parts.meaning(), takes: takenBy(filter, isSingle) };
    const first = Math.max(MOST_RANKED, 3 * limit);
    let found: Found[] = [];
    let total = 0;
    for (const most of answers.areDemanding(filter) ? [undefined] : [first, CLOSER * first, undefined]) {
      const ranked = rank(all, queries, { ...options, most });
      found = [...found, ...(await answers.best(besides(found, ranked.found), filter, signal))];
      total = found.length + ranked.total - ranked.found.length;
      if (found.length > end || total === found.length) break;
    }
    const results: SearchHit[] = [];
    for (const one of found.slice(from, end)) results.push(await answers.hit(one, (hit) => reasonFor(hit, scopes)));
    return {
      results,
      total,
      nextCursor: limit > 0 && end < found.length ? cursorAt(end, request) : undefined,
      unread: report.unread,
      failed: report.failed,
    };
  }

  private async scopes({ projectIds, linked }: SearchRequest): Promise<Scope[]> {
    const { store } = this.parts;
    const own = (projectIds ?? (await store.listProjects())).map((projectId): Scope => ({ projectId }));
    if (linked !== true || projectIds === undefined) return own;
    const manifests = await Promise.all(projectIds.map((projectId) => store.readManifest(projectId)));
    const others = manifests.flatMap(linksOf).map(({ sourceProject, sourceSession, reason }): Scope => {
      return { projectId: sourceProject, sessionId: sourceSession, reason };
    });
    const whole = new Set(others.flatMap(({ projectId, sessionId }) => (sessionId === undefined ? projectId : [])));
    const isNew = ({ projectId, sessionId }: Scope): boolean =>
      !projectIds.includes(projectId) && (sessionId === undefined || !whole.has(projectId));
    return [...own, ...others.filter(isNew)];
  }

  /** All that can be found, and what helps to weigh it. */
  private async open(
    scopes: readonly Scope[],
    wanted: { filter: DocumentFilter; report: OpeningReport; onProgress: OnProgress | undefined },
    signal?: AbortSignal,
  ): Promise<Searched[]> {
    let done = 0;
    const opened = await mapLimited(scopes, PARALLEL_PROJECTS, async (scope) => {
      signal?.throwIfAborted();
      const { projectId } = scope;
      wanted.onProgress?.({ step: 'search', done: done++, total: scopes.length + 1, label: projectId });
      return this.openScope(scope, wanted.filter, signal);
    });
    for (const { report } of opened) {
      wanted.report.unread += report.unread;
      wanted.report.failed.push(...report.failed);
    }
    const documents = opened.flatMap((one) => one.documents);
    return [inMemory(documents, undefined, await this.parts.meaning()), ...opened.flatMap((one) => one.searched)];
  }

  private async openScope({ projectId, sessionId: only }: Scope, filter: DocumentFilter, signal?: AbortSignal) {
    const report: OpeningReport = { unread: 0, failed: [] };
    const manifest = await this.parts.store.readManifest(projectId);
    const isWanted = (sessionId: string | undefined): boolean => only === undefined || only === sessionId;
    const readKnown = async (): Promise<SearchDocument[]> => {
      const known = this.known.read(projectId, manifest, {
        takes: (kind) => filter.takes(kind),
        failed: (what, error) => report.failed.push({ what, error: `${error.message} ${error.hint}` }),
      });
      const documents: SearchDocument[] = [];
      for await (const document of known) if (isWanted(document.sessionId)) documents.push(document);
      return documents;
    };
    const openTables = async (): Promise<Searched[]> => {
      if (!filter.takes('message') && !filter.takes('exchange')) return [];
      const all = Object.keys(manifest?.sessions ?? {});
      const sessionIds = all.filter((sessionId) => filter.takesSession(sessionId) && isWanted(sessionId));
      const sought = { projectId, sessionIds, areAll: all.length === sessionIds.length };
      return this.tables.opened(sought, report, signal);
    };
    const [documents, searched] = await Promise.all([readKnown(), openTables()]);
    return { documents, searched, report };
  }
}

/** A project that is looked through, or one session of it; and why, where it is another one's. */
interface Scope {
  readonly projectId: string;
  readonly sessionId?: string | undefined;
  readonly reason?: string | undefined;
}

/** Why something is found in another project. */
function reasonFor({ projectId, sessionId }: Pick<SearchHit, 'projectId' | 'sessionId'>, scopes: readonly Scope[]) {
  const isOf = (one: Scope): boolean => one.sessionId === undefined || one.sessionId === sessionId;
  return scopes.find((one) => one.projectId === projectId && isOf(one))?.reason;
}

function placeOf(request: SearchRequest): number {
  const { cursor } = request;
  if (cursor === undefined) return 0;
  const place = Number(/^s(\d{1,9})\./.exec(cursor)?.[1]);
  if (Number.isNaN(place) || cursorAt(place, request) !== cursor) throw new SearchError('bad-cursor');
  return place;
}

/** How long ago is counted from now: another time with each page. */
function cursorAt(place: number, request: SearchRequest): string {
  const asked = { ...request, cursor: undefined, limit: undefined, since: undefined, until: undefined };
  return `s${place}.${hash64(JSON.stringify(asked))}`;
}
