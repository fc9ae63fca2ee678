import type { LayerFiles, PlainFiles } from '../../core/knowledge/layerStore';
import { FOREIGN_ARCHIVE } from '../../core/knowledge/foreignFiles';
import { type GitSight, blobIdsOf } from './gitContent';
import type { Provenance } from './provenance';

interface OwnFilesParts {
  /** The files as they are, whoever wrote them. */
  readonly plain: PlainFiles;
  /** What this memory last wrote of them, in the store. */
  readonly copies: PlainFiles;
  /** Of the place, in the log: several have one. */
  readonly room: string;
  /** What tells it from the places of other projects. */
  readonly place: string;
  readonly provenance: () => Promise<Provenance>;
  readonly sightOf: (name: string, text: string, isKnown: (blob: string) => boolean) => Promise<GitSight>;
  /** Whether nobody else changes the place meanwhile. */
  readonly isAlone: boolean;
  /** Files as they were when they were known to be own, so that a list of what is foreign need not read them again. */
  readonly ownStamps: Set<string>;
}

const ARCHIVE = 'archive';
const SESSIONS = 'sessions/';
/** Deep enough for the notes of a scope. */
const MOST_DEPTH = 3;
const MOST_FOREIGN = 5000;
/** A larger one was made to be in the way, and is not read. */
const MOST_FOREIGN_BYTES = 128 * 1024 * 1024;

/** Whether what this memory writes is kept in the store as well. Sessions can be read again. */
export function isCopied(name: string): boolean {
  return !name.startsWith(SESSIONS);
}

/** The files of a place in a project's folder: those that this memory wrote, as the store remembers. */
export class OwnFiles implements LayerFiles {
  /** Files that are known to be own since nobody else may change them. */
  private readonly settled = new Set<string>();
  private known: Promise<Provenance> | undefined;

  constructor(private readonly parts: OwnFilesParts) {}

  async read(name: string): Promise<string | undefined> {
    const text = await this.parts.plain.read(name);
    if (text === undefined || (await this.look(name, text)).isOwn) return text;
    return this.copy(name);
  }

  async write(name: string, text: string): Promise<void> {
    await this.expect(name, text);
    await this.parts.plain.write(name, text);
    this.settled.add(name);
  }

  async names(folder: string): Promise<string[]> {
    const { plain } = this.parts;
    const known = await this.provenance();
    const own: string[] = [];
    for (const name of await plain.names(folder)) {
      const path = folder === '' ? name : `${folder}/${name}`;
      if (known.knows(this.id(path)) || (await plain.stat(path)) === undefined) own.push(name);
    }
    return own;
  }

  async stat(name: string): Promise<{ bytes: number; mtimeMs: number } | undefined> {
    const { plain, copies } = this.parts;
    const stats = await plain.stat(name);
    const text = stats === undefined ? undefined : await plain.read(name);
    if (text === undefined || (await this.look(name, text)).isOwn) return stats;
    return (await this.copy(name)) === undefined ? undefined : copies.stat(name);
  }

  async setAside(name: string): Promise<string> {
    const { plain } = this.parts;
    const text = await plain.read(name);
    if (text === undefined || !(await this.look(name, text)).isOwn) return name;
    const aside = await plain.setAside(name);
    const folder = name.slice(0, name.lastIndexOf('/') + 1);
    await (await this.provenance()).add(this.id(folder + aside), blobIdsOf(text));
    return aside;
  }

  async move(from: string, to: string): Promise<void> {
    const { plain } = this.parts;
    const text = await plain.read(from);
    const own = await this.read(from);
    if (own !== undefined && own !== text) return this.write(to, own); // what is foreign stays where it is
    if (own !== undefined) await this.expect(to, own);
    await plain.move(from, to);
    this.settled.delete(from);
  }

  async remove(name: string): Promise<void> {
    const text = await this.parts.plain.read(name);
    if (text !== undefined && (await this.look(name, text)).isOwn) await this.parts.plain.remove(name);
    this.settled.delete(name);
  }

  async foreign(): Promise<string[]> {
    const found: string[] = [];
    await this.collect('', 1, found);
    return found.sort();
  }

