import { MaterialReader, type MaterialReaderParts } from '../../sessions/sessionMaterial';
import type { LayersService } from '../layersService';
import { type LayerFiles, type LayerPlace, type LayerStore, type ProjectProbe, NotebookError } from '../layerStore';
import { isSafeSegment } from '../../model/fields';
import type { Clock, Log } from '../../model/host';
import type { TokenCounters } from '../../text/tokens/tokenCounter';
import type { SessionRef } from '../../sessions/results';
import type { SessionIndex } from '../../sessions/sessionIndex';
import { conversationNotes } from './conversationNotes';
import { acceptNotes, disownNotes, readForeignNotes, type AcceptedNotes, type ForeignNoteText } from './foreignNotes';
import { NoteFiles, type NotebookUndo, type NoteChange, type WrittenNote } from './noteFiles';
import type { NoteSection } from './noteDocument';
import { exportNotebook, importNotebook, notesIn, type ImportMode, type ImportResult } from './notebookTransfer';
import {
  CONVERSATIONS,
  markOf,
  MASTER,
  newSourcesIn,
  planSynthesis,
  type SynthesisPlan,
  type Synthesized,
} from './synthesizer';

export interface NotebookServiceParts extends MaterialReaderParts {
  readonly layerStore: LayerStore;
  readonly sources: SessionIndex;
  readonly tokens: TokenCounters;
  readonly projectProbe: ProjectProbe;
  readonly clock: Clock;
  readonly log: Log;
}

export interface NotebookScope {
  /** A part of the project with notes of its own, in a folder of that name; the whole project when absent. */
  readonly scope?: string | undefined;
}

export interface SummarizeRequest extends NotebookScope {
  /** Nothing is written. */
  readonly isPreview?: boolean | undefined;
}

export interface SummarizeResult extends NoteChange {
  readonly sessionId: string;
  /** Absolute. */
  readonly file: string;
  /** For `undo`; absent when nothing was written. */
  readonly undo?: NotebookUndo | undefined;
}

export interface SynthesizeRequest extends NotebookScope {
  /** Also when nothing is new. */
  readonly isFull?: boolean | undefined;
  readonly isPreview?: boolean | undefined;
  /** What `master.md` may take; 8,000 when absent. A person's words are never let go of. */
  readonly maxTokens?: number | undefined;
}

/** `unchanged` when nothing is new. */
export interface SynthesizeResult extends Synthesized {
  /** Absolute. */
  readonly file: string;
}

/** What a synthesis would write, to be looked at first. */
export interface SynthesisProposal {
  readonly result: SynthesizeResult;
  /** What `apply` writes; absent when there is nothing to write. */
  readonly plan?: SynthesisPlan | undefined;
}

export interface Recalled {
  readonly file: string;
  readonly text: string;
  readonly tokens: number;
  /** Absent where nothing is known of a synthesis. */
  readonly lastSynthesized?: string | undefined;
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

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * The notebook of a project (seed 002): a summary of each session that somebody asked for, and one note that says what they say together,
 * compared with the project as it is. What people write into these files stays. Nothing is written for a project before its layers were
 * enabled. Throws `NotebookError`, `LayersError` and `StoreError`.
 */
export class NotebookService {
  private readonly material: MaterialReader;

  constructor(
    private readonly parts: NotebookServiceParts,
    private readonly layers: LayersService,
  ) {
    this.material = new MaterialReader(parts);
  }

  /** Where the notebook of a project is, or would be. */
  async folder(projectId: string): Promise<string> {
    const { layerStore } = this.parts;
    return (await layerStore.examine(await this.place(projectId))).dir;
  }

