import { joinParts } from '../text/formats';
import { wholeCharacterEnd } from '../text/sentences';
import { framesOf, sorted, type Found, type Searched } from './ranking';
import type { SearchDocument } from './searchDocument';
import type { DocumentFilter } from './searchFilter';
import type { SearchQuery } from './searchQuery';
import { type MatchPlace, TermMatcher } from './termMatcher';

/** Something that was found. */
export interface SearchHit extends Pick<
  SearchDocument,
  'projectId' | 'sessionId' | 'timestamp' | 'title' | 'role' | 'weight' | 'trust' | 'replacedBy' | 'files' | 'kind'
> {
  /** Higher is better; comparable inside one answer alone. */
  readonly score: number;
  /** As it is called where it is kept: a fact's id, `master.md#3`, a message's uuid. */
  readonly id: string;
  /** Of an exchange: the message that says most. */
  readonly messageUuid?: string | undefined;
  readonly snippet: string;
  /** Offsets of what was looked for in the snippet. */
  readonly matches: Snippet['matches'];
  /** Why it is here, in one line. */
  readonly why: string;
  /** Messages, the best first: of an exchange those that say most, its request and its closing. Five at most. */
  readonly sources: readonly { readonly messageUuid: string }[];
}

/** What stands to the letter is looked for in so many of the best. */
const LOOKED_AT = 30;
const LITERAL_SHARE = 0.5;
const MOST_SOURCES = 5;
const MOST_BEST = 3;
const MOST_FILES = 20;

/** What was found, read and put into words. */
export class Answers {
  private readonly matchers: readonly TermMatcher[];
  private readonly known = new Map<Searched, Map<number, SearchDocument>>();
  /** By text, for each query. */
  private readonly found = new Map<string, readonly MatchPlace[][]>();

  constructor(
    private readonly queries: readonly SearchQuery[],
    private readonly isSingle: boolean,
    private readonly snippetLength: number | undefined,
  ) {
    this.matchers = queries.map((query) => new TermMatcher(query));
  }

  /** Whether words have to be read to know what can be an answer. */
  areDemanding(filter: DocumentFilter): boolean {
    return filter.asksForTopics || this.queries.some(({ required }) => required.length > 0);
  }

  /** What has all that has to be there; those that have the query to the letter come before their equals. */
  async best(ranked: readonly Found[], filter: DocumentFilter, signal?: AbortSignal): Promise<Found[]> {
    const isDemanding = this.areDemanding(filter);
    const looked: Found[] = [];
    for (const [at, found] of ranked.entries()) {
      const canBeLiteral = at < LOOKED_AT && this.matchers.some((matcher) => matcher.canBeLiteral(found.isWhole));
      if (!canBeLiteral && !isDemanding) {
        looked.push(found);
        continue;
      }
      signal?.throwIfAborted();
      const documents = await this.read(found.searched, found.documents);
      const whole = documents.map(wholeText).join('\n\n');
      if (!filter.areAbout(documents) || !this.hasRequired(whole)) continue;
      const having = new Set<number>();
      for (const one of found.documents) {
        const own = await this.read(found.searched, [one]);
        if (this.hasRequired(own.map(wholeText).join(''))) having.add(one);
      }
      looked.push({
        ...found,
        // The message that has what has to be there is the one to be shown.
        documents: found.documents.toSorted((a, b) => Number(having.has(b)) - Number(having.has(a))),
        score: found.score * (1 + LITERAL_SHARE * this.literalness(whole)),
      });
    }
    return sorted(looked);
  }

  /** `reasonOf` says why what is of another project is here. */
  async hit(
    { searched, documents: ranked, score }: Found,
    reasonOf?: (hit: Pick<SearchHit, 'projectId' | 'sessionId'>) => string | undefined,
  ): Promise<SearchHit> {
    const [first = 0] = ranked;
    const isExchange = searched.known(first) === undefined && !this.isSingle;
    const named = isExchange
      ? [...new Set([...ranked.slice(0, MOST_BEST), ...framesOf(searched.tables, first)])].slice(0, MOST_SOURCES)
      : [first];
    const documents = await this.read(searched, named);
    const [best] = documents;
    if (best === undefined) throw new TypeError('Nothing was found');
    const { kind, projectId, id, sessionId, messageUuid, timestamp, title, role, weight, trust, replacedBy } = best;
    const files = isExchange ? (await this.read(searched, ranked)).flatMap((one) => one.files) : best.files;
    const reason = reasonOf?.(best);
    return {
      score: Math.round(score * 1e4) / 1e4,
      kind: isExchange ? 'exchange' : kind,
      ...{ projectId, id, sessionId, messageUuid, timestamp, title, role, weight, trust, replacedBy },
      ...this.snippet(best),
      files: [...new Set(files)].slice(0, MOST_FILES),
      why: reason === undefined ? this.why(documents) : joinParts([`linked: ${reason}`, this.why(documents)]),
      sources: sourcesOf(documents).map((source) => ({ messageUuid: source })),
    };
  }

