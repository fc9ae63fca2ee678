import { factViews, isLasting, isTrusted, type FactView } from '../../knowledge/facts/factViews';
import type { LayerFiles, LayerPlace } from '../../knowledge/layerStore';
import type { NotebookService } from '../../knowledge/notes/notebookService';
import { REQUEST_MANNER } from '../../material/keywords';
import type { Clock } from '../../model/host';
import type { Concept, FactsDocument } from '../../model/layers';
import { settingsOf, type ProjectManifest } from '../../model/manifest';
import type { FileNotes, PreparedBrief, SessionState } from '../../model/preparedBrief';
import type { ContextSuggestion, SuggestionRequest } from '../../search/suggestions';
import { linksOf } from '../../sessions/links';
import type { SessionRef } from '../../sessions/results';
import { ownValue } from '../../text/ownValue';
import { KeepitError } from '../../text/keepitError';
import { EstimatingTokenCounter } from '../../text/tokens/estimatingTokenCounter';
import { fileNotesOf, knownIn, makeBrief, type BriefMaterial, type LinkedState, type NoteFile } from './briefMaker';
import { indexReminders } from './reminders';
import { MOST_OF_A_KIND, reminderSources, type ExchangePlace } from './reminderSources';
import { updateSessionState, type SessionStateParts } from './sessionState';

export interface BriefPreparerParts extends SessionStateParts {
  readonly notebook: NotebookService;
  readonly clock: Clock;
  /** What of the past the work at hand may need. */
  readonly suggest: (request: SuggestionRequest, signal?: AbortSignal) => Promise<readonly ContextSuggestion[]>;
}

/** The last one, and those that it can be told of in the index. */
const MOST_SESSIONS = 6;
const MOST_SUGGESTED = 3;
const MOST_LINKED = 3;
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
export interface Prepared {
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

/** The last session first, then those that its work, or these files, lead to, then the latest. */
async function tellingStates(
  parts: BriefPreparerParts,
  manifest: ProjectManifest | undefined,
  about: readonly string[],
  signal?: AbortSignal,
): Promise<SessionState[]> {
  const latest = await latestStates(parts, manifest, signal);
  const [last] = latest;
  if (last === undefined || manifest === undefined) return [];
  const { projectId } = manifest;
  const { sessionId, branch, request } = last;
  const work = { files: [...about, ...last.files], topics: request === undefined ? [] : [request.text], branch };
  const asked = { ...work, projectId, except: [sessionId], budget: Infinity };
  const suggested = (await unlessExpected(parts.suggest(asked, signal))) ?? [];
  const refs = suggested.filter((one) => one.projectId === projectId).slice(0, MOST_SUGGESTED);
  const states = (await statesOf(parts, refs, signal)).filter(({ isWork }) => isWork);
  const all = new Map([last, ...states, ...latest].map((state) => [state.sessionId, state]));
  return [...all.values()].slice(0, MOST_SESSIONS);
}

/**
 * Where the latest sessions in memory stand in which something was worked on, the latest first; those that have grown are read again. Where
 * nothing was, those with a request.
 */
async function latestStates(
  parts: BriefPreparerParts,
  manifest: ProjectManifest | undefined,
  signal?: AbortSignal,
): Promise<SessionState[]> {
  if (manifest === undefined) return [];
  const { projectId } = manifest;
  const entries = Object.values(manifest.sessions).sort((a, b) => (a.lastTimestamp < b.lastTimestamp ? 1 : -1));
  const refs = entries.slice(0, 2 * MOST_SESSIONS).map(({ sessionId }) => ({ projectId, sessionId }));
  const states = await statesOf(parts, refs, signal);
  const worked = states.filter(({ isWork }) => isWork);
  return (worked.length > 0 ? worked : states).sort((a, b) => (a.at < b.at ? 1 : -1));
}

/** In the order of the references, as many that something was worked on in as can be told. */
async function statesOf(
  parts: BriefPreparerParts,
  refs: readonly SessionRef[],
  signal?: AbortSignal,
): Promise<SessionState[]> {
  const states: SessionState[] = [];
  for (const source of await parts.sources.locateAll(refs, signal)) {
    if (states.filter(({ isWork }) => isWork).length === MOST_SESSIONS) break;
    if (source === undefined) continue;
    const [known] = await parts.hookStore.sessionStates(source.ref.projectId, 1, source.ref.sessionId);
    const isCurrent = known?.bytes === source.file.bytes && known.isWork !== undefined;
    const state = isCurrent ? known : await unlessExpected(updateSessionState(parts, source.ref, signal));
    if (state?.request !== undefined) states.push(state);
  }
  return states;
}

/** Where what is linked to the project stands: the session, or the last one of the whole project. */
async function linkedStates(
  parts: BriefPreparerParts,
  manifest: ProjectManifest | undefined,
  signal?: AbortSignal,
): Promise<LinkedState[]> {
  const found: LinkedState[] = [];
  for (const { sourceProject, sourceSession, reason } of linksOf(manifest).slice(-MOST_LINKED)) {
    const source = await unlessExpected(parts.store.readManifest(sourceProject));
    const only = ownValue(source?.sessions, sourceSession ?? '');
    const sessions = only === undefined ? {} : { [only.sessionId]: only };
    const states =
      source && (await latestStates(parts, sourceSession === undefined ? source : { ...source, sessions }, signal));
    const [state] = states ?? [];
    if (state !== undefined) found.push({ state, project: source?.displayName ?? sourceProject, reason });
  }
  return found;
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

/** Undefined for what is not there, not enabled, or cannot be read now: hooks then say nothing of it. */
async function unlessExpected<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof KeepitError) return undefined;
    throw error;
  }
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
