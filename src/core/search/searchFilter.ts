import { keywordKey } from '../text/words';
import { firstFrom } from './order';
import { touching, type Searched } from './ranking';
import type { Takes } from './scoring';
import { parseQuery } from './searchQuery';
import type { SearchDocument, SearchKind, SearchTrust } from './searchDocument';
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
  /** Facts alone, as sure as this, or of this type. */
  readonly trusts?: readonly SearchTrust[] | undefined;
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
    const { kinds, weightMin, weightMax, trusts } = this.filter;
    if (kinds !== undefined && !kinds.includes(kind)) return false;
    if (trusts !== undefined && kind !== 'fact') return false;
    return (weightMin === undefined && weightMax === undefined) || kind === 'keepit';
  }

  /** Whether a session's documents can pass at all. */
  takesSession(sessionId: string): boolean {
    return this.filter.sessionIds?.includes(sessionId) ?? true;
  }

  /** What can be known without reading; whether it is about the topics is asked apart. */
  passes(document: SearchDocument): boolean {
    const { sessionId = '', timestamp = '', kind, files, trust, type } = document;
    if (this.filter.trusts?.every((wanted) => wanted !== trust && wanted !== type) === true) return false;
    if (!this.takesSession(sessionId) || !this.takes(kind) || !this.isInTime(Date.parse(timestamp))) return false;
    return this.hasWeight(document) && (this.files === undefined || files.some((path) => this.takesFile(path)));
  }

  /** Whether it lets less than everything through: then it can be asked for without words. */
  get isNarrowing(): boolean {
    const { topics, since, until, weightMin, weightMax, kinds, trusts } = this.filter;
    const others = [since, until, weightMin, weightMax, kinds, trusts];
    return this.asksForFiles || (topics?.length ?? 0) > 0 || others.some((value) => value !== undefined);
  }

  get asksForTime(): boolean {
    return this.filter.since !== undefined || this.filter.until !== undefined;
  }

  get asksForFiles(): boolean {
    return this.files !== undefined;
  }

  takesFile(path: string): boolean {
    return this.files?.some((pattern) => pattern.matches(path)) ?? true;
  }

  get asksForTopics(): boolean {
    return this.topics.length > 0;
  }

  /** Whether documents are about all topics together. */
  areAbout(documents: readonly SearchDocument[]): boolean {
    return this.topics.every(({ key, matcher, words }) => {
      if (documents.some(({ topics }) => topics.some((topic) => keywordKey(topic) === key))) return true;
      const texts = documents.flatMap(({ title = '', topics, text, aside = '' }) => [title, ...topics, text, aside]);
      return words > 0 && matcher.match(texts.join('\n'))?.terms.size === words;
    });
  }

  isInTime(ms: number): boolean {
    const { since, until } = this.filter;
    if (!this.asksForTime) return true;
    if (Number.isNaN(ms) || ms === 0) return false;
    return (since === undefined || ms >= Date.parse(since)) && (until === undefined || ms <= Date.parse(until));
  }

  private hasWeight({ weight }: SearchDocument): boolean {
    const { weightMin, weightMax } = this.filter;
    if (weightMin === undefined && weightMax === undefined) return true;
    const tolerance = 1e-9; // 0.80 is to pass 0.80
    return weight !== undefined && weight >= (weightMin ?? 0) - tolerance && weight <= (weightMax ?? 1) + tolerance;
  }
}

/** What can be an answer, by what is known of it without reading it. What touched a file is wanted with all of its exchange. */
export function takenBy(filter: DocumentFilter, isSingle: boolean): (searched: Searched) => Takes | undefined {
  return (searched) => {
    const { tables, known, sessionOf } = searched;
    const { holders } = tables;
    const ofHolders: boolean[] = [];
    for (let at = 0; at < holders.length;) {
      const holder = holders[at] ?? 0;
      const sessionId = known(at) === undefined ? sessionOf(at) : undefined;
      ofHolders[holder] = sessionId !== undefined && filter.takesSession(sessionId);
      at = firstFrom(holders.length, (one) => (holders[one] ?? 0) <= holder); // those of a session stand together
    }
    if (!filter.asksForTime && !filter.asksForFiles && ofHolders.every(Boolean)) return undefined;
    const keyOf = (at: number): number | undefined => (isSingle ? at : tables.exchanges[at]);
    const touched = filter.asksForFiles ? touching(tables, (path) => filter.takesFile(path)) : new Set<number>();
    const wanted = new Set([...touched].map(keyOf));
    return (document) => {
      const one = known(document);
      if (one !== undefined) return filter.passes(one);
      if (ofHolders[holders[document] ?? 0] !== true) return false;
      if (!filter.isInTime((tables.seconds[document] ?? 0) * 1000)) return false;
      return !filter.asksForFiles || wanted.has(keyOf(document));
    };
  };
}

/**
 * A pattern of paths: `*` and `?` inside a name, `**` over folders. Compared without regard to case, from any folder on and with all
 * that lies below: `auth` finds `src/auth/login.ts`, and so do `login.ts` and `src/**` + `/*.ts`. One that begins with `/` begins at the root.
 */
export class PathPattern {
  private readonly names: readonly string[];

  constructor(pattern: string) {
    const bare = normal(pattern)
      .replace(/^\.\//, '')
      .replace(/(?<!\/)\/+$/, '');
    const from = bare.startsWith('/') ? [] : [FOLDERS];
    this.names = [...from, ...bare.split('/').filter((name) => name !== ''), FOLDERS];
  }

  matches(path: string): boolean {
    const names = normal(path)
      .split('/')
      .filter((name) => name !== '');
    return matchesWildly(
      this.names,
      names,
      (pattern, name) => matchesWildly(Array.from(pattern), Array.from(name), isCharacter, '*'),
      FOLDERS,
    );
  }
}

const FOLDERS = '**';

function normal(path: string): string {
  return path.replaceAll('\\', '/').toLowerCase();
}

function isCharacter(pattern: string, character: string): boolean {
  return pattern === '?' || pattern === character;
}

/** Whether items follow a pattern in which `star` stands for any number of them. At most as many steps as both lengths multiplied. */
function matchesWildly(
  pattern: readonly string[],
  items: readonly string[],
  isMatch: (pattern: string, item: string) => boolean,
  star: string,
): boolean {
  let [at, inPattern] = [0, 0];
  let starAt = -1;
  let starTook = 0;
  while (at < items.length) {
    const wanted = pattern[inPattern];
    if (wanted === star) {
      starAt = inPattern++;
      starTook = at;
    } else if (wanted !== undefined && isMatch(wanted, items[at] ?? '')) {
      at++;
      inPattern++;
    } else if (starAt !== -1) {
      // The last star takes one more.
      at = ++starTook;
      inPattern = starAt + 1;
    } else return false;
  }
  return pattern.slice(inPattern).every((rest) => rest === star);
}
