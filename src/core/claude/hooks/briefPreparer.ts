import { factViews, isLasting, isTrusted, type FactView } from '../../knowledge/facts/factViews';
import type { LayerFiles, LayerPlace, LayerStore } from '../../knowledge/layerStore';
import type { NotebookService } from '../../knowledge/notes/notebookService';
import { REQUEST_MANNER } from '../../material/keywords';
import type { Clock } from '../../model/host';
import type { Concept, FactsDocument } from '../../model/layers';
import { settingsOf, type ProjectManifest } from '../../model/manifest';
import type { FileNotes, PreparedBrief } from '../../model/preparedBrief';
import { ownValue } from '../../text/ownValue';
import { EstimatingTokenCounter } from '../../text/tokens/estimatingTokenCounter';
import { fileNotesOf, knownIn, makeBrief, type BriefMaterial, type NoteFile } from './briefMaker';
import { indexReminders } from './reminders';
import { linkedStates, tellingStates, unlessExpected, type TellingStatesParts } from './tellingStates';
import { MOST_OF_A_KIND, reminderSources, type ExchangePlace } from './reminderSources';

export interface BriefPreparerParts extends TellingStatesParts {
  readonly notebook: NotebookService;
  readonly layerStore: LayerStore;
  readonly clock: Clock;
}

const CONVERSATIONS = 'conversations';
const NOTE_FILES = ['project.md', 'architecture.md', 'conventions.md'];

type BriefFact = FactView & { readonly files?: readonly string[] | undefined };

/** What an enabled project has on disk. */
interface ProjectMemory {
  readonly facts: readonly BriefFact[];
  readonly concepts: readonly Concept[];
  readonly exchanges: ReadonlyMap<string, ExchangePlace>;
  readonly notes: BriefMaterial['notes'];
  readonly master: string;
  readonly summaries: readonly { readonly name: string; readonly text: string }[];
  readonly newSummaries: number;
  /** Files whose change makes a brief old. */
  readonly files: readonly string[];
}

const NOTHING: ProjectMemory = {
  facts: [],
  concepts: [],
  exchanges: new Map(),
  notes: { dir: '', files: [] },
  master: '',
  summaries: [],
  newSummaries: 0,
  files: [],
};

/** A brief, and what else was found on the way. */
interface Prepared {
  readonly brief: PreparedBrief;
  /** All that the user laid down, whatever `CLAUDE.md` says already. */
  readonly rules: readonly FactView[];
  /** What is decided about files. */
  readonly files: FileNotes;
}

/** Makes the brief of a project, for a session about certain files where they are named. Throws `StoreError`. */
export async function makeProjectBrief(
  parts: BriefPreparerParts,
  projectId: string,
  about: readonly string[] = [],
  signal?: AbortSignal,
): Promise<Prepared & { readonly memory: ProjectMemory; readonly manifest: ProjectManifest | undefined }> {
  const { hookStore, store, clock } = parts;
  const manifest = await store.readManifest(projectId);
  const place = await unlessExpected(parts.layers.enabledPlace(projectId));
  const context = await hookStore.contextTexts(projectId, manifest?.originalPath ?? '');
  // Taken before the files are read, a stamp is never newer than what was read.
  const watched = place === undefined ? [] : await filesOf(parts, place);
  const sources = await hookStore.stamps(projectId, [...watched, ...context.map(({ file }) => file)]);
  const memory = place === undefined ? NOTHING : await memoryOf(parts, projectId, place);
  const sessions = await tellingStates(parts, manifest, about, signal);
  const linked = await linkedStates(parts, manifest, signal);
  const config = await store.readConfig();
  const counter = new EstimatingTokenCounter();
  const brief = makeBrief({
    projectId,
    madeAt: clock.now().toISOString(),
    sources,
    settings: config.hooks,
    isAutomatic: settingsOf(manifest, config).autoRegisterNewSessions,
    facts: memory.facts,
    sessions,
    linked,
    notes: memory.notes,
    newSummaries: memory.newSummaries,
    known: [...context.map(({ text }) => text), memory.master],
    files: about,
    countTokens: (text) => counter.count(text),
  });
  const rules = memory.facts.filter((fact) => isTrusted(fact) && fact.kind === 'rules');
  const known = knownIn(context.map(({ text }) => text));
  const file = watched.find((one) => one.endsWith('/facts.json'));
  const facts = file === undefined ? undefined : { file, stamp: ownValue(sources, file) ?? '' };
  const files = fileNotesOf(
    memory.facts.filter((fact) => isTrusted(fact) && isLasting(fact)),
    facts,
    known,
  );
  return { brief, rules, files, memory, manifest };
}

