import type { CompressionWork } from '../compression/compressionJob';
import { MaterialReader } from '../compression/sessionMaterial';
import type { SummarizerName, SummaryCost } from '../compression/types';
import { hash64 } from '../keepit/markerId';
import type { LayersService } from '../layers/layersService';
import type { LayerFiles, LayerPlace, LayerStore } from '../layers/layerStore';
import { isSafeSegment } from '../model/ids';
import type { ClaudeFolder, Clock, Log, MemoryStore, Pause, TokenCounters } from '../ports';
import type { ExcerptReader } from '../presentation/toolDetails';
import type { ConversationLoader } from '../registry/conversationLoader';
import type { SessionRef } from '../registry/results';
import type { SessionSources } from '../registry/sessionSources';
import { runStepsWithPauses } from '../transcript/steps';
import { conversationNotes } from './conversationNotes';
import { modelWords, summaryJob } from './modelSummary';
import { NotebookError } from './notebookError';
import { NoteFiles, type NoteChange } from './noteFiles';
import type { NoteSection } from './noteDocument';
import type { ProjectProbe } from './projectProbe';
import { gather, masterNote, partNote, prunable, type SourceSummary } from './synthesis';
import { exportNotebook, importNotebook, notesIn, type ImportMode, type ImportResult } from './notebookTransfer';
import { readSummary } from './trackingPoint';

export interface NotebookServiceParts {
  readonly layers: LayersService;
  readonly layerStore: LayerStore;
  readonly store: MemoryStore;
  readonly claude: ClaudeFolder;
  readonly sources: SessionSources;
  readonly loader: ConversationLoader;
  readonly openExcerpts: (path: string) => ExcerptReader & { close(): Promise<void> };
  readonly tokens: TokenCounters;
  readonly compression: CompressionWork;
  readonly projectProbe: ProjectProbe;
  readonly pause: Pause;
  readonly clock: Clock;
  readonly log: Log;
}

export interface NotebookScope {
  /** A part of the project with notes of its own, in a folder of that name; the whole project when absent. */
  readonly scope?: string | undefined;
}

export interface SummarizeRequest extends NotebookScope {
  /** `local` when absent. A model says it in its own words; what counts as a point is found by code just the same. */
  readonly provider?: SummarizerName | undefined;
  readonly model?: string | undefined;
  readonly maxCostUsd?: number | undefined;
  /** Nothing is written. */
  readonly isPreview?: boolean | undefined;
}

export interface SummarizeResult extends NoteChange {
  readonly sessionId: string;
  /** Absolute. */
  readonly file: string;
  readonly cost: SummaryCost;
}

export interface SynthesizeRequest extends NotebookScope {
  /** Also when nothing is new. */
  readonly isFull?: boolean | undefined;
  readonly isPreview?: boolean | undefined;
  /** What `master.md` may take; 8,000 when absent. A person's words are never let go of. */
  readonly maxTokens?: number | undefined;
}

export interface SynthesizeResult extends NoteChange {
  /** Absolute. */
  readonly file: string;
  /** All summaries, and those that are new, or have changed, since the last synthesis. */
  readonly sources: readonly string[];
  readonly newSources: readonly string[];
  readonly docs: readonly string[];
  readonly tokens: number;
  /** How many points were let go of for the sake of the size; they are in `archive/master.md`. */
  readonly pruned: number;
}

export interface Recalled {
  readonly file: string;
  readonly text: string;
  readonly tokens: number;
  /** Absent where nothing is known of a synthesis. */
  readonly lastSynthesized?: string;
  readonly ageDays?: number;
  /** Summaries that came after it. */
  readonly newSources: readonly string[];
}

export interface NotebookNote {
  /** Relative to the notebook, with `/`. */
  readonly name: string;
  /** Absolute. */
  readonly file: string;
}

