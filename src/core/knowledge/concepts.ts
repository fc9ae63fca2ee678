import type { Concept, Exchange } from '../model/layers';
import { ownValue, sumOf, countUp } from '../text/ownValue';
import { keywordKey } from '../text/words';
import type { SessionManifestEntry } from '../model/manifest';
import type { MemoryStore } from '../model/host';

/** Seed 003: more than this of an exchange's files and keywords in common, and it joins. */
const JOINS = 0.3;
/** Two concepts that have so much in common are one. */
const MERGES = 0.7;
/** Below this many exchanges nothing can be said to have drifted. */
const DRIFT_WINDOW = 6;
const MOST_TERMS = 60;
const MOST_SHOWN = 12;
const MOST_HISTORY = 50;
const FILE_WEIGHT = 2;
const MAX_SUMMARY = 400;

const MOST_TOPICS = 5;

/** L3 of a project's exchanges. The same exchanges in the same order give the same concepts; an exchange counts once. */
export class ConceptBook {
  private readonly concepts = new Map<string, Concept>();
  private readonly byTerm = new Map<string, Set<string>>();
  private readonly of = new Map<string, string>();

  all(): Concept[] {
    return [...this.concepts.values()];
  }

  /** The concept of an exchange. */
  conceptOf(exchangeId: string): string | undefined {
    return this.of.get(exchangeId);
  }

  /** Puts an exchange where it belongs. */
  put(exchange: Exchange): void {
    if (this.of.has(exchange.id)) return;
    const terms = termsOf(exchange);
    const known = this.closest(terms);
    const concept = known === undefined ? this.open(exchange) : this.join(known, exchange, terms);
    this.of.set(exchange.id, concept.id);
    this.index(concept);
    this.mergeInto(concept);
  }

  private closest(terms: readonly string[]): Concept | undefined {
    let best: { concept: Concept; overlap: number } | undefined;
    for (const id of this.candidates(terms)) {
      const concept = this.concepts.get(id);
      if (concept === undefined) continue;
      const overlap = overlapOf(terms, concept);
      if (overlap > JOINS && (best === undefined || overlap > best.overlap)) best = { concept, overlap };
    }
    return best?.concept;
  }

  private candidates(terms: readonly string[]): string[] {
    return [...new Set(terms.flatMap((term) => [...(this.byTerm.get(term) ?? [])]))];
  }

  private open(exchange: Exchange): Concept {
    const id = exchange.id.replace(/^\D*/, 'c'); // a concept keeps its id whatever comes before or after it
    const weights = Object.fromEntries(termsOf(exchange).map((term) => [term, 1]));
    const concept = described({
      id,
      name: '',
      summary: exchange.summary,
      exchanges: [exchange.id],
      files: exchange.files,
      keywords: exchange.keywords.slice(0, MOST_SHOWN),
      updated: exchange.ts.slice(0, 10),
      weights,
      topics: withCounts({}, counted(topicsOf(exchange))),
      history: [{ ts: exchange.ts, change: `began with ${exchange.id}` }],
    });
    this.concepts.set(id, concept);
    return concept;
  }

  /** Adds an exchange, unless the concept has drifted so far that what is new of it is a subject of its own. */
  private join(concept: Concept, exchange: Exchange, terms: readonly string[]): Concept {
    const weights = heaviest(withCounts(concept.weights, counted(terms)));
    if (hasDrifted(concept, terms)) return this.open(exchange);
    const joined = described({
      ...concept,
      exchanges: [...concept.exchanges, exchange.id],
      files: mostOf([...concept.files, ...exchange.files], weights, fileTerm),
      keywords: mostOf([...concept.keywords, ...exchange.keywords], weights, keywordTerm),
      summary: summaryOf(concept.summary, exchange.summary),
      updated: exchange.ts.slice(0, 10) > concept.updated ? exchange.ts.slice(0, 10) : concept.updated,
      weights,
      topics: withCounts(concept.topics, counted(topicsOf(exchange))),
    });
    const isRenamed = joined.name !== concept.name;
    const kept = isRenamed ? withChange(joined, exchange.ts, `was called ${concept.name}`) : joined;
    this.concepts.set(kept.id, kept);
    return kept;
  }

