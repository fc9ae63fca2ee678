import type { ProjectManifest, SessionManifestEntry } from '../model/manifest';
import type { MemoryStore } from '../model/host';
import { linksOf } from '../sessions/links';
import { oneLine } from '../text/cleanText';
import { baseName, joinParts } from '../text/formats';
import { ownValue, pushTo, sumOf, countUp } from '../text/ownValue';
import { holdersOf, termsFor } from './foundTerms';
import { scoreDocuments } from './scoring';
import type { Meaning } from './meaning';
import { touchedIn, type Searched, type Touched } from './ranking';
import type { SaidMessagesParts } from './saidMessages';
import { type DocumentSource, SearchError } from './searchDocument';
import { PathPattern } from './searchFilter';
import { parseQuery } from './searchQuery';
import type { OpeningReport, SessionTables } from './sessionTables';

export interface SuggestionRequest {
  readonly projectId: string;
  /** Paths, as far as they are known: `retry.ts`, `src/auth`. */
  readonly files?: readonly string[] | undefined;
  /** What the work is about, in any words. */
  readonly topics?: readonly string[] | undefined;
  /** The git branch of the work; one that most sessions are on says nothing. */
  readonly branch?: string | undefined;
  /** Tokens that all suggestions may have together; 8000 when absent. */
  readonly budget?: number | undefined;
  /** The session that asks is no answer. */
  readonly except?: readonly string[] | undefined;
}

/** A session of before that the work at hand may need (seed 000, 7.1). */
export interface ContextSuggestion {
  readonly projectId: string;
  readonly sessionId: string;
  /** What of it fits: `original`, or one of its versions. */
  readonly versionId: string;
  /** From 0 to 1. */
  readonly relevanceScore: number;
  readonly matchedTopics: readonly string[];
  readonly matchedFiles: readonly string[];
  readonly suggestedTokens: number;
  readonly title?: string | undefined;
  readonly lastTimestamp: string;
  /** In one line. */
  readonly why: string;
}

interface Parts {
  readonly store: Pick<MemoryStore, 'readManifest'>;
  readonly tables: SessionTables;
  readonly known: DocumentSource;
  readonly meaning: SaidMessagesParts['meaning'];
}

const USUAL_BUDGET = 8000;
const MOST = 10;
/** What each reason is worth at most. */
const WORTH = { files: 0.5, words: 0.3, branch: 0.2, recency: 0.1, rehearsal: 0.05, trust: 0.05 } as const;
/** Who only read a file knows less about it. */
const READ_SHARE = 0.3;
/** Who has fewer words of a topic does not speak of it, and who says so much less to it than the best only mentions it; of a whole request few words tell what it is about. */
const HELD_SHARE = 0.5;
const HELD_WORDS = 3;
const SPOKEN_SHARE = 0.3;
const MOST_NAMED = 3;
/** A topic of more words is a whole request: everyday words of it say nothing, and what a session speaks of is named by its rarest words. */
const TOPIC_WORDS = 4;
const QUOTE_LENGTH = 80;

interface Considered {
  readonly projectId: string;
  readonly entry: SessionManifestEntry;
  /** Why it belongs to the work of another project. */
  readonly linked?: string | undefined;
  readonly files: Touched;
  readonly words: number;
  readonly topics: readonly Spoken[];
  readonly facts: readonly string[];
  /** The branch of the work, where it is the session's too, and not most others'. */
  readonly branch?: string | undefined;
}

/** What a session says to a topic. */
interface Spoken {
  readonly topic: string;
  /** Against the session that says most. */
  readonly share: number;
  /** The words of the topic that it has; of a long one those that few others have. */
  readonly words: string;
}

/** The sessions that are worth knowing for the work at hand, the best first, as many as the budget holds. */
export async function suggest(
  parts: Parts,
  request: SuggestionRequest,
  signal?: AbortSignal,
): Promise<ContextSuggestion[]> {
  const manifest = await parts.store.readManifest(request.projectId);
  if (manifest === undefined) throw new SearchError('unknown-project', request.projectId);
  const considered = await consider(parts, await scopesOf(parts, manifest), request, signal);
  const asks = (request.files ?? []).length + (request.topics ?? []).length > 0 || request.branch !== undefined;
  const scored = scoresOf(considered)
    .filter(({ one }) => !asks || one.files.size > 0 || one.words > 0 || one.branch !== undefined)
    .sort((a, b) => b.score - a.score || (a.one.entry.lastTimestamp < b.one.entry.lastTimestamp ? 1 : -1));
  return withinBudget(scored, request.budget ?? USUAL_BUDGET);
}

/** Sessions of a project, its own or linked ones. */
interface Scope {
  readonly manifest: ProjectManifest;
  readonly sessionIds: readonly string[];
  readonly linked?: string;
}

