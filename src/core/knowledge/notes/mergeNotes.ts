import { hash64 } from '../../text/hash64';
import type { NoteBase } from '../../model/notebook';
import { ownValue, setOwnValue } from '../../text/ownValue';
import { readNote, SectionIds, writeNote, type FoundSection, type NoteSection } from './noteDocument';

export interface MergedNote {
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
