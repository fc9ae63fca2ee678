import type { LayerFiles } from '../layerStore';

/** The files of a place with changes that are not made: what would be is read back, and nothing is written. */
export class StagedFiles implements LayerFiles {
  /** Undefined for a file that would be gone. */
  private readonly changed = new Map<string, string | undefined>();

  constructor(private readonly files: LayerFiles) {}

  async read(name: string): Promise<string | undefined> {
    return this.changed.has(name) ? this.changed.get(name) : this.files.read(name);
  }

  async write(name: string, text: string): Promise<void> {
    this.changed.set(name, text);
  }

  async names(folder: string): Promise<string[]> {
    const below = folder === '' ? '' : `${folder}/`;
    const names = new Set(await this.files.names(folder));
    for (const [name, text] of this.changed) {
      if (!name.startsWith(below)) continue;
      const [own = ''] = name.slice(below.length).split('/');
      if (text !== undefined) names.add(own);
      else if (name === below + own) names.delete(own);
    }
    return [...names];
  }

  async stat(name: string): Promise<{ bytes: number; mtimeMs: number } | undefined> {
    if (!this.changed.has(name)) return this.files.stat(name);
    const text = this.changed.get(name);
    return text === undefined ? undefined : { bytes: new TextEncoder().encode(text).length, mtimeMs: 0 };
  }

  async setAside(name: string): Promise<string> {
    return `${name}.corrupt`;
  }

  async move(from: string, to: string): Promise<void> {
    this.changed.set(to, await this.read(from));
    this.changed.set(from, undefined);
  }

  async remove(name: string): Promise<void> {
    this.changed.set(name, undefined);
  }

  async foreign(): Promise<string[]> {
    return (await this.files.foreign()).filter((name) => !this.changed.has(name));
  }

  async readForeign(name: string): Promise<string | undefined> {
    return this.changed.has(name) ? undefined : this.files.readForeign(name);
  }

  async accept(name: string, text: string): Promise<boolean> {
    this.changed.set(name, text);
    return true;
  }

  async disown(name: string): Promise<void> {
    this.changed.delete(name);
  }
}
