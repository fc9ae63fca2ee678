import type { Concept, Exchange, FactsDocument, LayeredSession, LayersState } from '../model/layers';
import { ownValue, setOwnValue } from '../text/ownValue';
import type { Clock, Log } from '../model/host';
import type { OnProgress, SessionSource } from '../sessions/results';

import { ConceptBook, keywordIndex, primaryTopicsOf } from './concepts';
import { emptyFacts } from './documents';
import { FactBook } from './facts/factBook';
import { holds, numberOf, withoutFound, type AnyFact } from './facts/factLists';
import { withFoundFacts, withoutStated } from './facts/foreignFacts';
import { layerSession, withNotes } from './layerSession';
import {
  l1Text,
  CONCEPTS_FILE,
  l1File,
  l2File,
  LayerDocuments,
  type ProjectDocuments,
  anchored,
  checkAnchors,
} from './layerDocuments';
import type { MaterialReaderParts } from '../sessions/sessionMaterial';
import { readSpoken, type LayerReading } from './layerReader';
import type { LayerFiles, ProjectProbe } from './layerStore';
import { theirExchanges, withLines, type LegacySession } from './otherTools/legacySession';

/** What became of one session. */
interface LayeredReport {
  readonly sessionId: string;
  /** Relative to the layers' folder. */
  readonly l1: string;
  readonly l2: string;
  readonly lines: number;
  readonly exchanges: number;
  readonly sourceBytes: number;
  readonly l1Bytes: number;
}

export interface BuildResult {
  /** Those that had something new. */
  readonly layered: readonly LayeredReport[];
  readonly unchanged: number;
  readonly failed: readonly { readonly session: string; readonly error: unknown }[];
  readonly exchanges: number;
  readonly concepts: number;
  readonly facts: { readonly rules: number; readonly solutions: number; readonly core_logic: number };
}

export interface LayerBuilderParts extends MaterialReaderParts {
  readonly clock: Clock;
  readonly log: Log;
  readonly projectProbe: Pick<ProjectProbe, 'find'>;
}

/** What a build is about. */
interface BuildScope {
  /** The project's folder; '' when it is not known. */
  readonly root: string;
  /** Reads everything again. */
  readonly full: boolean;
  /** Also sessions that have not changed. */
  readonly isAgain?: boolean | undefined;
  /** What a model noted of the user's words counts as stated. */
  readonly trustNotes?: boolean | undefined;
  /** The sessions come from elsewhere: facts that are found in them are proposed. */
  readonly isForeign?: boolean | undefined;
}

/** By which rules sessions are layered. Raised with them: every session is layered again then. */
const ENGINE = 6;

/** So many sessions are layered again at most after an interruption. */
const SESSIONS_PER_SAVE = 20;

const THEIR_CONCEPTS = `archive/${CONCEPTS_FILE}`;

/** The layers as they were, and what they are built with. */
interface OpenedLayers {
  readonly parts: LayerBuilderParts;
  readonly files: LayerFiles;
  readonly documents: LayerDocuments;
  readonly loaded: ProjectDocuments;
  /** By session. */
  readonly exchanges: readonly (readonly [string, readonly Exchange[]])[];
  readonly scope: BuildScope;
  readonly isFull: boolean;
  readonly isStale: boolean;
}

/**
 * Builds the layers of one project while nobody else does: L1 and L2 of each session that has changed, from the whole of it; its facts are
 * added to what is known, and the concepts are those of all exchanges that there are.
 */
export class LayerBuilder {
  private readonly sessions: Record<string, LayeredSession>;
  /** By session. */
  private readonly exchanges: Map<string, readonly Exchange[]>;
  /** Which session has a request, as far as that was read by the rules of now. */
  private readonly owners = new Map<string, string>();
  private readonly facts: FactBook;
  private readonly nowIso: string;
  private lastExchange: number;

  private constructor(private readonly opened: OpenedLayers) {
    const { loaded, parts, scope } = opened;
    this.sessions = { ...loaded.state.sessions };
    this.exchanges = new Map(opened.exchanges);
    if (!opened.isFull) for (const [sessionId, exchanges] of opened.exchanges) this.own(sessionId, exchanges);
    const known = loaded.state.engine === ENGINE ? loaded.facts : withoutFound(loaded.facts);
    this.facts = new FactBook(scope.isForeign === true ? emptyFacts() : known);
    this.nowIso = parts.clock.now().toISOString();
    const numbers = [...this.exchanges.values()].flat().map(numberOf);
    this.lastExchange = numbers.reduce((a, b) => Math.max(a, b), loaded.state.lastExchange);
  }

  static async open(parts: LayerBuilderParts, files: LayerFiles, scope: BuildScope): Promise<LayerBuilder> {
    const documents = new LayerDocuments(files, parts.log, true);
    const loaded = await documents.load();
    const { concepts, state, isIncomplete, isStale } = loaded;
    // Concepts of another tool, which counts otherwise: ours are made of what was said, and theirs are kept.
    const isForeign = concepts.some(({ weights }) => weights === undefined);
    if (isForeign) await files.move(CONCEPTS_FILE, THEIR_CONCEPTS);
    const exchanges = await documents.allExchanges(state.sessions);
    const isFull = scope.full || isIncomplete || state.engine !== ENGINE;
    return new LayerBuilder({
      parts,
      files,
      documents,
      loaded,
      exchanges,
      scope,
      isFull,
      isStale: isStale || isForeign,
    });
  }

