import path from 'node:path';
import { EventEmitter, type Disposable, type Event } from 'vscode';
import type { StoredComposition } from '../../core/composition/compositions';
import { errorText } from '../../core/errors';
import type { Log } from '../../core/ports';
import type { MemoryHost } from '../memory/memoryHost';
import type { SessionsModel } from '../sessions/sessionsModel';
import type { CompositionChanges } from './compositionChanges';

export interface CompositionsModelOptions {
  readonly host: MemoryHost;
  readonly model: SessionsModel;
  readonly changes: CompositionChanges;
  readonly log: Log;
}

const SETTLE_MS = 120;

/**
 * The compositions of the project that is shown, and which one waits for its next session. Looks for them only while somebody wants to see
 * them, and again when this window, another one or the command line has changed them.
 */
export class CompositionsModel implements Disposable {
  private readonly changed = new EventEmitter<void>();
  private readonly subscriptions: Disposable[];
  private timer: NodeJS.Timeout | undefined;
  private following: { readonly projectId: string; readonly end: () => void } | undefined;
  private running = 0;
  private isWanted = false;
  private isReady = false;
  private current: readonly StoredComposition[] = [];
  private waiting: string | undefined;
  private failure: string | undefined;
  readonly onDidChange: Event<void> = this.changed.event;

  constructor(private readonly options: CompositionsModelOptions) {
    const { host, model, changes } = options;
    const again = (): void => this.schedule();
    this.subscriptions = [
      model.onDidChange(again),
      changes.onDidChange(again),
      host.onDidChange(() => {
        this.current = [];
        this.isReady = false;
        this.unfollow();
        this.schedule();
      }),
    ];
  }

  /** As they were read last, the newest first. */
  get compositions(): readonly StoredComposition[] {
    return this.current;
  }

  /** The name of the one that waits for the next session. */
  get armed(): string | undefined {
    return this.waiting;
  }

  get hasLooked(): boolean {
    return this.isReady;
  }

  /** Why they could not be read. */
  get problem(): string | undefined {
    return this.failure;
  }

  /** Those of the project that is shown, read now. */
  async all(): Promise<StoredComposition[]> {
    const projectId = this.options.model.shownProject?.projectId;
    if (projectId === undefined) return [];
    const { service } = await this.options.host.memory();
    return service.compositions.saved.list(projectId);
  }

  /** Somebody sees them, or nobody does any more. */
  want(isWanted: boolean): void {
    this.isWanted = isWanted;
    if (isWanted) {
      this.schedule();
      return;
    }
    this.running += 1;
    this.unfollow();
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.running += 1;
    this.unfollow();
    for (const subscription of this.subscriptions) subscription.dispose();
    this.changed.dispose();
  }

  private schedule(): void {
    if (!this.isWanted) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.look(), SETTLE_MS);
  }

  /** A newer look supersedes an older one. */
  private async look(): Promise<void> {
    const run = ++this.running;
    const projectId = this.options.model.shownProject?.projectId;
    try {
      const found = await this.all();
      const { service } = await this.options.host.memory();
      const armed = projectId === undefined ? undefined : await service.compositions.deliveries.armed(projectId);
      if (run !== this.running) return;
      this.failure = undefined;
      this.show(found, armed?.name);
      await this.follow(projectId);
    } catch (error) {
      if (run !== this.running) return;
      this.options.log.warn(`Compositions could not be listed: ${errorText(error)}`);
      this.failure = errorText(error);
      this.show([], undefined);
    }
  }

  private show(compositions: readonly StoredComposition[], armed: string | undefined): void {
    this.isReady = true;
    this.current = compositions;
    this.waiting = armed;
    this.changed.fire();
  }

  /** The manifest tells of what others do; what waits is in a file of its own, which hooks take away. */
  private async follow(projectId: string | undefined): Promise<void> {
    if (projectId === this.following?.projectId) return;
    this.unfollow();
    if (projectId === undefined || !this.isWanted) return;
    const run = this.running;
    const memory = await this.options.host.memory();
    if (run !== this.running) return;
    const folder = path.join(memory.memoryDir, 'projects', projectId);
    const followers = ['manifest.json', 'armed.json'].map((file) =>
      memory.follow(path.join(folder, file), () => this.schedule()),
    );
    this.following = { projectId, end: () => followers.forEach((follower) => follower.dispose()) };
  }

  private unfollow(): void {
    this.following?.end();
    this.following = undefined;
  }
}