  /** Two concepts that have become the same are one: the older keeps its id. */
  private mergeInto(concept: Concept): void {
    const terms = Object.keys(concept.weights ?? {});
    for (const id of this.candidates(terms)) {
      const other = this.concepts.get(id);
      if (other === undefined || other.id === concept.id || !areSame(concept, other)) continue;
      const [older, newer] = [concept, other].sort((a, b) => numberOf(a.id) - numberOf(b.id));
      if (older === undefined || newer === undefined) return;
      this.forgetConcept(newer);
      const merged = mergedConcept(older, newer);
      this.concepts.set(merged.id, merged);
      for (const exchange of newer.exchanges) this.of.set(exchange, merged.id);
      this.index(merged);
      return;
    }
  }

  private forgetConcept(concept: Concept): void {
    this.concepts.delete(concept.id);
    for (const term of Object.keys(concept.weights ?? {})) this.byTerm.get(term)?.delete(concept.id);
  }

  private index(concept: Concept): void {
    for (const term of Object.keys(concept.weights ?? {})) {
      const known = this.byTerm.get(term) ?? new Set();
      known.add(concept.id);
      this.byTerm.set(term, known);
    }
  }
}

const fileTerm = (file: string): string => `file ${file}`;
const keywordTerm = (keyword: string): string => `word ${keywordKey(keyword)}`;

function termsOf({ files, keywords }: Pick<Exchange, 'files' | 'keywords'>): string[] {
  return [...new Set([...files.map(fileTerm), ...keywords.map(keywordTerm)])];
}

function weightOf(term: string): number {
  return term.startsWith('file ') ? FILE_WEIGHT : 1;
}

/** How much of an exchange a concept is about already. */
function overlapOf(terms: readonly string[], { weights = {} }: Concept): number {
  const all = sumOf(terms, (term) => weightOf(term));
  const shared = sumOf(terms, (term) => (ownValue(weights, term) === undefined ? 0 : weightOf(term)));
  return all === 0 ? 0 : shared / all;
}

/** A concept stands for what most of its exchanges are about; one that touches only its fringe is about something else. */
function hasDrifted({ exchanges, weights = {} }: Concept, terms: readonly string[]): boolean {
  if (exchanges.length < DRIFT_WINDOW) return false;
  const core = Object.entries(weights).filter(([, count]) => count >= exchanges.length / DRIFT_WINDOW);
  return core.length > 0 && !core.some(([term]) => terms.includes(term));
}

function areSame(one: Concept, other: Concept): boolean {
  const [few, many] = [one, other].sort((a, b) => a.exchanges.length - b.exchanges.length);
  if (few === undefined || many === undefined) return false;
  const terms = Object.keys(few.weights ?? {});
  return terms.length >= 3 && overlapOf(terms, many) >= MERGES;
}

function mergedConcept(older: Concept, newer: Concept): Concept {
  const weights = withCounts(older.weights, Object.entries(newer.weights ?? {}));
  const topics = withCounts(older.topics, Object.entries(newer.topics ?? {}));
  const merged = described({
    ...older,
    exchanges: [...older.exchanges, ...newer.exchanges].sort((a, b) => numberOf(a) - numberOf(b)),
    files: mostOf([...older.files, ...newer.files], weights, fileTerm),
    keywords: mostOf([...older.keywords, ...newer.keywords], weights, keywordTerm),
    summary: summaryOf(older.summary, newer.summary),
    updated: older.updated > newer.updated ? older.updated : newer.updated,
    weights,
    topics,
  });
  return withChange(merged, newer.updated, `took in ${newer.id} (${newer.name})`);
}

type Counts = Readonly<Record<string, number>>;

/** The counts with others added. What they count is text: it may be called `constructor`. */
function withCounts(counts: Counts = {}, others: Iterable<readonly [string, number]>): Record<string, number> {
  const sums = new Map(Object.entries(counts));
  for (const [name, count] of others) countUp(sums, name, count);
  return Object.fromEntries(sums);
}

function counted(names: readonly string[]): [string, number][] {
  return names.map((name) => [name, 1]);
}

function heaviest(weights: Counts): Record<string, number> {
  const sorted = Object.entries(weights).sort(([, a], [, b]) => b - a);
  return Object.fromEntries(sorted.slice(0, MOST_TERMS));
}

function topicsOf({ topic }: Exchange): string[] {
  return topic === undefined ? [] : [topic];
}

