import { EventEmitter, type Disposable, type Event } from 'vscode';
import type { CompressionRequest } from '../../core/versions/types';
import type { CompressionResult, VersionDeletion } from '../../core/versions/versionListing';
import type { OnProgress, SessionRef } from '../../core/sessions/results';
import type { MemoryHost, MemoryName } from '../memory/memoryHost';

/** A session in one of the memories. */
export interface SessionPlace {
  readonly memory: MemoryName;
  readonly session: SessionRef;
}

/** How far a compression has come, and how it is stopped. */
export interface CompressionWatch {
  readonly onProgress?: OnProgress | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** All that is changed about versions goes through here, so that every view hears of it. */
export class VersionChanges implements Disposable {
  private readonly changed = new EventEmitter<SessionPlace>();
  readonly onDidChange: Event<SessionPlace> = this.changed.event;

  constructor(private readonly host: MemoryHost) {}

  dispose(): void {
    this.changed.dispose();
  }

  async compress(
    place: SessionPlace,
    request: CompressionRequest,
    watch: CompressionWatch,
  ): Promise<CompressionResult> {
    const { service } = await this.host.named(place.memory);
    const made = await service.compress(place.session, request, watch.onProgress, watch.signal);
    this.changed.fire(place);
    return made;
  }

  /** Versions that compositions use stay, unless `force` is set: the answer names them. */
  async remove(place: SessionPlace, versionIds: readonly string[], force: boolean): Promise<VersionDeletion> {
    const { service } = await this.host.named(place.memory);
    try {
      return await service.deleteVersions(place.session, versionIds, { force });
    } finally {
      this.changed.fire(place);
    }
  }

  /** Undoes `remove`. */
  async restore(place: SessionPlace, trash: string): Promise<void> {
    const { service } = await this.host.named(place.memory);
    try {
      await service.restoreVersions(place.session, trash);
    } finally {
      this.changed.fire(place);
    }
  }
}