  /** Writes the summary of a session, or brings it up to date: one file for each session, whoever writes it. */
  async summarize(ref: SessionRef, request: SummarizeRequest = {}, signal?: AbortSignal): Promise<SummarizeResult> {
    checkScope(request);
    const place = await this.place(ref.projectId);
    const sections = await this.summaryOf(ref, signal);
    const name = `${CONVERSATIONS}/${ref.sessionId}.md`;
    const inNotes = async (notes: NoteFiles): Promise<{ change: NoteChange; undo?: NotebookUndo }> => {
      const draft = await notes.draft(name, sections);
      if (request.isPreview === true) return draft;
      const written = await notes.write(draft);
      return { ...draft, ...(isNew(written) && { undo: { scope: request.scope, notes: [written] } }) };
    };
    const { change, undo } = await this.work(place, request, inNotes, signal);
    const file = await this.pathOf(place, change.name);
    return { sessionId: ref.sessionId, file, ...change, undo };
  }

  /** Brings `master.md` up to date with all summaries and with the project. */
  async synthesize(
    projectId: string,
    request: SynthesizeRequest = {},
    signal?: AbortSignal,
  ): Promise<SynthesizeResult> {
    const place = await this.place(projectId);
    const inNotes = async (notes: NoteFiles): Promise<SynthesizeResult> => {
      const { result, plan } = await this.planned(place, notes, request, signal);
      if (plan !== undefined && request.isPreview !== true) await carryOut(notes, plan);
      return result;
    };
    return this.work(place, request, inNotes, signal);
  }

  /** As `synthesize`, and writes nothing: `apply` writes just what this has shown. */
  async propose(projectId: string, request: SynthesizeRequest = {}, signal?: AbortSignal): Promise<SynthesisProposal> {
    const place = await this.place(projectId);
    const inNotes = (notes: NoteFiles): Promise<SynthesisProposal> => this.planned(place, notes, request, signal);
    return this.work(place, { ...request, isPreview: true }, inNotes, signal);
  }

  /** Writes what was proposed, byte for byte. Refused with `changed` when the notebook is not what the proposal was made of. */
  async apply(projectId: string, plan: SynthesisPlan, signal?: AbortSignal): Promise<NotebookUndo> {
    const place = await this.place(projectId);
    const inNotes = async (notes: NoteFiles): Promise<NotebookUndo> => {
      if ((await markOf(notes)) !== plan.mark) throw new NotebookError('changed', await this.folder(projectId));
      return carryOut(notes, plan);
    };
    return this.work(place, plan, inNotes, signal);
  }