function mostOf(all: readonly string[], weights: Counts, termOf: (one: string) => string): string[] {
  const unique = new Map(all.map((one) => [termOf(one), one]));
  return [...unique]
    .sort(([a], [b]) => (ownValue(weights, b) ?? 0) - (ownValue(weights, a) ?? 0))
    .slice(0, MOST_SHOWN)
    .map(([, one]) => one);
}

/** A concept is called what its requests call it most often; the first name stays until another one is said more often. */
function described(concept: Concept): Concept {
  const [top] = Object.entries(concept.topics ?? {}).sort(([, a], [, b]) => b - a);
  const name = top?.[0] ?? concept.keywords.slice(0, 3).join(', ');
  return { ...concept, name: name === '' ? concept.id : titled(name) };
}

/** With a capital letter, unless it begins with a name of code: `chart.ts`, `setInterval`. */
function titled(name: string): string {
  const [first = ''] = name.split(' ', 1);
  return /[._/\d]|\p{Ll}\p{Lu}/u.test(first) ? name : name.charAt(0).toUpperCase() + name.slice(1);
}

function summaryOf(before: string, added: string): string {
  if (before.includes(added)) return before;
  const both = `${before}\n${added}`;
  return both.length <= MAX_SUMMARY ? both : [before.split('\n')[0] ?? '', added].join('\n').slice(0, MAX_SUMMARY);
}

function withChange(concept: Concept, ts: string, change: string): Concept {
  return { ...concept, history: [...(concept.history ?? []), { ts, change }].slice(-MOST_HISTORY) };
}

function numberOf(id: string): number {
  return Number(id.replace(/\D/g, ''));
}

const MOST_PER_KEYWORD = 40;

/** Which concepts and exchanges speak of a keyword, as `facts.json` has it. */
export function keywordIndex(
  exchanges: readonly Exchange[],
  conceptOf: (exchangeId: string) => string | undefined,
): Record<string, string[]> {
  const index = new Map<string, { concepts: Set<string>; exchanges: string[] }>();
  for (const { id, keywords } of exchanges) {
    const concept = conceptOf(id);
    for (const keyword of keywords) {
      const known = index.get(keyword) ?? { concepts: new Set(), exchanges: [] };
      if (concept !== undefined) known.concepts.add(concept);
      known.exchanges.push(id);
      index.set(keyword, known);
    }
  }
  const latest = [...index].map(
    ([keyword, known]) => [keyword, [...known.concepts, ...known.exchanges].slice(-MOST_PER_KEYWORD)] as const,
  );
  return Object.fromEntries(latest);
}

/** What each session is about, by its concepts: what it speaks of most first. */
export function primaryTopicsOf(
  exchanges: ReadonlyMap<string, readonly Exchange[]>,
  concepts: readonly Concept[],
  conceptOf: (exchangeId: string) => string | undefined,
): Map<string, readonly string[]> {
  const names = new Map(concepts.map(({ id, name }) => [id, name]));
  const found = new Map<string, readonly string[]>();
  for (const [sessionId, own] of exchanges) {
    const counts = new Map<string, number>();
    for (const { id } of own) {
      const name = names.get(conceptOf(id) ?? '') ?? '';
      if (name !== '') countUp(counts, name);
    }
    const ranked = [...counts].sort(([a, most], [b, other]) => other - most || (a < b ? -1 : 1));
    found.set(
      sessionId,
      ranked.slice(0, MOST_TOPICS).map(([name]) => name),
    );
  }
  return found;
}

/** Writes them down as `primaryTopics` of the sessions in memory (seed 000, 2.1.2). */
export async function noteTopics(
  store: MemoryStore,
  projectId: string,
  topics: ReadonlyMap<string, readonly string[]>,
): Promise<void> {
  const manifest = await store.readManifest(projectId);
  if (manifest === undefined) return;
  await store.updateManifest(manifest, (current) => {
    const fresh = Object.values(current.sessions).flatMap((entry): [string, SessionManifestEntry][] => {
      const primaryTopics = [...(topics.get(entry.sessionId) ?? [])];
      const isKnown = primaryTopics.join('\n') === (entry.metadata.primaryTopics ?? []).join('\n');
      if (primaryTopics.length === 0 || isKnown) return [];
      return [[entry.sessionId, { ...entry, metadata: { ...entry.metadata, primaryTopics } }]];
    });
    if (fresh.length === 0) return current;
    return { ...current, sessions: { ...current.sessions, ...Object.fromEntries(fresh) } };
  });
}
