import path from 'node:path';
import { EventEmitter, type Disposable, type Event } from 'vscode';
import type { StoredComposition } from '../../core/compositions/compositions';
import { errorText } from '../../core/text/keepitError';
import type { Log } from '../../core/model/host';
import { Lookout } from '../lookout';
import type { MemoryHost } from '../memory/memoryHost';
import type { SessionsModel } from '../sessions/sessionsModel';
import type { CompositionChanges } from './compositionChanges';

export interface CompositionsModelOptions {
  readonly host: MemoryHost;
  readonly model: SessionsModel;
  readonly changes: CompositionChanges;
  readonly log: Log;
}

/**
 * The compositions of the project that is shown, and which one waits for its next session. Looks for them only while somebody wants to see
 * them, and again when this window, another one or the command line has changed them.
 */
export class CompositionsModel implements Disposable {
  private readonly changed = new EventEmitter<void>();
  private readonly subscriptions: Disposable[];
  private readonly lookout = new Lookout((isSuperseded) => this.look(isSuperseded));
  private isReady = false;
  private current: readonly StoredComposition[] = [];
  private waiting: string | undefined;
  private failure: string | undefined;
  readonly onDidChange: Event<void> = this.changed.event;

  constructor(private readonly options: CompositionsModelOptions) {
    const { host, model, changes } = options;
    const again = (): void => this.lookout.lookSoon();
    this.subscriptions = [
      model.onDidChange(again),
      changes.onDidChange(again),
      host.onDidChange(() => {
        this.current = [];
        this.isReady = false;
        again();
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
    this.lookout.want(isWanted);
  }

  dispose(): void {
    this.lookout.dispose();
    for (const subscription of this.subscriptions) subscription.dispose();
    this.changed.dispose();
  }

  private async look(isSuperseded: () => boolean): Promise<void> {
    const projectId = this.options.model.shownProject?.projectId;
    try {
      const found = await this.all();
      const memory = await this.options.host.memory();
      const { deliveries } = memory.service.compositions;
      const armed = projectId === undefined ? undefined : await deliveries.armed(projectId);
      if (isSuperseded()) return;
      this.failure = undefined;
      this.show(found, armed?.name);
      this.lookout.followFiles(projectId === undefined ? [] : writtenFiles(memory.memoryDir, projectId), memory);
    } catch (error) {
      if (isSuperseded()) return;
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
}

/** The manifest tells of what others do; what waits is in a file of its own, which hooks take away. */
function writtenFiles(memoryDir: string, projectId: string): string[] {
  return ['manifest.json', 'armed.json'].map((file) => path.join(memoryDir, 'projects', projectId, file));
}
