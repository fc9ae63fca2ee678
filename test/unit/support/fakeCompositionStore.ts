import type { ArmedContext } from '../../../src/core/model/preparedBrief';
import type { ComposedContextRecord } from '../../../src/core/model/composition';
import { type CompositionStore, StoreError } from '../../../src/core/model/host';

type Folder = Map<string, string>;

/** The files of compositions in memory. Changes take effect at once. */
export class FakeCompositionStore implements CompositionStore {
  /** By `project/name`. */
  readonly folders = new Map<string, Folder>();
  readonly waiting = new Map<string, ArmedContext>();
  readonly #taken = new Map<string, ArmedContext>();
  readonly #trash = new Map<string, { record: ComposedContextRecord; folder: Folder }>();

  async keep(projectId: string, name: string, files: Readonly<Record<string, string>>): Promise<void> {
    const folder = this.#folder(projectId, name);
    for (const [file, text] of Object.entries(files)) folder.set(file, text);
  }

  async move(projectId: string, { name }: ComposedContextRecord, to: string): Promise<void> {
    this.folders.set(`${projectId}/${to}`, this.#folder(projectId, name));
    this.folders.delete(`${projectId}/${name}`);
  }

  async discard(projectId: string, record: ComposedContextRecord): Promise<string> {
    const trash = `composition.${this.#trash.size + 1}`;
    this.#trash.set(trash, { record, folder: this.#folder(projectId, record.name) });
    this.folders.delete(`${projectId}/${record.name}`);
    return trash;
  }

  async discarded(_projectId: string, trash: string): Promise<ComposedContextRecord> {
    return this.#discarded(trash).record;
  }

  async takeBack(projectId: string, trash: string): Promise<void> {
    const { record, folder } = this.#discarded(trash);
    this.folders.set(`${projectId}/${record.name}`, folder);
    this.#trash.delete(trash);
  }

  path(projectId: string, name: string, file: string): string {
    return `/store/${projectId}/composed/${name}/${file}`;
  }

  async read(projectId: string, name: string, file: string): Promise<string | undefined> {
    return this.folders.get(`${projectId}/${name}`)?.get(file);
  }

  async arm(projectId: string, armed: ArmedContext): Promise<void> {
    this.waiting.set(projectId, armed);
  }

  async armed(projectId: string): Promise<ArmedContext | undefined> {
    return this.waiting.get(projectId);
  }

  async takeArmed(projectId: string, sessionId: string): Promise<ArmedContext | undefined> {
    const key = `${projectId}/${sessionId}`;
    const armed = this.#taken.get(key) ?? this.waiting.get(projectId);
    if (armed === undefined) return undefined;
    if (!this.#taken.has(key)) this.waiting.delete(projectId);
    this.#taken.set(key, armed);
    return armed;
  }

  async disarm(projectId: string): Promise<boolean> {
    return this.waiting.delete(projectId);
  }

  #folder(projectId: string, name: string): Folder {
    const key = `${projectId}/${name}`;
    const folder = this.folders.get(key) ?? new Map<string, string>();
    this.folders.set(key, folder);
    return folder;
  }

  #discarded(trash: string): { record: ComposedContextRecord; folder: Folder } {
    const found = this.#trash.get(trash);
    if (found === undefined) throw new StoreError('not-found', { path: trash });
    return found;
  }
}
