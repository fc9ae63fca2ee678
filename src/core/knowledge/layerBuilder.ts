import type { FactsDocument, LayeredSession, LayersState } from '../model/layers';
import { ownValue, setOwnValue } from '../text/ownValue';
import type { Clock, Log } from '../model/host';
import type { OnProgress } from '../sessions/results';
import { runStepsWithPauses } from '../transcript/steps';
import type { SessionSource } from '../sessions/sessionIndex';
import { ConceptBook } from './concepts';
import { emptyFacts } from './documents';
import { FactBook } from './facts/factBook';
import { withFoundFacts, withoutStated } from './facts/foreignFacts';
import { KeywordIndex, fileExchange, layerSession, NOTHING, type PriorLayers, type ProjectBooks } from './layerSession';
import { l1Lines, l1Text, CONCEPTS_FILE, l1File, LayerDocuments, type ProjectDocuments } from './layerDocuments';
import { type LayerReaderParts, readSpoken, type ReadPart } from './layerReader';
import type { LayerFiles } from './layerStore';
import { theirExchanges, withLines, type LegacySession } from './legacy/legacySession';

/** What became of one session. */
export interface LayeredReport {
  readonly sessionId: string;
  /** Relative to the layers' folder. */
  readonly l1: string;
  readonly l2: string;
  readonly lines: number;
  readonly exchanges: number;
  readonly sourceBytes: number;
  readonly l1Bytes: number;
  /** Whether only what is new was read. */
  readonly isContinued: boolean;
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

export interface LayerBuilderParts extends LayerReaderParts {
  readonly clock: Clock;
  readonly log: Log;
}

/** What a build is about. */
export interface BuildScope {
  /** The project's folder; '' when it is not known. */
  readonly root: string;
  /** Reads everything again. */
  readonly full: boolean;
  /** The sessions come from elsewhere: facts that are found in them are proposed. */
  readonly isForeign?: boolean | undefined;
}

/** So many sessions are lost at most when a build is interrupted; what they found is found again. */
const SESSIONS_PER_SAVE = 20;

const THEIR_CONCEPTS = `archive/${CONCEPTS_FILE}`;

/** Builds the layers of one project, in one go, while nobody else does. */
export class LayerBuilder {
  private readonly sessions: Record<string, LayeredSession>;
  private lastExchange: number;
  /** As it was saved last. */
  private saved: LayersState;
  /** False while a session is in the books and not yet in its files, and for good when that failed. */
  private isWhole: boolean;
  private readonly books: ProjectBooks;
  private readonly documents: LayerDocuments;

  private constructor(
    private readonly parts: LayerBuilderParts,
    private readonly files: LayerFiles,
    private readonly loaded: ProjectDocuments,
    private readonly scope: BuildScope,
  ) {
    const { full } = scope;
    const { state, facts, concepts } = loaded;
    this.documents = new LayerDocuments(files, parts.log, true);
    this.sessions = { ...state.sessions };
    this.lastExchange = state.lastExchange;
    this.saved = state;
    this.isWhole = state.isUnfinished !== true;
    this.books = {
      concepts: full ? new ConceptBook([], 0) : new ConceptBook(concepts, state.lastConcept),
      facts: new FactBook(scope.isForeign === true ? emptyFacts() : facts),
      keywords: new KeywordIndex(full ? {} : facts.keywords),
      nowIso: parts.clock.now().toISOString(),
      nextExchangeId: () => {
        this.lastExchange += 1;
        return `e${String(this.lastExchange).padStart(3, '0')}`;
      },
    };
  }

  static async open(parts: LayerBuilderParts, files: LayerFiles, scope: BuildScope): Promise<LayerBuilder> {
    const loaded = await new LayerDocuments(files, parts.log, true).load();
    // Concepts of another tool, which counts otherwise: ours are made of what was said, and theirs are kept.
    const isForeign = loaded.concepts.some(({ weights }) => weights === undefined);
    if (isForeign) await files.move(CONCEPTS_FILE, THEIR_CONCEPTS);
    const full = scope.full || loaded.isIncomplete || isForeign;
    return new LayerBuilder(parts, files, loaded, { root: scope.root, isForeign: scope.isForeign, full });
  }

  /** Whether everything is read again: it was asked for, or something of the layers was lost. */
  get isFull(): boolean {
    return this.scope.full;
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
    if (this.scope.full) await this.beginAnew(new Set(inOrder.map(({ ref }) => ref.sessionId)));
    const layered: LayeredReport[] = [];
    const failed: { session: string; error: unknown }[] = [];
    let unchanged = 0;
    try {
      for (const [index, source] of inOrder.entries()) {
        signal?.throwIfAborted();
        onProgress?.({ step: 'layer', done: index, total: inOrder.length, label: source.ref.sessionId });
        if (this.isUnchanged(source)) {
          unchanged += 1;
          continue;
        }
        try {
          layered.push(await this.layer(source, signal));
        } catch (error) {
          if (signal?.aborted === true) throw error;
          failed.push({ session: source.ref.sessionId, error });
        }
        if (layered.length % SESSIONS_PER_SAVE === 0) await this.save();
      }
    } catch (error) {
      if (layered.length > 0) await this.save();
      throw error;
    }
    if (layered.length > 0 || this.scope.full) await this.save();
    return { layered, unchanged, failed, ...this.counts() };
  }