  /** Each document is read once. */
  private async read(searched: Searched, wanted: readonly number[]): Promise<SearchDocument[]> {
    const known = this.known.get(searched) ?? new Map<number, SearchDocument>();
    this.known.set(searched, known);
    for (const at of wanted) {
      if (known.has(at)) continue;
      const [document] = await searched.read([at]);
      if (document !== undefined) known.set(at, document);
    }
    return wanted.flatMap((at) => known.get(at) ?? []);
  }

  private hasRequired(text: string): boolean {
    return this.matchers.every((matcher) => matcher.hasRequired(text));
  }

  private literalness(text: string): number {
    return Math.max(...this.matchers.map((matcher) => matcher.literalness(text)));
  }

  private placesIn(text: string): readonly MatchPlace[][] {
    const places = this.found.get(text) ?? this.matchers.map((matcher) => matcher.places(text));
    this.found.set(text, places);
    return places;
  }

  private snippet({ text, aside = '' }: SearchDocument): Pick<SearchHit, 'snippet' | 'matches'> {
    const shown = [text, aside].find((one) => this.placesIn(one).flat().length > 0) ?? text;
    const { text: snippet, matches } = snippetOf(shown, this.placesIn(shown).flat(), this.snippetLength);
    return { snippet, matches };
  }

  /** The words that are there, as they stand there where the query has another form of them, and what else counts. */
  private why(documents: readonly SearchDocument[]): string {
    const texts = documents.flatMap(({ title = '', text, aside = '' }) => [title, text, aside]);
    const words = this.queries.flatMap(({ terms }, at) => {
      const found = texts.flatMap((text) =>
        (this.placesIn(text)[at] ?? []).map(({ term, start, end }) => ({ term, text: text.slice(start, end) })),
      );
      return terms.flatMap(({ word }, term) => {
        const own = found.filter((one) => one.term === term).map((one) => one.text.toLowerCase());
        return own.includes(word.toLowerCase()) ? word : own.slice(0, 1);
      });
    });
    const whole = documents.map(wholeText).join('\n\n');
    const isLiteral = this.literalness(whole) === 1;
    const [best] = documents;
    // A short answer may be found by the words of its question; others by what they mean.
    const foundWords =
      words.length === 0 ? 'next to what has it, or in other words' : `has ${joinParts([...new Set(words)], ', ')}`;
    return joinParts([isLiteral ? 'has it word for word' : foundWords, best === undefined ? '' : standing(best)]);
  }
}

function sourcesOf(documents: readonly SearchDocument[]): string[] {
  const named = documents.flatMap(({ messageUuid, sources = [] }) => [messageUuid, ...sources]);
  return [...new Set(named.filter((uuid) => uuid !== undefined))].slice(0, MOST_SOURCES);
}

const placeNames: Readonly<Record<NonNullable<SearchDocument['place']>, string>> = {
  request: 'you asked',
  answer: 'you answered',
  closing: 'how it ended',
  within: 'on the way',
};

function standing({ trust, replacedBy, weight, place }: SearchDocument): string {
  if (replacedBy !== undefined) return `replaced by ${replacedBy}`;
  return joinParts([
    trust ?? '',
    weight === undefined ? '' : `marked ${weight.toFixed(2)}`,
    place === undefined ? '' : placeNames[place],
  ]);
}

function wholeText({ title = '', text, aside = '' }: SearchDocument): string {
  return joinParts([title, text, aside], '\n');
}

/** A piece of a text in one line, with the words that were found. */
export interface Snippet {
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
  return wholeCharacterEnd(text, start);
}

function endNear(text: string, at: number): number {
  const tail = text.slice(at - BEFORE / 2, at);
  const space = tail.search(/\s\S*$/);
  const end = space === -1 ? at : at - tail.length + space;
  return wholeCharacterEnd(text, end);
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