const MASTER = 'master.md';
const ARCHIVE = 'archive/master.md';
const FOLDER = 'conversations';
const MAX_MASTER_TOKENS = 8000;
const DAY_MS = 24 * 60 * 60 * 1000;
const NO_COST: SummaryCost = { calls: 0, inputTokens: 0, outputTokens: 0, usd: 0 };

/**
 * The notebook of a project (seed 002): a summary of each session that somebody asked for, and one note that says what they say together,
 * compared with the project as it is. What people write into these files stays. Nothing is written for a project before its layers were
 * enabled. Throws `NotebookError`, `LayersError` and `StoreError`.
 */
export class NotebookService {
  private readonly material: MaterialReader;

  constructor(private readonly parts: NotebookServiceParts) {
    this.material = new MaterialReader(parts);
  }

  /** Where the notebook of a project is, or would be. */
  async folder(projectId: string): Promise<string> {
    const { layerStore } = this.parts;
    return (await layerStore.examine(await this.place(projectId))).dir;
  }

  /** What asking a model for a summary is expected to cost; nothing is sent. */
  async estimate(ref: SessionRef, request: SummarizeRequest, signal?: AbortSignal): Promise<SummaryCost> {
    if ((request.provider ?? 'local') === 'local') return NO_COST;
    const source = await this.parts.sources.locate(ref, signal);
    return (await this.parts.compression.estimate(await summaryJob(this.parts, source, request), signal)).cost;
  }

  /** Writes the summary of a session, or brings it up to date: one file for each session, whoever writes it. */
  async summarize(ref: SessionRef, request: SummarizeRequest = {}, signal?: AbortSignal): Promise<SummarizeResult> {
    checkScope(request);
    const place = await this.place(ref.projectId);
    const { sections, cost } = await this.summaryOf(ref, request, signal);
    const name = `${FOLDER}/${ref.sessionId}.md`;
    const change = await this.work(
      place,
      request,
      async (notes) => (request.isPreview === true ? notes.preview(name, sections) : notes.put(name, sections)),
      signal,
    );
    return { sessionId: ref.sessionId, file: await this.pathOf(place, change.name), ...changeOnly(change), cost };
  }

  /** Brings `master.md` up to date with all summaries and with the project. `unchanged` when nothing is new. */
  async synthesize(
    projectId: string,
    request: SynthesizeRequest = {},
    signal?: AbortSignal,
  ): Promise<SynthesizeResult> {
    checkScope(request);
    const place = await this.place(projectId);
    return this.work(place, request, async (notes) => this.synthesizeIn(place, notes, request, signal), signal);
  }

  /** `master.md` as it is. */
  async recall(projectId: string, { scope }: NotebookScope = {}): Promise<Recalled> {
    checkScope({ scope });
    const place = await this.place(projectId, 'read');
    const notes = await NoteFiles.open(this.parts.layerStore.files(place), scope);
    const text = await notes.read(MASTER);
    const file = await this.pathOf(place, notes.nameOf(MASTER));
    if (text === undefined) throw new NotebookError('no-master', file);
    const at = notes.synthesis?.at ?? /Last synthesized: ([^*\n]+)/.exec(text)?.[1]?.trim();
    const ageMs = this.parts.clock.now().getTime() - Date.parse(at ?? '');
    return {
      file,
      text,
      tokens: (await this.parts.tokens.exact()).count(text),
      ...(at !== undefined && { lastSynthesized: at }),
      ...(Number.isFinite(ageMs) && { ageDays: Math.max(0, Math.floor(ageMs / DAY_MS)) }),
      newSources: newSourcesOf(notes, await statsOf(notes)),
    };
  }

  /** The notes that there are, of all scopes. */
  async list(projectId: string): Promise<NotebookNote[]> {
    const { layerStore } = this.parts;
    const place = await this.place(projectId);
    const { dir } = await layerStore.examine(place);
    const names = await notesIn(layerStore.files(place));
    return names.filter((name) => name.endsWith('.md')).map((name) => ({ name, file: `${dir}/${name}` }));
  }

