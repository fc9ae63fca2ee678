import { structuredPatch } from 'diff';
import { hash64 } from '../../text/hash64';
import { LayersError } from '../layersError';
import type { LayerFiles } from '../layerStore';
import { notebookStateSchema, type NoteBase, type NotebookState, type NoteState } from '../../model/notebook';
import { ownValue, withoutKey } from '../../text/ownValue';
import { schemaAge, SCHEMA_VERSION } from '../../model/schemaVersion';
import type { Log } from '../../model/host';
import { mergeNotes } from './mergeNotes';
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

/** A change of a note that is not made yet, with all that is needed to make just that. Plain data. */
export interface NoteDraft {
  /** Relative to its scope. */
  readonly name: string;
  readonly change: NoteChange;
  readonly base: NoteBase;
}

/** A note that was written, as it was before, and as it is. Plain data. */
export interface WrittenNote {
  /** Relative to its scope. */
  readonly name: string;
  /** Undefined when there was none. */
  readonly before: string | undefined;
  readonly after: string;
  /** What was remembered of it before. */
  readonly state: NoteState | undefined;
}

/** What takes back what was written into a notebook. Plain data. */
export interface NotebookUndo {
  readonly scope?: string | undefined;
  readonly notes: readonly WrittenNote[];
  /** The synthesis before, where there was another one since. */
  readonly synthesis?: { readonly before: NotebookState['synthesis'] };
}

/** What is remembered of the notes of a scope. */
export const STATE = 'notebook.json';

/** The notes of one scope, with what is remembered of them. For one piece of work. */
export class NoteFiles {
  private constructor(
    readonly files: LayerFiles,
    readonly scope: string | undefined,
    private state: NotebookState,
  ) {}

  /** With a `log`, a damaged state is set aside; without, it counts as none. Throws `LayersError` for a newer one. */
  static async open(files: LayerFiles, scope: string | undefined, log?: Log): Promise<NoteFiles> {
    const prefix = prefixOf(scope);
    const text = await files.read(prefix + STATE);
    const parsed = text === undefined ? undefined : parseState(text);
    if (text !== undefined && parsed === undefined && log !== undefined) {
      log.warn(`${prefix}${STATE} could not be read, and was kept as ${await files.setAside(prefix + STATE)}.`);
    }
    const state = parsed ?? { version: SCHEMA_VERSION, notes: {} };
    if (schemaAge(state.version) === 'newer') throw new LayersError('newer', prefix + STATE);
    return new NoteFiles(files, scope, state);
  }

  get synthesis(): NotebookState['synthesis'] {
    return this.state.synthesis;
  }

  /** What is remembered of a note. */
  stateOf(name: string): NoteState | undefined {
    return ownValue(this.state.notes, name);
  }

  /** The name of a note as the notebook's folder has it. */
  nameOf(name: string): string {
    return prefixOf(this.scope) + name;
  }

  async read(name: string): Promise<string | undefined> {
    return this.files.read(this.nameOf(name));
  }

  async stat(name: string): Promise<{ bytes: number; mtimeMs: number } | undefined> {
    return this.files.stat(this.nameOf(name));
  }

  /** The names of notes in a folder of the scope. */
  async names(folder: string): Promise<string[]> {
    const names = await this.files.names(this.nameOf(folder).replace(/\/$/, ''));
    return names.filter((name) => name.endsWith('.md')).sort();
  }

  /** What a note would become; writes nothing. */
  async draft(name: string, generated: readonly NoteSection[]): Promise<NoteDraft> {
    const before = await this.read(name);
    const { text, base } = mergeNotes(generated, before, this.baseOf(name, before));
    return { name, change: changeOf(this.nameOf(name), before, text), base };
  }

  /**
   * Writes what was drafted, in an order in which a crash at any place leaves a note of which it is known who wrote what. What people
   * write into the note at the same time is their editor's business.
   */
  async write({ name, change: { before, after }, base }: NoteDraft): Promise<WrittenNote> {
    const state = this.stateOf(name);
    await this.put(name, { before, after, state: { base } });
    return { name, before, after, state };
  }

  /** Makes a note, and what is remembered of it, what it was before it was written. */
  async restore({ name, before, after, state }: WrittenNote): Promise<void> {
    await this.put(name, { before: after, after: before, state });
  }

  async saveSynthesis(synthesis: NotebookState['synthesis']): Promise<void> {
    this.state = { ...this.state, synthesis };
    await this.save();
  }

  private baseOf(name: string, text: string | undefined): NoteBase | undefined {
    return baseIn(this.stateOf(name), text);
  }

  private async put(
    name: string,
    { before, after, state }: { before: string | undefined; after: string | undefined; state: NoteState | undefined },
  ): Promise<void> {
    if (after !== before) {
      const known = this.baseOf(name, before);
      const base = after === undefined ? undefined : baseIn(state, after);
      // Without a base to come, nothing is remembered: everything in the note then counts as a person's.
      const next = base && { ...(known && { base: known }), next: { hash: hash64(after ?? ''), base } };
      this.setState(name, next);
      await this.save();
      if (after === undefined) await this.files.remove(this.nameOf(name));
      else await this.files.write(this.nameOf(name), after);
    }
    this.setState(name, state);
    await this.save();
  }

  private setState(name: string, state: NoteState | undefined): void {
    const others = withoutKey(this.state.notes, name);
    this.state = { ...this.state, notes: { ...others, ...(state && { [name]: state }) } };
  }

  private async save(): Promise<void> {
    await this.files.write(
      prefixOf(this.scope) + STATE,
      `${JSON.stringify({ ...this.state, version: SCHEMA_VERSION })}\n`,
    );
  }
}

function prefixOf(scope: string | undefined): string {
  return scope === undefined ? '' : `${scope}/`;
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

/** What Keepit has written into a note with this text. */
function baseIn(state: NoteState | undefined, text: string | undefined): NoteBase | undefined {
  if (state?.next !== undefined && text !== undefined && state.next.hash === hash64(text)) return state.next.base;
  return state?.base;
}

function parseState(text: string): NotebookState | undefined {
  try {
    const parsed = notebookStateSchema.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined; // torn or edited by hand: everything in the notes then counts as a person's
  }
}
