import { parseTornJson } from '../model/tornJson';
import {
  conceptsDocumentSchema,
  factsDocumentSchema,
  layersStateSchema,
  type Concept,
  type ConceptsDocument,
  type Exchange,
  type FactsDocument,
  type LayersState,
  l1EntrySchema,
  type L1Entry,
  type Looked,
} from '../model/layers';
import { SCHEMA_VERSION } from '../model/fields';
import { sessionReadingSchema, type SessionReading } from '../model/sessionReading';
import type { Log } from '../model/host';
import { mapLimited } from '../text/mapLimited';
import { ownValue, parsedJson } from '../text/ownValue';
import {
  emptyFacts,
  emptyState,
  readConcepts,
  readExchanges,
  readFacts,
  readReading,
  readState,
  type Reading,
} from './documents';
import { withForeignFacts } from './facts/foreignFacts';
import { type LayerFiles, LayersError, type ProjectProbe } from './layerStore';
import { withAnchors, type Whereabouts } from './facts/anchors';

export const FACTS_FILE = 'facts.json';
export const CONCEPTS_FILE = 'concepts.json';
export const STATE_FILE = 'layers.json';
export const SESSIONS_FOLDER = 'sessions';

export const l1File = (file: string): string => `${SESSIONS_FOLDER}/${file}.l1.jsonl`;
export const l2File = (file: string): string => `${SESSIONS_FOLDER}/${file}.l2.json`;
/** What a model noted of the session. */
export const readingFile = (file: string): string => `${SESSIONS_FOLDER}/${file}.reading.json`;

/** Enough for a disk to be busy, and not so many that others wait. */
const PARALLEL_READS = 8;
/** One of each, so that their texts may be held. */
const PROJECT_FILES = new Set([FACTS_FILE, CONCEPTS_FILE, STATE_FILE]);

/** What is written for a project, for people. */
export const FILES = [
  'facts.json',
  'concepts.json',
  'layers.json',
  'sessions/<date>_<time>.l1.jsonl',
  'sessions/<date>_<time>.l2.json',
  'sessions/archive/',
  'memory.md',
  'memory-index.json',
  'memory_<date>_<time>.md',
  'memory_<date>_<time>.summary.json',
  'project.md',
  'architecture.md',
  'conventions.md',
  'archive/',
];
export const NOTEBOOK_FILES = ['conversations/<session-id>.md', 'master.md', 'archive/', 'notebook.json'];

/** Everything of a project but its sessions' own files. */
export interface ProjectDocuments {
  readonly facts: FactsDocument;
  readonly concepts: readonly Concept[];
  readonly state: LayersState;
  /** Something was lost that only the sessions can tell again. */
  readonly isIncomplete: boolean;
  /** The concepts are not those of the sessions that are there. */
  readonly isStale: boolean;
}

/** The documents of a place as files, written in the order of their schemas: the same content is the same bytes. What is damaged is set aside when it is to be written, and what is valid of it is kept. */
export class LayerDocuments {
  /** As they were read or written last: what has not changed is not written again. */
  private readonly texts = new Map<string, string>();

  constructor(
    private readonly files: LayerFiles,
    private readonly log: Log,
    private readonly mayMend: boolean,
  ) {}

  async load(): Promise<ProjectDocuments> {
    const facts = await this.read(FACTS_FILE, readFacts);
    const concepts = await this.read<ConceptsDocument>(CONCEPTS_FILE, readConcepts);
    const state = await this.read(STATE_FILE, readState);
    const isLost = (reading: { document?: unknown; isDamaged: boolean }): boolean =>
      reading.document === undefined || reading.isDamaged;
    return {
      facts: await this.withForeign(facts.document ?? emptyFacts()),
      concepts: concepts.document?.concepts ?? [],
      state: state.document ?? emptyState(),
      isIncomplete: isLost(facts) || isLost(state),
      isStale: isLost(concepts) || state.document?.isUnfinished === true,
    };
  }

  /** With those that somebody else has left in the project, as proposals. */
  async facts(): Promise<FactsDocument> {
    return this.withForeign(await this.ownFacts());
  }

  async ownFacts(): Promise<FactsDocument> {
    return (await this.read(FACTS_FILE, readFacts)).document ?? emptyFacts();
  }

  /** Of each of these sessions. */
  async allExchanges(sessions: LayersState['sessions']): Promise<(readonly [sessionId: string, Exchange[]])[]> {
    return mapLimited(Object.entries(sessions), PARALLEL_READS, async ([sessionId, { file }]) => {
      return [sessionId, await this.exchanges(file, sessionId)] as const;
    });
  }

  /** L1 of each of these sessions, with its file. */
  async allEntries(
    sessions: LayersState['sessions'],
  ): Promise<{ sessionId: string; file: string; entries: L1Entry[] }[]> {
    return mapLimited(Object.entries(sessions), PARALLEL_READS, async ([sessionId, session]) => {
      const file = l1File(session.file);
      return { sessionId, file, entries: readL1((await this.files.read(file)) ?? '') };
    });
  }

  async exchanges(file: string, sessionId: string): Promise<Exchange[]> {
    const { document } = await this.read(l2File(file), (value) => readExchanges(value, sessionId));
    return document?.exchanges ?? [];
  }

