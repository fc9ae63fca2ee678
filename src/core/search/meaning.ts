import { firstFrom } from './order';
import { termsOfWord } from './searchTerms';

/** Words near to another in meaning, by their terms, and how near, up to 1. */
export type NearTerms = readonly { readonly term: string; readonly near: number }[];

const HEAD = 20;
/** What a common word says of what a text is about, against one that is rare in all that people write. */
const COMMON = 30;
const RAREST = 40_000;
/** So many of the commonest words are in everybody's texts, whatever they are about. */
const EVERYDAYS = 2500;
const SCALE = 127;
/** What is less near than this is another thing. */
const LEAST_NEAR = 0.6;
const LINE_END = 10;

/** A word by its place in the table, and how often it is said. */
export interface SaidWord {
  readonly place: number;
  readonly times: number;
}

/**
 * What the commonest English words mean, as vectors that were learnt from what stands around them, and some words of developers that mean
 * the same. Words of other languages have no meaning here.
 */
export class Meaning {
  readonly dimensions: number;
  private readonly neighbours: number;
  /** All stems in order, in ASCII, a line for each, and where each begins. */
  private readonly stems: Uint8Array;
  private readonly starts: Uint32Array;
  private readonly ranks: Uint16Array;
  private readonly nearest: Uint16Array;
  private readonly nearness: Uint8Array;
  private readonly vectors: Int8Array;

  /** Of the file that `scripts/buildMeaning.mjs` makes. */
  constructor(file: Uint8Array) {
    // Numbers stand where numbers may in bytes of their own; others are copied.
    const { buffer, byteOffset: start } = file.byteOffset % 4 === 0 ? file : new Uint8Array(file);
    const [count = 0, dimensions = 0, neighbours = 0, length = 0] = new Uint32Array(buffer, start + 4, 4);
    let at = start + HEAD + length;
    const from = (size: number): number => (at += size) - size;
    this.dimensions = dimensions;
    this.neighbours = neighbours;
    this.stems = new Uint8Array(buffer, start + HEAD, length);
    this.starts = new Uint32Array(count + 1);
    for (let place = 0; place < count; place++)
      this.starts[place + 1] = this.stems.indexOf(LINE_END, this.starts[place]) + 1;
    this.ranks = new Uint16Array(buffer, from(2 * count), count);
    this.nearest = new Uint16Array(buffer, from(2 * count * neighbours), count * neighbours);
    this.nearness = new Uint8Array(buffer, from(count * neighbours), count * neighbours);
    this.vectors = new Int8Array(buffer, from(count * dimensions), count * dimensions);
  }

  /** What some words mean together, each as often as it is said: of length 127, or nothing but zeros. */
  mean(words: readonly SaidWord[]): Int8Array {
    const sum = new Float32Array(this.dimensions);
    for (const { place, times } of words) {
      if (place === -1) continue;
      const rank = this.ranks[place] ?? RAREST;
      const weight = Math.log(1 + rank / COMMON) * Math.log1p(times);
      const start = place * this.dimensions;
      for (let at = 0; at < sum.length; at++) sum[at] = (sum[at] ?? 0) + weight * (this.vectors[start + at] ?? 0);
    }
    const mean = new Int8Array(sum.length);
    let squares = 0;
    for (let at = 0; at < sum.length; at++) squares += (sum[at] ?? 0) * (sum[at] ?? 0);
    const length = Math.sqrt(squares);
    if (length > 0) for (let at = 0; at < sum.length; at++) mean[at] = Math.round(((sum[at] ?? 0) / length) * SCALE);
    return mean;
  }

  /** Whether it is a word of everybody, which says little of what a text is about. */
  isEverydays(term: string): boolean {
    return (this.ranks[this.placeOf(term)] ?? RAREST) < EVERYDAYS;
  }