  /**
   * Takes in an L1 file that another tool has left, as a session whose transcript is gone; its L2 too, where there is one that can be
   * read. The L1 stays as it is. False for a file that belongs to a session already.
   */
  async adopt(name: string, session: LegacySession, theirs: unknown): Promise<boolean> {
    if (this.names().includes(name)) return false;
    const { reading, lines } = session;
    const nextId = this.books.nextExchangeId;
    const given = theirExchanges(theirs, { ...session, sessionId: reading.sessionId, nextId });
    const first = reading.live.map(({ message }) => message.uuid);
    const foreign = given === undefined ? reading.foreign : new Set(first);
    const made = await runStepsWithPauses(layerSession({ ...reading, foreign }, NOTHING, this.books), this.parts.pause);
    const exchanges = given ?? withLines(made.exchanges, lines);
    for (const exchange of given ?? []) fileExchange(exchange, undefined, this.books);
    if (exchanges.length > 0) await this.documents.saveExchanges(name, reading.sessionId, exchanges);
    setOwnValue(this.sessions, reading.sessionId, {
      file: name,
      sourceBytes: 0,
      sourceMtimeMs: Date.parse(session.firstTimestamp) || 0,
      openOffset: 0,
      settledLines: lines,
      settledExchanges: exchanges.length,
      problems: [],
    });
    return true;
  }

  /** Saves what `adopt` has taken in. */
  async finish(): Promise<void> {
    await this.save();
  }

  private isUnchanged({ ref, file }: SessionSource): boolean {
    const known = this.scope.full ? undefined : ownValue(this.sessions, ref.sessionId);
    return known !== undefined && known.sourceBytes === file.bytes && known.sourceMtimeMs === file.mtimeMs;
  }

  private async layer({ ref, file }: SessionSource, signal?: AbortSignal): Promise<LayeredReport> {
    const { sessionId } = ref;
    const known = ownValue(this.sessions, sessionId);
    const exchanges = known === undefined ? [] : await this.documents.exchanges(known.file, sessionId);
    const continued = await this.continued(file, { sessionId, known }, signal);
    const part =
      continued ?? (await readSpoken(this.parts, { path: file.path, sessionId, root: this.scope.root }, 0, signal));
    const isContinued = continued !== undefined && known !== undefined;
    const prior: PriorLayers = isContinued ? { ...known, exchanges } : { ...NOTHING, exchanges };
    const { foreign, copied } = await this.foreignTo(part, isContinued ? known : undefined);
    await this.begin();
    const isWhole = this.isWhole;
    this.isWhole = false;
    const steps = layerSession({ ...part, foreign }, prior, this.books);
    // Not stopped half-way: the books would hold a part of the session then.
    const made = await runStepsWithPauses(steps, this.parts.pause);
    const name = known?.file ?? this.freeName(part.firstTimestamp);
    const before = isContinued ? l1Lines((await this.files.read(l1File(name))) ?? '').slice(0, prior.settledLines) : [];
    const text = before.map((line) => `${line}\n`).join('') + l1Text(made.entries);
    if (text !== '') await this.files.write(l1File(name), text);
    if (made.exchanges.length > 0) await this.documents.saveExchanges(name, sessionId, made.exchanges);
    const { open, settledLines, settledExchanges, problems } = made;
    setOwnValue(this.sessions, sessionId, {
      file: name,
      sourceBytes: file.bytes,
      sourceMtimeMs: file.mtimeMs,
      openOffset: part.start + (open?.message.offset ?? 0),
      ...(open !== undefined && { openUuid: open.message.uuid }),
      ...copied,
      settledLines,
      settledExchanges,
      problems: [...problems],
    });
    this.isWhole = isWhole;
    return {
      sessionId,
      l1: l1File(name),
      l2: `sessions/${name}.l2.json`,
      lines: before.length + made.entries.length,
      exchanges: made.exchanges.length,
      sourceBytes: file.bytes,
      l1Bytes: new TextEncoder().encode(text).length,
      isContinued,
    };
  }

  /** What is new since the last request; undefined when the file is not what it was, or its L1 is gone. */
  private async continued(
    file: SessionSource['file'],
    { sessionId, known }: { sessionId: string; known: LayeredSession | undefined },
    signal?: AbortSignal,
  ): Promise<ReadPart | undefined> {
    if (this.scope.full || known?.openUuid === undefined || known.openOffset === 0) return undefined;
    if (file.bytes < known.sourceBytes || (await this.files.stat(l1File(known.file))) === undefined) return undefined;
    const place = { path: file.path, sessionId, root: this.scope.root };
    const part = await readSpoken(this.parts, place, known.openOffset, signal);
    return part.firstHuman === known.openUuid ? part : undefined;
  }