async function scopesOf({ store }: Parts, manifest: ProjectManifest): Promise<Scope[]> {
  const scopes: Scope[] = [{ manifest, sessionIds: Object.keys(manifest.sessions) }];
  const taken = new Set(Object.keys(manifest.sessions));
  for (const { sourceProject, sourceSession, reason } of linksOf(manifest)) {
    const source = await store.readManifest(sourceProject);
    const all = Object.keys(source?.sessions ?? {});
    const sessionIds = all.filter((id) => (sourceSession === undefined || id === sourceSession) && !taken.has(id));
    for (const id of sessionIds) taken.add(id);
    if (source !== undefined) scopes.push({ manifest: source, sessionIds, linked: reason });
  }
  return scopes;
}

async function consider(
  { tables, known, meaning }: Parts,
  scopes: readonly Scope[],
  { files = [], topics = [], except = [], branch }: SuggestionRequest,
  signal?: AbortSignal,
): Promise<Considered[]> {
  const patterns = files.map((file) => new PathPattern(file));
  const report: OpeningReport = { unread: 0, failed: [] };
  const opened: Searched[] = [];
  for (const { manifest, sessionIds: all } of scopes) {
    const sessionIds = all.filter((sessionId) => !except.includes(sessionId));
    const areAll = sessionIds.length === Object.keys(manifest.sessions).length;
    opened.push(...(await tables.opened({ projectId: manifest.projectId, sessionIds, areAll }, report, signal)));
  }
  const general = topics.length === 0 ? undefined : await meaning();
  const byTopic = topics.map((topic) => spokenOf(opened, topic, general));
  const touched = touchedIn(opened, (path) => patterns.some((pattern) => pattern.matches(path)));
  const indexed = new Set(
    opened.flatMap(({ tables: { holders }, sessionOf }) => {
      return Array.from({ length: holders.length }, (_, document) => sessionOf(document));
    }),
  );
  const considered: Considered[] = [];
  for (const { manifest, sessionIds, linked } of scopes) {
    const facts = await factsBySession(known, manifest);
    for (const sessionId of sessionIds) {
      const entry = ownValue(manifest.sessions, sessionId);
      if (entry === undefined || !indexed.has(sessionId)) continue;
      const found = byTopic.flatMap((spoken) => spoken.get(sessionId) ?? []);
      considered.push({
        projectId: manifest.projectId,
        entry,
        linked,
        files: touched.get(sessionId) ?? new Map(),
        words: sumOf(found, ({ share }) => share) / Math.max(1, topics.length),
        topics: found,
        facts: facts.get(sessionId) ?? [],
        branch: entry.metadata.gitBranch === branch ? branch : undefined,
      });
    }
  }
  const isUsual = considered.filter((one) => one.branch !== undefined).length * 2 > considered.length;
  return isUsual ? considered.map((one) => ({ ...one, branch: undefined })) : considered;
}

/** What each session says to a topic, as far as it speaks of it at all. */
function spokenOf(opened: readonly Searched[], topic: string, general: Meaning | undefined): Map<string, Spoken> {
  const { terms } = parseQuery(topic);
  const isLong = topic.trim().split(/\s+/).length > TOPIC_WORDS;
  const isTelling = terms.map(({ word, term }) => /\p{L}{2}/u.test(word) && general?.isEverydays(term) !== true);
  const found = new Map<string, { score: number; held: readonly number[] }>();
  const scores = scoreDocuments(
    opened.map(({ tables }) => tables),
    terms,
  );
  for (const [at, { tables, sessionOf }] of opened.entries()) {
    const holders = holdersOf(tables, terms);
    for (const { document, score } of scores[at]?.best ?? []) {
      const sessionId = sessionOf(document);
      const held = holders.get(tables.holders[document] ?? 0) ?? [];
      const share = held.length / terms.length;
      if (sessionId === undefined || share <= Math.min(HELD_SHARE, HELD_WORDS / terms.length)) continue;
      if (isLong && !held.some((term) => isTelling[term])) continue;
      // The best of those that hardly speak of it speaks of it hardly.
      if (score * share > (found.get(sessionId)?.score ?? 0)) found.set(sessionId, { score: score * share, held });
    }
  }
  const most = Math.max(1e-9, ...[...found.values()].map(({ score }) => score));
  const places = terms.map((one) =>
    opened.reduce((sum, { tables }) => termsFor(one, tables).reduce((some, { term }) => some + term.holders, sum), 0),
  );
  const wordsOf = (held: readonly number[]): string => {
    if (!isLong && held.length === terms.length) return topic;
    const telling = held.filter((term) => !isLong || isTelling[term]);
    if (isLong) telling.sort((a, b) => (places[a] ?? 0) - (places[b] ?? 0)).splice(MOST_NAMED);
    return telling.map((term) => terms[term]?.word ?? '').join(', ');
  };
  return new Map([...found].map(([id, { score, held }]) => [id, { topic, share: score / most, words: wordsOf(held) }]));
}

/** What each session is the source of, as far as somebody stated or proved it. */
async function factsBySession(known: DocumentSource, manifest: ProjectManifest): Promise<Map<string, string[]>> {
  const bySession = new Map<string, string[]>();
  const wanted = { takes: (kind: string) => kind === 'fact', failed: () => undefined };
  for await (const { sessionId, text, trust, type, replacedBy } of known.read(manifest.projectId, manifest, wanted)) {
    if (sessionId === undefined || replacedBy !== undefined || type === 'pattern') continue;
    if (trust !== 'stated' && trust !== 'proved') continue;
    pushTo(bySession, sessionId, text);
  }
  return bySession;
}