  async readForeign(name: string): Promise<string | undefined> {
    const { plain } = this.parts;
    if (((await plain.stat(name))?.bytes ?? Infinity) > MOST_FOREIGN_BYTES) return undefined;
    const text = await plain.read(name);
    return text === undefined || (await this.look(name, text)).isOwn ? undefined : text;
  }

  async accept(name: string, text: string): Promise<boolean> {
    if ((await this.parts.plain.read(name)) !== text) return false;
    await (await this.provenance()).add(this.id(name), blobIdsOf(text));
    return true;
  }

  async disown(name: string, text: string): Promise<void> {
    await (await this.provenance()).remove(this.id(name), blobIdsOf(text));
    this.parts.ownStamps.clear();
    this.settled.delete(name);
  }

  /**
   * Notes that this memory is about to write a file. What is foreign there goes out of the way before: should the process be killed now, it
   * would look like an edit of ours.
   */
  private async expect(name: string, text: string): Promise<void> {
    const { copies } = this.parts;
    await this.makeRoom(name);
    await (await this.provenance()).add(this.id(name), blobIdsOf(text));
    if (isCopied(name)) await copies.write(name, text);
  }

  private async look(name: string, text: string): Promise<{ isOwn: boolean; sight?: GitSight }> {
    const known = await this.provenance();
    const id = this.id(name);
    const ids = blobIdsOf(text);
    if (known.has(id, ids)) return { isOwn: true };
    if (!known.knows(id)) return { isOwn: false };
    const sight = await this.parts.sightOf(name, text, (blob) => known.hasBlob(id, blob));
    // What a person has edited here is our own, also when they commit it later.
    if (!sight.isFromGit && this.parts.isAlone) await known.add(id, ids);
    return { isOwn: !sight.isFromGit, sight };
  }

  /** What this memory last wrote, where the file is foreign; undefined for what is not kept, or damaged. */
  private async copy(name: string): Promise<string | undefined> {
    const text = await this.parts.copies.read(name);
    const isSound = text !== undefined && (await this.provenance()).has(this.id(name), blobIdsOf(text));
    return isSound ? text : undefined;
  }

  /** Moves a foreign file away that stands where something is to be written; what git has need not be kept. */
  private async makeRoom(name: string): Promise<void> {
    const { plain } = this.parts;
    if (this.settled.has(name)) return;
    const text = await plain.read(name);
    if (text === undefined) return;
    const { isOwn, sight } = await this.look(name, text);
    if (isOwn || sight?.isInGit === true) return;
    for (let number = 1; ; number++) {
      const aside = `${FOREIGN_ARCHIVE}/${number === 1 ? '' : `${number}/`}${name}`;
      const there = await plain.read(aside);
      if (there === undefined) return plain.move(name, aside);
      if (there === text) return;
    }
  }

  private async collect(folder: string, depth: number, found: string[]): Promise<void> {
    const { plain } = this.parts;
    const known = await this.provenance();
    for (const name of await plain.names(folder)) {
      if (name.startsWith('.') || found.length >= MOST_FOREIGN) continue;
      const path = folder === '' ? name : `${folder}/${name}`;
      const stats = await plain.stat(path);
      if (stats === undefined) {
        if (depth < MOST_DEPTH && name !== ARCHIVE) await this.collect(path, depth + 1, found);
      } else if (!known.knows(this.id(path))) found.push(path);
      // Those of sessions are made again of what was said: they are only looked at when they are read.
      else if (isCopied(path) && !(await this.isOwnSince(path, stats))) found.push(path);
    }
  }

  private async isOwnSince(name: string, { bytes, mtimeMs }: { bytes: number; mtimeMs: number }): Promise<boolean> {
    const { plain, ownStamps } = this.parts;
    const stamp = `${bytes} ${mtimeMs} ${this.parts.place} ${this.id(name)}`;
    if (ownStamps.has(stamp)) return true;
    const text = bytes > MOST_FOREIGN_BYTES ? undefined : await plain.read(name);
    const isOwn = text !== undefined && (await this.look(name, text)).isOwn;
    if (isOwn) ownStamps.add(stamp);
    return isOwn;
  }

  /** As it was when it was first asked for: nobody uses these files for long. */
  private provenance(): Promise<Provenance> {
    this.known ??= this.parts.provenance();
    return this.known;
  }

  private id(name: string): string {
    return `${this.parts.room}/${name}`;
  }
}