  /**
   * Requests that a resumed or forked session has copied: they are exchanges of the session that they were made in. Copies keep their ids
   * and times, and nothing else that could be relied on.
   */
  private async foreignTo(
    part: ReadPart,
    continued: LayeredSession | undefined,
  ): Promise<{ foreign: ReadonlySet<string>; copied: Pick<LayeredSession, 'copiedFrom'> }> {
    const own = new Set(part.live.map(({ message }) => message.uuid));
    const foreign = new Set<string>();
    const copiedFrom: string[] = [];
    for (const origin of continued === undefined ? this.possibleOrigins(part) : (continued.copiedFrom ?? [])) {
      const known = ownValue(this.sessions, origin);
      if (known === undefined) continue;
      const exchanges = await this.documents.exchanges(known.file, origin);
      const shared = exchanges.flatMap(({ uuid }) => (uuid !== undefined && own.has(uuid) ? [uuid] : []));
      for (const uuid of shared) foreign.add(uuid);
      if (shared.length > 0 || continued !== undefined) copiedFrom.push(origin);
    }
    return { foreign, copied: copiedFrom.length === 0 ? {} : { copiedFrom } };
  }

  /** Sessions that it names, or that were still written to when its first message was said; none that has copied from it. */
  private possibleOrigins({ sessionId, sessionIds, firstTimestamp }: ReadPart): string[] {
    const began = Date.parse(firstTimestamp) || 0;
    return Object.entries(this.sessions).flatMap(([id, { sourceMtimeMs, copiedFrom = [] }]) => {
      const isPossible = sessionIds.includes(id) || sourceMtimeMs >= began;
      return id === sessionId || !isPossible || copiedFrom.includes(sessionId) ? [] : [id];
    });
  }

  /** `YYYY-MM-DD_HHMM`, and where two sessions began in one minute, a number. */
  private freeName(timestamp: string): string {
    const time = timestamp === '' ? this.books.nowIso : timestamp;
    const name = `${time.slice(0, 10)}_${time.slice(11, 16).replace(':', '')}`;
    const taken = new Set(this.names());
    for (let number = 1; ; number++) {
      const candidate = number === 1 ? name : `${name}_${number}`;
      if (!taken.has(candidate)) return candidate;
    }
  }

  /**
   * Sessions whose transcripts are gone stay in the concepts with what their L2 says. The others count as never read until they are: an
   * end before that must not leave them out of the concepts for good.
   */
  private async beginAnew(present: ReadonlySet<string>): Promise<void> {
    this.isWhole = true;
    for (const [sessionId, known] of Object.entries(this.sessions)) {
      const exchanges = await this.documents.exchanges(known.file, sessionId);
      // Those of a build that was cut short have numbers too that must not be given again.
      for (const { id } of exchanges) this.lastExchange = Math.max(this.lastExchange, Number(id.slice(1)) || 0);
      if (present.has(sessionId)) {
        const { openUuid: _openUuid, ...rest } = known;
        setOwnValue(this.sessions, sessionId, { ...rest, sourceBytes: 0, sourceMtimeMs: 0, openOffset: 0 });
        continue;
      }
      for (const exchange of exchanges) {
        this.books.concepts.put(exchange);
        this.books.keywords.add(exchange, this.books.concepts.conceptOf(exchange.id));
      }
    }
  }

  /** Notes that the files of sessions run ahead of the other documents until the next `save`. */
  private async begin(): Promise<void> {
    if (this.saved.isUnfinished === true) return;
    this.saved = { ...this.saved, isUnfinished: true };
    await this.documents.saveState(this.saved);
  }

  private async save(): Promise<void> {
    const { concepts, keywords, nowIso } = this.books;
    const all = concepts.all();
    const exchanges = all.reduce((sum, concept) => sum + concept.exchanges.length, 0);
    const { isUnfinished: _isUnfinished, ...loaded } = this.loaded.state;
    const state: LayersState = {
      ...loaded,
      sessions: { ...this.sessions },
      lastExchange: this.lastExchange,
      lastConcept: concepts.lastNumber,
      ...(!this.isWhole && { isUnfinished: true }),
    };
    const stats = { total_exchanges: exchanges, total_concepts: all.length, last_updated: nowIso.slice(0, 10) };
    const record = keywords.record(new Set(all.map(({ id }) => id)));
    await this.documents.save({ facts: { ...this.facts(), keywords: record, stats }, concepts: all, state });
    this.saved = state;
  }

  private facts(): FactsDocument {
    const found = this.books.facts.permanent();
    const { facts } = this.loaded;
    return this.scope.isForeign === true ? withFoundFacts(facts, found) : withoutStated({ ...facts, ...found });
  }

  private counts(): Pick<BuildResult, 'exchanges' | 'concepts' | 'facts'> {
    const { rules, solutions, core_logic: core } = this.facts().permanent;
    const valid = (facts: readonly { supersededBy?: string | undefined; isRejected?: boolean | undefined }[]): number =>
      facts.filter(({ supersededBy, isRejected }) => supersededBy === undefined && isRejected !== true).length;
    const all = this.books.concepts.all();
    return {
      exchanges: all.reduce((sum, { exchanges }) => sum + exchanges.length, 0),
      concepts: all.length,
      facts: { rules: valid(rules), solutions: valid(solutions), core_logic: valid(core) },
    };
  }
}
