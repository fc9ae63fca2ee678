import { EventEmitter, type Disposable, type Event } from 'vscode';
import type { Arrival } from '../../core/compositions/arrivals';
import type { CompositionResult, RebuildResult, StoredComposition } from '../../core/compositions/compositions';
import type { Delivered } from '../../core/compositions/deliveries';
import type { CompositionServices } from '../../core/compositions/openCompositions';
import type { CompositionRequest, DeliveryTarget } from '../../core/model/composition';
import type { OnProgress } from '../../core/sessions/results';
import type { MemoryHost, MemoryName } from '../memory/memoryHost';

/** A project in one of the memories. */
export interface ProjectPlace {
  readonly memory: MemoryName;
  readonly projectId: string;
}

/** A saved composition in one of the memories. */
export interface CompositionPlace extends ProjectPlace {
  readonly name: string;
}

/** How far composing has come, and how it is stopped. */
export interface ComposingWatch {
  readonly onProgress?: OnProgress;
  readonly signal?: AbortSignal;
}

/** All that is changed about compositions goes through here, so that every view hears of it. */
export class CompositionChanges implements Disposable {
  private readonly changed = new EventEmitter<ProjectPlace>();
  private readonly delivered = new EventEmitter<CompositionPlace>();
  readonly onDidChange: Event<ProjectPlace> = this.changed.event;
  /** A composition was handed over to where it can be seen to arrive. */
  readonly onDidDeliver: Event<CompositionPlace> = this.delivered.event;

  constructor(private readonly host: MemoryHost) {}

  dispose(): void {
    this.changed.dispose();
    this.delivered.dispose();
  }

  async compose(
    place: ProjectPlace,
    request: CompositionRequest,
    options: ComposingWatch & { replaces: boolean },
  ): Promise<CompositionResult> {
    return this.change(place, ({ saved }) => saved.compose(place.projectId, request, options));
  }

  async rebuild(place: CompositionPlace, hasBothFormats: boolean, watch: ComposingWatch): Promise<RebuildResult> {
    const changes = hasBothFormats ? ({ outputFormat: 'both' } as const) : {};
    return this.change(place, ({ saved }) => saved.rebuild(place.projectId, place.name, changes, watch));
  }

  async rename(place: CompositionPlace, newName: string): Promise<StoredComposition> {
    return this.change(place, ({ saved }) => saved.rename(place.projectId, place.name, newName));
  }

  async delete(place: CompositionPlace): Promise<{ trash: string }> {
    return this.change(place, ({ saved }) => saved.delete(place.projectId, place.name));
  }

  /** Undoes `delete`, or the replacing of a composition. */
  async restore(place: ProjectPlace, trash: string): Promise<StoredComposition> {
    return this.change(place, ({ saved }) => saved.restore(place.projectId, trash));
  }

  async deliver(place: CompositionPlace, to: DeliveryTarget, options: { file?: string } = {}): Promise<Delivered> {
    const result = await this.change(place, ({ deliveries }) =>
      deliveries.deliver(place.projectId, place.name, to, options),
    );
    if (to === 'resume' || to === 'next-session') this.delivered.fire(place);
    return result;
  }

  async disarm({ memory, projectId }: ProjectPlace): Promise<boolean> {
    return this.change({ memory, projectId }, ({ deliveries }) => deliveries.disarm(projectId));
  }

  /** Looks whether it arrived; where it did, that is recorded. */
  async arrived(place: CompositionPlace): Promise<Arrival> {
    return this.change(place, ({ deliveries }) => deliveries.arrived(place.projectId, place.name));
  }

  /** Also when it fails: the reason may be that somebody else has changed something. */
  private async change<T>(
    { memory, projectId }: ProjectPlace,
    work: (services: CompositionServices) => Promise<T>,
  ): Promise<T> {
    const { service } = await this.host.named(memory);
    try {
      return await work(service.compositions);
    } finally {
      this.changed.fire({ memory, projectId });
    }
  }
}
