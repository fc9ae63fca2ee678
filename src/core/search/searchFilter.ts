import { keywordKey } from '../material/keywords';
import { PathPattern } from './pathPattern';
import { parseQuery } from './searchQuery';
import type { SearchDocument, SearchKind } from './searchDocument';
import { TermMatcher } from './termMatcher';

/** What the answers of a search are narrowed to; what is absent narrows nothing. */
export interface SearchFilter {
  /** At least one of its files has to match one of these: see `PathPattern`. */
  readonly files?: readonly string[] | undefined;
  /** It has to be about all of these. */
  readonly topics?: readonly string[] | undefined;
  /** ISO, both included. What has no time is left out. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  /** Keepits alone, with weights from here to there. */
  readonly weightMin?: number | undefined;
  readonly weightMax?: number | undefined;
  readonly kinds?: readonly SearchKind[] | undefined;
  readonly sessionIds?: readonly string[] | undefined;
}

/** Whether documents pass a filter. */
export class DocumentFilter {
  private readonly files: readonly PathPattern[] | undefined;
  private readonly topics: readonly { key: string; matcher: TermMatcher; words: number }[];

  constructor(private readonly filter: SearchFilter) {
    this.files = filter.files?.map((glob) => new PathPattern(glob));
    this.topics = (filter.topics ?? []).map((topic) => {
      const query = parseQuery(topic);
      return { key: keywordKey(topic), matcher: new TermMatcher(query), words: query.terms.length };
    });
  }

  /** Whether a kind of document can pass at all. */
  takes(kind: SearchKind): boolean {
    const { kinds, weightMin, weightMax } = this.filter;
    if (kinds !== undefined && !kinds.includes(kind)) return false;
    return (weightMin === undefined && weightMax === undefined) || kind === 'keepit';
  }

  /** Whether a session's documents can pass at all. */
  takesSession(sessionId: string): boolean {
    return this.filter.sessionIds?.includes(sessionId) ?? true;
  }

  passes(document: SearchDocument): boolean {
    const { sessionIds } = this.filter;
    if (sessionIds !== undefined && !sessionIds.includes(document.sessionId ?? '')) return false;
    return this.takes(document.kind) && this.isInTime(document) && this.hasWeight(document) && this.isAbout(document);
  }

  private isInTime({ timestamp = '' }: SearchDocument): boolean {
    const { since, until } = this.filter;
    if (since === undefined && until === undefined) return true;
    const ms = Date.parse(timestamp);
    if (Number.isNaN(ms)) return false;
    return (since === undefined || ms >= Date.parse(since)) && (until === undefined || ms <= Date.parse(until));
  }

  private hasWeight({ weight }: SearchDocument): boolean {
    const { weightMin, weightMax } = this.filter;
    if (weightMin === undefined && weightMax === undefined) return true;
    const tolerance = 1e-9; // 0.80 is to pass 0.80
    return weight !== undefined && weight >= (weightMin ?? 0) - tolerance && weight <= (weightMax ?? 1) + tolerance;
  }

  private isAbout(document: SearchDocument): boolean {
    const isWanted = (path: string): boolean => this.files?.some((pattern) => pattern.matches(path)) ?? true;
    if (this.files !== undefined && !document.files.some(isWanted)) return false;
    return this.topics.every(({ key, matcher, words }) => {
      if (document.topics.some((topic) => keywordKey(topic) === key)) return true;
      const { title = '', topics, text, aside = '' } = document;
      const counts = matcher.match([title, ...topics, text, aside].join('\n'))?.counts;
      return counts !== undefined && counts.filter((count) => count > 0).length === words;
    });
  }
}
