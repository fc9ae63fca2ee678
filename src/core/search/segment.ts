import { hash64 } from '../text/hash64';
import type { SearchDocument } from './searchDocument';
import { firstFrom } from './order';
import type { Meaning, SaidWord } from './meaning';
import { termsOfWord, wordTexts } from './searchTerms';

/** Passages in order. */
export interface Passages {
  readonly length: number;
  readonly passages: ArrayLike<number>;
}

/** What is found by a term, and how often it stands in each. */
export interface Postings extends Passages {
  readonly counts: ArrayLike<number>;
}

/** A term of a segment, and how many passages hold it. */
export interface Term {
  readonly holders: number;
  /** Holds until other ones are asked for, of any term. */
  postings(): Postings;
}

/** What ranks a document besides its words; its place in an exchange, or what else it is. */
export const PLACES = ['request', 'answer', 'closing', 'within', 'other'] as const;

/** Stands before a path: a document is found by the files that it touched. */
export const FILE_MARK = '\u0001';
/** The same, by the files that it changed. */
export const CHANGED_MARK = '\u0002';
const CHANGE = /^(?:Edit|MultiEdit|Write|NotebookEdit): (.+)$/;

/** A title's words count so often. */
const TITLE_COUNT = 2;
/** Longer passages are as long. */
const LONGEST = 0xffff;

/** The columns of a segment, by what each number takes. */
export const COLUMNS = {
  documents: Uint32Array,
  lengths: Uint16Array,
  isAside: Uint8Array,
  holders: Uint16Array,
  exchanges: Uint32Array,
  places: Uint8Array,
  seconds: Uint32Array,
  messages: Float64Array,
} as const;

/**
 * Documents as passages, and passages by their terms. Numbers alone: what documents say is read where they are kept.
 * Documents of a session stand together and in their order.
 */
export interface SegmentTables {
  /** Of passages: their document, their length in terms, and whether they tell what tools were used on. */
  readonly documents: ArrayLike<number>;
  readonly lengths: ArrayLike<number>;
  readonly isAside: ArrayLike<number>;
  /** Of documents: their session or other holder, the first of their exchange, index in `PLACES`, and time in seconds. */
  readonly holders: ArrayLike<number>;
  readonly exchanges: ArrayLike<number>;
  readonly places: ArrayLike<number>;
  readonly seconds: ArrayLike<number>;
  /** Which message it is: the same in all sessions that hold it; 0 for what is none. */
  readonly messages: ArrayLike<number>;
  /** All lengths together. */
  readonly words: number;
  /** What a passage means; empty where that is not known. Holds until another one is asked for. */
  meaning(passage: number): Int8Array;
  term(term: string): Term | undefined;
  /** The terms that begin with something, with what follows it, in the order of their UTF-16 units. */
  termsBehind(start: string): Iterable<{ readonly rest: string; readonly term: Term }>;
}

const NOTHING = new Int8Array();

/** Takes documents apart. */
export class SegmentBuilder implements SegmentTables {
  readonly documents: number[] = [];
  readonly lengths: number[] = [];
  readonly isAside: number[] = [];
  readonly holders: number[] = [];
  readonly exchanges: number[] = [];
  readonly places: number[] = [];
  readonly seconds: number[] = [];
  readonly messages: number[] = [];
  words = 0;
  private readonly found = new Map<string, BuiltTerm>();
  /** What the words of the session at hand are found by. */
  private readonly ofWord = new Map<string, readonly BuiltTerm[]>();
  private readonly postings = new PostingList();
  private readonly meant: Int8Array[] = [];
  private sorted: string[] | undefined;
  private exchange = 0;

  constructor(private readonly ofWords?: Meaning) {}

  /** One session, or one document that is of none. */
  add(holder: number, documents: readonly SearchDocument[]): void {
    this.sorted = undefined;
    this.ofWord.clear();
    const first = this.holders.length;
    for (const document of documents) this.addDocument(holder, document);
    for (const [at, { aside = '', files }] of documents.entries()) {
      if (aside === '' && files.length === 0) continue;
      const passage = this.passage(first + at, aside, 1);
      for (const path of files) this.built(`${FILE_MARK}${path}`).count(passage, 1);
      for (const step of aside.split('\n')) {
        const [, path] = CHANGE.exec(step) ?? [];
        if (path !== undefined) this.built(`${CHANGED_MARK}${path}`).count(passage, 1);
      }
    }
  }