  /** The nearest first. */
  near(term: string): NearTerms {
    const place = this.placeOf(term);
    const found = synonymsOf(term).map((other) => ({ term: other, near: SYNONYM }));
    for (let at = 0; place !== -1 && at < this.neighbours; at++) {
      const near = (this.nearness[place * this.neighbours + at] ?? 0) / 255;
      const other = this.stemAt(this.nearest[place * this.neighbours + at] ?? 0);
      if (near > LEAST_NEAR && !found.some((one) => one.term === other)) found.push({ term: other, near });
    }
    return found;
  }

  /** Where a term stands in the table; -1 for one that has no meaning here. */
  placeOf(term: string): number {
    const from = firstFrom(this.starts.length - 1, (place) => this.isBefore(place, term));
    return this.stemAt(from) === term ? from : -1;
  }

  private stemAt(place: number): string {
    return String.fromCharCode(...this.stems.subarray(this.starts[place], (this.starts[place + 1] ?? 1) - 1));
  }

  /** Whether the stem of a place stands before a term. A line's end is before each letter. */
  private isBefore(place: number, term: string): boolean {
    const start = this.starts[place] ?? 0;
    for (let at = 0; at < term.length; at++) {
      const [own = LINE_END, other] = [this.stems[start + at], term.charCodeAt(at)];
      if (own !== other) return own < other;
    }
    return false;
  }
}

/** How near what developers call the same is to each other. */
const SYNONYM = 0.85;

/** How near two meanings are, from 0 to 1. */
export function nearness(one: Int8Array, other: Int8Array): number {
  let sum = 0;
  for (let at = 0; at < other.length; at++) sum += (one[at] ?? 0) * (other[at] ?? 0);
  return Math.max(0, sum / (SCALE * SCALE));
}

/** What developers call the same, or nearly so: a line for each. From general knowledge. */
const GROUPS = `
auth authentication login signin credentials
authorization permission access rights
db database sql postgres mysql sqlite
migration schema
repo repository
dir directory folder
config configuration settings preferences options
env environment
var variable
delete remove erase drop
add create insert
change edit modify update alter
rename move
error failure exception crash
bug defect issue problem
fix repair solve resolve patch
deploy release ship rollout publish
test spec
flaky intermittent unstable
dependency package library module
import require
function method routine
arg argument parameter param
async asynchronous promise await
concurrency parallel thread race
lock mutex
cache memoize
retry backoff
timeout deadline
slow latency performance perf speed
memory ram heap
leak leaking
js javascript node
ts typescript
py python
k8s kubernetes
docker container image
ci pipeline workflow
pr merge review
branch fork
commit revision
ui interface frontend
backend server api
endpoint route url
request call query
response reply answer
log logging trace
debug diagnose investigate
refactor restructure cleanup
simplify reduce
style css theme
color colour
button click
modal dialog popup
dropdown select menu
format prettier
lint eslint
type typing
null undefined nil none
string text
number integer float
array list
map dictionary hash
loop iterate
sort order
parse decode
serialize encode stringify
regex pattern
date time timestamp
timezone utc
upload attach
download fetch
install setup
upgrade bump
version tag
docs documentation readme
comment annotation
key token secret password
encrypt cipher
hash digest
queue job task
cron schedule
hook callback listener
event message notification
websocket socket
stream pipe
index lookup
search find
filter narrow
page pagination
limit quota throttle
mock stub fake
assert expect
coverage covered
snapshot golden
terminal shell console
command cli
flag switch
path file
user account customer
admin administrator
payment billing invoice
mail email
decide choose pick
prefer favour
plan design architecture
`;

/** The terms of words that mean the same as one does. */
function synonymsOf(term: string): readonly string[] {
  // Stemming takes its time, and changes the end of a word alone.
  const beginning = term.slice(0, Math.max(1, term.length - 2));
  const found = GROUPS.split('\n')
    .filter((line) => line.includes(beginning))
    .map((line) => line.split(' ').flatMap((word) => termsOfWord(word).terms.slice(0, 1)))
    .filter((terms) => terms.includes(term));
  return [...new Set(found.flat())].filter((other) => other !== term);
}