  /** The file of a session, as `l1File` and its like take it. */
  async fileOf(sessionId: string): Promise<string | undefined> {
    return ownValue((await this.read(STATE_FILE, readState)).document?.sessions ?? {}, sessionId)?.file;
  }

  /** Undefined for a session that no model has read, or whose notes are damaged: they can be made again. */
  async reading(file: string): Promise<SessionReading | undefined> {
    const { document } = await this.read(readingFile(file), readReading);
    return document;
  }

  /** The same of a session by its id. */
  async readingOf(sessionId: string): Promise<SessionReading | undefined> {
    const file = await this.fileOf(sessionId);
    return file === undefined ? undefined : this.reading(file);
  }

  async saveReading(file: string, reading: SessionReading): Promise<void> {
    await this.write(readingFile(file), sessionReadingSchema.parse(reading));
  }

  async saveConcepts(concepts: readonly Concept[]): Promise<void> {
    await this.write(CONCEPTS_FILE, conceptsDocumentSchema.parse({ version: SCHEMA_VERSION, concepts }));
  }

  async saveFacts(facts: FactsDocument): Promise<void> {
    await this.write(FACTS_FILE, factsDocumentSchema.parse(facts));
  }

  async saveState(state: LayersState): Promise<void> {
    await this.write(STATE_FILE, layersStateSchema.parse(state));
  }

  async saveExchanges(file: string, sessionId: string, exchanges: readonly Exchange[]): Promise<void> {
    await this.write(l2File(file), { version: SCHEMA_VERSION, sessionId, exchanges });
  }

  private async withForeign(facts: FactsDocument): Promise<FactsDocument> {
    const text = await this.files.readForeign(FACTS_FILE);
    return text === undefined ? facts : withForeignFacts(facts, text);
  }

  private async write(name: string, document: object): Promise<void> {
    const text = `${JSON.stringify(document, undefined, 2)}\n`;
    if (this.texts.get(name) === text) return;
    await this.files.write(name, text);
    if (PROJECT_FILES.has(name)) this.texts.set(name, text);
  }

  private async read<T>(
    name: string,
    judge: (value: unknown) => Reading<T>,
  ): Promise<{ document?: T; isDamaged: boolean }> {
    const text = await this.files.read(name);
    if (text === undefined) return { isDamaged: false };
    if (PROJECT_FILES.has(name)) this.texts.set(name, text);
    const parsed = parse(text);
    const reading = judge(parsed.value);
    if (reading.state === 'newer') throw new LayersError('newer', name);
    const isDamaged = parsed.isTorn || reading.state === 'damaged';
    if (isDamaged && this.mayMend) {
      const aside = await this.files.setAside(name);
      this.texts.delete(name);
      this.log.warn(`${name} was damaged; it is kept as ${aside}, and what could be read of it is used`);
    }
    return { document: reading.document, isDamaged };
  }
}

function parse(text: string): { value: unknown; isTorn: boolean } {
  try {
    const value: unknown = JSON.parse(text);
    return { value, isTorn: false };
  } catch {
    return { value: parseTornJson(text), isTorn: true }; // a hand that slipped, or a disk that was full
  }
}

/** An L1 file's text. */
export function l1Text(entries: readonly L1Entry[]): string {
  return entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
}

/** The entries of an L1 file; lines that are none, which only other hands can have written, are passed over. */
export function readL1(text: string): L1Entry[] {
  return l1Lines(text).flatMap((line) => {
    const entry = l1EntrySchema.safeParse(parsedJson(line));
    return entry.success ? [entry.data] : [];
  });
}

/** The lines of an L1 file, as `l1_range` counts them. */
export function l1Lines(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}

/** Where, and when, is looked for what facts name. */
interface AnchorPlace {
  readonly probe: Pick<ProjectProbe, 'find'>;
  /** The project's folder; '' when it is not known. */
  readonly root: string;
  readonly nowIso: string;
}

/** Facts with what they name looked for in the project, and what was found. */
export async function anchored(
  document: FactsDocument,
  before: Looked | undefined,
  { probe, root, nowIso }: AnchorPlace,
): Promise<{ facts: FactsDocument; looked: Looked | undefined }> {
  let looked = before;
  const find = async (names: readonly string[]): Promise<Whereabouts> => {
    looked = await probe.find(root, names, before);
    return new Map(Object.entries(looked.found));
  };
  return { facts: await withAnchors(document, find, nowIso.slice(0, 10)), looked };
}

/** Looks whether what facts name is still there, and writes down what has changed. */
export async function checkAnchors(
  documents: LayerDocuments,
  loaded: Pick<ProjectDocuments, 'facts' | 'state'>,
  place: AnchorPlace,
): Promise<void> {
  const { facts, looked } = await anchored(loaded.facts, loaded.state.looked, place);
  if (JSON.stringify(facts.permanent) !== JSON.stringify(loaded.facts.permanent)) await documents.saveFacts(facts);
  if (JSON.stringify(looked) !== JSON.stringify(loaded.state.looked))
    await documents.saveState({ ...loaded.state, looked });
}