  /** What others have taken apart. `holderOf` tells what a holder is called here; undefined for one that is left out. */
  append(other: SegmentTables, holderOf: (holder: number) => number | undefined): void {
    this.sorted = undefined;
    const documents = new Map<number, number>();
    for (let at = 0; at < other.holders.length; at++) {
      const holder = holderOf(other.holders[at] ?? 0);
      if (holder === undefined) continue;
      const number = this.holders.push(holder) - 1;
      documents.set(at, number);
      this.exchanges.push(number - at + (other.exchanges[at] ?? 0));
      for (const name of ['places', 'seconds', 'messages'] as const) this[name].push(other[name][at] ?? 0);
    }
    const passages = new Map<number, number>();
    for (let at = 0; at < other.documents.length; at++) {
      const document = documents.get(other.documents[at] ?? 0);
      if (document === undefined) continue;
      passages.set(at, this.documents.push(document) - 1);
      this.meant.push(other.meaning(at).slice());
      this.isAside.push(other.isAside[at] ?? 0);
      this.addLength(other.lengths[at] ?? 0);
    }
    for (const { rest, term } of other.termsBehind('')) this.appendPostings(rest, term.postings(), passages);
  }

  private appendPostings(term: string, found: Postings, passages: ReadonlyMap<number, number>): void {
    const built = this.built(term);
    for (let at = 0; at < found.length; at++) {
      const passage = passages.get(found.passages[at] ?? 0);
      if (passage !== undefined) built.count(passage, found.counts[at] ?? 0);
    }
  }

  meaning(passage: number): Int8Array {
    return this.meant[passage] ?? NOTHING;
  }

  term(term: string): Term | undefined {
    return this.found.get(term);
  }

  *termsBehind(start: string) {
    const sorted = (this.sorted ??= [...this.found.keys()].sort());
    for (let at = firstFrom(sorted.length, (one) => (sorted[one] ?? '') < start); at < sorted.length; at++) {
      const whole = sorted[at] ?? '';
      const term = this.found.get(whole);
      if (!whole.startsWith(start) || term === undefined) return;
      yield { rest: whole.slice(start.length), term };
    }
  }

  private addDocument(holder: number, document: SearchDocument): void {
    const { text, title = '', exchange = 0, place = 'other', timestamp = '', messageUuid } = document;
    const number = this.holders.push(holder) - 1;
    const isNew = number === 0 || this.holders[number - 1] !== holder || this.exchange !== exchange;
    this.exchanges.push(isNew ? number : (this.exchanges[number - 1] ?? 0));
    this.exchange = exchange;
    this.places.push(PLACES.indexOf(place));
    this.messages.push(messageUuid === undefined ? 0 : parseInt(hash64(messageUuid).slice(0, 13), 16));
    const ms = Date.parse(timestamp);
    this.seconds.push(Number.isNaN(ms) ? 0 : Math.floor(ms / 1000));
    for (const { start, end } of passagesOf(text)) {
      const passage = this.passage(number, text.slice(start, end), 0);
      for (const raw of wordTexts(title)) for (const term of this.termsOf(raw)) term.count(passage, TITLE_COUNT);
    }
  }

  private passage(document: number, text: string, isAside: 0 | 1): number {
    const passage = this.documents.push(document) - 1;
    this.isAside.push(isAside);
    const words = wordTexts(text);
    const said = this.counted(words, passage);
    this.meant.push(this.ofWords?.mean(said) ?? NOTHING);
    this.addLength(Math.min(words.length, LONGEST));
    return passage;
  }

  private addLength(length: number): void {
    this.lengths.push(length);
    this.words += length;
  }

  private counted(words: readonly string[], passage: number): BuiltTerm[] {
    const said: BuiltTerm[] = [];
    for (const raw of words) for (const term of this.termsOf(raw)) if (term.count(passage, 1)) said.push(term);
    return said;
  }

  private termsOf(raw: string): readonly BuiltTerm[] {
    let terms = this.ofWord.get(raw);
    if (terms === undefined) {
      terms = termsOfWord(raw).terms.map((term) => this.built(term));
      this.ofWord.set(raw, terms);
    }
    return terms;
  }

