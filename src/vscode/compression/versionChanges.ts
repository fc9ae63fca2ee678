import { EventEmitter, type Disposable, type Event } from 'vscode';
import type { CompressionRequest } from '../../core/versions/types';
import type { CompressionResult, VersionDeletion } from '../../core/versions/versionListing';
import type { OnProgress, SessionRef } from '../../core/sessions/results';
import type { MemoryHost } from '../memory/memoryHost';

/** How far a compression has come, and how it is stopped. */
export interface CompressionWatch {
  readonly onProgress?: OnProgress | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** All that is changed about versions goes through here, so that every view hears of it. */
export class VersionChanges implements Disposable {
  private readonly changed = new EventEmitter<SessionRef>();
  /** The session whose versions are not what they were. */
  readonly onDidChange: Event<SessionRef> = this.changed.event;

  constructor(private readonly host: MemoryHost) {}

  dispose(): void {
    this.changed.dispose();
  }

  async compress(
    session: SessionRef,
    request: CompressionRequest,
    watch: CompressionWatch,
  ): Promise<CompressionResult> {
    const { service } = await this.host.memory();
    const made = await service.versions.compress(session, request, watch.onProgress, watch.signal);
    this.changed.fire(session);
    return made;
  }

  /** Versions that compositions use stay, unless `force` is set: the answer names them. */
  async remove(session: SessionRef, versionIds: readonly string[], force: boolean): Promise<VersionDeletion> {
    const { service } = await this.host.memory();
    try {
      return await service.versions.delete(session, versionIds, { force });
    } finally {
      this.changed.fire(session);
    }
  }

  /** Undoes `remove`. */
  async restore(session: SessionRef, trash: string): Promise<void> {
    const { service } = await this.host.memory();
    try {
      await service.versions.restore(session, trash);
    } finally {
      this.changed.fire(session);
    }
  }
}