  /** The whole notebook, with all its scopes, as one text. */
  async export(projectId: string): Promise<string> {
    const files = this.parts.layerStore.files(await this.place(projectId, 'read'));
    return exportNotebook(files, this.parts.clock.now().toISOString());
  }

  /** Takes an exported notebook in. Without a mode, a note that is there already with other words refuses the whole of it. */
  async import(projectId: string, archive: string, mode?: ImportMode): Promise<ImportResult> {
    const place = await this.place(projectId);
    await this.prepare(place);
    const nowIso = this.parts.clock.now().toISOString();
    return this.parts.layerStore.change(place, async (files) => importNotebook(files, archive, { mode, nowIso }));
  }

  private async synthesizeIn(
    place: LayerPlace,
    notes: NoteFiles,
    { isFull, isPreview, maxTokens = MAX_MASTER_TOKENS }: SynthesizeRequest,
    signal?: AbortSignal,
  ): Promise<SynthesizeResult> {
    const { projectProbe, tokens, clock } = this.parts;
    const stats = await statsOf(notes);
    const current = await notes.read(MASTER);
    if (stats.size === 0 && current === undefined)
      throw new NotebookError('no-summaries', await this.pathOf(place, FOLDER));
    const gathered = gather(await summariesIn(notes, stats));
    const look = await projectProbe.look(place.projectPath, gathered.paths, signal);
    const newSources = newSourcesOf(notes, stats);
    const project = hash64(JSON.stringify([look, maxTokens]));
    const isSame = newSources.length === 0 && current !== undefined && notes.synthesis?.project === project;
    const isGone = Object.keys(notes.synthesis?.sources ?? {}).some((name) => !stats.has(name));
    const counter = await tokens.exact();
    const file = await this.pathOf(place, notes.nameOf(MASTER));
    const known = { file, sources: [...stats.keys()], newSources, docs: look.docs.map((doc) => doc.file) };
    if (isSame && !isGone && isFull !== true) {
      const unchanged = {
        name: notes.nameOf(MASTER),
        outcome: 'unchanged',
        before: current,
        after: current,
        hunks: [],
      } as const;
      return { ...known, ...unchanged, tokens: counter.count(current), pruned: 0 };
    }
    const at = clock.now().toISOString();
    const fitted = await fit(notes, masterNote(gathered, look, at), {
      order: prunable(gathered),
      count: (text) => counter.count(text),
      maxTokens,
    });
    if (isPreview === true)
      return { ...known, ...changeOnly(await notes.preview(MASTER, fitted.kept)), ...fitted.figures };
    // What is let go of is in the archive before it leaves the note.
    if (fitted.figures.pruned > 0 || (await notes.read(ARCHIVE)) !== undefined) await notes.put(ARCHIVE, fitted.pruned);
    const change = await notes.put(MASTER, fitted.kept);
    await notes.saveSynthesis({ at, sources: Object.fromEntries(stats), project });
    return { ...known, ...change, ...fitted.figures };
  }

  private async summaryOf(
    ref: SessionRef,
    request: SummarizeRequest,
    signal?: AbortSignal,
  ): Promise<{ sections: NoteSection[]; cost: SummaryCost }> {
    const { sources, tokens, pause, compression } = this.parts;
    const source = await sources.locate(ref, signal);
    const { messages, title } = await this.material.read(source.file.path, await tokens.exact(), signal);
    if (!messages.some(({ texts }) => texts.length > 0)) throw new NotebookError('nothing-said', ref.sessionId);
    const session = { sessionId: ref.sessionId, title, messages };
    if ((request.provider ?? 'local') === 'local') {
      return { sections: await runStepsWithPauses(conversationNotes(session), pause, signal), cost: NO_COST };
    }
    const made = await compression.compress(await summaryJob(this.parts, source, request), undefined, signal);
    const told = modelWords(made.body);
    return { sections: await runStepsWithPauses(conversationNotes(session, told), pause, signal), cost: made.cost };
  }