/** Makes ready what the hooks of a project give to sessions. Writes into the store alone. Throws `StoreError`. */
export async function prepareBrief(
  parts: BriefPreparerParts,
  projectId: string,
  signal?: AbortSignal,
): Promise<Prepared> {
  const { hookStore } = parts;
  const prepared = await makeProjectBrief(parts, projectId, [], signal);
  const { memory, manifest } = prepared;
  const sessions = await hookStore.sessionStates(projectId, MOST_OF_A_KIND);
  await hookStore.saveReminders(
    projectId,
    indexReminders(reminderSources({ ...memory, sessions, manifest }), (stem) => REQUEST_MANNER.has(stem)),
  );
  await hookStore.saveFileNotes(projectId, prepared.files);
  await hookStore.saveBrief(projectId, prepared.brief);
  return prepared;
}

async function filesOf(parts: BriefPreparerParts, place: LayerPlace): Promise<string[]> {
  const [layerDir, noteDir] = [await dirOf(parts, place), await dirOf(parts, notebookOf(place))];
  return [
    ...['facts.json', ...NOTE_FILES].map((name) => `${layerDir}/${name}`),
    ...['master.md', CONVERSATIONS].map((name) => `${noteDir}/${name}`),
  ];
}

async function dirOf(parts: BriefPreparerParts, place: LayerPlace): Promise<string> {
  return (await parts.layerStore.examine(place)).dir;
}

async function memoryOf(parts: BriefPreparerParts, projectId: string, place: LayerPlace): Promise<ProjectMemory> {
  const { layers, layerStore } = parts;
  const l4 = await unlessExpected(layers.layer(projectId, 'l4'));
  const l3 = await unlessExpected(layers.layer(projectId, 'l3'));
  const l2 = await unlessExpected(layers.layer(projectId, 'l2'));
  const recalled = await unlessExpected(parts.notebook.recall(projectId));
  const summaries = await summariesIn(layerStore.files(notebookOf(place)));
  return {
    facts: l4?.layer === 'l4' ? factsOf(l4.facts) : [],
    concepts: l3?.layer === 'l3' ? l3.concepts : [],
    exchanges: l2?.layer === 'l2' ? placesIn(l2.sessions) : new Map(),
    notes: { dir: await dirOf(parts, place), files: await notesIn(layerStore.files(place)) },
    master: recalled?.text ?? '',
    summaries,
    newSummaries: recalled === undefined ? summaries.length : recalled.newSources.length,
    files: await filesOf(parts, place),
  };
}

function factsOf(document: FactsDocument): BriefFact[] {
  const files = new Map(document.permanent.core_logic.map((fact) => [fact.id, fact.files]));
  return factViews(document).map((fact) => ({ ...fact, files: files.get(fact.id) }));
}

function notebookOf(place: LayerPlace): LayerPlace {
  return { ...place, room: 'notebook' };
}

function placesIn(
  sessions: readonly { sessionId: string; exchanges: readonly { id: string; ts: string }[] }[],
): Map<string, ExchangePlace> {
  return new Map(
    sessions.flatMap(({ sessionId, exchanges }) => exchanges.map(({ id, ts }) => [id, { sessionId, at: ts }] as const)),
  );
}

async function notesIn(files: LayerFiles): Promise<NoteFile[]> {
  const notes: NoteFile[] = [];
  for (const name of NOTE_FILES) {
    const text = await files.read(name);
    if (text !== undefined) notes.push({ name, text });
  }
  return notes;
}

async function summariesIn(files: LayerFiles): Promise<{ name: string; text: string }[]> {
  const names = (await files.names(CONVERSATIONS)).filter((name) => name.endsWith('.md'));
  const summaries = [];
  for (const name of names.slice(-MOST_OF_A_KIND)) {
    summaries.push({ name: name.slice(0, -'.md'.length), text: (await files.read(`${CONVERSATIONS}/${name}`)) ?? '' });
  }
  return summaries;
}