  /** Whether everything is read again: it was asked for, or something of the layers was lost. */
  get isFull(): boolean {
    return this.opened.isFull;
  }

  /** The names of the files of all sessions. */
  names(): string[] {
    return Object.values(this.sessions).map(({ file }) => file);
  }

  /**
   * Layers the sessions in the order in which they were last written. One that cannot be read does not stop the others. What was layered
   * before `signal` put an end to it is saved, and the next build goes on from there.
   */
  async build(sources: readonly SessionSource[], onProgress?: OnProgress, signal?: AbortSignal): Promise<BuildResult> {
    const inOrder = [...sources].sort((a, b) => a.file.mtimeMs - b.file.mtimeMs);
    if (this.isFull) this.forgetTimes(inOrder);
    const layered: LayeredReport[] = [];
    const failed: { session: string; error: unknown }[] = [];
    const isAgain = this.opened.scope.isAgain === true;
    const changed = inOrder.filter((source) => isAgain || !this.isUnchanged(source));
    try {
      for (const [index, source] of changed.entries()) {
        signal?.throwIfAborted();
        if (index % SESSIONS_PER_SAVE === 0) await this.saveSessions();
        onProgress?.({ step: 'layer', done: index, total: changed.length, label: source.ref.sessionId });
        try {
          layered.push(await this.layer(source, signal));
        } catch (error) {
          if (signal?.aborted === true) throw error;
          failed.push({ session: source.ref.sessionId, error });
        }
      }
    } catch (error) {
      if (layered.length > 0) await this.finish();
      throw error;
    }
    if (layered.length > 0 || this.isFull || this.opened.isStale) await this.finish();
    else await this.checkAnchors();
    return { layered, unchanged: inOrder.length - changed.length, failed, ...this.counts() };
  }

  /**
   * Takes in an L1 file that another tool has left, as a session whose transcript is gone; its L2 too, where there is one that can be
   * read. The L1 stays as it is. False for a file that belongs to a session already.
   */
  async adopt(name: string, session: LegacySession, theirs: unknown): Promise<boolean> {
    if (this.names().includes(name)) return false;
    const { reading, lines } = session;
    const { sessionId } = reading;
    const nextId = (): string => this.nextExchangeId();
    const given = theirExchanges(theirs, { ...session, sessionId, nextId });
    const made = this.layersOf(reading, given === undefined ? nextId : () => ''); // then for its facts alone
    const exchanges = given ?? withLines(made.exchanges, lines);
    if (exchanges.length > 0) await this.saveExchanges(name, sessionId, exchanges);
    const sourceMtimeMs = Date.parse(session.firstTimestamp) || 0;
    setOwnValue(this.sessions, sessionId, { file: name, sourceBytes: 0, sourceMtimeMs });
    return true;
  }

  /** Makes the concepts of all exchanges, and saves everything. */
  async finish(): Promise<void> {
    const { exchanges, concepts, conceptOf } = this.concepts();
    this.facts.expire(this.nowIso);
    const keywords = keywordIndex(exchanges, conceptOf);
    const today = this.nowIso.slice(0, 10);
    const stats = { total_exchanges: exchanges.length, total_concepts: concepts.length, last_updated: today };
    await this.opened.documents.saveConcepts(concepts);
    const { parts, scope, loaded } = this.opened;
    const { facts, looked } = await anchored(this.factsNow(), loaded.state.looked, {
      probe: parts.projectProbe,
      root: scope.root,
      nowIso: this.nowIso,
    });
    await this.opened.documents.saveFacts({ ...facts, keywords, stats });
    await this.opened.documents.saveState({ ...this.state(), looked });
  }

  /** Files come and go also where nothing was said. */
  private async checkAnchors(): Promise<void> {
    const { documents, loaded, parts, scope } = this.opened;
    await checkAnchors(documents, loaded, { probe: parts.projectProbe, root: scope.root, nowIso: this.nowIso });
  }

  /** Before and while sessions are written: what is lost by a sudden end is layered again. */
  private async saveSessions(): Promise<void> {
    await this.opened.documents.saveFacts(this.factsNow());
    await this.opened.documents.saveState({ ...this.state(), isUnfinished: true });
  }

  private state(): LayersState {
    const { isUnfinished: _isUnfinished, ...loaded } = this.opened.loaded.state;
    return { ...loaded, sessions: { ...this.sessions }, lastExchange: this.lastExchange, engine: ENGINE };
  }

  private isUnchanged({ ref, file }: SessionSource): boolean {
    const known = ownValue(this.sessions, ref.sessionId);
    return known !== undefined && known.sourceBytes === file.bytes && known.sourceMtimeMs === file.mtimeMs;
  }

