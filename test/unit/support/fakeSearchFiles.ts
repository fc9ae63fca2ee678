import { atHand, type Bytes } from '../../../src/core/search/bytes';
import type { SearchFiles } from '../../../src/core/search/saidMessages';

/** Files in memory; counts what it was asked to keep. */
export class FakeSearchFiles implements SearchFiles {
  readonly files = new Map<string, Uint8Array>();
  readonly saved: string[] = [];

  async list(projectId: string, ending: string): Promise<string[]> {
    const names = [...this.files.keys()].filter((name) => name.startsWith(`${projectId}/`) && name.endsWith(ending));
    return names.map((name) => name.slice(projectId.length + 1));
  }

  async open(projectId: string, name: string): Promise<Bytes | undefined> {
    const bytes = this.files.get(`${projectId}/${name}`);
    return bytes && atHand(bytes);
  }

  async save(projectId: string, name: string, bytes: Uint8Array): Promise<void> {
    this.saved.push(name);
    this.files.set(`${projectId}/${name}`, bytes);
  }

  async remove(projectId: string, name: string): Promise<void> {
    this.files.delete(`${projectId}/${name}`);
  }
}
