import { EventEmitter, type Disposable, type Event } from 'vscode';
import type { Arrival } from '../../core/compositions/arrivals';
import type { CompositionResult, RebuildResult, StoredComposition } from '../../core/compositions/compositions';
import type { Delivered } from '../../core/compositions/deliveries';
import type { MemoryService } from '../../core/memory';
import type { CompositionRequest, DeliveryTarget } from '../../core/model/composition';
import type { CompositionRef } from '../../core/presentation/treeNode';
import type { OnProgress } from '../../core/sessions/results';
import type { MemoryHost } from '../memory/memoryHost';

/** How far composing has come, and how it is stopped. */
export interface ComposingWatch {
  readonly onProgress?: OnProgress;
  readonly signal?: AbortSignal;
}

/** All that is changed about compositions goes through here, so that every view hears of it. */
export class CompositionChanges implements Disposable {
  private readonly changed = new EventEmitter<void>();
  private readonly delivered = new EventEmitter<CompositionRef>();
  readonly onDidChange: Event<void> = this.changed.event;
  /** A composition was handed over to where it can be seen to arrive. */
  readonly onDidDeliver: Event<CompositionRef> = this.delivered.event;

  constructor(private readonly host: MemoryHost) {}

  dispose(): void {
    this.changed.dispose();
    this.delivered.dispose();
  }

  async compose(
    projectId: string,
    request: CompositionRequest,
    options: ComposingWatch & { replaces: boolean },
  ): Promise<CompositionResult> {
    return this.change((services) => services.compose(projectId, request, options));
  }

  async rebuild(place: CompositionRef, hasBothFormats: boolean, watch: ComposingWatch): Promise<RebuildResult> {
    const changes = hasBothFormats ? ({ outputFormat: 'both' } as const) : {};
    return this.change((services) => services.rebuild(place.projectId, place.name, changes, watch));
  }

  async rename(place: CompositionRef, newName: string): Promise<StoredComposition> {
    return this.change((services) => services.rename(place.projectId, place.name, newName));
  }

  async delete(place: CompositionRef): Promise<{ trash: string }> {
    return this.change((services) => services.delete(place.projectId, place.name));
  }

  /** Undoes `delete`, or the replacing of a composition. */
  async restore(projectId: string, trash: string): Promise<StoredComposition> {
    return this.change((services) => services.restore(projectId, trash));
  }

  async deliver(place: CompositionRef, to: DeliveryTarget, options: { file?: string } = {}): Promise<Delivered> {
    const { projectId, name } = place;
    const result = await this.change((services) => services.deliver(projectId, name, to, options));
    if (to === 'resume' || to === 'next-session') this.delivered.fire(place);
    return result;
  }

  async disarm(projectId: string): Promise<boolean> {
    return this.change((services) => services.disarm(projectId));
  }

  /** Looks whether it arrived; where it did, that is recorded. */
  async arrived(place: CompositionRef): Promise<Arrival> {
    return this.change((services) => services.arrived(place.projectId, place.name));
  }

  /** Also when it fails: the reason may be that somebody else has changed something. */
  private async change<T>(work: (services: MemoryService['compositions']) => Promise<T>): Promise<T> {
    const { service } = await this.host.memory();
    try {
      return await work(service.compositions);
    } finally {
      this.changed.fire();
    }
  }
}
