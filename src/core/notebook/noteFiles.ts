import { structuredPatch } from 'diff';
import { hash64 } from '../keepit/markerId';
import { LayersError } from '../layers/layersError';
import type { LayerFiles } from '../layers/layerStore';
import { notebookStateSchema, type NoteBase, type NotebookState } from '../model/notebook';
import { schemaAge, SCHEMA_VERSION } from '../model/schemaVersion';
import type { Log } from '../ports';
import { mergeNotes, type MergedNote } from './mergeNotes';
import type { NoteSection } from './noteDocument';

/** Lines of a note that change together. Each begins with ` `, `-` or `+`. */
export interface NoteHunk {
  /** Counted from 1. */
  readonly oldStart: number;
  readonly newStart: number;
  readonly lines: readonly string[];
}

/** What becomes, or has become, of a note. */
export interface NoteChange {
  /** Relative to the notebook, with `/`. */
  readonly name: string;
  readonly outcome: 'created' | 'updated' | 'unchanged';
  /** Undefined when there was none. */
  readonly before: string | undefined;
  readonly after: string;
  readonly hunks: readonly NoteHunk[];
}

const STATE = 'notebook.json';

/** The notes of one scope, with what is remembered of them. For one piece of work. */
export class NoteFiles {
  private constructor(
    readonly files: LayerFiles,
    private readonly prefix: string,
    private state: NotebookState,
  ) {}

  /** With a `log`, a damaged state is set aside; without, it counts as none. Throws `LayersError` for a newer one. */
  static async open(files: LayerFiles, scope: string | undefined, log?: Log): Promise<NoteFiles> {
    const prefix = scope === undefined ? '' : `${scope}/`;
    const text = await files.read(prefix + STATE);
    const parsed = text === undefined ? undefined : stateOf(text);
    if (text !== undefined && parsed === undefined && log !== undefined) {
      log.warn(`${prefix}${STATE} could not be read, and was kept as ${await files.setAside(prefix + STATE)}.`);
    }
    const state = parsed ?? { version: SCHEMA_VERSION, notes: {} };
    if (schemaAge(state.version) === 'newer') throw new LayersError('newer', prefix + STATE);
    return new NoteFiles(files, prefix, state);
  }

  get synthesis(): NotebookState['synthesis'] {
    return this.state.synthesis;
  }

  /** The name of a note as the notebook's folder has it. */
  nameOf(name: string): string {
    return this.prefix + name;
  }

  async read(name: string): Promise<string | undefined> {
    return this.files.read(this.prefix + name);
  }

  async stat(name: string): Promise<{ bytes: number; mtimeMs: number } | undefined> {
    return this.files.stat(this.prefix + name);
  }

  /** The names of notes in a folder of the scope. */
  async names(folder: string): Promise<string[]> {
    const names = await this.files.names(`${this.prefix}${folder}`.replace(/\/$/, ''));
    return names.filter((name) => name.endsWith('.md')).sort();
  }

  /** What a note would become; writes nothing. */
  async preview(name: string, generated: readonly NoteSection[]): Promise<NoteChange & { base: NoteBase }> {
    const before = await this.read(name);
    const { text, base } = mergeNotes(generated, before, this.baseOf(name, before));
    return { ...changeOf(this.nameOf(name), before, text), base };
  }

  /** As `preview`, and writes it. What people write into the note at the same time is their editor's business. */
  async put(name: string, generated: readonly NoteSection[]): Promise<NoteChange> {
    const { base, ...change } = await this.preview(name, generated);
    await this.write(name, { text: change.after, base }, change.before);
    return change;
  }

  async saveSynthesis(synthesis: NotebookState['synthesis']): Promise<void> {
    this.state = { ...this.state, synthesis };
    await this.save();
  }

  private baseOf(name: string, text: string | undefined): NoteBase | undefined {
    const state = Object.hasOwn(this.state.notes, name) ? this.state.notes[name] : undefined;
    if (state?.next !== undefined && text !== undefined && state.next.hash === hash64(text)) return state.next.base;
    return state?.base;
  }

  /** In an order in which a crash at any place leaves a note of which it is known who wrote what. */
  private async write(name: string, { text, base }: MergedNote, before: string | undefined): Promise<void> {
    const known = this.baseOf(name, before);
    if (text !== before) {
      this.setNote(name, { ...(known && { base: known }), next: { hash: hash64(text), base } });
      await this.save();
      await this.files.write(this.prefix + name, text);
    }
    this.setNote(name, { base });
    await this.save();
  }

  private setNote(name: string, note: NotebookState['notes'][string]): void {
    this.state = { ...this.state, notes: { ...this.state.notes, [name]: note } };
  }

  private async save(): Promise<void> {
    await this.files.write(this.prefix + STATE, `${JSON.stringify({ ...this.state, version: SCHEMA_VERSION })}\n`);
  }
}

function changeOf(name: string, before: string | undefined, after: string): NoteChange {
  const outcome = before === undefined ? 'created' : before === after ? 'unchanged' : 'updated';
  return { name, outcome, before, after, hunks: hunksOf(before ?? '', after) };
}

/** The lines that differ, with a few around them. */
export function hunksOf(before: string, after: string): NoteHunk[] {
  const { hunks } = structuredPatch('', '', before, after, '', '', { context: 2 });
  return hunks.map(({ oldStart, newStart, lines }) => ({
    oldStart,
    newStart,
    lines: lines.filter((line) => !line.startsWith('\\')),
  }));
}

function stateOf(text: string): NotebookState | undefined {
  try {
    const parsed = notebookStateSchema.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined; // torn or edited by hand: everything in the notes then counts as a person's
  }
}