function scoresOf(considered: readonly Considered[]): { one: Considered; score: number }[] {
  const inOrder = (timeOf: (entry: SessionManifestEntry) => string): Map<SessionManifestEntry, number> => {
    const entries = considered.map(({ entry }) => entry).sort((a, b) => (timeOf(a) < timeOf(b) ? 1 : -1));
    return new Map(entries.map((entry, at) => [entry, 1 / (1 + at)]));
  };
  const recency = inOrder(({ lastTimestamp }) => lastTimestamp);
  const rehearsal = inOrder(({ lastAccessed }) => lastAccessed);
  const holders = new Map<string, number>();
  for (const { files } of considered) for (const path of files.keys()) countUp(holders, path);
  const ofFiles = considered.map(({ files }) =>
    [...files].reduce((sum, [path, { changed, read }]) => {
      const rarity = Math.log(1 + considered.length / (holders.get(path) ?? 1));
      return sum + rarity * (Math.log1p(changed) + READ_SHARE * Math.log1p(read));
    }, 0),
  );
  const mostOfFiles = Math.max(1e-9, ...ofFiles);
  return considered.map((one, at) => ({
    one,
    score:
      WORTH.files * ((ofFiles[at] ?? 0) / mostOfFiles) +
      WORTH.words * one.words +
      (one.branch === undefined ? 0 : WORTH.branch) +
      WORTH.recency * (recency.get(one.entry) ?? 0) +
      // Who was taken into a composition since was useful before.
      WORTH.rehearsal * (one.entry.lastAccessed > one.entry.registeredAt ? (rehearsal.get(one.entry) ?? 0) : 0) +
      WORTH.trust * Math.min(1, one.facts.length / 3),
  }));
}

function withinBudget(scored: readonly { one: Considered; score: number }[], budget: number): ContextSuggestion[] {
  const taken: ContextSuggestion[] = [];
  let left = budget;
  for (const { one, score } of scored) {
    const form = formWithin(one.entry, left);
    if (form === undefined || taken.length >= MOST) continue;
    left -= form.tokens;
    const { sessionId, lastTimestamp, metadata } = one.entry;
    taken.push({
      projectId: one.projectId,
      sessionId,
      versionId: form.versionId,
      relevanceScore: Math.round(score * 1000) / 1000,
      matchedTopics: one.topics.filter(isSpoken).map(({ topic }) => topic),
      matchedFiles: [...one.files.keys()],
      suggestedTokens: form.tokens,
      title: metadata.title,
      lastTimestamp,
      why: whyOf(one),
    });
  }
  return taken;
}

/** The whole where it fits, else its largest version that does; a session without one is composed smaller. */
function formWithin(entry: SessionManifestEntry, room: number): { versionId: string; tokens: number } | undefined {
  if (entry.originalTokens <= room) return { versionId: 'original', tokens: entry.originalTokens };
  const whole = entry.compressions.filter(
    ({ partNumber, outputTokens }) => partNumber === undefined && outputTokens <= room,
  );
  const [largest] = whole.sort((a, b) => b.outputTokens - a.outputTokens);
  if (largest !== undefined) return { versionId: largest.versionId, tokens: largest.outputTokens };
  return room < LEAST_ROOM ? undefined : { versionId: 'original', tokens: Math.floor(room * COMPOSED_SHARE) };
}

/** Less room says nothing of a session; more is shared with those that come after it. */
const LEAST_ROOM = 500;
const COMPOSED_SHARE = 0.5;

function isSpoken({ share }: Spoken): boolean {
  return share >= SPOKEN_SHARE;
}

function whyOf({ entry, files, topics, facts, linked, branch }: Considered): string {
  const named = [...files]
    .sort(([, a], [, b]) => b.changed - a.changed || b.read - a.read)
    .slice(0, MOST_NAMED)
    .map(([path, { changed, read }]) => {
      const times = changed > 0 ? changed : read;
      return `${changed > 0 ? 'changed' : 'read'} ${baseName(path)}${times > 1 ? ` ${times} times` : ''}`;
    });
  const [fact] = facts;
  const spoken = topics.filter(isSpoken);
  const said = (spoken.length > 0 ? spoken : topics).slice(0, MOST_NAMED).map(({ words }) => words);
  const spoke = said.length === 0 ? '' : `${spoken.length > 0 ? 'speaks of' : 'mentions'} ${said.join(', ')}`;
  const told = fact === undefined ? '' : `settled: ${oneLine(fact, QUOTE_LENGTH)}`;
  const on = branch === undefined ? '' : `on ${branch}`;
  const why = joinParts([linked === undefined ? '' : `linked: ${linked}`, ...named, on, spoke, told]);
  const isUsed = entry.lastAccessed > entry.registeredAt;
  return why || (isUsed ? 'used since in other work' : 'one of the last sessions here');
}