  private built(term: string): BuiltTerm {
    let built = this.found.get(term);
    if (built === undefined) {
      built = new BuiltTerm(this.postings, this.ofWords?.placeOf(term) ?? -1);
      this.found.set(term, built);
    }
    return built;
  }
}

/** The postings of all terms in one list, each with the one before of the same term: most terms have few. The first is of none. */
class PostingList {
  readonly passages = [-1];
  readonly counts = [0];
  readonly before = [0];
}

/** Postings that are asked for: always in the same place. */
const asked = { passages: [0], counts: [0], length: 0 };

class BuiltTerm implements Term, SaidWord {
  holders = 0;
  private last = 0;

  constructor(
    private readonly all: PostingList,
    readonly place: number,
  ) {}

  /** How often it stands in the last passage that has it. */
  get times(): number {
    return this.all.counts[this.last] ?? 0;
  }

  postings(): Postings {
    const { passages, counts, before } = this.all;
    asked.length = this.holders;
    for (let more = asked.passages.length; more < this.holders; more++) asked.passages[more] = asked.counts[more] = 0;
    for (let at = this.last, to = this.holders - 1; to >= 0; at = before[at] ?? 0, to--) {
      asked.passages[to] = passages[at] ?? 0;
      asked.counts[to] = counts[at] ?? 0;
    }
    return asked;
  }

  /** Whether it is the first time in this passage. */
  count(passage: number, times: number): boolean {
    const { passages, counts, before } = this.all;
    const isNew = passages[this.last] !== passage;
    if (isNew) {
      before.push(this.last);
      counts.push(times);
      this.last = passages.push(passage) - 1;
      this.holders += 1;
    } else counts[this.last] = this.times + times;
    return isNew;
  }
}

/** Long texts are found by their parts: as long is one of them about. */
const PASSAGE = 800;
const SHORTEST = PASSAGE / 2;

/** Where a text may be cut, the best first. */
const SEAMS = ['\n\n', '\n', '. ', '。', ' '];

/** The parts of a text, in order; one for a short text. Cut where a paragraph, a line or a sentence ends. */
export function passagesOf(text: string): { start: number; end: number }[] {
  const passages: { start: number; end: number }[] = [];
  let start = 0;
  while (text.length - start > PASSAGE + SHORTEST) {
    const end = seamIn(text, start + SHORTEST, start + PASSAGE);
    passages.push({ start, end });
    start = end;
  }
  passages.push({ start, end: text.length });
  return passages;
}

function seamIn(text: string, from: number, to: number): number {
  for (const seam of SEAMS) {
    const at = text.lastIndexOf(seam, to - seam.length);
    if (at >= from) return at + seam.length;
  }
  const isInside = /[\udc00-\udfff]/.test(text.charAt(to));
  return isInside ? to + 1 : to;
}

/** Numbers for each passage of a segment; the same memory for one search after the other. */
export class Scratch {
  readonly near: Float32Array;
  readonly nearest: Float32Array;
  readonly touched: Uint32Array;
  readonly beside: Uint32Array;
  readonly isSeen: Uint8Array;
  readonly isFound: Uint8Array;
  private readonly counts: Uint8ClampedArray[] = [];

  constructor(readonly length: number) {
    this.near = new Float32Array(length);
    this.nearest = new Float32Array(length);
    this.touched = new Uint32Array(length);
    this.beside = new Uint32Array(length);
    this.isSeen = new Uint8Array(length);
    this.isFound = new Uint8Array(length);
  }

  clear(): void {
    for (const numbers of [this.near, this.isSeen, this.isFound]) numbers.fill(0);
  }

  countsOf(term: number): Uint8ClampedArray {
    const counts = (this.counts[term] ??= new Uint8ClampedArray(this.length));
    return counts.fill(0);
  }
}

const scratches: Scratch[] = [];

/** For the segment at some place of a search, which is done before the next one begins. */
export function scratchFor(at: number, length: number): Scratch {
  const known = scratches[at];
  const scratch = known === undefined || known.length < length ? new Scratch(Math.ceil(length * 1.25)) : known;
  scratches[at] = scratch;
  scratch.clear();
  return scratch;
}
