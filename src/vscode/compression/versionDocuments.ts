import type { VersionRef } from '../../core/presentation/treeNode';
import { placeBlocks, type PlacedBlock } from '../../core/presentation/versionLineage';
import type { MemoryHost } from '../memory/memoryHost';

/** A version as it is shown. */
export interface VersionDocument {
  readonly text: string;
  readonly bytes: Uint8Array;
  readonly blocks: readonly PlacedBlock[];
}

const MAX_KEPT = 8;

/** The texts of versions with their lineage. What a version says never changes: it is read once. */
export class VersionDocuments {
  private readonly known = new Map<string, Promise<VersionDocument>>();

  constructor(private readonly host: MemoryHost) {}

  async get(place: VersionRef): Promise<VersionDocument> {
    const { projectId, sessionId, versionId } = place;
    const key = [projectId, sessionId, versionId].join('\n');
    const before = this.known.get(key);
    if (before !== undefined) return before;
    const document = this.read(place);
    this.known.set(key, document);
    document.catch(() => this.known.delete(key)); // the next one who asks tries again
    const oldest = this.known.keys().next().value;
    if (this.known.size > MAX_KEPT && oldest !== undefined) this.known.delete(oldest);
    return document;
  }

  /** A version was deleted, or brought back. */
  forget(): void {
    this.known.clear();
  }

  private async read({ versionId, ...ref }: VersionRef): Promise<VersionDocument> {
    const { service } = await this.host.memory();
    const text = await service.versionText(ref, versionId, 'md');
    const jsonl = await service.versionText(ref, versionId, 'jsonl');
    return { text, bytes: new TextEncoder().encode(text), blocks: placeBlocks(text, jsonl) };
  }
}