  /** Writing is done alone, and reads again what is there then; a preview waits for nobody. */
  private async work<T>(
    place: LayerPlace,
    { scope, isPreview }: NotebookScope & { isPreview?: boolean | undefined },
    work: (notes: NoteFiles) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    const { layerStore, log } = this.parts;
    if (isPreview === true) return work(await NoteFiles.open(layerStore.files(place), scope));
    await this.prepare(place);
    const inside = async (files: LayerFiles): Promise<T> => work(await NoteFiles.open(files, scope, log));
    return layerStore.change(place, inside, signal);
  }

  private async prepare(place: LayerPlace): Promise<void> {
    const { isShared } = await this.parts.layers.status(place.projectId);
    await this.parts.layerStore.prepare(place, { shared: isShared });
  }

  private async place(projectId: string, use: 'read' | 'write' = 'write'): Promise<LayerPlace> {
    return { ...(await this.parts.layers.enabledPlace(projectId, use)), room: 'notebook' };
  }

  private async pathOf(place: LayerPlace, name: string): Promise<string> {
    return `${(await this.parts.layerStore.examine(place)).dir}/${name}`;
  }
}

interface Stat {
  bytes: number;
  mtimeMs: number;
}

function checkScope({ scope }: NotebookScope): void {
  if (scope === undefined) return;
  const isTaken = scope === FOLDER || scope === 'archive' || scope.startsWith('.') || scope.includes('.md');
  if (isTaken || !isSafeSegment(scope)) throw new NotebookError('bad-scope', scope);
}

function changeOnly({ name, outcome, before, after, hunks }: NoteChange): NoteChange {
  return { name, outcome, before, after, hunks };
}

async function statsOf(notes: NoteFiles): Promise<Map<string, Stat>> {
  const stats = new Map<string, Stat>();
  for (const name of await notes.names(FOLDER)) {
    const stat = await notes.stat(`${FOLDER}/${name}`);
    if (stat !== undefined) stats.set(name, stat);
  }
  return stats;
}

function newSourcesOf(notes: NoteFiles, stats: ReadonlyMap<string, Stat>): string[] {
  const known = notes.synthesis?.sources ?? {};
  return [...stats].flatMap(([name, { bytes, mtimeMs }]) => {
    const before = Object.hasOwn(known, name) ? known[name] : undefined;
    return before?.bytes === bytes && before.mtimeMs === mtimeMs ? [] : [name];
  });
}

async function summariesIn(notes: NoteFiles, stats: ReadonlyMap<string, Stat>): Promise<SourceSummary[]> {
  const summaries: SourceSummary[] = [];
  for (const [name, { mtimeMs }] of stats) {
    const summary = readSummary((await notes.read(`${FOLDER}/${name}`)) ?? '');
    summaries.push({ name, summary, date: summary.date ?? new Date(mtimeMs).toISOString().slice(0, 10) });
  }
  return summaries;
}

/** Lets go of the oldest points until the note, with what people wrote into it, is small enough. */
async function fit(
  notes: NoteFiles,
  sections: readonly NoteSection[],
  { order, count, maxTokens }: { order: readonly string[]; count: (text: string) => number; maxTokens: number },
): Promise<{ kept: NoteSection[]; pruned: NoteSection[]; figures: { tokens: number; pruned: number } }> {
  const sizes = new Map(
    sections.flatMap(({ blocks }) => blocks.map(({ key, text }) => [key, count(text) + 1] as const)),
  );
  const left = order.filter((key) => sizes.has(key));
  const gone = new Set<string>();
  for (;;) {
    const parted = partNote(sections, gone);
    const tokens = count((await notes.preview(MASTER, parted.kept)).after);
    if (tokens <= maxTokens || left.length === 0) return { ...parted, figures: { tokens, pruned: gone.size } };
    for (let over = tokens - maxTokens; over > 0 && left.length > 0;) {
      const key = left.shift() ?? '';
      gone.add(key);
      over -= sizes.get(key) ?? 0;
    }
  }
}