  private async layer({ ref, file }: SessionSource, signal?: AbortSignal): Promise<LayeredReport> {
    const { sessionId } = ref;
    const { parts, scope } = this.opened;
    const reading = await readSpoken(parts, { ...ref, path: file.path, root: scope.root }, signal);
    const name = ownValue(this.sessions, sessionId)?.file ?? this.freeName(reading.firstTimestamp);
    const noted = await this.opened.documents.reading(name);
    const { entries, exchanges } = this.layersOf(reading, () => this.nextExchangeId(), noted);
    const text = l1Text(entries);
    const isKnown = this.exchanges.has(sessionId);
    if (text !== '' || isKnown) await this.opened.files.write(l1File(name), text);
    if (exchanges.length > 0 || isKnown) await this.saveExchanges(name, sessionId, exchanges);
    setOwnValue(this.sessions, sessionId, { file: name, sourceBytes: file.bytes, sourceMtimeMs: file.mtimeMs });
    return {
      sessionId,
      l1: l1File(name),
      l2: l2File(name),
      lines: entries.length,
      exchanges: exchanges.length,
      sourceBytes: file.bytes,
      l1Bytes: new TextEncoder().encode(text).length,
    };
  }

  private layersOf(
    reading: LayerReading,
    nextExchangeId: () => string,
    noted?: Parameters<typeof withNotes>[1],
  ): ReturnType<typeof layerSession> {
    const { sessionId } = reading;
    const known = this.exchanges.get(sessionId) ?? [];
    const isElsewhere = (uuid: string): boolean => (this.owners.get(uuid) ?? sessionId) !== sessionId;
    const books = { facts: this.facts, nowIso: this.nowIso, known, nextExchangeId, isElsewhere };
    const layers = layerSession(reading, books);
    this.own(sessionId, layers.exchanges);
    return noted === undefined ? layers : withNotes(layers, noted, books, this.opened.scope.trustNotes === true);
  }

  private own(sessionId: string, exchanges: readonly Exchange[]): void {
    for (const { uuid } of exchanges)
      if (uuid !== undefined && !this.owners.has(uuid)) this.owners.set(uuid, sessionId);
  }

  private async saveExchanges(name: string, sessionId: string, exchanges: readonly Exchange[]): Promise<void> {
    await this.opened.documents.saveExchanges(name, sessionId, exchanges);
    this.exchanges.set(sessionId, exchanges);
  }

  private nextExchangeId(): string {
    this.lastExchange += 1;
    return `e${String(this.lastExchange).padStart(3, '0')}`;
  }

  /** `YYYY-MM-DD_HHMM`, and where two sessions began in one minute, a number. */
  private freeName(timestamp: string): string {
    const time = timestamp === '' ? this.nowIso : timestamp;
    const name = `${time.slice(0, 10)}_${time.slice(11, 16).replace(':', '')}`;
    const taken = new Set(this.names());
    for (let number = 1; ; number++) {
      const candidate = number === 1 ? name : `${name}_${number}`;
      if (!taken.has(candidate)) return candidate;
    }
  }

  /** They count as never read until they are: an end before that must not leave them as they were. */
  private forgetTimes(sources: readonly SessionSource[]): void {
    for (const { ref } of sources) {
      const known = ownValue(this.sessions, ref.sessionId);
      if (known !== undefined) {
        setOwnValue(this.sessions, ref.sessionId, { file: known.file, sourceBytes: 0, sourceMtimeMs: 0 });
      }
    }
  }

  /** The exchanges of all sessions and what they are about. A request that a resumed session has copied counts once. */
  private concepts(): { exchanges: Exchange[]; concepts: Concept[]; conceptOf: (id: string) => string | undefined } {
    const seen = new Set<string>();
    const isNew = ({ id, uuid = id }: Exchange): boolean => !seen.has(uuid) && seen.add(uuid).has(uuid);
    const exchanges = [...this.exchanges.values()]
      .flat()
      .sort((a, b) => numberOf(a) - numberOf(b))
      .filter((exchange) => exchange.isAside !== true && isNew(exchange));
    const book = new ConceptBook();
    for (const exchange of exchanges) book.put(exchange);
    return { exchanges, concepts: book.all(), conceptOf: (id) => book.conceptOf(id) };
  }

  /** What each session is about, what it speaks of most first. */
  topics(): Map<string, readonly string[]> {
    const { concepts, conceptOf } = this.concepts();
    return primaryTopicsOf(this.exchanges, concepts, conceptOf);
  }

  private factsNow(): FactsDocument {
    const found = this.facts.permanent();
    const { facts } = this.opened.loaded;
    return this.opened.scope.isForeign === true ? withFoundFacts(facts, found) : withoutStated({ ...facts, ...found });
  }

  private counts(): Pick<BuildResult, 'exchanges' | 'concepts' | 'facts'> {
    const { rules, solutions, core_logic: core } = this.factsNow().permanent;
    const valid = (facts: readonly AnyFact[]): number => facts.filter(holds).length;
    const { exchanges, concepts } = this.concepts();
    return {
      exchanges: exchanges.length,
      concepts: concepts.length,
      facts: { rules: valid(rules), solutions: valid(solutions), core_logic: valid(core) },
    };
  }
}