  /** Makes notes what they were, to the byte. All of it is refused with `changed-since` when somebody has changed one of them since. */
  async undo(projectId: string, undos: readonly NotebookUndo[]): Promise<void> {
    const place = await this.place(projectId);
    await this.parts.layerStore.change(place, async (files) => {
      for (const { scope, notes: written } of undos) {
        const notes = await NoteFiles.open(files, scope);
        for (const { name, after } of written) {
          if ((await notes.read(name)) === after) continue;
          throw new NotebookError('changed-since', await this.pathOf(place, notes.nameOf(name)));
        }
      }
      for (const { scope, notes: written, synthesis } of undos) {
        const notes = await NoteFiles.open(files, scope, this.parts.log);
        for (const note of [...written].reverse()) await notes.restore(note);
        if (synthesis !== undefined) await notes.saveSynthesis(synthesis.before);
      }
    });
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
      lastSynthesized: at,
      ...(Number.isFinite(ageMs) && { ageDays: Math.max(0, Math.floor(ageMs / DAY_MS)) }),
      newSources: await newSourcesIn(notes),
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

  /** The notes that this memory did not write, as they are. Nothing else of this service shows them. */
  async foreign(projectId: string): Promise<ForeignNoteText[]> {
    const { layerStore } = this.parts;
    return readForeignNotes(layerStore, await this.layers.enabledPlace(projectId, 'read'));
  }

  /** From now on foreign notes count as written by this memory, if they still say what was looked at. `disown` takes that back. */
  async accept(projectId: string, notes: readonly ForeignNoteText[]): Promise<AcceptedNotes> {
    const { layerStore } = this.parts;
    return acceptNotes(layerStore, await this.layers.enabledPlace(projectId), notes);
  }

  async disown(projectId: string, notes: readonly ForeignNoteText[]): Promise<void> {
    const { layerStore } = this.parts;
    await disownNotes(layerStore, await this.layers.enabledPlace(projectId), notes);
  }

  /** The whole notebook, with all its scopes, as one text. */
  async export(projectId: string): Promise<string> {
    const files = this.parts.layerStore.files(await this.place(projectId, 'read'));
    return exportNotebook(files);
  }

  /** Takes an exported notebook in. Without a mode, a note that is there already with other words refuses the whole of it. */
  async import(projectId: string, archive: string, mode?: ImportMode): Promise<ImportResult> {
    const place = await this.place(projectId);
    await this.prepare(place);
    const nowIso = this.parts.clock.now().toISOString();
    return this.parts.layerStore.change(place, async (files) => importNotebook(files, archive, { mode, nowIso }));
  }

  private async planned(
    place: LayerPlace,
    notes: NoteFiles,
    { isFull, maxTokens }: SynthesizeRequest,
    signal?: AbortSignal,
  ): Promise<SynthesisProposal> {
    const { projectProbe, tokens, clock } = this.parts;
    const counter = await tokens.exact();
    const { found, plan } = await planSynthesis(notes, {
      folder: await this.pathOf(place, notes.nameOf(CONVERSATIONS)),
      look: (paths) => projectProbe.look(place.projectPath, paths, signal),
      count: (text) => counter.count(text),
      nowIso: clock.now().toISOString(),
      isFull,
      maxTokens,
    });
    return { result: { ...found, file: await this.pathOf(place, found.name) }, plan };
  }

  private async summaryOf(ref: SessionRef, signal?: AbortSignal): Promise<NoteSection[]> {
    const { sources, tokens } = this.parts;
    const source = await sources.locate(ref, signal);
    const { messages, title, isNamed } = await this.material.read(source.file.path, await tokens.exact(), signal);
    if (!messages.some(({ texts }) => texts.length > 0)) throw new NotebookError('nothing-said', ref.sessionId);
    const reading = await this.layers.reading(ref);
    const noted = reading?.digest === '' ? undefined : reading;
    const named = isNamed ? title : (noted?.title ?? title);
    return conversationNotes({ sessionId: ref.sessionId, title: named, messages, noted });
  }

  /** Writing is done alone, and reads again what is there then; a preview waits for nobody. */
  private async work<T>(
    place: LayerPlace,
    { scope, isPreview }: NotebookScope & { isPreview?: boolean | undefined },
    work: (notes: NoteFiles) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    checkScope({ scope });
    const { layerStore, log } = this.parts;
    if (isPreview === true) return work(await NoteFiles.open(layerStore.files(place), scope));
    await this.prepare(place);
    const inside = async (files: LayerFiles): Promise<T> => work(await NoteFiles.open(files, scope, log));
    return layerStore.change(place, inside, signal);
  }

  private async prepare(place: LayerPlace): Promise<void> {
    const { isShared } = await this.layers.status(place.projectId);
    await this.parts.layerStore.prepare(place, { shared: isShared });
  }

  private async place(projectId: string, use: 'read' | 'write' = 'write'): Promise<LayerPlace> {
    return { ...(await this.layers.enabledPlace(projectId, use)), room: 'notebook' };
  }

  private async pathOf(place: LayerPlace, name: string): Promise<string> {
    return `${(await this.parts.layerStore.examine(place)).dir}/${name}`;
  }
}

function checkScope({ scope }: NotebookScope): void {
  if (scope === undefined) return;
  const isTaken = scope === CONVERSATIONS || scope === 'archive' || scope.startsWith('.') || scope.includes('.md');
  if (isTaken || !isSafeSegment(scope)) throw new NotebookError('bad-scope', scope);
}

/** A note that stays as it is may be written all the same, for what is remembered of it. */
function isNew({ before, after }: WrittenNote): boolean {
  return before !== after;
}

async function carryOut(notes: NoteFiles, { scope, drafts, synthesis }: SynthesisPlan): Promise<NotebookUndo> {
  const before = notes.synthesis;
  const written: WrittenNote[] = [];
  for (const draft of drafts) written.push(await notes.write(draft));
  await notes.saveSynthesis(synthesis);
  return { scope, notes: written, synthesis: { before } };
}
