import { structuredPatch } from 'diff';
import { hash64 } from '../../text/hash64';
import { type LayerFiles, LayersError } from '../layerStore';
import { notebookStateSchema, type NoteBase, type NotebookState, type NoteState } from '../../model/notebook';
import { ownValue, parsedJson, withoutKey, setOwnValue } from '../../text/ownValue';
import { schemaAge, SCHEMA_VERSION } from '../../model/fields';
import type { Log } from '../../model/host';
import { type NoteSection, readNote, SectionIds, writeNote, type FoundSection } from './noteDocument';

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
  // Where it was torn or edited by hand, everything in the notes counts as a person's.
  return notebookStateSchema.safeParse(parsedJson(text)).data;
}

interface MergedNote {
  readonly text: string;
  /** What is to be remembered for the next time. */
  readonly base: NoteBase;
}

interface Placed {
  readonly text: string;
  /** Absent for a person's. */
  readonly key?: string;
}

interface Draft {
  readonly id: string;
  readonly heading: string;
  readonly blocks: Placed[];
  /** A section that a person has made. */
  readonly isPersons: boolean;
}

/**
 * Brings a note up to date. Blocks that stand as Keepit wrote them follow what is generated now; everything else in the note is a
 * person's, stays byte for byte, and stays after what it stood after. A block that a person has reworded, moved to another section or
 * taken out does not come back. Without `base`, only blocks that would be generated just so count as Keepit's.
 */
export function mergeNotes(
  generated: readonly NoteSection[],
  current: string | undefined,
  base: NoteBase | undefined,
): MergedNote {
  const isNew = current === undefined || current.trim() === '';
  const found = isNew ? [] : readNote(current);
  const owners = new Owners(generated, isNew ? undefined : base);
  const judged = found.map((section) => ({
    section,
    blocks: section.blocks.map((text) => owners.judge(text, section)),
  }));
  const owned = owners.owned();
  const drafts = draftsOf(generated, owned);
  let last = -1;
  for (const { section, blocks } of judged) {
    const known = drafts.findIndex(({ id }) => id === section.id);
    const isPersons = known === -1 && !owners.hasWritten(section.id);
    if (known === -1 && !isPersons && blocks.every(({ key }) => key !== undefined)) continue;
    if (known === -1) drafts.splice(last + 1, 0, { id: section.id, heading: section.heading, blocks: [], isPersons });
    const at = known === -1 ? last + 1 : known;
    last = Math.max(last, at);
    const draft = drafts[at];
    if (draft !== undefined) putIn(draft, blocks);
  }
  const shown = drafts.filter((draft, at) => isShown(draft, drafts.slice(at + 1)));
  const text = writeNote(shown.map(({ heading, blocks }) => ({ heading, blocks: blocks.map((block) => block.text) })));
  return { text: current?.includes('\r\n') === true ? text.replace(/\n/g, '\r\n') : text, base: baseOf(shown, owned) };
}

/** The id of a section as it is remembered. */
function sectionHash(id: string): string {
  return hash64(id);
}

/** Tells Keepit's blocks from a person's. */
class Owners {
  private readonly written = new Map<string, string[]>();
  private readonly generated = new Map<string, string[]>();
  private readonly sections = new Map<string, string>();
  private readonly met = new Set<string>();
  private readonly moved = new Set<string>();

  constructor(
    sections: readonly NoteSection[],
    private readonly base: NoteBase | undefined,
  ) {
    for (const [key, { hash }] of Object.entries(base?.blocks ?? {})) add(this.written, hash, key);
    const ids = new SectionIds();
    for (const { heading, blocks } of sections) {
      const id = sectionHash(ids.of(heading));
      for (const { key, text } of blocks) {
        this.sections.set(key, id);
        add(this.generated, hash64(text), key);
      }
    }
  }

  /** What a block of the note is. */
  judge(text: string, { id }: FoundSection): Placed {
    const hash = hash64(text);
    const section = sectionHash(id);
    const keys = [...(this.written.get(hash) ?? []), ...(this.generated.get(hash) ?? [])].filter(
      (key) => !this.met.has(key),
    );
    const key =
      keys.find((one) => this.placeOf(one) === section) ?? keys.find((one) => this.sections.get(one) === section);
    if (key !== undefined) {
      this.met.add(key);
      return { text, key };
    }
    const [elsewhere] = keys;
    if (elsewhere !== undefined) this.moved.add(elsewhere);
    return { text };
  }

  /** The keys that are a person's from now on. */
  owned(): Set<string> {
    const gone = Object.keys(this.base?.blocks ?? {}).filter((key) => !this.met.has(key));
    const moved = [...this.moved].filter((key) => !this.met.has(key));
    return new Set([...(this.base?.owned ?? []), ...gone, ...moved]);
  }

  hasWritten(id: string): boolean {
    return this.base?.sections.includes(sectionHash(id)) === true;
  }

  private placeOf(key: string): string | undefined {
    return ownValue(this.base?.blocks, key)?.section ?? this.sections.get(key);
  }
}

function add(map: Map<string, string[]>, hash: string, key: string): void {
  const keys = map.get(hash);
  if (keys === undefined) map.set(hash, [key]);
  else keys.push(key);
}

function draftsOf(generated: readonly NoteSection[], owned: ReadonlySet<string>): Draft[] {
  const ids = new SectionIds();
  return generated.map(({ heading, blocks }) => ({
    id: ids.of(heading),
    heading,
    blocks: blocks.filter(({ key }) => !owned.has(key)).map(({ key, text }) => ({ key, text })),
    isPersons: false,
  }));
}

/** Puts a person's blocks after the blocks that they stood after. */
function putIn(draft: Draft, found: readonly Placed[]): void {
  let at = 0;
  for (const block of found) {
    if (block.key === undefined) draft.blocks.splice(at++, 0, block);
    else {
      const own = draft.blocks.findIndex(({ key }) => key === block.key);
      if (own !== -1) at = Math.max(at, own + 1);
    }
  }
}

/** A heading without anything below it is left out, unless a person wrote it. */
function isShown({ heading, blocks, isPersons }: Draft, after: readonly Draft[]): boolean {
  if (blocks.length > 0 || isPersons) return true;
  if (!/^##\s/.test(heading)) return false;
  const end = after.findIndex((one) => !/^###\s/.test(one.heading));
  return after.slice(0, end === -1 ? after.length : end).some((child) => child.blocks.length > 0 || child.isPersons);
}

function baseOf(drafts: readonly Draft[], owned: ReadonlySet<string>): NoteBase {
  const blocks: Record<string, { hash: string; section: string }> = {};
  for (const draft of drafts) {
    for (const { key, text } of draft.blocks) {
      if (key !== undefined) setOwnValue(blocks, key, { hash: hash64(text), section: sectionHash(draft.id) });
    }
  }
  return {
    blocks,
    owned: [...owned],
    sections: drafts.filter(({ isPersons }) => !isPersons).map(({ id }) => sectionHash(id)),
  };
}
